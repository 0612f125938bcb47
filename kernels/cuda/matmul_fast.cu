// The steps before put together, with the tile for the size and the GPU out of a table, and no SM without work.
//
// idea     which tile is best depends on the size: matmul_fast.toml says which block computes what, and why
// mapping  blocks compute tiles as in matmul_specialized, with SLICES as in matmul_split_k. The tiles of a last wave
//          that is not full, and of the wave before it, are divided among SHARES blocks by their k's ("stream-K")
// watch    n = 8192 has 2,048 tiles of 128 by 256: 14 waves of 132 SMs, and 200 tiles for which the time of two would
//          pass with half of the SMs idle; a block that ends a tile adds the sums of the block that began it

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a consumer thread, multiples of 4
#define THREAD_COLS 8
#define TILE_ROWS 128  // of C, computed by a block
#define TILE_COLS 256
#define SLICES 1       // groups of consumers that share the k's of a phase
#define PRODUCERS 128  // threads
#define TILE_DEPTH 16  // columns of A and rows of B in a phase, a multiple of 8
#define STAGES 4       // buffers
#define RESIDENT 1     // blocks an SM
#define SHARES 132     // blocks that share tiles; 1: each tile has its block
#endif
#define LEAST 8  // phases of a share
#define SAVED 6  // phases that sharing the tiles of a first wave must save, since it adds sums one after the other
#define GROUP 8  // rows of tiles that blocks pass through together
#define FULL 0   // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES
#define WARP_ROWS (4 * THREAD_ROWS)
#define WARP_COLS (8 * THREAD_COLS)
#define WARPS_ACROSS (TILE_COLS / WARP_COLS)
#define PITCH (TILE_ROWS + 4)
#define SLICE_WARPS (TILE_ROWS / WARP_ROWS * WARPS_ACROSS)  // consumer warps
#define SLICE_DEPTH (TILE_DEPTH / SLICES)
#define CONSUMERS (32 * SLICE_WARPS * SLICES)
#define THREADS (CONSUMERS + PRODUCERS)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads copy 8 neighbours of a row of A
#define A_COPIES (TILE_ROWS / ROWS_A_PASS)
#define B_COPIES (TILE_COLS > PRODUCERS ? TILE_COLS / PRODUCERS : 1)  // of a producer in a row, of an element each

// With setmaxnreg, threads of 128 results have registers for the operands of the next product.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREAD_ROWS * THREAD_COLS == 128
#define LOOK_AHEAD
#endif

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

