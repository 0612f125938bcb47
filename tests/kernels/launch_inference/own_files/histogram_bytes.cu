// 256-bin histogram of bytes with privatised bins (blog version 2).
#define NUM_BINS 256

__global__ void histogram_smem(const unsigned char *data, unsigned int *bins, int n)
{
    __shared__ unsigned int local[NUM_BINS];

    // clear
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    // count
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();

    // merge
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}
