// B = A: what a transposition is compared with, as it moves the same bytes in the best order.
//
// idea     nothing is transposed: each element is loaded and stored once, and neighbours stay neighbours
// mapping  a block copies TILE x TILE elements: thread (tx, ty) moves those in column tx of the rows ty, ty + ROWS ...
// watch    a warp loads and stores neighbours: 4 sectors a request on both sides, with several loads in flight a thread

#ifndef TILE
#define TILE 32  // rows and columns of a block
#define ROWS 8   // rows of its threads
#endif

extern "C" __global__ void transpose_copy(const float *A, float *B, int M, int N)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;

    float value[TILE / ROWS];
    for (int r = 0; r < TILE; r += ROWS)
        if (row + r < M && col < N)
            value[r / ROWS] = A[(row + r) * N + col];

    for (int r = 0; r < TILE; r += ROWS)
        if (row + r < M && col < N)
            B[(row + r) * N + col] = value[r / ROWS];
}

/* tilescope
title    = "Copy"
teaches  = "A transposition moves every element once, as a copy does: the copy is its limit."
workload = "copy"
order    = 88
size     = [32, 32, 1]
block    = [32, 8]
blocks   = [[32, 4], [32, 8], [32, 16], [64, 8]]
grid     = ["(N + TILE - 1) / TILE", "(M + TILE - 1) / TILE"]
define   = { TILE = "block_x", ROWS = "block_y" }
require  = [
  ["block_z == 1 && block_x <= 64 && block_x % block_y == 0",
   "each thread has equally many rows: choose up to 64 wide, and a height that divides it, as in block 32,8"],
  ["M <= 2147483647 / N", "an index is an int: choose at most 2,147,483,647 elements"],
]
*/
