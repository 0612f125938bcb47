// The centres are copied to shared memory once for each block.
//
// idea     every thread of a block compares with the same centres: one copy serves all of them
// mapping  as kmeans_assign; all threads of a block copy, also those without an object
// watch    the barrier is outside the guard; k * d floats for each block limit how many are resident

extern "C" __global__ void kmeans_assign_shared(const float *objects, const float *centres, int *labels, int n, int d,
                                                int k)
{
    extern __shared__ float near[];  // all centres

    for (int i = threadIdx.x; i < k * d; i += blockDim.x)
        near[i] = centres[i];
    __syncthreads();

    int object = blockIdx.x * blockDim.x + threadIdx.x;
    if (object < n) {
        int label = 0;
        float nearest = 0.0f;
        for (int j = 0; j < k; ++j) {
            float distance = 0.0f;
            for (int c = 0; c < d; ++c) {
                float difference = objects[c * n + object] - near[j * d + c];
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
title    = "Nearest centre, centres in shared memory"
teaches  = "A block copies the centres once and reads them from shared memory; that memory limits residency."
workload = "kmeans_assign"
order    = 74
block    = [8]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
dynamic_shared = "4 * k * d"
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
