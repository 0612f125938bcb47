// Lanes of a warp read each other's registers; shared memory holds one word of each warp.
//
// idea     __shfl_down_sync gives a lane the value of the lane step above it: 5 steps add up a warp without a barrier
// mapping  thread t loads as in reduce_interleaved; then the first warp adds the sums of the warps in the same way
// watch    one barrier in all instead of one a step; s, which the launch clears, gets one atomicAdd of each block

extern "C" __global__ void reduce_shuffle(const float *x, float *s, int n)
{
    __shared__ float sums[32];  // one of each warp
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    float sum = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();

    if (t < 32) {
        sum = t < blockDim.x / 32 ? sums[t] : 0.0f;
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
        if (t == 0)
            atomicAdd(s, sum);
    }
}

/* tilescope
title    = "Sum: shuffles"
teaches  = "Shuffles add up a warp in registers: one barrier in all, and one word of shared memory a warp."
workload = "reduce"
order    = 85
clear    = ["s"]
size     = [128]
block    = [64]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0 && (block_x & (block_x - 1)) == 0",
   "it works with whole warps: choose one power of two from 32 up, as in block 128"],
]
*/
