// Each thread adds its object to the sums of its centre.
//
// idea     many threads add to the same few sums; atomicAdd loses none of them
// mapping  one thread an object, as kmeans_assign
// watch    threads of one label hit the same address one after another; their order changes the last bits

extern "C" __global__ void kmeans_update_atomic(const float *objects, const int *labels, float *sums, int *counts,
                                                int n, int d, int k)
{
    int object = blockIdx.x * blockDim.x + threadIdx.x;

    if (object < n) {
        int label = labels[object];
        for (int c = 0; c < d; ++c)
            atomicAdd(&sums[label * d + c], objects[c * n + object]);
        atomicAdd(&counts[label], 1);
    }
}

/* tilescope
title    = "Sums by atomics in global memory"
teaches  = "All threads add to k · d sums: atomicAdd is correct, and threads of one centre wait for each other."
workload = "kmeans_update"
order    = 77
clear    = ["sums", "counts"]
block    = [8]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
