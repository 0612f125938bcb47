// Tiles in shared memory, whose width is chosen when the kernel is launched.
//
// idea     one allocation of dynamic shared memory is carved in two; the width comes from constant memory
// mapping  thread (tx, ty) computes C[row][col] and loads one element of each tile, as in matmul_tiled
// watch    Bs begins where As ends; one compiled kernel serves every width, so occupancy can choose it

__constant__ int BLOCK_SIZE;

extern "C" __global__ void matmul_tiled_dynamic(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ float tiles[];
    float *As = tiles;
    float *Bs = tiles + BLOCK_SIZE * BLOCK_SIZE;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * BLOCK_SIZE + ty;
    int col = blockIdx.x * BLOCK_SIZE + tx;

    float sum = 0.0f;
    for (int first = 0; first < K; first += BLOCK_SIZE) {
        As[ty * BLOCK_SIZE + tx] = (row < M && first + tx < K) ? A[row * K + first + tx] : 0.0f;
        Bs[ty * BLOCK_SIZE + tx] = (first + ty < K && col < N) ? B[(first + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < BLOCK_SIZE; ++k)
            sum += As[ty * BLOCK_SIZE + k] * Bs[k * BLOCK_SIZE + tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Tiles of a width chosen at run time"
teaches  = "Dynamic shared memory and a constant: one compiled kernel for every block, so occupancy can choose it."
workload = "matmul"
order    = 36
suggest  = "square"
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
constant = { BLOCK_SIZE = "block_x" }
dynamic_shared = "2 * 4 * block_x * block_y"
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
