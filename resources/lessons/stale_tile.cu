// Tiles without zeros: a thread whose element is outside of the matrix stores nothing.
//
// idea     what is outside needs no load; but the tile then holds an element of the phase before
// mapping  as in matmul_tiled
// watch    the last phase: products of old elements are added to the sums

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void stale_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;

    float sum = 0.0f;
    for (int t = 0; t < (K + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        if (row < M && t * TILE_WIDTH + tx < K)
            As[ty][tx] = A[row * K + t * TILE_WIDTH + tx];
        if (t * TILE_WIDTH + ty < K && col < N)
            Bs[ty][tx] = B[(t * TILE_WIDTH + ty) * N + col];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Tiles without zeros"
teaches  = "A tile that is not filled up holds elements of the phase before."
flaw     = "A thread whose element is outside stores no zero, so an old element stays in the tile."
workload = "matmul"
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[16, 16]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
