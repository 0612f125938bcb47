// The lanes of a warp with the same label add up their objects first; one of them adds to memory.
//
// idea     __match_any_sync finds the lanes of the same label, shuffles bring their values, one atomicAdd for all
// mapping  one thread an object, as kmeans_update_atomic
// watch    one atomic for each label in a warp instead of one for each lane: little gain where all labels differ

extern "C" __global__ void kmeans_update_warp(const float *objects, const int *labels, float *sums, int *counts, int n,
                                              int d, int k)
{
    int object = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;

    unsigned inside = __ballot_sync(0xffffffff, object < n);
    if (object < n) {
        int label = labels[object];
        unsigned peers = __match_any_sync(inside, label);
        bool leads = lane == __ffs(peers) - 1;

        for (int c = 0; c < d; ++c) {
            float x = objects[c * n + object];
            float sum = 0.0f;
            unsigned rest = peers;  // whose value is to be added
            while (__any_sync(inside, rest != 0)) {
                float other = __shfl_sync(inside, x, rest != 0 ? __ffs(rest) - 1 : lane);
                if (rest != 0)
                    sum += other;
                rest &= rest - 1;
            }
            if (leads)
                atomicAdd(&sums[label * d + c], sum);
        }
        if (leads)
            atomicAdd(&counts[label], __popc(peers));
    }
}

/* tilescope
title    = "Sums of each warp by shuffles"
teaches  = "Lanes of one label add up by shuffles: one atomicAdd for each label that a warp has."
workload = "kmeans_update"
order    = 79
clear    = ["sums", "counts"]
block    = [32]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
require  = [
  ["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"],
  ["block_x % 32 == 0", "it works with whole warps: choose a multiple of 32, as in block 128"],
]
*/
