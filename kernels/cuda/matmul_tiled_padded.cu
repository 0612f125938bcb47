// Tiles in shared memory, one transposed, its rows longer by one: bank conflicts vanish.
//
// idea     a row of TILE_WIDTH + 1 words begins one bank further than the row before it
// mapping  thread (tx, ty) computes C[row][col] and loads one element of each tile, as in matmul_tiled
// watch    Bs[tx][k] as in matmul_tiled_transposed, now every lane on a bank of its own; column TILE_WIDTH is unused

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void matmul_tiled_padded(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH + 1];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;

    float sum = 0.0f;
    for (int t = 0; t < (K + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        As[ty][tx] = (row < M && t * TILE_WIDTH + tx < K) ? A[row * K + t * TILE_WIDTH + tx] : 0.0f;
        Bs[tx][ty] = (t * TILE_WIDTH + ty < K && col < N) ? B[(t * TILE_WIDTH + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += As[ty][k] * Bs[tx][k];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Tiles, transposed and padded"
teaches  = "One unused word at the end of each row moves the next row by one bank: no conflict is left."
workload = "matmul"
order    = 35
size     = [32, 32, 32]
block    = [32, 32]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
