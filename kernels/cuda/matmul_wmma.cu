// Tensor cores by the functions of mma.h: a warp multiplies tiles that it loads from global memory.
//
// idea     a warp holds tiles of 16 by 16 in fragments, and mma_sync adds a product of two of them to a third at once
// mapping  a warp for each tile of C: threadIdx.y counts the warps of a block, one below the other
// watch    a tile of A is read N / 16 times and one of B M / 16 times, all from global memory, which is the limit here:
//          the tensor cores wait; a tile that is cut off by an edge passes through shared memory, filled up with zeros

#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

#ifndef WARPS
#define WARPS 4
#endif
#define TILE 16

#if __CUDA_ARCH__ >= 800  // before, tensor cores do not know bfloat16: nothing is computed
// Loads a tile of which `rows` rows and `cols` columns exist; rows of a matrix begin `pitch` elements apart.
template <typename Fragment>
__device__ void load_tile(
    Fragment &tile, const __nv_bfloat16 *from, int pitch, int rows, int cols, __nv_bfloat16 (&edge)[TILE][TILE])
{
    if (rows >= TILE && cols >= TILE && pitch % 8 == 0) {  // rows that begin at multiples of 16 bytes
        wmma::load_matrix_sync(tile, from, pitch);
        return;
    }
    for (int i = threadIdx.x; i < TILE * TILE; i += 32) {
        int r = i / TILE, c = i % TILE;
        edge[r][c] = r < rows && c < cols ? from[r * pitch + c] : __float2bfloat16(0.0f);
    }
    __syncwarp();
    wmma::load_matrix_sync(tile, &edge[0][0], TILE);
    __syncwarp();  // before the next tile takes its place
}
#endif

extern "C" __global__ void matmul_wmma(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
#if __CUDA_ARCH__ >= 800
    __shared__ __align__(32) __nv_bfloat16 edges[WARPS][TILE][TILE];
    __shared__ __align__(32) float results[WARPS][TILE][TILE];

    int warp = threadIdx.y;
    int row = (blockIdx.y * WARPS + warp) * TILE;
    int col = blockIdx.x * TILE;
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __nv_bfloat16, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __nv_bfloat16, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;

    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < K; k += TILE) {
        load_tile(a, A + row * K + k, K, M - row, K - k, edges[warp]);
        load_tile(b, B + k * N + col, N, K - k, N - col, edges[warp]);
        wmma::mma_sync(sum, a, b, sum);
    }

    wmma::store_matrix_sync(&results[warp][0][0], sum, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < TILE * TILE; i += 32)
        if (row + i / TILE < M && col + i % TILE < N)
            C[(row + i / TILE) * N + col + i % TILE] = results[warp][i / TILE][i % TILE];
#endif
}

/* tilescope
title    = "Tensor cores, tiles from global memory (bfloat16)"
teaches  = "The functions of mma.h, and their price: every tile of 16 by 16 comes from global memory."
workload = "matmul_bf16"
least    = "sm_80"
order    = 80
size     = [32, 16, 32]
block    = [32, 2]
blocks   = [[32, 4], [32, 8]]
grid     = ["(N + 15) / 16", "(M + 16 * block_y - 1) / (16 * block_y)"]
require  = [
    [
        "block_x == 32 && block_z == 1 && (block_y == 1 || block_y == 2 || block_y == 4 || block_y == 8)",
        "a row of the block is a warp: choose 32 by 1, 2, 4 or 8, as in block 32,4",
    ],
]

[define]
WARPS = "block_y"
*/
