// The same with objects stored one after the other, each with all of its coordinates.
//
// idea     the same work on objects[object][coordinate], as most files have them
// mapping  as kmeans_assign
// watch    neighbours read floats that are d apart: a warp touches up to 32 sectors where 4 would do

extern "C" __global__ void kmeans_assign_rows(const float *objects, const float *centres, int *labels, int n, int d,
                                              int k)
{
    int object = blockIdx.x * blockDim.x + threadIdx.x;

    if (object < n) {
        int label = 0;
        float nearest = 0.0f;
        for (int j = 0; j < k; ++j) {
            float distance = 0.0f;
            for (int c = 0; c < d; ++c) {
                float difference = objects[object * d + c] - centres[j * d + c];
                distance += difference * difference;
            }
            if (j == 0 || distance < nearest) {
                nearest = distance;
                label = j;
            }
        }
        labels[object] = label;
    }
}

/* tilescope
title    = "Nearest centre, stored by object"
teaches  = "The same arithmetic on objects stored one by one: the reads of a warp are not coalesced."
workload = "kmeans_assign_rows"
order    = 73
block    = [8]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
