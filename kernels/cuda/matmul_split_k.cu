// The products of an element of C are split among groups of warps, whose sums are added at the end.
//
// idea     a small C has too few tiles for all SMs, and small tiles leave each SM few warps: SLICES groups of warps
//          compute the same tile, each for its share of the k's of a phase
// mapping  producers as in matmul_specialized; consumer warps form SLICES groups of WARPS_DOWN x WARPS_ACROSS
// watch    at the end the groups store their sums side by side in shared memory, and each element is added up in the
//          order of the slices: the result is the same in every run, which atomic additions would not promise

#ifndef TILE_DEPTH
#define RESULTS 8     // rows and columns of a consumer thread, a multiple of 4
#define WARPS_DOWN 2  // consumer warps of a slice
#define WARPS_ACROSS 2
#define SLICES 2
#define PRODUCERS 128  // threads
#define TILE_DEPTH 32  // columns of A and rows of B in a phase, a multiple of 8 and of SLICES
#define STAGES 4       // buffers
#endif
#define FULL 0  // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES
#define WARP_ROWS (4 * RESULTS)
#define WARP_COLS (8 * RESULTS)
#define TILE_ROWS (WARPS_DOWN * WARP_ROWS)  // of C, computed by a block
#define TILE_COLS (WARPS_ACROSS * WARP_COLS)
#define PITCH (TILE_ROWS + 4)
#define SLICE_DEPTH (TILE_DEPTH / SLICES)
#define SLICE_WARPS (WARPS_DOWN * WARPS_ACROSS)
#define CONSUMERS (32 * SLICE_WARPS * SLICES)
#define THREADS (CONSUMERS + PRODUCERS)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads copy 8 neighbours of a row of A
#define B_STEP (PRODUCERS * 4 / TILE_COLS)

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

#if __CUDA_ARCH__ >= 800
#define CONSUMER_BARRIER 1  // the lowest free number: an SM has two barriers for each block that it can hold

__device__ __forceinline__ void init_barrier(unsigned long long *barriers, int number, int arrivals)
{
    unsigned address = shared_address(&barriers[number]);
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void arrive(unsigned long long *barriers, int number)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&barriers[number])) : "memory");
}

// Arrives when the copies that this thread has begun are done.
__device__ __forceinline__ void arrive_after_copies(unsigned long long *barriers, int number)
{
    unsigned address = shared_address(&barriers[number]);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
}

#if __CUDA_ARCH__ >= 900
#define TEST_WAIT "mbarrier.try_wait"  // which sleeps for a while before it fails
#else
#define TEST_WAIT "mbarrier.test_wait"
#endif
// Waits for the end of a phase: of the first one with parity 0, of the second with parity 1, and so on.
__device__ __forceinline__ void wait(unsigned long long *barriers, int number, int parity)
{
    unsigned address = shared_address(&barriers[number]);
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n" TEST_WAIT ".parity.shared.b64 over, [%0], %1;\n"
                 "@!over bra again;\n"
                 "}" ::"r"(address), "r"(parity) : "memory");
}

// Copies one element, or writes 0.
__device__ __forceinline__ void copy_1(float *to, const float *from, bool inside)
{
    unsigned address = shared_address(to);
    int bytes = inside ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

// Copies four elements, or writes zeros.
__device__ __forceinline__ void copy_4(float *to, const float *from, bool inside)
{
    unsigned address = shared_address(to);
    int bytes = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}
#else  // before sm_80: the numbered barriers of a block, and copies that wait
#define CONSUMER_BARRIER (2 * STAGES + 1)

__device__ __forceinline__ void init_barrier(unsigned long long *, int, int) {}

__device__ __forceinline__ void arrive(unsigned long long *, int number)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number + 1), "n"(THREADS) : "memory");
}

__device__ __forceinline__ void arrive_after_copies(unsigned long long *barriers, int number)
{
    arrive(barriers, number);
}

__device__ __forceinline__ void wait(unsigned long long *, int number, int)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "n"(THREADS) : "memory");
}

__device__ __forceinline__ void copy_1(float *to, const float *from, bool inside)
{
    *to = inside ? *from : 0.0f;
}

__device__ __forceinline__ void copy_4(float *to, const float *from, bool inside)
{
    float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    *reinterpret_cast<float4 *>(to) = inside ? *reinterpret_cast<const float4 *>(from) : zero;
}
#endif

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

