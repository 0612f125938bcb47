// One warp, 16 x 8 of C: a swizzled tile of A, fragments by ldmatrix, products by mma.sync m16n8k16 of f16.
//
// idea     chunks of 16 bytes change places from row to row, so that eight rows of a matrix lie in different banks
// watch    ldmatrix.x4 and .x1 of A take one wavefront for each matrix

#include <cuda_fp16.h>

#define DEPTH 64

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// The first of eight numbers of a row, where chunk c of the row begins.
__device__ __forceinline__ int place(int row, int c)
{
    return (c ^ row % 8) * 8;
}

extern "C" __global__ void mma_f16_swizzled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) half As[16][DEPTH], Bs[DEPTH][8];
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float c[4] = {};

    for (int first = 0; first < K; first += DEPTH) {
        for (int i = lane; i < 16 * DEPTH; i += 32) {
            int r = row + i / DEPTH, k = first + i % DEPTH;
            As[i / DEPTH][place(i / DEPTH, i % DEPTH / 8) + i % 8] = __float2half(r < M && k < K ? A[r * K + k] : 0.0f);
        }
        for (int i = lane; i < 8 * DEPTH; i += 32) {
            int k = first + i / 8, j = col + i % 8;
            Bs[i / 8][i % 8] = __float2half(k < K && j < N ? B[k * N + j] : 0.0f);
        }
        __syncwarp();
        for (int k = 0; k < DEPTH; k += 16) {
            unsigned a[4], b[2];
            int r = lane % 16, chunk = k / 8 + lane / 16;
            unsigned a_at = shared_address(&As[r][place(r, chunk)]);
            unsigned b_at = shared_address(&Bs[k + lane % 16][0]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(a_at));
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(b[0]), "=r"(b[1]) : "r"(b_at));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
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
title    = "mma.sync, swizzled tiles"
teaches  = "Fragments of f16, and ldmatrix without bank conflicts."
workload = "matmul"
order    = 901
size     = [16, 8, 64]
block    = [32]
blocks   = [[32]]
grid     = ["(N + 7) / 8", "(M + 15) / 16"]
*/
