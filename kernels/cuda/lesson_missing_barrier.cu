// A lesson: tiles without the barrier between loading and using them.
//
// idea     a thread uses what its neighbours load, so it has to wait until they have
// mapping  as in matmul_tiled
// watch    under another schedule a warp multiplies what is not there yet: unwritten, or of the phase before

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void lesson_missing_barrier(const float *A, const float *B, float *C, int M, int N, int K)
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
        // here a __syncthreads() is missing

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Lesson: no barrier before the use"
teaches  = "Without the first barrier a warp may use tiles that the others have not loaded yet."
flaw     = "The barrier between loading a tile and using it is missing: elements are used that are not there yet."
workload = "matmul"
schedule = "warps"
order    = 101
size     = [6, 6, 6]
block    = [6, 6]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]
*/
