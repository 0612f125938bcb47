// The block works together: tiles of A and B pass through shared memory.
//
// idea     in each phase the block loads one tile of A and one of B, then every thread uses them TILE_WIDTH times
// mapping  thread (tx, ty) computes C[row][col] and loads one element of each tile
// watch    a thread whose source is outside writes 0, which adds nothing; padded matrices would cost memory and time

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void matmul_tiled(const float *A, const float *B, float *C, int M, int N, int K)
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

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Shared-memory tiles"
teaches  = "A block loads each tile once and reuses it TILE_WIDTH times; the edges are padded with zeros."
workload = "matmul"
order    = 31
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
