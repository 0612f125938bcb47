extern "C" __global__ void guard(int *out, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < height * width)
        out[i] = i;
}