// Copies an element, or writes 0 if `bytes` is 0.
__device__ __forceinline__ void copy_1(float *to, const float *from, int bytes)
{
    unsigned address = shared_address(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

// Copies two elements, or writes zeros if `bytes` is 0.
__device__ __forceinline__ void copy_2(float *to, const float *from, int bytes)
{
    unsigned address = shared_address(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

// Copies four elements, or writes zeros if `bytes` is 0.
__device__ __forceinline__ void copy_4(float *to, const float *from, int bytes)
{
    unsigned address = shared_address(to);
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

__device__ __forceinline__ void copy_1(float *to, const float *from, int bytes)
{
    *to = bytes ? *from : 0.0f;
}

__device__ __forceinline__ void copy_2(float *to, const float *from, int bytes)
{
    *reinterpret_cast<float2 *>(to) = bytes ? *reinterpret_cast<const float2 *>(from) : make_float2(0.0f, 0.0f);
}

__device__ __forceinline__ void copy_4(float *to, const float *from, int bytes)
{
    float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    *reinterpret_cast<float4 *>(to) = bytes ? *reinterpret_cast<const float4 *>(from) : zero;
}
#endif

// Waits until all consumers are here.
__device__ __forceinline__ void sync_consumers()
{
    asm volatile("bar.sync %0, %1;" ::"n"(CONSUMER_BARRIER), "n"(CONSUMERS) : "memory");
}

__device__ __forceinline__ void load_4(float *to, const float *from)
{
    float4 four = *reinterpret_cast<const float4 *>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

// Adds four elements, of which the first `inside` exist.
__device__ __forceinline__ void add_4(float *sum, const float *from, int inside, int width)
{
    if (width == 4 && inside >= 4) {
        float four[4];
        load_4(four, from);
        for (int i = 0; i < 4; ++i)
            sum[i] += four[i];
    } else
        for (int i = 0; i < 4; ++i)
            if (i < inside)
                sum[i] += from[i];
}

// Stores four elements, of which the first `inside` exist.
__device__ __forceinline__ void store_4(float *to, const float *value, int inside, int width)
{
    if (width == 4 && inside >= 4)
        *reinterpret_cast<float4 *>(to) = make_float4(value[0], value[1], value[2], value[3]);
    else if (width == 2) {
        for (int i = 0; i < 4; i += 2)
            if (i < inside)
                *reinterpret_cast<float2 *>(to + i) = make_float2(value[i], value[i + 1]);
    } else
        for (int i = 0; i < 4; ++i)
            if (i < inside)
                to[i] = value[i];
}

// Copies a producer's elements of the tile of B, WIDTH at a time, from rows of which `left` exist.
template <int WIDTH>
__device__ __forceinline__ void copy_b(float *to, const float *from, int N, const int (&bytes)[B_COPIES], int left)
{
    const int across = WIDTH * PRODUCERS < TILE_COLS ? WIDTH * PRODUCERS : TILE_COLS;  // columns of a pass
    const int down = WIDTH * PRODUCERS / across;
#pragma unroll
    for (int k = 0; k < TILE_DEPTH; k += down, from += (size_t)down * N)
#pragma unroll
        for (int c = 0; c < TILE_COLS / across; ++c) {
            float *at = to + k * TILE_COLS + c * across;
            int size = k < left ? bytes[c] : 0;
            if (WIDTH == 4)
                copy_4(at, from + c * across, size);
            else if (WIDTH == 2)
                copy_2(at, from + c * across, size);
            else
                copy_1(at, from + c * across, size);
        }
}

// Copies a producer's elements of the tiles of a phase, of which `left` k's exist. Where that is a constant, the copies
// need no comparisons: these would be half of what a producer executes, in turns with the consumers.
__device__ __forceinline__ void copy_tiles(float *a_to, const float *a_from, const int (&a_offset)[A_COPIES], int a_k,
                                           float *b_to, const float *b_from, int b_k, int N,
                                           const int (&b_bytes)[B_COPIES], int width, int left)
{
#pragma unroll
    for (int k = 0; k < TILE_DEPTH; k += 8)
#pragma unroll
        for (int r = 0; r < A_COPIES; ++r)
            copy_1(a_to + k * PITCH + r * ROWS_A_PASS, a_from + a_offset[r] + k,
                   left >= TILE_DEPTH || a_k + k < left ? 4 : 0);
    int b_left = left >= TILE_DEPTH ? TILE_DEPTH : left - b_k;
    if (width == 4)
        copy_b<4>(b_to, b_from, N, b_bytes, b_left);
    else if (width == 2)
        copy_b<2>(b_to, b_from, N, b_bytes, b_left);
    else
        copy_b<1>(b_to, b_from, N, b_bytes, b_left);
}

// Loads a thread's operands of the products for one k.
__device__ __forceinline__ void load(float (&a)[THREAD_ROWS], float (&b)[THREAD_COLS], const float *a_at,
                                     const float *b_at)
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; r += 4)
        load_4(&a[r], a_at + r * 4);
#pragma unroll
    for (int c = 0; c < THREAD_COLS; c += 4)
        load_4(&b[c], b_at + c * 8);
}

// Products in rows or columns, every other one backwards. ptxas keeps this order, which decides which registers meet.
// With 128 results, columns are as fast with every NVRTC from 12.6 to 13.5, and rows up to 1 % slower; with 64, rows
// are, and columns are 8 % slower up to 13.0.
__device__ __forceinline__ void multiply(float (&sum)[THREAD_ROWS][THREAD_COLS], const float (&a)[THREAD_ROWS],
                                         const float (&b)[THREAD_COLS])
{
#if THREAD_ROWS == 16
#pragma unroll
    for (int c = 0; c < THREAD_COLS; ++c)
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) {
            int r = c % 2 == 0 ? THREAD_ROWS - 1 - i : i;
            sum[r][c] += a[r] * b[c];
        }
#else
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int i = 0; i < THREAD_COLS; ++i) {
            int c = r % 2 == 0 ? THREAD_COLS - 1 - i : i;
            sum[r][c] += a[r] * b[c];
        }
#endif
}

// What a block computes: the products of some phases of a tile.
struct Piece {
    int row, col;    // of the tile's corner
    int first, end;  // phases
};

__device__ Piece piece_of(int tile, int first, int end, int tiles_down, int tiles_across)
{
    int group_row = tile / (GROUP * tiles_across) * GROUP;
    int group_rows = min(GROUP, tiles_down - group_row);
    int in_group = tile % (GROUP * tiles_across);
    return {(group_row + in_group % group_rows) * TILE_ROWS, in_group / group_rows * TILE_COLS, first, end};
}

// The tiles that each have a block. The others are shared: a part of a wave, with the full wave before it. In a share
// of one to two tiles, no block waits for another; shares of a single, not full wave do, and must be worth it.
__device__ __forceinline__ int whole_tiles(int tiles, int phases)
{
    if (tiles > SHARES)
        return tiles % SHARES == 0 ? tiles : (tiles / SHARES - 1) * SHARES;
    return phases * (SHARES - tiles) > SAVED * SHARES ? 0 : tiles;
}

// Divides the work among the blocks, and returns the number of pieces of this one: a tile, or an equal share of the
// phases of the shared tiles: the end of a tile, a tile, and the beginning of the next one, or a part of these. The
// beginning comes first: the block that ends that tile then finds its sums ready.
__device__ __forceinline__ int divide(Piece *pieces, int whole, int tiles_down, int tiles_across, int phases)
{
    int share = blockIdx.x - whole, count = 0;
    if (share < 0) {
        pieces[0] = piece_of(blockIdx.x, 0, phases, tiles_down, tiles_across);
        return 1;
    }
    int tiles = tiles_down * tiles_across - whole, work = tiles * phases;
    int shares = tiles > SHARES ? SHARES : min(SHARES, (work + LEAST - 1) / LEAST);
    if (share >= shares)
        return 0;
    int begin = (long long)work * share / shares, end = (long long)work * (share + 1) / shares;
    while (begin < end) {
        int tile = (end - 1) / phases, first = max(begin - tile * phases, 0);
        pieces[count++] = piece_of(whole + tile, first, end - tile * phases, tiles_down, tiles_across);
        end = tile * phases + first;
    }
    return count;
}

__device__ int begun[SHARES];  // 1 when that share has stored the sums of a tile that the next one goes on with

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
matmul_fast(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ Piece pieces[3];  // of this block: kept here, the loop needs every register
    __shared__ int count;
    float *As = tiles;                                // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // [STAGES][TILE_DEPTH][TILE_COLS]

    int thread = threadIdx.y * 32 * SLICE_WARPS + threadIdx.x;  // with slices, a row of the block is one
    int tiles_down = (M + TILE_ROWS - 1) / TILE_ROWS, tiles_across = (N + TILE_COLS - 1) / TILE_COLS;
    int phases = (K + TILE_DEPTH - 1) / TILE_DEPTH, whole = whole_tiles(tiles_down * tiles_across, phases);
    int width = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;  // elements of a copy or store, all of them inside a row or none

    if (thread == 0)
        count = divide(pieces, whole, tiles_down, tiles_across, phases);
    if (thread < STAGES) {
        init_barrier(barriers, FULL + thread, PRODUCERS);
        init_barrier(barriers, EMPTY + thread, CONSUMERS);
    }
    __syncthreads();

    if (thread >= CONSUMERS) {
#ifdef LOOK_AHEAD
        asm volatile("setmaxnreg.dec.sync.aligned.u32 72;");
#endif
        int producer = thread - CONSUMERS;
        int a_k = producer % 8, a_row = producer / 8;
        int b_k = producer * width / TILE_COLS, b_col = producer * width % TILE_COLS;
        float *b_start = &Bs[b_k * TILE_COLS + b_col];
        int stage = 0, parity = 1;
        bool empty = true;  // the buffers, until all are filled once
        for (int p = 0; p < count; ++p) {
            int tile_row = pieces[p].row, tile_col = pieces[p].col, first = pieces[p].first * TILE_DEPTH;
            int end = min(pieces[p].end * TILE_DEPTH, K);
            // Of A it copies elements of these rows; those below the matrix repeat its last one, for sums that nothing
            // stores.
            const float *a_from = A + (size_t)tile_row * K + first + a_k;
            int a_offset[A_COPIES];
#pragma unroll
            for (int r = 0; r < A_COPIES; ++r)
                a_offset[r] = min(a_row + r * ROWS_A_PASS, M - 1 - tile_row) * K;
            const float *b_from = B + (size_t)(first + b_k) * N + tile_col + b_col;
            int b_bytes[B_COPIES];  // of a copy: none behind the last column
#pragma unroll
            for (int c = 0; c < B_COPIES; ++c)
                b_bytes[c] = tile_col + b_col + c * PRODUCERS < N ? width * 4 : 0;

            for (int left = end - first; left > 0; left -= TILE_DEPTH) {
                if (!empty)
                    wait(barriers, EMPTY + stage, parity);

                float *a_to = &As[(stage * TILE_DEPTH + a_k) * PITCH + a_row];
                float *b_to = b_start + stage * TILE_DEPTH * TILE_COLS;
                if (left >= TILE_DEPTH)
                    copy_tiles(a_to, a_from, a_offset, a_k, b_to, b_from, b_k, N, b_bytes, width, TILE_DEPTH);
                else
                    copy_tiles(a_to, a_from, a_offset, a_k, b_to, b_from, b_k, N, b_bytes, width, left);
                a_from += TILE_DEPTH;
                b_from += (size_t)TILE_DEPTH * N;

                arrive_after_copies(barriers, FULL + stage);
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                    empty = false;
                }
            }
        }
        return;
    }

#ifdef LOOK_AHEAD
    asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
#endif
    int warp = thread / 32 % SLICE_WARPS, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + lane / 8 * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + lane % 8 * 4;

#ifdef LOOK_AHEAD
    int left = 0;  // phases of all pieces
    for (int p = 0; p < count; ++p)
        left += pieces[p].end - pieces[p].first;
    float a[2][THREAD_ROWS], b[2][THREAD_COLS];
    int stage = 0, parity = 0;
    if (left > 0) {
        wait(barriers, FULL, 0);
        load(a[0], b[0], As + row, Bs + col);
    }
#else
    int slice = thread / 32 / SLICE_WARPS, filled = 0;  // buffers so far
#endif
    for (int p = 0; p < count; ++p) {
        float sum[THREAD_ROWS][THREAD_COLS] = {};
#ifdef LOOK_AHEAD
        for (int phase = pieces[p].end - pieces[p].first; phase > 0; --phase, --left) {
            int next = stage;
#pragma unroll
            for (int k = 0; k < TILE_DEPTH; ++k) {
                if (k == TILE_DEPTH * 3 / 4 && left > 1) {
                    if (++next == STAGES) {
                        next = 0;
                        parity ^= 1;
                    }
                    wait(barriers, FULL + next, parity);
                }
                int from = (k + 1 < TILE_DEPTH ? stage : next) * TILE_DEPTH + (k + 1) % TILE_DEPTH;
                load(a[(k + 1) % 2], b[(k + 1) % 2], As + from * PITCH + row, Bs + from * TILE_COLS + col);
                multiply(sum, a[k % 2], b[k % 2]);
                if (k == TILE_DEPTH - 1)
                    arrive(barriers, EMPTY + stage);
            }
            stage = next;
        }
#else
        for (int phase = pieces[p].end - pieces[p].first; phase > 0; --phase, ++filled) {
            int stage = filled % STAGES;
            int first = stage * TILE_DEPTH + slice * SLICE_DEPTH;
            wait(barriers, FULL + stage, filled / STAGES % 2);
            constexpr int unrolled = THREAD_ROWS * THREAD_COLS == 128 ? 8 : SLICE_DEPTH;  // 16: too few registers
#pragma unroll unrolled
            for (int i = 0; i < SLICE_DEPTH; ++i) {
                int k = first + i;
                float a[THREAD_ROWS], b[THREAD_COLS];
                load(a, b, As + k * PITCH + row, Bs + k * TILE_COLS + col);
                multiply(sum, a, b);
            }
            arrive(barriers, EMPTY + stage);
        }
#endif

        int share = blockIdx.x - whole;
        bool ends_a_tile = pieces[p].first > 0;
#if SLICES > 1
        // [SLICES][TILE_ROWS][TILE_COLS]; each element is added up in the same order.
        float *sums = tiles + STAGES * TILE_DEPTH * (PITCH + TILE_COLS);
        if (p > 0)  // all have read the sums of the piece before
            sync_consumers();
#pragma unroll
        for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4) {
                int i = (slice * TILE_ROWS + row + r / 4 * 16 + r % 4) * TILE_COLS + col + c * 8;
                store_4(&sums[i], &sum[r][c], 4, 4);
            }
        if (!ends_a_tile)
            sync_consumers();
#endif
        if (ends_a_tile) {
            if (thread == 0) {
                while (atomicExch(&begun[share - 1], 0) == 0)  // 0 for the next launch
                    ;
                __threadfence();
            }
            sync_consumers();
        }
#if SLICES == 1
#pragma unroll
        for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4) {
                int i = pieces[p].row + row + r / 4 * 16 + r % 4;
                int j = pieces[p].col + col + c * 8;
                float *to = C + (size_t)i * N + j;
                int inside = i < M ? N - j : 0;
                if (ends_a_tile)
                    add_4(&sum[r][c], to, inside, width);
                store_4(to, &sum[r][c], inside, width);
            }
#else
        if (width == 4)
            for (int i = thread * 4; i < TILE_ROWS * TILE_COLS; i += CONSUMERS * 4) {
                float total[4];
                load_4(total, &sums[i]);
                for (int s = 1; s < SLICES; ++s)
                    add_4(total, &sums[s * TILE_ROWS * TILE_COLS + i], 4, 4);
                int y = pieces[p].row + i / TILE_COLS, x = pieces[p].col + i % TILE_COLS;
                float *to = C + (size_t)y * N + x;
                int inside = y < M ? N - x : 0;
                if (ends_a_tile)
                    add_4(total, to, inside, width);
                store_4(to, total, inside, width);
            }
        else
#pragma unroll 8
            for (int i = thread; i < TILE_ROWS * TILE_COLS; i += CONSUMERS) {
                float total = sums[i];
                for (int s = 1; s < SLICES; ++s)
                    total += sums[s * TILE_ROWS * TILE_COLS + i];
                int y = pieces[p].row + i / TILE_COLS, x = pieces[p].col + i % TILE_COLS;
                if (y < M && x < N)
                    C[(size_t)y * N + x] = ends_a_tile ? C[(size_t)y * N + x] + total : total;
            }
#endif
        if (pieces[p].end < phases) {
            __threadfence();
            sync_consumers();
            if (thread == 0)
                atomicExch(&begun[share], 1);
        }
    }
}

