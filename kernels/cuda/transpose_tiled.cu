// A tile in shared memory: rows of A are loaded, rows of B are stored, and columns are only read from the tile.
//
// idea     a tile of A and its transpose in B are both accessed row by row in global memory
// mapping  thread (tx, ty) loads column tx of the rows ty, ty + ROWS ... of the tile of A, and stores as many elements,
//          at the same places of the tile of B; these are in row tx of the tile in shared memory; blocks that follow
//          each other store neighbouring tiles of the same rows of B
// watch    4 sectors a request on both sides; but the lanes of tile[tx][...] are TILE words apart: 32 in one bank

#ifndef TILE
#define TILE 32  // rows and columns of the tile
#define ROWS 8   // rows of a block's threads
#endif

extern "C" __global__ void transpose_tiled(const float *A, float *B, int M, int N)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    int row = blockIdx.x * TILE + ty;
    int col = blockIdx.y * TILE + tx;
    for (int r = 0; r < TILE; r += ROWS)
        if (row + r < M && col < N)
            tile[ty + r][tx] = A[(row + r) * N + col];
    __syncthreads();

    row = blockIdx.y * TILE + ty;
    col = blockIdx.x * TILE + tx;
    for (int r = 0; r < TILE; r += ROWS)
        if (row + r < N && col < M)
            B[(row + r) * M + col] = tile[tx][ty + r];
}

/* tilescope
title    = "Transposition: a tile in shared memory"
teaches  = "A tile in shared memory makes both sides coalesced; now 32 lanes read words of one bank."
workload = "transpose"
order    = 90
size     = [32, 32, 1]
block    = [32, 8]
blocks   = [[32, 4], [32, 8], [32, 16], [64, 8]]
grid     = ["(M + TILE - 1) / TILE", "(N + TILE - 1) / TILE"]
define   = { TILE = "block_x", ROWS = "block_y" }
require  = [
  ["block_z == 1 && block_x <= 64 && block_x % block_y == 0",
   "each thread has equally many rows: choose up to 64 wide, and a height that divides it, as in block 32,8"],
  ["M <= 2147483647 / N", "an index is an int: choose at most 2,147,483,647 elements"],
]
*/
