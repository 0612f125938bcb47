// P = M times M transposed, one triangle; a block on the diagonal loads one tile instead of two.
//
// idea     on the diagonal rows i and rows j are the same rows: one tile holds both
// mapping  thread (r, c) of a block computes P[i][j]; threadIdx.x runs down the rows unless option x says column
// watch    a block on the diagonal leaves Ns empty and multiplies rows of Ms

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

extern "C" __global__ void mmt_symmetric_diagonal(const float *M, float *P, int n)
{
    if (blockIdx.ROW > blockIdx.COL)
        return;

    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int r = threadIdx.ROW;
    int c = threadIdx.COL;
    int i = blockIdx.ROW * TILE_WIDTH + r;
    int j = blockIdx.COL * TILE_WIDTH + c;
    bool diagonal = blockIdx.x == blockIdx.y;

    float sum = 0.0f;
    for (int t = 0; t < (n + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        Ms[r][c] = (i < n && t * TILE_WIDTH + c < n) ? M[i * n + t * TILE_WIDTH + c] : 0.0f;
        if (!diagonal)
            Ns[c][r] = (j < n && t * TILE_WIDTH + r < n) ? M[j * n + t * TILE_WIDTH + r] : 0.0f;
        __syncthreads();

        if (diagonal)
            for (int k = 0; k < TILE_WIDTH; ++k)
                sum += Ms[r][k] * Ms[c][k];
        else
            for (int k = 0; k < TILE_WIDTH; ++k)
                sum += Ms[r][k] * Ns[c][k];
        __syncthreads();
    }

    if (i < n && j < n) {
        P[i * n + j] = sum;
        if (blockIdx.ROW < blockIdx.COL)
            P[j * n + i] = sum;
    }
}

/* tilescope
title    = "M·Mᵀ, one tile on the diagonal"
teaches  = "Where both tiles would be the same, one is enough."
workload = "mmt"
order    = 45
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(n + block_x - 1) / block_x", "(n + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]

[option.x]
title    = "threadIdx.x gives the"
choices  = { row = {}, column = { X_ON_COLUMN = "1" } }
*/
