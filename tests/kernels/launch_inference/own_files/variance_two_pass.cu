#include <cuda_runtime.h>
// Sum of squared deviations from a known mean: block reduction, then one atomic for each block.
template <unsigned BLOCK_SIZE>
__global__ void sum_sq_dev(const double *x, double mean, double *result, unsigned n)
{
    __shared__ double cache[BLOCK_SIZE];
    double mine = 0.0;
    for (unsigned i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += BLOCK_SIZE * gridDim.x) {
        double d = x[i] - mean;
        mine += d * d;
    }
    cache[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, cache[0]);
}

double variance(const double *d_x, double mean, double *d_r, unsigned n)
{
    sum_sq_dev<256><<<64, 256>>>(d_x, mean, d_r, n);
    double r = 0;
    cudaMemcpy(&r, d_r, sizeof(double), cudaMemcpyDeviceToHost);
    return r / n;
}
