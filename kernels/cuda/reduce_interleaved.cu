// Neighbours add first: a tree over the threads of a block, whose distance doubles from step to step.
//
// idea     after the steps 1, 2, 4 ... the first thread has the sum of its block; s, which the launch clears, gets one
//          atomicAdd of each block, so that one launch is enough
// mapping  thread t of block b loads x[b * blockDim.x + t]; beyond n it loads 0
// watch    t % (2 * step) == 0 is true in every second, fourth, eighth ... lane: all warps stay busy for fewer lanes

extern "C" __global__ void reduce_interleaved(const float *x, float *s, int n)
{
    extern __shared__ float sums[];  // one of each thread
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0)
            sums[t] += sums[t + step];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(s, sums[0]);
}

/* tilescope
title    = "Sum: neighbours first"
teaches  = "Threads of a tree that stay in use are spread over all warps, and each warp runs for a few of its lanes."
workload = "reduce"
order    = 81
clear    = ["s"]
size     = [128]
block    = [64]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
dynamic_shared = "4 * block_x"
require  = [
  ["block_y * block_z == 1 && (block_x & (block_x - 1)) == 0",
   "the tree halves the block: choose one power of two, as in block 128"],
]
*/
