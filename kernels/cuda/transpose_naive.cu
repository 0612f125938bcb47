// Every thread moves one element from its row to its column: one side of the transposition is strided.
//
// idea     the rows of B are the columns of A: neighbours in one of them are a whole row apart in the other
// mapping  thread (x, y) moves A[y][x], or A[x][y] if the writes are contiguous
// watch    32 lanes a row apart are in 32 sectors, of 32 bytes each, for 4 bytes a lane; neighbours are in 4 sectors

#ifndef CONTIGUOUS_READS
#define CONTIGUOUS_READS 1  // 1: a warp reads a row of A, 0: it writes a row of B
#endif

extern "C" __global__ void transpose_naive(const float *A, float *B, int M, int N)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int row = CONTIGUOUS_READS ? y : x;
    int col = CONTIGUOUS_READS ? x : y;

    if (row < M && col < N)
        B[col * M + row] = A[row * N + col];
}

/* tilescope
title    = "Transposition: rows to columns"
teaches  = "If a warp reads a row, it writes a column: 32 sectors for one request, instead of 4."
workload = "transpose"
order    = 89
size     = [16, 32, 1]
block    = [32, 4]
blocks   = [[32, 4], [32, 8], [16, 16], [32, 32]]
grid     = [
    "((CONTIGUOUS_READS ? N : M) + block_x - 1) / block_x",
    "((CONTIGUOUS_READS ? M : N) + block_y - 1) / block_y",
]
require  = [
  ["block_z == 1", "a matrix has two dimensions: choose two numbers, as in block 32,8"],
  ["M <= 2147483647 / N", "an index is an int: choose at most 2,147,483,647 elements"],
]

[option.contiguous]
title   = "contiguous"
choices = { reads = { CONTIGUOUS_READS = "1" }, writes = { CONTIGUOUS_READS = "0" } }
*/
