// Tensor cores by their instructions: ldmatrix loads fragments from tiles in shared memory, mma.sync multiplies them.
//
// idea     a block shares tiles of A and B, as matmul_tiled does; a warp keeps its sums in registers and multiplies
//          16 by 16 elements of A by 16 by 8 of B with one instruction
// mapping  a warp computes WARP_ROWS x WARP_COLS results; of a product of 16 by 8, lane i has two neighbours in row
//          i / 4 and two in the row 8 below, from column i % 4 * 2 on
// watch    ldmatrix reads eight rows of 16 bytes at once; rows of 64 or 128 elements begin in the same bank, so that
//          the eight reads wait for one another

#include <cuda_bf16.h>

#ifndef WARPS_DOWN
#define WARPS_DOWN 2  // warps of a block
#define WARPS_ACROSS 4
#define WARP_ROWS 64  // results of a warp, multiples of 16
#define WARP_COLS 32
#define TILE_DEPTH 64  // columns of A and rows of B in a phase, a multiple of 16
#endif
#define TILE_ROWS (WARPS_DOWN * WARP_ROWS)  // of C, computed by a block
#define TILE_COLS (WARPS_ACROSS * WARP_COLS)
#define THREADS (32 * WARPS_DOWN * WARPS_ACROSS)

// Copies a tile, eight elements at a time where rows begin at multiples of 16 bytes; zeros for what is outside.
template <int ROWS, int COLS>
__device__ __forceinline__ void copy_tile(
    __nv_bfloat16 (&tile)[ROWS][COLS], const __nv_bfloat16 *from, int pitch, int rows, int cols)
{
    for (int i = threadIdx.x; i < ROWS * COLS / 8; i += THREADS) {
        int r = i / (COLS / 8), c = i % (COLS / 8) * 8;
        if (pitch % 8 == 0) {
            uint4 eight = make_uint4(0, 0, 0, 0);
            if (r < rows && c < cols)
                eight = *reinterpret_cast<const uint4 *>(from + r * pitch + c);
            *reinterpret_cast<uint4 *>(&tile[r][c]) = eight;
        } else
            for (int j = c; j < c + 8; ++j)
                tile[r][j] = r < rows && j < cols ? from[r * pitch + j] : __float2bfloat16(0.0f);
    }
}

#if __CUDA_ARCH__ >= 800  // before, tensor cores do not know bfloat16: nothing is computed
// Loads four matrices of 8 by 8: lane i gives the address of row i % 8 of matrix i / 8, and gets two neighbours of row
// i / 4 of each.
__device__ __forceinline__ void load_a(unsigned (&a)[4], const __nv_bfloat16 *row)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(address));
}

// The same with two neighbours of column i / 4 of each matrix: what mma.sync takes of B.
__device__ __forceinline__ void load_b(unsigned (&left)[2], unsigned (&right)[2], const __nv_bfloat16 *row)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(left[0]), "=r"(left[1]), "=r"(right[0]), "=r"(right[1])
                 : "r"(address));
}

// Adds the product of 16 by 16 elements of A and 16 by 8 of B.
__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
matmul_mma(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
#if __CUDA_ARCH__ >= 800
    __shared__ __align__(128) __nv_bfloat16 As[TILE_ROWS][TILE_DEPTH];
    __shared__ __align__(128) __nv_bfloat16 Bs[TILE_DEPTH][TILE_COLS];

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int tile_row = blockIdx.y * TILE_ROWS, row = warp / WARPS_ACROSS * WARP_ROWS;  // of the warp within the tile
    int tile_col = blockIdx.x * TILE_COLS, col = warp % WARPS_ACROSS * WARP_COLS;

    float sum[WARP_ROWS / 16][WARP_COLS / 8][4] = {};
    for (int first = 0; first < K; first += TILE_DEPTH) {
        copy_tile(As, A + tile_row * K + first, K, M - tile_row, K - first);
        copy_tile(Bs, B + first * N + tile_col, N, K - first, N - tile_col);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k += 16) {
            unsigned a[WARP_ROWS / 16][4], b[WARP_COLS / 8][2];
#pragma unroll
            for (int i = 0; i < WARP_ROWS / 16; ++i)
                load_a(a[i], &As[row + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < WARP_COLS / 8; j += 2)
                load_b(b[j], b[j + 1], &Bs[k + lane % 16][col + j * 8 + lane / 16 * 8]);
#pragma unroll
            for (int i = 0; i < WARP_ROWS / 16; ++i)
#pragma unroll
                for (int j = 0; j < WARP_COLS / 8; ++j)
                    multiply(sum[i][j], a[i], b[j]);
        }
        __syncthreads();
    }

    row += tile_row + lane / 4;
    col += tile_col + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP_ROWS / 16; ++i)
#pragma unroll
        for (int j = 0; j < WARP_COLS / 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (row + i * 16 + e / 2 * 8 < M && col + j * 8 + e % 2 < N)
                    C[(row + i * 16 + e / 2 * 8) * N + col + j * 8 + e % 2] = sum[i][j][e];
#endif
}

/* tilescope
title    = "Tensor cores, tiles in shared memory (bfloat16)"
teaches  = "ldmatrix and mma.sync: which lane holds what, and rows of a tile that lie in the same banks."
workload = "matmul_bf16"
least    = "sm_80"
order    = 81
size     = [16, 64, 64]
block    = [32]
blocks   = [[128], [256]]
grid     = [
    "block_x == 32 ? (N + 63) / 64 : (N + block_x / 2 - 1) / (block_x / 2)",
    "block_x == 32 ? (M + 15) / 16 : (M + block_x / 2 - 1) / (block_x / 2)",
]
require  = [
    [
        "block_y * block_z == 1 && (block_x == 32 || block_x == 128 || block_x == 256)",
        "choose block 32, whose tile is 16 by 64, 128 with 64 by 64, or 256 with 128 by 128",
    ],
]

[define]
WARPS_DOWN   = "block_x == 32 ? 1 : 2"
WARPS_ACROSS = "block_x == 32 ? 1 : block_x / 64"
WARP_ROWS    = "block_x == 32 ? 16 : block_x == 128 ? 32 : 64"
WARP_COLS    = "block_x == 32 ? 64 : 32"
TILE_DEPTH   = "block_x == 256 ? 64 : 32"
*/
