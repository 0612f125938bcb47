// A lesson: the barrier is inside the guard.
//
// idea     as kmeans_assign_shared, but the threads without an object skip the barrier
// mapping  one thread an object
// watch    the last block: some of its threads wait at __syncthreads(), the others never come

extern "C" __global__ void lesson_barrier_in_guard(const float *objects, const float *centres, int *labels, int n,
                                                   int d, int k)
{
    extern __shared__ float near[];  // all centres

    for (int i = threadIdx.x; i < k * d; i += blockDim.x)
        near[i] = centres[i];

    int object = blockIdx.x * blockDim.x + threadIdx.x;
    if (object < n) {
        __syncthreads();
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
title    = "Lesson: a barrier inside a guard"
teaches  = "Every thread of a block must reach __syncthreads(); published k-means code has it inside if (object < n)."
flaw     = "Threads without an object never reach __syncthreads()."
workload = "kmeans_assign"
order    = 107
size     = [14, 2, 3]
block    = [8]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
dynamic_shared = "4 * k * d"
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