/* tilescope
title    = "Past cuBLAS"
teaches  = "The steps before together: a table picks the tile for size and GPU, and blocks share what fills no wave."
workload = "matmul"
order    = 67
size     = [34, 34, 36]
block    = [96]
blocks   = [[32, 6], [128, 3], [256], [384]]
block_rules = "matmul_fast.toml"
grid     = [
    """((M - 1) / TILE_ROWS + 1) * ((N - 1) / TILE_COLS + 1) > SHARES ?
    ((M - 1) / TILE_ROWS + 1) * ((N - 1) / TILE_COLS + 1) -
    ((M - 1) / TILE_ROWS + 1) * ((N - 1) / TILE_COLS + 1) % SHARES : SHARES""",
]
dynamic_shared = """4 * STAGES * TILE_DEPTH * (TILE_ROWS + 4 + TILE_COLS) +
    (SLICES > 1 ? 4 * SLICES * TILE_ROWS * TILE_COLS : 0)"""
require  = [
    [
        """block_y == 1 ? block_x == 96 || block_x == 256 || block_x == 384 :
        block_x == 32 && (block_y == 3 || block_y == 6) || block_x == 128 && block_y == 3""",
        "choose block 96, 256 or 384 for tiles of 32 by 32, 64 by 128 or 128 by 256, or 32,3, 32,6 or 128,3",
    ],
]

[define]
THREAD_ROWS  = "block_x == 384 ? 16 : block_x * block_y > 96 ? 8 : 4"
THREAD_COLS  = "block_x * block_y > 96 ? 8 : 4"
TILE_ROWS    = "block_x == 384 ? 128 : block_x >= 128 ? 64 : block_y == 3 ? 16 : 32"
TILE_COLS    = "block_x == 384 ? 256 : block_x >= 128 ? 128 : block_y == 6 ? 64 : 32"
SLICES       = "block_y == 1 ? 1 : block_y == 6 ? 4 : 2"
PRODUCERS    = "block_x == 256 ? 128 : block_x * block_y / 3"
TILE_DEPTH   = "block_x == 96 ? 8 : block_x >= 256 || block_x * block_y == 96 ? 16 : 32"
STAGES       = "block_y == 6 ? 2 : block_x * block_y == 96 ? 3 : 4"
RESIDENT     = "block_x * block_y == 96 ? 4 : block_y == 6 || block_x == 256 ? 2 : 1"
SHARES       = "block_x == 96 ? 3 : block_x * block_y == 96 ? 1 : block_y == 6 || block_x == 256 ? 2 * sms : sms"
*/
