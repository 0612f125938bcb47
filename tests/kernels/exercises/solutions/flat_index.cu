extern "C" __global__ void flat_index(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i;
}
