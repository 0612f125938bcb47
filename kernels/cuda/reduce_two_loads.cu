// Each thread loads two elements and adds them at once: half as many threads, none of which idles in the first step.
//
// idea     in reduce_sequential half of the threads only load; here the first addition is part of the loading
// mapping  thread t of block b loads x[i] and x[i + blockDim.x] with i = b * 2 * blockDim.x + t
// watch    half as many blocks, barriers and atomics for the same n; s is cleared by the launch, as in the others

extern "C" __global__ void reduce_two_loads(const float *x, float *s, int n)
{
    extern __shared__ float sums[];  // one of each thread
    int t = threadIdx.x;
    int i = blockIdx.x * (2 * blockDim.x) + t;

    float sum = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n)
        sum += x[i + blockDim.x];
    sums[t] = sum;
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
title    = "Sum: two loads a thread"
teaches  = "The first addition is done while loading: half as many threads, and none of them only loads."
workload = "reduce"
order    = 84
clear    = ["s"]
size     = [256]
block    = [32]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + 2 * block_x - 1) / (2 * block_x)"]
dynamic_shared = "4 * block_x"
require  = [
  ["block_y * block_z == 1 && (block_x & (block_x - 1)) == 0",
   "the tree halves the block: choose one power of two, as in block 128"],
]
*/
