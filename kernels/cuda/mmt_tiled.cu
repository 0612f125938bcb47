// P = M times M transposed in tiles for any n, with the guard before the inner loop.
//
// idea     how far a phase goes is known before its products: TILE_WIDTH, or what is left of n in the last one
// mapping  thread (r, c) of a block computes P[i][j]; threadIdx.x runs down the rows unless option x says column
// watch    `steps` in the last phase: n - t * TILE_WIDTH is right also where TILE_WIDTH divides n

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

extern "C" __global__ void mmt_tiled(const float *M, float *P, int n)
{
    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int r = threadIdx.ROW;
    int c = threadIdx.COL;
    int i = blockIdx.ROW * TILE_WIDTH + r;
    int j = blockIdx.COL * TILE_WIDTH + c;

    float sum = 0.0f;
    for (int t = 0; t < (n + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        int steps = min(TILE_WIDTH, n - t * TILE_WIDTH);
        if (i < n && c < steps)
            Ms[r][c] = M[i * n + t * TILE_WIDTH + c];
        if (j < n && r < steps)
            Ns[c][r] = M[j * n + t * TILE_WIDTH + r];
        __syncthreads();

        if (i < n && j < n)
            for (int k = 0; k < steps; ++k)
                sum += Ms[r][k] * Ns[c][k];
        __syncthreads();
    }

    if (i < n && j < n)
        P[i * n + j] = sum;
}

/* tilescope
title    = "M·Mᵀ, tiles"
teaches  = "The guard stands before the inner loop: the last phase is shorter, every other one is free of tests."
workload = "mmt"
order    = 42
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
