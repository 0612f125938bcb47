// The tile of a block is cut into tiles of warps, and these into results of threads.
//
// idea     lanes of a warp form squares of 2 by 2, so that neighbours read the same four elements
// mapping  warp w computes WARP_ROWS x WARP_COLS results, its 4 x 8 lanes RESULTS x RESULTS each, in groups of four
// watch    wavefronts of the loads from shared memory: two quarters of a warp are served together only where lane
//          and lane ^ 1, or lane and lane ^ 2, read the same address

#ifndef RESULTS
#define RESULTS 8     // rows and columns of a thread, a multiple of 4
#define WARPS_DOWN 4  // warps of a block
#define WARPS_ACROSS 2
#define TILE_DEPTH 8  // columns of A and rows of B in a phase: each thread loads four elements of each tile
#endif
#define WARP_ROWS (4 * RESULTS)
#define WARP_COLS (8 * RESULTS)
#define TILE_ROWS (WARPS_DOWN * WARP_ROWS)  // of C, computed by a block
#define TILE_COLS (WARPS_ACROSS * WARP_COLS)
#define THREADS (32 * WARPS_DOWN * WARPS_ACROSS)

// Loads four elements, of which the first `inside` exist; the others are 0.
__device__ __forceinline__ void load_4(float *value, const float *from, int inside, bool aligned)
{
    if (aligned && inside >= 4)
        *reinterpret_cast<float4 *>(value) = *reinterpret_cast<const float4 *>(from);
    else
        for (int i = 0; i < 4; ++i)
            value[i] = i < inside ? from[i] : 0.0f;
}

// Stores four elements, of which the first `inside` exist.
__device__ __forceinline__ void store_4(float *to, const float *value, int inside, bool aligned)
{
    if (aligned && inside >= 4)
        *reinterpret_cast<float4 *>(to) = *reinterpret_cast<const float4 *>(value);
    else
        for (int i = 0; i < 4; ++i)
            if (i < inside)
                to[i] = value[i];
}

extern "C" __global__ void __launch_bounds__(THREADS)
matmul_warp_tiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float As[TILE_DEPTH][TILE_ROWS];
    __shared__ __align__(16) float Bs[TILE_DEPTH][TILE_COLS];

    int thread = threadIdx.x;
    int tile_row = blockIdx.y * TILE_ROWS;
    int tile_col = blockIdx.x * TILE_COLS;

    int warp = thread / 32, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + (lane / 16 * 2 + lane / 2 % 2) * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + (lane / 4 % 4 * 2 + lane % 2) * 4;

    int a_row = thread / (TILE_DEPTH / 4), a_k = thread % (TILE_DEPTH / 4) * 4;
    int b_k = thread / (TILE_COLS / 4), b_col = thread % (TILE_COLS / 4) * 4;

    float sum[RESULTS][RESULTS] = {};
    for (int first = 0; first < K; first += TILE_DEPTH) {
        int a_inside = tile_row + a_row < M ? K - first - a_k : 0;
        int b_inside = first + b_k < K ? N - tile_col - b_col : 0;
        float four[4];
        load_4(four, A + (tile_row + a_row) * K + first + a_k, a_inside, K % 4 == 0);
        for (int i = 0; i < 4; ++i)
            As[a_k + i][a_row] = four[i];
        load_4(&Bs[b_k][b_col], B + (first + b_k) * N + tile_col + b_col, b_inside, N % 4 == 0);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TILE_DEPTH; ++k) {
            float a[RESULTS], b[RESULTS];
            for (int r = 0; r < RESULTS; r += 4)
                *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<float4 *>(&As[k][row + r * 4]);
            for (int c = 0; c < RESULTS; c += 4)
                *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<float4 *>(&Bs[k][col + c * 8]);
            for (int r = 0; r < RESULTS; ++r)
                for (int c = 0; c < RESULTS; ++c)
                    sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }

    for (int r = 0; r < RESULTS; ++r)
        for (int c = 0; c < RESULTS; c += 4) {
            int i = tile_row + row + r / 4 * 16 + r % 4;
            int j = tile_col + col + c * 8;
            store_4(C + i * N + j, &sum[r][c], i < M ? N - j : 0, N % 4 == 0);
        }
}

/* tilescope
title    = "Tiles of warps"
teaches  = "Which lane computes what: lanes in squares of 2 by 2 take fewer wavefronts of shared memory."
workload = "matmul"
order    = 63
size     = [34, 34, 12]
block    = [64]
blocks   = [[256]]
grid     = ["(N + block_x / 2 - 1) / (block_x / 2)", "(M + block_x / 2 - 1) / (block_x / 2)"]
require  = [
    [
        "block_y == 1 && (block_x == 64 || block_x == 256)",
        "choose block 64, whose tile is 32 by 32, or 256, whose tile is 128 by 128",
    ],
]

[define]
RESULTS      = "block_x == 256 ? 8 : 4"
WARPS_DOWN   = "block_x == 256 ? 4 : 2"
WARPS_ACROSS = "block_x == 256 ? 2 : 1"
TILE_DEPTH   = "8"
*/
