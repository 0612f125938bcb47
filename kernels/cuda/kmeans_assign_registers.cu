// Each thread keeps the coordinates of two objects in registers.
//
// idea     an object is read from global memory once, not once for each centre; a centre that was read serves two
// mapping  thread x of block b has two of the 2 * blockDim.x objects of its block: x and x + blockDim.x
// watch    registers for each thread; four coordinates of a centre are one load, the same for all lanes of a warp

#ifndef COORDINATES
#define COORDINATES 32  // d, known to the compiler: registers cannot be indexed at run time
#endif
#define FOURS ((COORDINATES + 3) / 4)  // of an object or a centre, filled up with zeros

extern "C" __global__ void kmeans_assign_registers(const float *objects, const float *centres, int *labels, int n,
                                                   int d, int k)
{
    extern __shared__ float4 near[];  // all centres

    float *filled = (float *)near;
    for (int i = threadIdx.x; i < k * FOURS * 4; i += blockDim.x) {
        int c = i % (FOURS * 4);
        filled[i] = c < COORDINATES ? centres[i / (FOURS * 4) * COORDINATES + c] : 0.0f;
    }
    __syncthreads();

    int first = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    int second = first + blockDim.x;
    float x[FOURS * 4], y[FOURS * 4];
#pragma unroll
    for (int c = 0; c < FOURS * 4; ++c) {
        x[c] = c < COORDINATES && first < n ? objects[c * n + first] : 0.0f;
        y[c] = c < COORDINATES && second < n ? objects[c * n + second] : 0.0f;
    }

    int label[2] = {};
    float nearest[2] = {};
    for (int j = 0; j < k; ++j) {
        float distance[2] = {};
#pragma unroll
        for (int q = 0; q < FOURS; ++q) {
            float4 four = near[j * FOURS + q];
            float centre[4] = {four.x, four.y, four.z, four.w};
            for (int c = 0; c < 4; ++c) {
                distance[0] += (x[q * 4 + c] - centre[c]) * (x[q * 4 + c] - centre[c]);
                distance[1] += (y[q * 4 + c] - centre[c]) * (y[q * 4 + c] - centre[c]);
            }
        }
        for (int o = 0; o < 2; ++o)
            if (j == 0 || distance[o] < nearest[o]) {
                nearest[o] = distance[o];
                label[o] = j;
            }
    }
    if (first < n)
        labels[first] = label[0];
    if (second < n)
        labels[second] = label[1];
}

/* tilescope
title    = "Nearest centre, objects in registers"
teaches  = "Two objects of a thread stay in registers; each read of a centre is four floats and serves both."
workload = "kmeans_assign"
order    = 76
size     = [16, 2, 3]
block    = [4]
blocks   = [[128], [256], [512]]
grid     = ["(n + 2 * block_x - 1) / (2 * block_x)"]
define   = { COORDINATES = "d" }
dynamic_shared = "16 * k * ((d + 3) / 4)"
require  = [
  ["block_y * block_z == 1", "its objects are in one dimension: choose one number, as in block 128"],
  ["d <= 64", "the coordinates of two objects must fit in a thread's registers: choose at most 64 coordinates"],
]
*/
