// Each thread finds the nearest centre of one object.
//
// idea     the objects are independent: one thread each, and no thread waits for another
// mapping  blocks in one dimension; thread x of block b has object b * blockDim.x + x
// watch    neighbours read neighbouring floats, as objects are stored by coordinate; all read the same centre

extern "C" __global__ void kmeans_assign(const float *objects, const float *centres, int *labels, int n, int d, int k)
{
    int object = blockIdx.x * blockDim.x + threadIdx.x;

    if (object < n) {
        int label = 0;
        float nearest = 0.0f;
        for (int j = 0; j < k; ++j) {
            float distance = 0.0f;
            for (int c = 0; c < d; ++c) {
                float difference = objects[c * n + object] - centres[j * d + c];
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
title    = "Nearest centre, one thread an object"
teaches  = "One-dimensional blocks; stored by coordinate, the reads of neighbouring threads are coalesced."
workload = "kmeans_assign"
order    = 72
block    = [8]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
