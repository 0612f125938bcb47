// A lesson: the last phase takes n mod TILE_WIDTH steps, and so none at all where the width divides n.
//
// idea     how far a phase goes is known before its products, but a remainder of 0 stands for a whole tile
// mapping  as in mmt_tiled: thread (r, c) of a block computes P[i][j]
// watch    `steps` in the last phase: right for 3 rows in tiles of 2, wrong for 4

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

extern "C" __global__ void lesson_lost_last_tile(const float *M, float *P, int n)
{
    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int r = threadIdx.ROW;
    int c = threadIdx.COL;
    int i = blockIdx.ROW * TILE_WIDTH + r;
    int j = blockIdx.COL * TILE_WIDTH + c;

    float sum = 0.0f;
    for (int t = 0; t < (n + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        int steps = (t + 1) * TILE_WIDTH < n ? TILE_WIDTH : n % TILE_WIDTH;  // 0 where TILE_WIDTH divides n
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
title    = "Lesson: the lost last tile"
teaches  = "n mod width is 0 where the width divides n: then the whole last tile is left out."
flaw     = "The last phase takes n mod TILE_WIDTH steps, which loses the whole last tile where TILE_WIDTH divides n."
workload = "mmt"
order    = 105
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
