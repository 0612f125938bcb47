// Each thread computes a column of results, whose sums stay in registers.
//
// idea     an element of B that was read from shared memory once serves RESULTS products
// mapping  thread (tx, ty) computes RESULTS rows of one column, and loads one element of each tile
// watch    loads from shared memory for each product: 2 in matmul_tiled, 1 + 1 / RESULTS here

#ifndef TILE_WIDTH
#define TILE_WIDTH 64  // rows and columns of C that a block computes
#define TILE_DEPTH 8   // columns of A and rows of B in a phase
#endif
#define RESULTS (TILE_WIDTH / TILE_DEPTH)  // of a thread; a block has TILE_WIDTH x TILE_DEPTH threads

extern "C" __global__ void __launch_bounds__(TILE_WIDTH * TILE_DEPTH)
matmul_registers_1d(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_DEPTH];
    __shared__ float Bs[TILE_DEPTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int thread = ty * TILE_WIDTH + tx;
    int tile_row = blockIdx.y * TILE_WIDTH;
    int col = blockIdx.x * TILE_WIDTH + tx;

    int a_row = thread / TILE_DEPTH;  // neighbours load along a row of A
    int a_k = thread % TILE_DEPTH;

    float sum[RESULTS] = {};
    for (int first = 0; first < K; first += TILE_DEPTH) {
        bool a_inside = tile_row + a_row < M && first + a_k < K;
        bool b_inside = first + ty < K && col < N;
        As[a_row][a_k] = a_inside ? A[(tile_row + a_row) * K + first + a_k] : 0.0f;
        Bs[ty][tx] = b_inside ? B[(first + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_DEPTH; ++k) {
            float b = Bs[k][tx];
            for (int r = 0; r < RESULTS; ++r)
                sum[r] += As[ty * RESULTS + r][k] * b;
        }
        __syncthreads();
    }

    for (int r = 0; r < RESULTS; ++r) {
        int row = tile_row + ty * RESULTS + r;
        if (row < M && col < N)
            C[row * N + col] = sum[r];
    }
}

/* tilescope
title    = "A column of results a thread"
teaches  = "Sums in registers: one element of B from shared memory serves several products."
workload = "matmul"
order    = 60
size     = [6, 6, 6]
block    = [4, 2]
blocks   = [[64, 8]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_x - 1) / block_x"]
define   = { TILE_WIDTH = "block_x", TILE_DEPTH = "block_y" }
require  = [
    [
        "block_x % block_y == 0 && block_x > block_y && block_x <= 32 * block_y",
        "a thread computes block_x / block_y rows, from 2 to 32: choose a block such as 64,8",
    ],
]
*/
