#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE 256

/* Sum of an array: each block reduces BLOCK_SIZE elements, the host adds up the partial sums. */
__global__ void reduceSum(float *g_idata, float *g_odata, unsigned int n)
{
    __shared__ float sdata[BLOCK_SIZE];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    sdata[tid] = (i < n) ? g_idata[i] : 0.0f;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    float *d_in, *d_out;
    cudaMalloc((void **)&d_in, n * sizeof(float));
    cudaMalloc((void **)&d_out, blocks * sizeof(float));
    reduceSum<<<blocks, BLOCK_SIZE>>>(d_in, d_out, n);
    cudaFree(d_in);
    cudaFree(d_out);
}
