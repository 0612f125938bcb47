extern "C" __global__ void warp_atomics(const float *x, float *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(s, sum);
}

/* tilescope
title    = "One atomic a warp"
teaches  = "Adding up a warp before leaves one of 32 atomics to an element."
workload = "reduce"
clear    = ["s"]
size     = [64]
block    = [32]
blocks   = [[32], [64], [128]]
grid     = ["(n + block_x - 1) / block_x"]
*/
