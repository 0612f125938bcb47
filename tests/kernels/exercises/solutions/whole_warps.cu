extern "C" __global__ void whole_warps(const float *x, float *s, int n)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int step = 1; step < THREADS; step *= 2) {
        int left = 2 * step * t;
        if (left < THREADS)
            sums[left] += sums[left + step];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(s, sums[0]);
}

/* tilescope
title    = "Warps that end as a whole"
teaches  = "Consecutive threads of a tree leave whole warps without work, which costs nothing."
workload = "reduce"
clear    = ["s"]
size     = [128]
block    = [64]
blocks   = [[32], [64], [128]]
grid     = ["(n + block_x - 1) / block_x"]
define   = { THREADS = "block_x" }
*/
