// Sums of warps, or single elements, are added to s by atomics; a block has no tree and no barrier.
//
// idea     s, which the launch clears, gets one atomicAdd from LANES threads, whose elements shuffles add up before
// mapping  thread t of block b loads x[b * blockDim.x + t]
// watch    all atomics are to one address, where they wait for each other: n of them, or n / 32 with a warp's sums

#ifndef LANES
#define LANES 32  // threads of an atomicAdd: a warp, or 1
#endif

extern "C" __global__ void reduce_atomic(const float *x, float *s, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    float sum = i < n ? x[i] : 0.0f;
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % LANES == 0 && i < n)
        atomicAdd(s, sum);
}

/* tilescope
title    = "Sum: atomics"
teaches  = "Atomics to one element wait for each other; adding up a warp before leaves one of 32."
workload = "reduce"
order    = 87
clear    = ["s"]
size     = [128]
block    = [32]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0 && (block_x & (block_x - 1)) == 0",
   "it works with whole warps: choose one power of two from 32 up, as in block 128"],
]

[option.by]
title   = "one atomicAdd from"
choices = { warp = { LANES = "32" }, thread = { LANES = "1" } }
*/
