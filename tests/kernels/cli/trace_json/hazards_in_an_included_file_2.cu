#include "sum.cuh"
__global__ void k(const float *x, float *y)
{
    __shared__ float s[64];
    float all = block_sum(s, x[threadIdx.x]);
    if (threadIdx.x == 0)
        y[0] = all;
}
