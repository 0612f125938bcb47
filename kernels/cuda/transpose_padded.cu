// The tile one word wider: its columns lie across all banks.
//
// idea     a row of TILE + 1 words begins one bank further than the row before it
// mapping  as transpose_tiled
// watch    the lanes of tile[tx][...] are TILE + 1 words apart, in 32 banks; column TILE of the tile is unused

#ifndef TILE
#define TILE 32  // rows and columns of the tile
#define ROWS 8   // rows of a block's threads
#endif

extern "C" __global__ void transpose_padded(const float *A, float *B, int M, int N)
{
    __shared__ float tile[TILE][TILE + 1];
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
title    = "Transposition: a padded tile"
teaches  = "One unused word at the end of each row of the tile: a column has a bank for each of its words."
workload = "transpose"
order    = 91
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
