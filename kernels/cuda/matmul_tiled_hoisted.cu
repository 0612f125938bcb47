// Tiles in shared memory, with the products of the indices computed once.
//
// idea     row * K and ty * N do not change from phase to phase: multiply once, then add
// mapping  thread (tx, ty) computes C[row][col] and loads one element of each tile, as in matmul_tiled
// watch    a and b walk through A and B; the same accesses, fewer integer multiplications

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void matmul_tiled_hoisted(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;
    int a = row * K + tx;
    int b = ty * N + col;
    int down = TILE_WIDTH * N;

    float sum = 0.0f;
    for (int first = 0; first < K; first += TILE_WIDTH) {
        As[ty][tx] = (row < M && first + tx < K) ? A[a] : 0.0f;
        Bs[ty][tx] = (first + ty < K && col < N) ? B[b] : 0.0f;
        a += TILE_WIDTH;
        b += down;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Tiles, index products hoisted"
teaches  = "What does not change in a loop is computed before it; multiplications become additions."
workload = "matmul"
order    = 33
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
