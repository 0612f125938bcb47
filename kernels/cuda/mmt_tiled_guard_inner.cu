// P = M times M transposed in tiles for any n, with the guard where it costs most.
//
// idea     only what was loaded may be used, so every product asks whether it is inside
// mapping  thread (r, c) of a block computes P[i][j]; threadIdx.x runs down the rows unless option x says column
// watch    the guard is evaluated for each k, and the lanes of a warp at the edge part ways there

#ifdef X_ON_COLUMN
#define ROW y
#define COL x
#else
#define ROW x  // as the published study has it
#define COL y
#endif

#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif

extern "C" __global__ void mmt_tiled_guard_inner(const float *M, float *P, int n)
{
    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int r = threadIdx.ROW;
    int c = threadIdx.COL;
    int i = blockIdx.ROW * TILE_WIDTH + r;
    int j = blockIdx.COL * TILE_WIDTH + c;

    float sum = 0.0f;
    for (int t = 0; t < (n + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        if (i < n && t * TILE_WIDTH + c < n)
            Ms[r][c] = M[i * n + t * TILE_WIDTH + c];
        if (j < n && t * TILE_WIDTH + r < n)
            Ns[c][r] = M[j * n + t * TILE_WIDTH + r];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            if (i < n && j < n && t * TILE_WIDTH + k < n)
                sum += Ms[r][k] * Ns[c][k];
        __syncthreads();
    }

    if (i < n && j < n)
        P[i * n + j] = sum;
}

/* tilescope
title    = "M·Mᵀ, guarded in the inner loop"
teaches  = "A test for every product: right for any n, at nearly half the speed in the published study."
workload = "mmt"
order    = 41
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(n + block_x - 1) / block_x", "(n + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]

[option.x]
title    = "threadIdx.x gives the"
choices  = { row = {}, column = { X_ON_COLUMN = "1" } }
*/
