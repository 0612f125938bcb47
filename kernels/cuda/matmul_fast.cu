// The steps before put together, with the tile for the size and the GPU out of a table, and no SM without work.
//
// idea     which tile is best depends on the size: matmul_fast.toml says which block computes what, and why
// mapping  blocks first compute tiles as in matmul_specialized, with SLICES as in matmul_split_k; the tiles of a last
//          wave that would not fill all SMs are divided among SMS blocks by their k's ("stream-K"); where at most STRIP
//          rows or columns are left over, further blocks compute them: threads take columns of C, or share the k's
// watch    n = 8192 has 2,048 tiles: 15 waves of 132 SMs, and 68 tiles for which the same time would pass again, with
//          half of the SMs idle; a block that ends a tile waits for the sums of the block that began it

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a consumer thread, multiples of 4
#define THREAD_COLS 8
#define TILE_ROWS 128  // of C, computed by a block
#define TILE_COLS 256
#define SLICES 1       // groups of consumers that share the k's of a phase
#define PRODUCERS 128  // threads
#define TILE_DEPTH 16  // columns of A and rows of B in a phase, a multiple of 8
#define STAGES 4       // buffers
#define CHUNK 256      // k's of which a strip keeps operands in shared memory
#define SMS 132        // blocks that share the tiles of the last wave; 1: each tile has its block
#endif
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
#define B_STEP (PRODUCERS * 4 / TILE_COLS)
#define STRIP 4       // rows or columns left over that get no tiles
#define STRIP_ROWS 8  // of a warp in a strip of columns

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

// Waits until all consumers are here.
__device__ __forceinline__ void sync_consumers()
{
    asm volatile("bar.sync %0, %1;" ::"n"(CONSUMER_BARRIER), "n"(CONSUMERS) : "memory");
}

// Adds four elements, of which the first `inside` exist.
__device__ __forceinline__ void add_4(float *sum, const float *from, int inside, bool aligned)
{
    if (aligned && inside >= 4) {
        float4 more = *reinterpret_cast<const float4 *>(from);
        sum[0] += more.x;
        sum[1] += more.y;
        sum[2] += more.z;
        sum[3] += more.w;
    } else
        for (int i = 0; i < 4; ++i)
            if (i < inside)
                sum[i] += from[i];
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

// Loads a thread's operands of the products for one k.
__device__ __forceinline__ void load(float (&a)[THREAD_ROWS], float (&b)[THREAD_COLS], const float *a_at,
                                     const float *b_at)
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; r += 4)
        *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<const float4 *>(a_at + r * 4);
#pragma unroll
    for (int c = 0; c < THREAD_COLS; c += 4)
        *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<const float4 *>(b_at + c * 8);
}

// Columns of products, one downwards, the next upwards. ptxas keeps the order, which decides which registers meet: by
// rows, NVRTC 13.1 to 13.5 give code that is 7 % slower than that of 12.6 to 13.0; by columns, all are equally fast.
// Columns of 16 rows are 1 % faster if the first one goes upwards, columns of 8 rows 9 % if it goes downwards.
__device__ __forceinline__ void multiply(float (&sum)[THREAD_ROWS][THREAD_COLS], const float (&a)[THREAD_ROWS],
                                         const float (&b)[THREAD_COLS])
{
#pragma unroll
    for (int c = 0; c < THREAD_COLS; ++c)
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) {
            int r = (c % 2 == 0) == (THREAD_ROWS == 16) ? THREAD_ROWS - 1 - i : i;
            sum[r][c] += a[r] * b[c];
        }
}

__device__ __forceinline__ void multiply_4(float (&sum)[STRIP], float factor, const float *four)
{
    float4 f = *reinterpret_cast<const float4 *>(four);
    sum[0] += factor * f.x;
    sum[1] += factor * f.y;
    sum[2] += factor * f.z;
    sum[3] += factor * f.w;
}

