// P = M times M transposed, one triangle, with eight products in each turn of the inner loop.
//
// idea     written out by hand, as the published study did: the compiler does as much by itself
// mapping  thread (r, c) of a block computes P[i][j]; threadIdx.x runs down the rows unless option x says column
// watch    the same accesses as mmt_symmetric, in fewer steps; on the GPU no gain

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

extern "C" __global__ void mmt_symmetric_unrolled(const float *M, float *P, int n)
{
    if (blockIdx.ROW > blockIdx.COL)
        return;

    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int r = threadIdx.ROW;
    int c = threadIdx.COL;
    int i = blockIdx.ROW * TILE_WIDTH + r;
    int j = blockIdx.COL * TILE_WIDTH + c;

    float sum = 0.0f;
    for (int t = 0; t < (n + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        Ms[r][c] = (i < n && t * TILE_WIDTH + c < n) ? M[i * n + t * TILE_WIDTH + c] : 0.0f;
        Ns[c][r] = (j < n && t * TILE_WIDTH + r < n) ? M[j * n + t * TILE_WIDTH + r] : 0.0f;
        __syncthreads();

        int k = 0;
        for (; k + 8 <= TILE_WIDTH; k += 8) {
            sum += Ms[r][k] * Ns[c][k];
            sum += Ms[r][k + 1] * Ns[c][k + 1];
            sum += Ms[r][k + 2] * Ns[c][k + 2];
            sum += Ms[r][k + 3] * Ns[c][k + 3];
            sum += Ms[r][k + 4] * Ns[c][k + 4];
            sum += Ms[r][k + 5] * Ns[c][k + 5];
            sum += Ms[r][k + 6] * Ns[c][k + 6];
            sum += Ms[r][k + 7] * Ns[c][k + 7];
        }
        for (; k < TILE_WIDTH; ++k)  // what eight do not divide
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
title    = "M·Mᵀ, unrolled by eight"
teaches  = "Unrolling by hand what the compiler unrolls anyway: the published study found no gain."
workload = "mmt"
order    = 46
size     = [9, 9, 9]
block    = [8, 8]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(n + block_x - 1) / block_x", "(n + block_y - 1) / block_y"]
define   = { TILE_WIDTH = "block_x" }
require  = [["block_x == block_y", "the tile is square: choose a block with equal sides"]]

[option.x]
title    = "threadIdx.x gives the"
choices  = { row = {}, column = { X_ON_COLUMN = "1" } }
*/
