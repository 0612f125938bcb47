// One warp, 16 x 8 of C: tiles as they come, fragments by ldmatrix, products by mma.sync m16n8k16 of bf16.
//
// idea     a row of the tile of A is 128 bytes, so that the eight rows of a matrix begin in one bank
// watch    ldmatrix.x4 of A takes 8 wavefronts for each matrix; .x2.trans of B, whose rows are 16 bytes, takes one

#include <cuda_bf16.h>

#define DEPTH 64

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

extern "C" __global__ void mma_bf16(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 As[16][DEPTH], Bs[DEPTH][8];
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float c[4] = {};

    for (int first = 0; first < K; first += DEPTH) {
        for (int i = lane; i < 16 * DEPTH; i += 32) {
            int r = row + i / DEPTH, k = first + i % DEPTH;
            As[i / DEPTH][i % DEPTH] = __float2bfloat16(r < M && k < K ? A[r * K + k] : 0.0f);
        }
        for (int i = lane; i < 8 * DEPTH; i += 32) {
            int k = first + i / 8, j = col + i % 8;
            Bs[i / 8][i % 8] = __float2bfloat16(k < K && j < N ? B[k * N + j] : 0.0f);
        }
        __syncwarp();
        for (int k = 0; k < DEPTH; k += 16) {
            unsigned a[4], b[2];
            unsigned a_at = shared_address(&As[lane % 16][k + lane / 16 * 8]);
            unsigned b_at = shared_address(&Bs[k + lane % 16][0]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(a_at));
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(b[0]), "=r"(b[1]) : "r"(b_at));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
        __syncwarp();
    }
    for (int i = 0; i < 4; ++i) {
        int r = row + lane / 4 + i / 2 * 8, j = col + lane % 4 * 2 + i % 2;
        if (r < M && j < N)
            C[r * N + j] = c[i];
    }
}

/* tilescope
title    = "mma.sync, tiles as they come"
teaches  = "Fragments of bf16, and ldmatrix with bank conflicts."
workload = "matmul"
order    = 900
size     = [16, 8, 64]
block    = [32]
blocks   = [[32]]
grid     = ["(N + 7) / 8", "(M + 15) / 16"]
*/
