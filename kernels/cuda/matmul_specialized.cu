// Some warps copy, the others multiply, and barriers in shared memory hand over the tiles.
//
// idea     copies and their addresses take issue slots from a loop that also multiplies: producer warps do them
//          instead of the consumer warps, which need nearly all registers for their sums
// mapping  consumer warps multiply, producer threads copy the tiles. At barrier FULL + s the producers arrive when
//          their copies into buffer s are done, at EMPTY + s the consumers, which have read it. Blocks that are
//          numbered one after another compute GROUP tiles below each other, then those to the right
// watch    no barrier of the whole block in the loop; products in serpentine order, in which each uses an operand of
//          the one before; on sm_90a setmaxnreg moves registers from producers to consumers

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a consumer thread, multiples of 4
#define THREAD_COLS 8
#define WARPS_DOWN 2  // consumer warps
#define WARPS_ACROSS 4
#define PRODUCERS 128  // threads
#define TILE_DEPTH 16  // columns of A and rows of B in a phase, a multiple of 8
#define STAGES 4       // buffers
#endif
#define GROUP 8   // rows of tiles that blocks pass through together
#define FULL 0    // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES
#define WARP_ROWS (4 * THREAD_ROWS)
#define WARP_COLS (8 * THREAD_COLS)
#define TILE_ROWS (WARPS_DOWN * WARP_ROWS)  // of C, computed by a block
#define TILE_COLS (WARPS_ACROSS * WARP_COLS)
#define PITCH (TILE_ROWS + 4)
#define CONSUMERS (32 * WARPS_DOWN * WARPS_ACROSS)
#define THREADS (CONSUMERS + PRODUCERS)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads copy 8 neighbours of a row of A
#define B_STEP (PRODUCERS * 4 / TILE_COLS)

// Threads of 128 results have registers for the operands of the next product only where setmaxnreg lends them.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || THREAD_ROWS * THREAD_COLS < 128
#define LOOK_AHEAD
#endif

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

#if __CUDA_ARCH__ >= 800
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

// A thread's operands of the products for one k.
struct Fragment {
    float a[THREAD_ROWS];
    float b[THREAD_COLS];
};

__device__ __forceinline__ void load(Fragment &f, const float *a, const float *b)
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; r += 4)
        *reinterpret_cast<float4 *>(&f.a[r]) = *reinterpret_cast<const float4 *>(a + r * 4);
#pragma unroll
    for (int c = 0; c < THREAD_COLS; c += 4)
        *reinterpret_cast<float4 *>(&f.b[c]) = *reinterpret_cast<const float4 *>(b + c * 8);
}

// Rows of products, one from left to right, the next from right to left.
__device__ __forceinline__ void multiply(float (&sum)[THREAD_ROWS][THREAD_COLS], const Fragment &f)
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int i = 0; i < THREAD_COLS; ++i) {
            int c = r % 2 ? THREAD_COLS - 1 - i : i;
            sum[r][c] += f.a[r] * f.b[c];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
matmul_specialized(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ int corner[2];  // of the tile: kept here, the loop needs every register
    float *As = tiles;                                // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // [STAGES][TILE_DEPTH][TILE_COLS]

    int thread = threadIdx.x;
    int tiles_down = (M + TILE_ROWS - 1) / TILE_ROWS;
    int tiles_across = (N + TILE_COLS - 1) / TILE_COLS;
    int group_row = blockIdx.x / (GROUP * tiles_across) * GROUP;
    int group_rows = min(GROUP, tiles_down - group_row);
    int in_group = blockIdx.x % (GROUP * tiles_across);
    int tile_row = (group_row + in_group % group_rows) * TILE_ROWS;
    int tile_col = in_group / group_rows * TILE_COLS;
    bool aligned = N % 4 == 0;

    if (thread == 0) {
        corner[0] = tile_row;
        corner[1] = tile_col;
    }
    if (thread < STAGES) {
        init_barrier(barriers, FULL + thread, PRODUCERS);
        init_barrier(barriers, EMPTY + thread, CONSUMERS);
    }
    __syncthreads();

    if (thread >= CONSUMERS) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREADS == 384
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
#endif
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

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREADS == 384
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
#endif
    int warp = thread / 32, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + lane / 8 * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + lane % 8 * 4;

    float sum[THREAD_ROWS][THREAD_COLS] = {};
    Fragment f[2];
#ifdef LOOK_AHEAD
    int stage = 0, parity = 0;
    wait(barriers, FULL, 0);
    load(f[0], As + row, Bs + col);
    for (int left = K; left > 0; left -= TILE_DEPTH) {
        int next = stage;
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; ++k) {
            if (k == TILE_DEPTH * 3 / 4 && left > TILE_DEPTH) {
                if (++next == STAGES) {
                    next = 0;
                    parity ^= 1;
                }
                wait(barriers, FULL + next, parity);
            }
            int from = (k + 1 < TILE_DEPTH ? stage : next) * TILE_DEPTH + (k + 1) % TILE_DEPTH;
            load(f[(k + 1) % 2], As + from * PITCH + row, Bs + from * TILE_COLS + col);
            multiply(sum, f[k % 2]);
            if (k == TILE_DEPTH - 2)
                arrive(barriers, EMPTY + stage);
        }
        stage = next;
    }
#else
    for (int phase = 0; phase * TILE_DEPTH < K; ++phase) {
        int stage = phase % STAGES;
        wait(barriers, FULL + stage, phase / STAGES % 2);
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; ++k) {
            int from = stage * TILE_DEPTH + k;
            load(f[0], As + from * PITCH + row, Bs + from * TILE_COLS + col);
            multiply(sum, f[0]);
        }
        arrive(barriers, EMPTY + stage);
    }
#endif
    row += corner[0];
    col += corner[1];

#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int c = 0; c < THREAD_COLS; c += 4) {
            int i = row + r / 4 * 16 + r % 4;
            int j = col + c * 8;
            store_4(C + (size_t)i * N + j, &sum[r][c], i < M ? N - j : 0, aligned);
        }
}

/* tilescope
title    = "Producers and consumers"
teaches  = "Some warps copy, the others multiply: barriers in shared memory hand over the tiles."
workload = "matmul"
order    = 65
size     = [34, 34, 36]
block    = [96]
blocks   = [[384]]
grid     = ["block_x == 384 ? (N + 255) / 256 * ((M + 127) / 128) : (N + 31) / 32 * ((M + 31) / 32)"]
dynamic_shared = "block_x == 384 ? 4 * 4 * 16 * (132 + 256) : 4 * 3 * 8 * (36 + 32)"
require  = [
    [
        "block_y == 1 && (block_x == 96 || block_x == 384)",
        "choose block 96, two consumer warps and a producer warp, or 384, eight and four",
    ],
]

[define]
THREAD_ROWS  = "block_x == 384 ? 16 : 4"
THREAD_COLS  = "block_x == 384 ? 8 : 4"
WARPS_DOWN   = "2"
WARPS_ACROSS = "block_x == 384 ? 4 : 1"
PRODUCERS    = "block_x / 3"
TILE_DEPTH   = "block_x == 384 ? 16 : 8"
STAGES       = "block_x == 384 ? 4 : 3"
*/
