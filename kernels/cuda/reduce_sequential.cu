// Halves: thread t of the first half adds the element of the second half.
//
// idea     the distance halves from step to step: neither the threads nor their elements have gaps
// mapping  thread t loads as in reduce_interleaved; s gets one atomicAdd of each block, after the launch has cleared it
// watch    no bank conflicts, and whole warps end; a warp splits only when fewer than 32 threads are left

extern "C" __global__ void reduce_sequential(const float *x, float *s, int n)
{
    extern __shared__ float sums[];  // one of each thread
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            sums[t] += sums[t + step];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(s, sums[0]);
}

/* tilescope
title    = "Sum: halves"
teaches  = "Consecutive threads add consecutive elements: no bank conflicts, and warps end as a whole."
workload = "reduce"
order    = 83
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