// Waits until all consumers are here.
__device__ __forceinline__ void sync_consumers()
{
    asm volatile("bar.sync %0, %1;" ::"n"(CONSUMER_BARRIER), "n"(CONSUMERS) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, 384 / THREADS)
matmul_split_k(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    float *As = tiles;                                // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // [STAGES][TILE_DEPTH][TILE_COLS]

    int thread = threadIdx.x;
    int tile_row = blockIdx.y * TILE_ROWS;
    int tile_col = blockIdx.x * TILE_COLS;
    bool aligned = N % 4 == 0;

    if (thread < STAGES) {
        init_barrier(barriers, FULL + thread, PRODUCERS);
        init_barrier(barriers, EMPTY + thread, CONSUMERS);
    }
    __syncthreads();

    if (thread >= CONSUMERS) {
        // What this thread copies of A: rows below the matrix repeat its last one, their results are not stored.
        int producer = thread - CONSUMERS;
        int a_k = producer % 8, a_row = producer / 8;
        const float *a_from[TILE_ROWS / ROWS_A_PASS];
#pragma unroll
        for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
            a_from[r] = A + (size_t)min(tile_row + a_row + r * ROWS_A_PASS, M - 1) * K + a_k;
        // Of B it copies four elements at a time from every B_STEP-th row, or one from every row.
        int b_k = aligned ? producer * 4 / TILE_COLS : 0;
        int b_col = aligned ? producer * 4 % TILE_COLS : producer;
        const float *b_from = B + (size_t)b_k * N + tile_col + b_col;
        float *b_start = &Bs[b_k * TILE_COLS + b_col];

        int stage = 0, parity = 1;
        for (int left = K; left > 0; left -= TILE_DEPTH) {
            if (left + STAGES * TILE_DEPTH <= K)
                wait(barriers, EMPTY + stage, parity);

            float *a_to = &As[(stage * TILE_DEPTH + a_k) * PITCH + a_row];
#pragma unroll
            for (int k = 0; k < TILE_DEPTH; k += 8)
#pragma unroll
                for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
                    copy_1(a_to + k * PITCH + r * ROWS_A_PASS, a_from[r] + k, a_k + k < left);
#pragma unroll
            for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
                a_from[r] += TILE_DEPTH;

            float *b_to = b_start + stage * TILE_DEPTH * TILE_COLS;
            const float *from = b_from;
            if (aligned) {
#pragma unroll
                for (int k = 0; k < TILE_DEPTH; k += B_STEP, from += (size_t)B_STEP * N)
                    copy_4(b_to + k * TILE_COLS, from, b_k + k < left && tile_col + b_col < N);
            } else {
#pragma unroll
                for (int k = 0; k < TILE_DEPTH; ++k, from += N)
#pragma unroll
                    for (int c = 0; c < TILE_COLS; c += PRODUCERS)
                        copy_1(b_to + k * TILE_COLS + c, from + c, k < left && tile_col + b_col + c < N);
            }
            b_from += (size_t)TILE_DEPTH * N;

            arrive_after_copies(barriers, FULL + stage);
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        return;
    }

    int slice = thread / 32 / SLICE_WARPS, warp = thread / 32 % SLICE_WARPS, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + lane / 8 * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + lane % 8 * 4;

    float sum[RESULTS][RESULTS] = {};
    for (int phase = 0; phase * TILE_DEPTH < K; ++phase) {
        int stage = phase % STAGES;
        int first = stage * TILE_DEPTH + slice * SLICE_DEPTH;
        wait(barriers, FULL + stage, phase / STAGES % 2);
#pragma unroll
        for (int i = 0; i < SLICE_DEPTH; ++i) {
            int k = first + i;
            float a[RESULTS], b[RESULTS];
#pragma unroll
            for (int r = 0; r < RESULTS; r += 4)
                *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<float4 *>(&As[k * PITCH + row + r * 4]);
#pragma unroll
            for (int c = 0; c < RESULTS; c += 4)
                *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<float4 *>(&Bs[k * TILE_COLS + col + c * 8]);
#pragma unroll
            for (int r = 0; r < RESULTS; ++r)
#pragma unroll
                for (int j = 0; j < RESULTS; ++j) {
                    int c = r % 2 ? RESULTS - 1 - j : j;
                    sum[r][c] += a[r] * b[c];
                }
        }
        arrive(barriers, EMPTY + stage);
    }

    sync_consumers();  // nobody reads the tiles any more: the sums take their place, [SLICES][TILE_ROWS][TILE_COLS]
#pragma unroll
    for (int r = 0; r < RESULTS; ++r)
#pragma unroll
        for (int c = 0; c < RESULTS; c += 4) {
            int i = (slice * TILE_ROWS + row + r / 4 * 16 + r % 4) * TILE_COLS + col + c * 8;
            *reinterpret_cast<float4 *>(&tiles[i]) = *reinterpret_cast<float4 *>(&sum[r][c]);
        }
    sync_consumers();
    for (int i = thread * 4; i < TILE_ROWS * TILE_COLS; i += CONSUMERS * 4) {
        float4 total = *reinterpret_cast<float4 *>(&tiles[i]);
        for (int s = 1; s < SLICES; ++s) {
            float4 part = *reinterpret_cast<float4 *>(&tiles[s * TILE_ROWS * TILE_COLS + i]);
            total = make_float4(total.x + part.x, total.y + part.y, total.z + part.z, total.w + part.w);
        }
        int y = tile_row + i / TILE_COLS, x = tile_col + i % TILE_COLS;
        store_4(C + (size_t)y * N + x, reinterpret_cast<float *>(&total), y < M ? N - x : 0, aligned);
    }
}

/* tilescope
title    = "Split along K"
teaches  = "Groups of warps share the products of a tile and add their sums in order: for matrices with few tiles."
workload = "matmul"
order    = 66
size     = [18, 34, 36]
block    = [96]
blocks   = [[192], [384]]
grid     = [
    "(N + (block_x == 96 ? 32 : block_x / 3) - 1) / (block_x == 96 ? 32 : block_x / 3)",
    "(M + block_x / 6 - 1) / (block_x / 6)",
]
dynamic_shared = "4 * (block_x == 384 ? 4 * 32 * (68 + 128) : block_x == 192 ? 4 * 32 * (36 + 64) : 3 * 16 * (20 + 32))"
require  = [
    [
        "block_y == 1 && (block_x == 96 || block_x == 192 || block_x == 384)",
        "choose block 96, whose tile is 16 by 32, 192 with 32 by 64, or 384 with 64 by 128",
    ],
]

[define]
RESULTS      = "block_x == 96 ? 4 : 8"
WARPS_DOWN   = "block_x == 384 ? 2 : 1"
WARPS_ACROSS = "block_x == 384 ? 2 : 1"
SLICES       = "block_x == 192 ? 4 : 2"
PRODUCERS    = "block_x / 3"
TILE_DEPTH   = "block_x == 96 ? 16 : 32"
STAGES       = "block_x == 96 ? 3 : 4"
*/
