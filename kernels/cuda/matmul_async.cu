// Copies that run while the block computes: tiles go to shared memory past the registers, several phases ahead.
//
// idea     cp.async copies from global to shared memory without waiting; STAGES buffers hold tiles that are under way
// mapping  as matmul_warp_tiled, with THREAD_ROWS x THREAD_COLS results a thread; A is copied element by element,
//          because its tile is stored transposed, B by four elements
// watch    one barrier a phase instead of two, and no registers between global and shared memory; a row of As has
//          4 elements more than the tile, so that the elements that a warp copies lie in different banks

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a thread, multiples of 4
#define THREAD_COLS 8
#define WARPS_DOWN 2  // warps of a block
#define WARPS_ACROSS 4
#define TILE_DEPTH 16  // columns of A and rows of B in a phase, a multiple of 8
#define STAGES 4       // buffers
#endif
#define WARP_ROWS (4 * THREAD_ROWS)
#define WARP_COLS (8 * THREAD_COLS)
#define TILE_ROWS (WARPS_DOWN * WARP_ROWS)  // of C, computed by a block
#define TILE_COLS (WARPS_ACROSS * WARP_COLS)
#define PITCH (TILE_ROWS + 4)
#define THREADS (32 * WARPS_DOWN * WARPS_ACROSS)
#define ROWS_A_PASS (THREADS / 8)  // 8 threads copy 8 neighbours of a row of A
#define B_STEP (THREADS * 4 / TILE_COLS)

// Copies one element, or writes 0; done when wait_for_copies says so.
__device__ __forceinline__ void copy_1(float *to, const float *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    int bytes = inside ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#else
    *to = inside ? *from : 0.0f;
#endif
}

// Copies four elements, or writes zeros.
__device__ __forceinline__ void copy_4(float *to, const float *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    int bytes = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#else
    float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    *reinterpret_cast<float4 *>(to) = inside ? *reinterpret_cast<const float4 *>(from) : zero;
#endif
}

// Ends a group of copies.
__device__ __forceinline__ void commit_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for this thread's copies, except those of the latest STAGES - 2 groups.
__device__ __forceinline__ void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
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
matmul_async(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ __align__(16) float tiles[];
    float *As = tiles;                               // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // [STAGES][TILE_DEPTH][TILE_COLS]

    int thread = threadIdx.x;
    int tile_row = blockIdx.y * TILE_ROWS;
    int tile_col = blockIdx.x * TILE_COLS;

    // What this thread copies of A: rows below the matrix repeat its last one, their results are not stored.
    int a_k = thread % 8, a_row = thread / 8;
    const float *a_from[TILE_ROWS / ROWS_A_PASS];
#pragma unroll
    for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
        a_from[r] = A + min(tile_row + a_row + r * ROWS_A_PASS, M - 1) * K + a_k;

    // Of B: four elements of every B_STEP-th row; one of every B_STEP / 4-th, where four are not aligned to 16 bytes.
    bool aligned = N % 4 == 0;
    int b_k = aligned ? thread * 4 / TILE_COLS : thread / TILE_COLS;
    int b_col = aligned ? thread * 4 % TILE_COLS : thread % TILE_COLS;
    bool b_inside = tile_col + b_col < N;
    const float *b_from = B + b_k * N + tile_col + b_col;

    int warp = thread / 32, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + (lane / 16 * 2 + lane / 2 % 2) * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + (lane / 4 % 4 * 2 + lane % 2) * 4;

    float sum[THREAD_ROWS][THREAD_COLS] = {};
    for (int phase = 1 - STAGES; phase * TILE_DEPTH < K; ++phase) {  // those below 0 only copy
        if (phase >= 0) {
            wait_for_copies();
            __syncthreads();  // the tiles of this phase are there, and those of the phase before are done with
        }

        int left = K - (phase + STAGES - 1) * TILE_DEPTH;
        int buffer = (phase + STAGES - 1) % STAGES;
        float *a_to = &As[(buffer * TILE_DEPTH + a_k) * PITCH + a_row];
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k += 8)
#pragma unroll
            for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
                copy_1(a_to + k * PITCH + r * ROWS_A_PASS, a_from[r] + k, a_k + k < left);
#pragma unroll
        for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
            a_from[r] += TILE_DEPTH;

        float *b_to = &Bs[(buffer * TILE_DEPTH + b_k) * TILE_COLS + b_col];
        const float *from = b_from;
        if (aligned)
#pragma unroll
            for (int k = 0; k < TILE_DEPTH; k += B_STEP, from += B_STEP * N)
                copy_4(b_to + k * TILE_COLS, from, b_k + k < left && b_inside);
        else
#pragma unroll 2
            for (int k = 0; k < TILE_DEPTH; k += B_STEP / 4, from += B_STEP / 4 * N)
                copy_1(b_to + k * TILE_COLS, from, b_k + k < left && b_inside);
        b_from += TILE_DEPTH * N;
        commit_copies();
        if (phase < 0)
            continue;

        int stage = phase % STAGES;
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; ++k) {
            const float *a_at = &As[(stage * TILE_DEPTH + k) * PITCH + row];
            const float *b_at = &Bs[(stage * TILE_DEPTH + k) * TILE_COLS + col];
            float a[THREAD_ROWS], b[THREAD_COLS];
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; r += 4)
                *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<const float4 *>(a_at + r * 4);
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4)
                *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<const float4 *>(b_at + c * 8);
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
                for (int c = 0; c < THREAD_COLS; ++c)
                    sum[r][c] += a[r] * b[c];
        }
    }

#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int c = 0; c < THREAD_COLS; c += 4) {
            int i = tile_row + row + r / 4 * 16 + r % 4;
            int j = tile_col + col + c * 8;
            store_4(C + i * N + j, &sum[r][c], i < M ? N - j : 0, aligned);
        }
}

/* tilescope
title    = "Copies that run ahead"
teaches  = "cp.async: tiles are copied into shared memory while the block multiplies those that came before."
workload = "matmul"
order    = 64
size     = [34, 34, 20]
block    = [64]
blocks   = [[256]]
grid     = ["block_x == 256 ? (N + 255) / 256 : (N + 31) / 32", "block_x == 256 ? (M + 127) / 128 : (M + 31) / 32"]
dynamic_shared = "block_x == 256 ? 4 * 4 * 16 * (132 + 256) : 4 * 3 * 8 * (36 + 32)"
require  = [
    [
        "block_y == 1 && (block_x == 64 || block_x == 256)",
        "choose block 64, whose tile is 32 by 32, or 256, whose tile is 128 by 256",
    ],
]

[define]
THREAD_ROWS  = "block_x == 256 ? 16 : 4"
THREAD_COLS  = "block_x == 256 ? 8 : 4"
WARPS_DOWN   = "2"
WARPS_ACROSS = "block_x == 256 ? 4 : 1"
TILE_DEPTH   = "block_x == 256 ? 16 : 8"
STAGES       = "block_x == 256 ? 4 : 3"
*/
