// As many threads as a GPU holds at once: each adds up elements in a loop, and the block joins the sums by shuffles.
//
// idea     threads do not depend on n beyond THREADS: a large n has more turns of the loop, not more blocks and atomics
// mapping  thread f of the grid loads four neighbours at a time, the vectors f, f + all threads, and so on; the last
//          n % 4 elements are loaded one by one
// watch    nearly all that is left is loading x, 16 bytes a load; s, which the launch clears, gets one atomicAdd of
//          each block

#ifndef THREADS
#define THREADS 270336  // most threads of the grid: an H100 or H200 holds 132 * 2048 at once
#endif

extern "C" __global__ void reduce_grid_stride(const float *x, float *s, int n)
{
    __shared__ float sums[32];  // one of each warp
    int t = threadIdx.x;
    int first = blockIdx.x * blockDim.x + t;
    int threads = gridDim.x * blockDim.x;
    const float4 *vectors = reinterpret_cast<const float4 *>(x);

    float sum = 0.0f;
    for (int v = first; v < n / 4; v += threads) {
        float4 four = vectors[v];
        sum += (four.x + four.y) + (four.z + four.w);
    }
    int last = n / 4 * 4 + first;
    if (first < n % 4)
        sum += x[last];

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
title    = "Sum: a grid-stride loop"
teaches  = "The number of threads follows from the GPU, not from n: long loops of wide loads reach the memory's limit."
workload = "reduce"
order    = 86
clear    = ["s"]
size     = [250]
block    = [32]
blocks   = [[128], [256], [512], [1024]]
grid     = ["n <= 4 * THREADS ? (n + 4 * block_x - 1) / (4 * block_x) : THREADS / block_x"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0 && (block_x & (block_x - 1)) == 0",
   "it works with whole warps: choose one power of two from 32 up, as in block 128"],
]
define   = { THREADS = "n < 4096 ? block_x : 270336" }
*/
