// Four elements in one load: 16 bytes from global memory, 16 bytes from shared memory.
//
// idea     one instruction moves four elements; A is stored transposed, so that its columns lie together in As
// mapping  as matmul_registers_2d; but the rows and columns of a thread are groups of four, next to its neighbours'
// watch    a quarter of the loads, and no bank conflicts where a warp reads Bs; where K or N is no multiple of 4 the
//          rows are not aligned to 16 bytes, and elements are loaded one by one

#ifndef BLOCK_WIDTH
#define BLOCK_WIDTH 16  // a block has BLOCK_WIDTH x BLOCK_WIDTH threads
#define RESULTS 8       // rows and columns of a thread, a multiple of 4
#define TILE_DEPTH 8    // columns of A and rows of B in a phase: each thread loads four elements of each tile
#endif
#define TILE_WIDTH (BLOCK_WIDTH * RESULTS)  // rows and columns of C that a block computes

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

extern "C" __global__ void __launch_bounds__(BLOCK_WIDTH *BLOCK_WIDTH)
matmul_vectorized(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float As[TILE_DEPTH][TILE_WIDTH];
    __shared__ __align__(16) float Bs[TILE_DEPTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int thread = ty * BLOCK_WIDTH + tx;
    int tile_row = blockIdx.y * TILE_WIDTH;
    int tile_col = blockIdx.x * TILE_WIDTH;

    int a_row = thread / (TILE_DEPTH / 4), a_k = thread % (TILE_DEPTH / 4) * 4;
    int b_k = thread / (TILE_WIDTH / 4), b_col = thread % (TILE_WIDTH / 4) * 4;

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
                *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<float4 *>(&As[k][r * BLOCK_WIDTH + ty * 4]);
            for (int c = 0; c < RESULTS; c += 4)
                *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<float4 *>(&Bs[k][c * BLOCK_WIDTH + tx * 4]);
            for (int r = 0; r < RESULTS; ++r)
                for (int c = 0; c < RESULTS; ++c)
                    sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }

    for (int r = 0; r < RESULTS; ++r)
        for (int c = 0; c < RESULTS; c += 4) {
            int row = tile_row + r / 4 * 4 * BLOCK_WIDTH + ty * 4 + r % 4;
            int col = tile_col + c * BLOCK_WIDTH + tx * 4;
            store_4(C + row * N + col, &sum[r][c], row < M ? N - col : 0, N % 4 == 0);
        }
}

/* tilescope
title    = "Four elements a load"
teaches  = "Loads of 16 bytes, and A transposed on its way into shared memory: a quarter of the instructions."
workload = "matmul"
order    = 62
size     = [18, 18, 6]
block    = [4, 4]
blocks   = [[16, 16]]
grid     = [
    "(N + (block_x == 16 ? 128 : 4 * block_x) - 1) / (block_x == 16 ? 128 : 4 * block_x)",
    "(M + (block_x == 16 ? 128 : 4 * block_x) - 1) / (block_x == 16 ? 128 : 4 * block_x)",
]
require  = [
    [
        "block_x == block_y && (block_x == 4 || block_x == 8 || block_x == 16)",
        "choose block 4,4 or 8,8, where a thread computes 4 by 4 results, or 16,16 with 8 by 8",
    ],
]

[define]
BLOCK_WIDTH = "block_x"
RESULTS     = "block_x == 16 ? 8 : 4"
TILE_DEPTH  = "block_x == 4 ? 4 : 8"
*/
