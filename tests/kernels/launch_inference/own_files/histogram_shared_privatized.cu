#include <stdio.h>
#define NUM_BINS 64
#define BLOCK_SIZE 128
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t err_ = (call);                                                    \
        if (err_ != cudaSuccess) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// privatized histogram: each block counts in shared memory, then adds to the global one
__global__ void histogram_kernel(const unsigned int *input, unsigned int *bins,
                                 unsigned int num_elements, unsigned int num_bins)
{
    __shared__ unsigned int histo_s[NUM_BINS];

    for (unsigned int b = threadIdx.x; b < num_bins; b += blockDim.x)
        histo_s[b] = 0u;
    __syncthreads();

    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = blockDim.x * gridDim.x;
    for (unsigned int i = tid; i < num_elements; i += stride)
        atomicAdd(&histo_s[input[i]], 1u);
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < num_bins; b += blockDim.x)
        atomicAdd(&bins[b], histo_s[b]);
}

// counters saturate at 127
__global__ void convert_kernel(unsigned int *bins, unsigned int num_bins)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < num_bins && bins[i] > 127)
        bins[i] = 127;
}

int main()
{
    const unsigned int n = 10000;
    unsigned int *h_in = (unsigned int *)malloc(n * sizeof(unsigned int));
    for (unsigned int i = 0; i < n; ++i) h_in[i] = rand() % NUM_BINS;
    unsigned int *d_in, *d_bins;
    CHECK(cudaMalloc((void **)&d_in, n * sizeof(unsigned int)));
    CHECK(cudaMalloc((void **)&d_bins, NUM_BINS * sizeof(unsigned int)));
    CHECK(cudaMemcpy(d_in, h_in, n * sizeof(unsigned int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_bins, 0, NUM_BINS * sizeof(unsigned int)));
    histogram_kernel<<<30, BLOCK_SIZE>>>(d_in, d_bins, n, NUM_BINS);
    convert_kernel<<<(NUM_BINS + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(d_bins, NUM_BINS);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
