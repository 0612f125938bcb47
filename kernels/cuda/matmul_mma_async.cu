// Tensor cores from tiles that are copied while others are multiplied: cp.async in four stages.
//
// idea     STAGES buffers hold tiles of A and B; copies of three phases are under way while the fourth is multiplied
// mapping  as matmul_mma_swizzled; a thread copies eight elements at a time, past its registers, to their places
// watch    one barrier a phase instead of two; cp.async copies 4 bytes at least, so that rows that do not begin at
//          multiples of 16 bytes are copied element by element, which waits

#include <cuda_bf16.h>

#ifndef WARPS_DOWN
#define WARPS_DOWN 2  // warps of a block
#define WARPS_ACROSS 4
#define WARP_ROWS 64  // results of a warp, multiples of 16
#define WARP_COLS 32
#endif
#define TILE_DEPTH 32  // columns of A and rows of B in a phase
#define STAGES 4       // buffers
#define TILE_ROWS (WARPS_DOWN * WARP_ROWS)  // of C, computed by a block
#define TILE_COLS (WARPS_ACROSS * WARP_COLS)
#define THREADS (32 * WARPS_DOWN * WARPS_ACROSS)

// Finds an element. 64 elements are in all banks once: of shorter rows, 64 / COLS follow one another there.
template <int ROWS, int COLS>
__device__ __forceinline__ __nv_bfloat16 *at(__nv_bfloat16 (&tile)[ROWS][COLS], int r, int c)
{
    const int rows_in_banks = COLS < 64 ? 64 / COLS : 1;
    return &tile[r][c ^ r / rows_in_banks % 8 * 8 % COLS];
}

#if __CUDA_ARCH__ >= 800  // before, tensor cores do not know bfloat16: nothing is computed
// Copies eight elements, or writes zeros; done when wait_for_copies says so.
__device__ __forceinline__ void copy_8(__nv_bfloat16 *to, const __nv_bfloat16 *from, bool inside)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    int bytes = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

// Ends a group of copies.
__device__ __forceinline__ void commit_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for this thread's copies, except those of the latest STAGES - 2 groups.
__device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
}

// Copies a tile; zeros for what is outside.
template <int ROWS, int COLS>
__device__ __forceinline__ void copy_tile(
    __nv_bfloat16 (&tile)[ROWS][COLS], const __nv_bfloat16 *from, int pitch, int rows, int cols)
{
    for (int i = threadIdx.x; i < ROWS * COLS / 8; i += THREADS) {
        int r = i / (COLS / 8), c = i % (COLS / 8) * 8;
        if (pitch % 8 == 0)
            copy_8(at(tile, r, c), from + r * pitch + c, r < rows && c < cols);
        else
            for (int j = c; j < c + 8; ++j)
                *at(tile, r, j) = r < rows && j < cols ? from[r * pitch + j] : __float2bfloat16(0.0f);
    }
}

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
matmul_mma_async(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) __nv_bfloat16 tiles[];
    typedef __nv_bfloat16 TileA[TILE_ROWS][TILE_DEPTH], TileB[TILE_DEPTH][TILE_COLS];
    TileA *As = reinterpret_cast<TileA *>(tiles);  // [STAGES]
    TileB *Bs = reinterpret_cast<TileB *>(tiles + STAGES * TILE_ROWS * TILE_DEPTH);

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int tile_row = blockIdx.y * TILE_ROWS, row = warp / WARPS_ACROSS * WARP_ROWS;  // of the warp within the tile
    int tile_col = blockIdx.x * TILE_COLS, col = warp % WARPS_ACROSS * WARP_COLS;

    float sum[WARP_ROWS / 16][WARP_COLS / 8][4] = {};
    for (int phase = 1 - STAGES; phase * TILE_DEPTH < K; ++phase) {  // those below 0 only copy
        if (phase >= 0) {
            wait_for_copies();
            __syncthreads();  // the tiles of this phase are there, and those of the phase before are done with
        }

        int buffer = (phase + STAGES - 1) % STAGES, first = (phase + STAGES - 1) * TILE_DEPTH;
        if (first < K) {
            copy_tile(As[buffer], A + tile_row * K + first, K, M - tile_row, K - first);
            copy_tile(Bs[buffer], B + first * N + tile_col, N, K - first, N - tile_col);
        }
        commit_copies();  // of a phase without copies, too: groups are counted
        if (phase < 0)
            continue;

        int stage = phase % STAGES;
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k += 16) {
            unsigned a[WARP_ROWS / 16][4], b[WARP_COLS / 8][2];
#pragma unroll
            for (int i = 0; i < WARP_ROWS / 16; ++i)
                load_a(a[i], at(As[stage], row + i * 16 + lane % 16, k + lane / 16 * 8));
#pragma unroll
            for (int j = 0; j < WARP_COLS / 8; j += 2)
                load_b(b[j], b[j + 1], at(Bs[stage], k + lane % 16, col + j * 8 + lane / 16 * 8));
#pragma unroll
            for (int i = 0; i < WARP_ROWS / 16; ++i)
#pragma unroll
                for (int j = 0; j < WARP_COLS / 8; ++j)
                    multiply(sum[i][j], a[i], b[j]);
        }
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
title    = "Tensor cores, copies that run ahead (bfloat16)"
teaches  = "cp.async in four stages: the next tiles are copied while the tensor cores multiply."
workload = "matmul_bf16"
least    = "sm_80"
order    = 83
size     = [16, 64, 64]
block    = [32]
blocks   = [[128], [256]]
grid     = [
    "block_x == 32 ? (N + 63) / 64 : (N + block_x / 2 - 1) / (block_x / 2)",
    "block_x == 32 ? (M + 15) / 16 : (M + block_x / 2 - 1) / (block_x / 2)",
]
dynamic_shared = "4 * 2 * 32 * (block_x == 32 ? 16 + 64 : block_x)"
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
*/
