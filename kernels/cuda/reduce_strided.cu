// The same tree as reduce_interleaved, by the first threads: thread t adds the pair at 2 * step * t.
//
// idea     consecutive threads work, so that the others are whole warps, which do not execute the addition
// mapping  thread t loads as in reduce_interleaved; s gets one atomicAdd of each block, after the launch has cleared it
// watch    lanes 2 * step words apart meet in one bank: conflicts of 2 lanes in the first step, then of 4, 8 ...

extern "C" __global__ void reduce_strided(const float *x, float *s, int n)
{
    extern __shared__ float sums[];  // one of each thread
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int step = 1; step < blockDim.x; step *= 2) {
        int left = 2 * step * t;
        if (left < blockDim.x)
            sums[left] += sums[left + step];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(s, sums[0]);
}

/* tilescope
title    = "Sum: consecutive threads, strided pairs"
teaches  = "Consecutive threads do not split warps, but their strided elements meet in the same banks."
workload = "reduce"
order    = 82
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
