// The block works together: tiles of A and B pass through shared memory. The sizes are multiples of the tile.
//
// idea     in each phase the block loads one tile of A and one of B, then every thread uses them TILE_WIDTH times
// mapping  thread (tx, ty) computes C[row][col] and loads one element of each tile
// watch    two barriers a phase; global loads fall by TILE_WIDTH; nothing looks after the edges

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void matmul_tiled_exact(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;

    float sum = 0.0f;
    for (int t = 0; t < K / TILE_WIDTH; ++t) {
        As[ty][tx] = A[row * K + t * TILE_WIDTH + tx];
        Bs[ty][tx] = B[(t * TILE_WIDTH + ty) * N + col];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    C[row * N + col] = sum;
}

/* tilescope
title    = "Tiles that fit"
teaches  = "Each tile is loaded once and used TILE_WIDTH times; the sizes must be multiples of the tile."
workload = "matmul"
order    = 30
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"],
            ["M % block_x == 0 && N % block_x == 0 && K % block_x == 0",
             "no tile may reach over an edge: choose M, N and K that are multiples of the tile, or matmul_tiled"]]
*/
