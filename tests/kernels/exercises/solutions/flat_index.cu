extern "C" __global__ void flat_index(int *out, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i;
}
