// keep the positive elements; the order is lost
__global__ void filter_positive(const int *src, int *dst, int *nres, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n && src[i] > 4)
        dst[atomicAdd(nres, 1)] = src[i];
}