// Computes the rows from `row` on, at most STRIP: a thread takes a column, and the rows of A lie in shared memory.
__device__ void compute_rows(const float *A, const float *B, float *C, int M, int N, int K, int row, int thread,
                             int block, float *strip)
{
    int j = block * THREADS + thread;
    float sum[STRIP] = {};
    for (int first = 0; first < K; first += CHUNK) {
        for (int i = thread; i < CHUNK * STRIP; i += THREADS) {
            int r = i / CHUNK, k = i % CHUNK;
            strip[k * STRIP + r] = row + r < M && first + k < K ? A[(size_t)(row + r) * K + first + k] : 0.0f;
        }
        __syncthreads();
        const float *from = B + (size_t)first * N + min(j, N - 1);
#pragma unroll 8
        for (int k = 0; k < min(CHUNK, K - first); ++k)
            multiply_4(sum, from[(size_t)k * N], &strip[k * STRIP]);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < STRIP; ++r)
        if (row + r < M && j < N)
            C[(size_t)(row + r) * N + j] = sum[r];
}

// Computes the columns from `col` on, at most STRIP, of rows from `first_row` to `end`: a warp takes STRIP_ROWS rows,
// its lanes every 32nd k; the columns of B lie in shared memory.
__device__ void compute_cols(const float *A, const float *B, float *C, int first_row, int end, int N, int K, int col,
                             int thread, float *strip)
{
    int lane = thread % 32, row = first_row + thread / 32 * STRIP_ROWS;
    float sum[STRIP_ROWS][STRIP] = {};
    for (int first = 0; first < K; first += CHUNK) {
        for (int i = thread; i < CHUNK * STRIP; i += THREADS) {
            int k = i / STRIP, c = i % STRIP;
            strip[i] = first + k < K && col + c < N ? B[(size_t)(first + k) * N + col + c] : 0.0f;
        }
        __syncthreads();
        for (int k = lane; k < min(CHUNK, K - first); k += 32)
#pragma unroll
            for (int r = 0; r < STRIP_ROWS; ++r)
                multiply_4(sum[r], A[(size_t)min(row + r, end - 1) * K + first + k], &strip[k * STRIP]);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < STRIP_ROWS; ++r)
#pragma unroll
        for (int c = 0; c < STRIP; ++c) {
            for (int distance = 16; distance > 0; distance /= 2)
                sum[r][c] += __shfl_xor_sync(0xffffffff, sum[r][c], distance);
            if (lane == r * STRIP + c && row + r < end && col + c < N)
                C[(size_t)(row + r) * N + col + c] = sum[r][c];
        }
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

// The tiles that have a block of their own. After the first wave, the tiles of a last one that is not full are shared,
// if no strips take its idle SMs.
__device__ __forceinline__ int whole_tiles(int tiles, bool strips)
{
    return SMS == 1 || strips || tiles < SMS ? tiles : tiles / SMS * SMS;
}

// Divides the work among the blocks, and returns the number of pieces of this one: a tile, or an equal share of the
// phases of the last wave, which is the end of a tile, the beginning of the next one, or both. The beginning comes
// first: the block that ends that tile then finds its sums ready.
__device__ __forceinline__ int divide(Piece *pieces, int whole, int tiles_down, int tiles_across, int phases)
{
    int tiles = tiles_down * tiles_across, share = blockIdx.x - whole, count = 0;
    if (share < 0) {
        pieces[0] = piece_of(blockIdx.x, 0, phases, tiles_down, tiles_across);
        return 1;
    }
    int work = (tiles - whole) * phases;
    int begin = (long long)work * share / SMS, end = (long long)work * (share + 1) / SMS;
    while (begin < end) {
        int tile = (end - 1) / phases, first = max(begin - tile * phases, 0);
        pieces[count++] = piece_of(whole + tile, first, end - tile * phases, tiles_down, tiles_across);
        end = tile * phases + first;
    }
    return count;
}

__device__ int begun[SMS];  // 1 when that block of the last wave has stored the sums of a tile that the next one ends

extern "C" __global__ void __launch_bounds__(THREADS, 384 / THREADS)
matmul_fast(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ Piece pieces[2];  // of this block: kept here, the loop needs every register
    __shared__ int count;
    float *As = tiles;                                // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // [STAGES][TILE_DEPTH][TILE_COLS]

    int thread = threadIdx.y * 32 * SLICE_WARPS + threadIdx.x;  // with slices, a row of the block is one
    int tiles_down = M / TILE_ROWS + (M % TILE_ROWS > STRIP), tiles_across = N / TILE_COLS + (N % TILE_COLS > STRIP);
    int end = min(M, tiles_down * TILE_ROWS);  // of the rows that have tiles
    int tiles_in_all = tiles_down * tiles_across;
    int whole = whole_tiles(tiles_in_all, end < M || tiles_across * TILE_COLS < N);
    int strip_block = blockIdx.x - whole - (whole < tiles_in_all ? SMS : 0);
    if (strip_block >= 0) {
        int row_blocks = end < M ? (N + THREADS - 1) / THREADS : 0;
        int first = (strip_block - row_blocks) * THREADS / 32 * STRIP_ROWS;
        if (strip_block < row_blocks)
            compute_rows(A, B, C, M, N, K, end, thread, strip_block, tiles);
        else if (first < end)
            compute_cols(A, B, C, first, end, N, K, tiles_across * TILE_COLS, thread, tiles);
        return;
    }
    int phases = (K + TILE_DEPTH - 1) / TILE_DEPTH;
    bool aligned = N % 4 == 0;

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
        // Of B it copies four elements at a time from every B_STEP-th row, or one from every row.
        int b_k = aligned ? producer * 4 / TILE_COLS : 0;
        int b_col = aligned ? producer * 4 % TILE_COLS : producer;
        float *b_start = &Bs[b_k * TILE_COLS + b_col];
        int stage = 0, parity = 1;
        bool empty = true;  // the buffers, until all are filled once
        for (int p = 0; p < (SMS == 1 ? 1 : count); ++p) {
            int tile_row = pieces[p].row, tile_col = pieces[p].col, first = pieces[p].first * TILE_DEPTH;
            int end = min(pieces[p].end * TILE_DEPTH, K);
            // What this thread copies of A: rows below the matrix repeat its last one, their results are not stored.
            const float *a_from[TILE_ROWS / ROWS_A_PASS];
#pragma unroll
            for (int r = 0; r < TILE_ROWS / ROWS_A_PASS; ++r)
                a_from[r] = A + (size_t)min(tile_row + a_row + r * ROWS_A_PASS, M - 1) * K + first + a_k;
            const float *b_from = B + (size_t)(first + b_k) * N + tile_col + b_col;

            for (int left = end - first; left > 0; left -= TILE_DEPTH) {
                if (!empty)
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
    for (int p = 0; p < (SMS == 1 ? 1 : count); ++p)
        left += pieces[p].end - pieces[p].first;
    float a[2][THREAD_ROWS], b[2][THREAD_COLS];
    int stage = 0, parity = 0;
    wait(barriers, FULL, 0);
    load(a[0], b[0], As + row, Bs + col);
#else
    int slice = thread / 32 / SLICE_WARPS, filled = 0;  // buffers so far
#endif
    for (int p = 0; p < (SMS == 1 ? 1 : count); ++p) {
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
#pragma unroll(THREAD_ROWS * THREAD_COLS == 128 ? 8 : SLICE_DEPTH)  // with all, 128 results have too few registers
            for (int i = 0; i < SLICE_DEPTH; ++i) {
                int k = first + i;
                float a[THREAD_ROWS], b[THREAD_COLS];
#pragma unroll  // by index: with load, the compiler orders the loads less well
                for (int r = 0; r < THREAD_ROWS; r += 4)
                    *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<float4 *>(&As[k * PITCH + row + r * 4]);
#pragma unroll
                for (int c = 0; c < THREAD_COLS; c += 4)
                    *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<float4 *>(&Bs[k * TILE_COLS + col + c * 8]);
                multiply(sum, a, b);
            }
            arrive(barriers, EMPTY + stage);
        }
#endif

#if SLICES == 1
        int share = blockIdx.x - whole;
        bool ends_a_tile = pieces[p].first > 0;
        if (ends_a_tile) {
            if (thread == 0) {
                while (atomicExch(&begun[share - 1], 0) == 0)  // 0 for the next launch
                    ;
                __threadfence();
            }
            sync_consumers();
        }
#pragma unroll
        for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4) {
                int i = pieces[p].row + row + r / 4 * 16 + r % 4;
                int j = pieces[p].col + col + c * 8;
                float *to = C + (size_t)i * N + j;
                int inside = i < M ? N - j : 0;
                if (ends_a_tile)
                    add_4(&sum[r][c], to, inside, aligned);
                store_4(to, &sum[r][c], inside, aligned);
            }
        if (pieces[p].end < phases) {
            __threadfence();
            sync_consumers();
            if (thread == 0)
                atomicExch(&begun[share], 1);
        }
#else
        // The sums take the place of the tiles, [SLICES][TILE_ROWS][TILE_COLS]; each element is added up in the same
        // order.
        sync_consumers();
#pragma unroll
        for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4) {
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
            int y = pieces[p].row + i / TILE_COLS, x = pieces[p].col + i % TILE_COLS;
            store_4(C + (size_t)y * N + x, reinterpret_cast<float *>(&total), y < M ? N - x : 0, aligned);
        }
#endif
    }
}

