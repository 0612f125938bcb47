// Element (row, column) is stored in column ^ row: no bank conflicts, and no unused word.
//
// idea     ^ row permutes the columns of a row; for one column it gives 32 rows 32 different columns, and so banks
// mapping  as transpose_tiled; the element that was stored in column ^ row is read from column ^ row
// watch    the lanes of tile[tx][... ^ tx] read one column of the tile of A, whose words are in 32 banks

#ifndef TILE
#define TILE 32  // rows and columns of the tile
#define ROWS 8   // rows of a block's threads
#endif

extern "C" __global__ void transpose_swizzled(const float *A, float *B, int M, int N)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    int row = blockIdx.x * TILE + ty;
    int col = blockIdx.y * TILE + tx;
    for (int r = 0; r < TILE; r += ROWS)
        if (row + r < M && col < N)
            tile[ty + r][tx ^ (ty + r)] = A[(row + r) * N + col];
    __syncthreads();

    row = blockIdx.y * TILE + ty;
    col = blockIdx.x * TILE + tx;
    for (int r = 0; r < TILE; r += ROWS)
        if (row + r < N && col < M)
            B[(row + r) * M + col] = tile[tx][(ty + r) ^ tx];
}

/* tilescope
title    = "Transposition: a swizzled tile"
teaches  = "Column ^ row moves each row to other banks, within the tile: no conflict, and no word is unused."
workload = "transpose"
order    = 92
size     = [32, 32, 1]
block    = [32, 8]
blocks   = [[32, 4], [32, 8], [32, 16], [64, 8]]
grid     = ["(M + TILE - 1) / TILE", "(N + TILE - 1) / TILE"]
define   = { TILE = "block_x", ROWS = "block_y" }
require  = [
  ["block_z == 1 && block_x <= 64 && (block_x & (block_x - 1)) == 0 && block_x % block_y == 0",
   "the swizzle needs a tile of 1, 2, 4 ... 64 columns, and a height that divides it: choose such as block 32,8"],
  ["M <= 2147483647 / N", "an index is an int: choose at most 2,147,483,647 elements"],
]
*/
