__device__ int total;
__global__ void grow(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 1.5f * x[i] + 1;
    atomicAdd(&total, 1);
}