/* tilescope
title    = "Past cuBLAS"
teaches  = "The steps before together: a table picks the tile for size and GPU, and a few rows left over get no tiles."
workload = "matmul"
order    = 67
size     = [34, 34, 36]
block    = [96]
blocks   = [[32, 6], [128, 3], [384]]
block_rules = "matmul_fast.toml"
grid     = [
    """M % TILE_ROWS > 0 && M % TILE_ROWS <= 4 || N % TILE_COLS > 0 && N % TILE_COLS <= 4 ||
    ((M - 1) / TILE_ROWS + 1) * ((N - 1) / TILE_COLS + 1) < SMS ?
    (M / TILE_ROWS + (M % TILE_ROWS > 4)) * (N / TILE_COLS + (N % TILE_COLS > 4)) +
    (M % TILE_ROWS > 0 && M % TILE_ROWS <= 4 ? (N + block_x * block_y - 1) / (block_x * block_y) : 0) +
    (N % TILE_COLS > 0 && N % TILE_COLS <= 4 ? (4 * M + block_x * block_y - 1) / (block_x * block_y) : 0) :
    (((M - 1) / TILE_ROWS + 1) * ((N - 1) / TILE_COLS + 1) + SMS - 1) / SMS * SMS""",
]
dynamic_shared = "4 * STAGES * TILE_DEPTH * (TILE_ROWS + 4 + TILE_COLS)"
require  = [
    [
        """block_y == 1 ? block_x == 96 || block_x == 384 :
        block_x == 32 && (block_y == 3 || block_y == 6) || block_x == 128 && block_y == 3""",
        "choose block 96, whose tile is 32 by 32, 384 with 128 by 256, or with slices of K 32,3 or 32,6 or 128,3",
    ],
]

[define]
THREAD_ROWS  = "block_x == 384 ? 16 : block_x * block_y > 96 ? 8 : 4"
THREAD_COLS  = "block_x * block_y > 96 ? 8 : 4"
TILE_ROWS    = "block_x == 384 ? 128 : block_x == 128 ? 64 : block_y == 3 ? 16 : 32"
TILE_COLS    = "block_x == 384 ? 256 : block_x == 128 ? 128 : block_y == 6 ? 64 : 32"
SLICES       = "block_y == 1 ? 1 : block_y == 6 ? 4 : 2"
PRODUCERS    = "block_x * block_y / 3"
TILE_DEPTH   = "block_x == 96 ? 8 : block_x == 384 || block_x * block_y == 96 ? 16 : 32"
STAGES       = "block_x * block_y > 96 ? 4 : 3"
CHUNK        = "block_x * block_y > 96 ? 256 : 32"
SMS          = "block_x == 384 ? 132 : block_x == 96 ? 3 : 1"
*/
