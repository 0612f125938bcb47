extern "C" __global__ void shuffle_sum(const float *x, float *s, int n)
{
    __shared__ float sums[32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    float sum = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();

    if (t < 32) {
        float total = t < THREADS / 32 ? sums[t] : 0.0f;
        for (int step = 16; step > 0; step /= 2)
            total += __shfl_down_sync(0xffffffff, total, step);
        if (t == 0)
            atomicAdd(s, total);
    }
}

/* tilescope
title    = "A sum by shuffles"
teaches  = "Shuffles add up a warp in registers; shared memory and a barrier join the warps."
workload = "reduce"
clear    = ["s"]
size     = [128]
block    = [64]
blocks   = [[32], [64], [128]]
grid     = ["(n + block_x - 1) / block_x"]
define   = { THREADS = "block_x" }
*/
