// P = M times M transposed, a stripe of columns at a time, stored as rows.
//
// idea     the stripe is kept as [TILE_WIDTH][n], so that neighbouring j are neighbouring words
// mapping  in a block a linear index sweeps all n * n results; threads take neighbouring j
// watch    the same work as mmt_stripe; the inner loop has no bank conflict left

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

extern "C" __global__ void mmt_stripe_transposed(const float *M, float *P, int n)
{
    extern __shared__ float stripe[];

    int first = blockIdx.x * TILE_WIDTH;
    int width = min(TILE_WIDTH, n - first);
    int c = threadIdx.COL;
    for (int i = threadIdx.ROW; i < n; i += TILE_WIDTH)
        if (c < width)
            stripe[c * n + i] = M[i * n + first + c];
    __syncthreads();

    for (int p = threadIdx.y * TILE_WIDTH + threadIdx.x; p < n * n; p += TILE_WIDTH * TILE_WIDTH) {
        int i = p / n;
        int j = p % n;
        float sum = 0.0f;
        for (int k = 0; k < width; ++k)
            sum += stripe[k * n + i] * stripe[k * n + j];
        atomicAdd(&P[p], sum);
    }
}

/* tilescope
title    = "M·Mᵀ, stripes stored as rows"
teaches  = "The stripe turned: no bank conflicts in the inner loop, much faster than before, still behind tiles."
workload = "mmt"
order    = 48
clear    = ["P"]
size     = [32, 32, 32]
block    = [8, 8]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(n + block_x - 1) / block_x", "1"]
define   = { TILE_WIDTH = "block_x" }
dynamic_shared = "4 * n * block_x"
require  = [["block_x == block_y", "the stripe is as wide as the block: choose a block with equal sides"]]

[option.x]
title    = "threadIdx.x gives the"
choices  = { row = {}, column = { X_ON_COLUMN = "1" } }
*/
