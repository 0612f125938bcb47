// Each thread divides one sum: the new centres.
//
// idea     the mean of a centre's objects, coordinate by coordinate
// mapping  thread i has coordinate i % d of centre i / d
// watch    a centre without objects keeps its place; k * d threads are few, so that the launch takes most of the time

extern "C" __global__ void kmeans_divide(const float *sums, const int *counts, const float *centres,
                                         float *new_centres, int n, int d, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < k * d) {
        int count = counts[i / d];
        new_centres[i] = count > 0 ? sums[i] / count : centres[i];
    }
}

/* tilescope
title    = "New centres"
teaches  = "Sum by count for each coordinate; a centre without objects stays where it is."
workload = "kmeans_divide"
order    = 80
block    = [4]
blocks   = [[128], [256], [1024]]
grid     = ["(k * d + block_x - 1) / block_x"]
require  = [["block_y * block_z == 1", "its sums are in one dimension: choose one number, as in block 128"]]
*/
