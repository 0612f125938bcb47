#pragma once
__device__ float block_sum(float *s, float x)
{
    s[threadIdx.x] = x;
    for (int d = blockDim.x / 2; d > 0; d /= 2)
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
    return s[0];
}
