// Tiles in shared memory, with four products in each turn of the inner loop.
//
// idea     a loop also counts and compares; four products a turn need that a quarter as often
// mapping  thread (tx, ty) computes C[row][col] and loads one element of each tile, as in matmul_tiled
// watch    the same accesses in the same order, in fewer steps

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void matmul_tiled_unrolled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;

    float sum = 0.0f;
    for (int t = 0; t < (K + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        As[ty][tx] = (row < M && t * TILE_WIDTH + tx < K) ? A[row * K + t * TILE_WIDTH + tx] : 0.0f;
        Bs[ty][tx] = (t * TILE_WIDTH + ty < K && col < N) ? B[(t * TILE_WIDTH + ty) * N + col] : 0.0f;
        __syncthreads();

        int k = 0;
        for (; k + 4 <= TILE_WIDTH; k += 4) {
            sum += As[ty][k] * Bs[k][tx];
            sum += As[ty][k + 1] * Bs[k + 1][tx];
            sum += As[ty][k + 2] * Bs[k + 2][tx];
            sum += As[ty][k + 3] * Bs[k + 3][tx];
        }
        for (; k < TILE_WIDTH; ++k)  // what four do not divide
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Tiles, inner loop unrolled"
teaches  = "Four products a turn: fewer instructions for the loop itself, the same accesses."
workload = "matmul"
order    = 32
size     = [5, 5, 5]
block    = [4, 4]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
