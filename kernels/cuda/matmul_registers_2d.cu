// Each thread computes a square of results.
//
// idea     with RESULTS elements of A and of B in registers a thread makes RESULTS x RESULTS products
// mapping  thread (tx, ty) computes RESULTS rows and RESULTS columns that lie together
// watch    two loads from shared memory serve RESULTS products; but a warp's loads of Bs meet in the same banks,
//          because neighbours read columns that lie RESULTS apart

#ifndef BLOCK_WIDTH
#define BLOCK_WIDTH 16  // a block has BLOCK_WIDTH x BLOCK_WIDTH threads
#define RESULTS 8       // rows and columns of a thread
#define TILE_DEPTH 8    // columns of A and rows of B in a phase
#endif
#define TILE_WIDTH (BLOCK_WIDTH * RESULTS)  // rows and columns of C that a block computes
#define THREADS (BLOCK_WIDTH * BLOCK_WIDTH)

extern "C" __global__ void __launch_bounds__(THREADS)
matmul_registers_2d(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_DEPTH];
    __shared__ float Bs[TILE_DEPTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int thread = ty * BLOCK_WIDTH + tx;
    int tile_row = blockIdx.y * TILE_WIDTH;
    int tile_col = blockIdx.x * TILE_WIDTH;

    float sum[RESULTS][RESULTS] = {};
    for (int first = 0; first < K; first += TILE_DEPTH) {
        for (int i = thread; i < TILE_WIDTH * TILE_DEPTH; i += THREADS) {
            int row = i / TILE_DEPTH, k = i % TILE_DEPTH;
            bool inside = tile_row + row < M && first + k < K;
            As[row][k] = inside ? A[(tile_row + row) * K + first + k] : 0.0f;
        }
        for (int i = thread; i < TILE_WIDTH * TILE_DEPTH; i += THREADS) {
            int k = i / TILE_WIDTH, col = i % TILE_WIDTH;
            bool inside = first + k < K && tile_col + col < N;
            Bs[k][col] = inside ? B[(first + k) * N + tile_col + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TILE_DEPTH; ++k) {
            float a[RESULTS], b[RESULTS];
            for (int r = 0; r < RESULTS; ++r)
                a[r] = As[ty * RESULTS + r][k];
            for (int c = 0; c < RESULTS; ++c)
                b[c] = Bs[k][tx * RESULTS + c];
            for (int r = 0; r < RESULTS; ++r)
                for (int c = 0; c < RESULTS; ++c)
                    sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }

    for (int r = 0; r < RESULTS; ++r)
        for (int c = 0; c < RESULTS; ++c) {
            int row = tile_row + ty * RESULTS + r;
            int col = tile_col + tx * RESULTS + c;
            if (row < M && col < N)
                C[row * N + col] = sum[r][c];
        }
}

/* tilescope
title    = "A square of results a thread"
teaches  = "Elements of A and of B in registers: two loads from shared memory serve several products."
workload = "matmul"
order    = 61
size     = [18, 18, 6]
block    = [4, 4]
blocks   = [[16, 16]]
grid     = [
    "(N + (block_x == 16 ? 128 : 4 * block_x) - 1) / (block_x == 16 ? 128 : 4 * block_x)",
    "(M + (block_x == 16 ? 128 : 4 * block_x) - 1) / (block_x == 16 ? 128 : 4 * block_x)",
]
define   = { BLOCK_WIDTH = "block_x", RESULTS = "block_x == 16 ? 8 : 4", TILE_DEPTH = "block_x == 4 ? 4 : 8" }
require  = [
    [
        "block_x == block_y && (block_x == 4 || block_x == 8 || block_x == 16)",
        "choose block 4,4 or 8,8, where a thread computes 4 by 4 results, or 16,16 with 8 by 8",
    ],
]
*/
