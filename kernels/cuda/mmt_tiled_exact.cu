// P = M times M transposed in tiles; the width of the tile divides n.
//
// idea     rows i and rows j pass through shared memory, TILE_WIDTH columns at a time
// mapping  thread (r, c) of a block computes P[i][j]; threadIdx.x runs down the rows unless option x says column
// watch    n reads of M a thread become n / TILE_WIDTH of each tile; nothing looks after the edges

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

extern "C" __global__ void mmt_tiled_exact(const float *M, float *P, int n)
{
    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int r = threadIdx.ROW;
    int c = threadIdx.COL;
    int i = blockIdx.ROW * TILE_WIDTH + r;
    int j = blockIdx.COL * TILE_WIDTH + c;

    float sum = 0.0f;
    for (int t = 0; t < n / TILE_WIDTH; ++t) {
        Ms[r][c] = M[i * n + t * TILE_WIDTH + c];
        Ns[c][r] = M[j * n + t * TILE_WIDTH + r];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += Ms[r][k] * Ns[c][k];
        __syncthreads();
    }

    P[i * n + j] = sum;
}

/* tilescope
title    = "M·Mᵀ, tiles that fit"
teaches  = "Both tiles are rows of M; n must be a multiple of the tile."
workload = "mmt"
order    = 40
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(n + block_x - 1) / block_x", "(n + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"],
            ["n % block_x == 0",
             "no tile may reach over an edge: choose an n that is a multiple of the tile, or mmt_tiled"]]

[option.x]
title    = "threadIdx.x gives the"
choices  = { row = {}, column = { X_ON_COLUMN = "1" } }
*/
