// The loop over the coordinates does eight of them in each turn.
//
// idea     one test and one jump for eight coordinates instead of for each
// mapping  as kmeans_assign_shared
// watch    the same accesses as before, and fewer instructions; what is left of d goes one by one

extern "C" __global__ void kmeans_assign_unrolled(const float *objects, const float *centres, int *labels, int n, int d,
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
            int c = 0;
            for (; c + 8 <= d; c += 8) {
                float d0 = objects[c * n + object] - near[j * d + c];
                float d1 = objects[(c + 1) * n + object] - near[j * d + c + 1];
                float d2 = objects[(c + 2) * n + object] - near[j * d + c + 2];
                float d3 = objects[(c + 3) * n + object] - near[j * d + c + 3];
                float d4 = objects[(c + 4) * n + object] - near[j * d + c + 4];
                float d5 = objects[(c + 5) * n + object] - near[j * d + c + 5];
                float d6 = objects[(c + 6) * n + object] - near[j * d + c + 6];
                float d7 = objects[(c + 7) * n + object] - near[j * d + c + 7];
                distance += d0 * d0;
                distance += d1 * d1;
                distance += d2 * d2;
                distance += d3 * d3;
                distance += d4 * d4;
                distance += d5 * d5;
                distance += d6 * d6;
                distance += d7 * d7;
            }
            for (; c < d; ++c) {
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
title    = "Nearest centre, unrolled by eight"
teaches  = "Eight coordinates in each turn of the loop: fewer instructions, the same accesses."
workload = "kmeans_assign"
order    = 75
size     = [16, 10, 3]
block    = [8]
blocks   = [[128], [256], [512], [1024]]
grid     = ["(n + block_x - 1) / block_x"]
dynamic_shared = "4 * k * d"
require  = [["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"]]
*/
