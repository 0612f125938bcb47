// Each block has its own sums in shared memory, and adds them to the global ones at its end.
//
// idea     threads of different blocks no longer meet; the global sums get one addition for each block
// mapping  thread x of block b has ROUNDS objects, blockDim.x apart
// watch    atomics in shared memory, then one global atomic for each sum of a block; three phases, two barriers

#ifndef ROUNDS
#define ROUNDS 16  // objects of a thread
#endif

extern "C" __global__ void kmeans_update_privatized(const float *objects, const int *labels, float *sums, int *counts,
                                                    int n, int d, int k)
{
    extern __shared__ float own[];       // the sums of this block, then
    int *own_counts = (int *)(own + k * d);  // its counts

    for (int i = threadIdx.x; i < k * d; i += blockDim.x)
        own[i] = 0.0f;
    for (int j = threadIdx.x; j < k; j += blockDim.x)
        own_counts[j] = 0;
    __syncthreads();

    for (int round = 0; round < ROUNDS; ++round) {
        int object = (blockIdx.x * ROUNDS + round) * blockDim.x + threadIdx.x;
        if (object < n) {
            int label = labels[object];
            for (int c = 0; c < d; ++c)
                atomicAdd(&own[label * d + c], objects[c * n + object]);
            atomicAdd(&own_counts[label], 1);
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < k * d; i += blockDim.x)
        atomicAdd(&sums[i], own[i]);
    for (int j = threadIdx.x; j < k; j += blockDim.x)
        atomicAdd(&counts[j], own_counts[j]);
}

/* tilescope
title    = "Sums of each block in shared memory"
teaches  = "Private sums in shared memory: the global ones get one atomicAdd for each block."
workload = "kmeans_update"
order    = 78
clear    = ["sums", "counts"]
block    = [4]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + ROUNDS * block_x - 1) / (ROUNDS * block_x)"]
define   = { ROUNDS = "n < 4096 ? 2 : 16" }
dynamic_shared = "4 * k * d + 4 * k"
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
