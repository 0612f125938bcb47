// P = M times M transposed by one triangle of tiles, each of which is stored twice.
//
// idea     P is symmetric: tiles on and below the diagonal hold all of it, in half the products
// mapping  blocks compute the tiles of the triangle, row after row, and share those of the last wave, as in
//          matmul_fast, but store their parts apart: so few tiles are left at n = 4096 that 17 blocks share one
// watch    the mirrored tile would be stored in columns, 32 sectors a request: a thread stores 4 by 4
//          neighbours both ways, 16 bytes at a time, and slices go through shared memory; rates count 2 n^3, of which
//          half is computed

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a consumer thread, multiples of 4
#define THREAD_COLS 8
#define TILE_ROWS 128  // of P, computed by a block
#define TILE_COLS 256  // as many, or twice as many
#define SLICES 1       // groups of consumers that share the k's of a phase
#define PRODUCERS 128  // threads
#define TILE_DEPTH 16  // columns of M in a phase, a multiple of 8
#define STAGES 4       // buffers
#define SMS 132        // blocks that share the tiles of the last wave; 1: each tile has its block
#endif
#define FULL 0  // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES
#define WARP_ROWS (4 * THREAD_ROWS)
#define WARP_COLS (8 * THREAD_COLS)
#define WARPS_DOWN (TILE_ROWS / WARP_ROWS)
#define A_PITCH (TILE_ROWS + 4)
#define B_PITCH (TILE_COLS + 4)
#define SLICE_WARPS (WARPS_DOWN * TILE_COLS / WARP_COLS)  // consumer warps
#define SLICE_DEPTH (TILE_DEPTH / SLICES)
#define CONSUMERS (32 * SLICE_WARPS * SLICES)
#define THREADS (CONSUMERS + PRODUCERS)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads copy 8 neighbours of a row of M

// With setmaxnreg, threads of 128 results have registers for the operands of the next product.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREAD_ROWS * THREAD_COLS == 128
#define LOOK_AHEAD
#elif THREAD_ROWS * THREAD_COLS == 128  // no registers are left for a second piece of work
#undef SMS
#define SMS 1
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
#endif

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

// Rows of products, one from right to left, the next from left to right.
__device__ __forceinline__ void multiply(float (&sum)[THREAD_ROWS][THREAD_COLS], const float (&a)[THREAD_ROWS],
                                         const float (&b)[THREAD_COLS])
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int i = 0; i < THREAD_COLS; ++i) {
            int c = r % 2 ? i : THREAD_COLS - 1 - i;
            sum[r][c] += a[r] * b[c];
        }
}

// Copies ROWS rows of a phase transposed: an element of every ROWS_A_PASS-th row of M, of which `rows` exist, and 8
// columns further on, of which `left` exist; GUARDED asks what exists, in a loop that needs few registers.
template <int ROWS, int PITCH, bool GUARDED>
__device__ __forceinline__ void copy_rows(float *to, const float *from, unsigned n, int rows, int left)
{
#pragma unroll
    for (int k = 0; k < TILE_DEPTH; k += 8)
#pragma unroll(GUARDED ? 2 : ROWS)
        for (int r = 0; r < ROWS; r += ROWS_A_PASS)
            copy_1(to + k * PITCH + r, from + (size_t)n * r + k, !GUARDED || (r < rows && k < left));
}

// Waits until all consumers are here.
__device__ __forceinline__ void sync_consumers()
{
    asm volatile("bar.sync %0, %1;" ::"n"(CONSUMER_BARRIER), "n"(CONSUMERS) : "memory");
}

// Stores four neighbours, of which the first `inside` exist.
__device__ __forceinline__ void store_4(float *to, float x, float y, float z, float w, int inside, bool aligned)
{
    if (aligned && inside >= 4) {
        *reinterpret_cast<float4 *>(to) = make_float4(x, y, z, w);
        return;
    }
    if (inside > 0)
        to[0] = x;
    if (inside > 1)
        to[1] = y;
    if (inside > 2)
        to[2] = z;
    if (inside > 3)
        to[3] = w;
}

// What a block computes: the products of some phases of a tile.
struct Piece {
    int row, col;    // of the tile's corner
    int first, end;  // phases
    int helper;      // the first block, counted in the last wave, that computes some phases of this tile
    int share;       // this block, counted in the last wave: kept here, the loop needs every register
};

__device__ float4 parts[SMS][THREAD_ROWS * THREAD_COLS / 4 * CONSUMERS];  // sums of a tile that another block ends
__device__ int stored[SMS];                                               // 1 when they are there

// The rows of the triangle have 1, 2, 3, 4 ... square tiles, or 1, 1, 2, 2 ... wide ones.
__device__ __forceinline__ Piece piece_of(int tile, int first, int end, int helper, int share)
{
    int row = 0;
    for (; tile > row / TILE_COLS; row += TILE_ROWS)
        tile -= row / TILE_COLS + 1;
    return {row, tile * TILE_COLS, first, end, helper, share};
}

// The first phase of a block's share of the last wave, counted through the wave's tiles.
__device__ __forceinline__ int begin_of(int share, int work)
{
    return (long long)work * share / SMS;
}

// Divides the work among the blocks as in matmul_fast, and returns the number of pieces of this one: a tile, or an
// equal share of the phases of the last wave. The piece that begins a tile comes before the one that ends another.
__device__ __forceinline__ int divide(Piece *pieces, int tiles, int whole, int phases)
{
    int share = blockIdx.x - whole, count = 0;
    if (share < 0) {
        pieces[0] = piece_of(blockIdx.x, 0, phases, share, share);
        return 1;
    }
    int work = (tiles - whole) * phases;
    int begin = begin_of(share, work), end = begin_of(share + 1, work);
    while (begin < end) {
        int tile = (end - 1) / phases, first = max(begin - tile * phases, 0), helper = share;
        while (begin_of(helper, work) > tile * phases)
            --helper;
        pieces[count++] = piece_of(whole + tile, first, end - tile * phases, helper, share);
        end = tile * phases + first;
    }
    return count;
}

// Stores the sums of a consumer for the block that ends the tile.
__device__ __forceinline__ void store_part(float4 *part, const float (&sum)[THREAD_ROWS][THREAD_COLS])
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int c = 0; c < THREAD_COLS; c += 4)
            part[(r * THREAD_COLS + c) / 4 * CONSUMERS] = *reinterpret_cast<const float4 *>(&sum[r][c]);
}

// Adds the sums that a consumer of another block has stored.
__device__ __forceinline__ void add_part(float (&sum)[THREAD_ROWS][THREAD_COLS], const float4 *part)
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int c = 0; c < THREAD_COLS; c += 4) {
            float4 more = part[(r * THREAD_COLS + c) / 4 * CONSUMERS];
            sum[r][c] += more.x;
            sum[r][c + 1] += more.y;
            sum[r][c + 2] += more.z;
            sum[r][c + 3] += more.w;
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
mmt_fast(const float *M, float *P, int n)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ Piece pieces[2];  // of this block: kept here, the loop needs every register
    __shared__ int count;
    float *As = tiles;                                  // [STAGES][TILE_DEPTH][A_PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * A_PITCH;  // [STAGES][TILE_DEPTH][B_PITCH]

    int thread = threadIdx.y * 32 * SLICE_WARPS + threadIdx.x;  // with slices, a row of the block is one
    int phases = (n + TILE_DEPTH - 1) / TILE_DEPTH, rows = (n + TILE_ROWS - 1) / TILE_ROWS;
    int tiles_in_all = TILE_ROWS == TILE_COLS ? rows * (rows + 1) / 2 : (rows / 2 + 1) * ((rows + 1) / 2);
    int whole = tiles_in_all < SMS ? tiles_in_all : tiles_in_all / SMS * SMS;
    if (whole == tiles_in_all && (int)blockIdx.x >= whole)
        return;

    if (thread == 0)
        count = divide(pieces, tiles_in_all, whole, phases);
    if (thread < STAGES) {
        init_barrier(barriers, FULL + thread, PRODUCERS);
        init_barrier(barriers, EMPTY + thread, CONSUMERS);
    }
    __syncthreads();

    if (thread >= CONSUMERS) {
#ifdef LOOK_AHEAD
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
#endif
        int producer = thread - CONSUMERS;
        int own_k = producer % 8, own_row = producer / 8;
        int stage = 0, parity = 1;
        bool empty = true;  // the buffers, until all are filled once
        for (int p = 0; p < (SMS == 1 ? 1 : count); ++p) {
            int tile_row = pieces[p].row, tile_col = pieces[p].col, first = pieces[p].first * TILE_DEPTH;
            int end = min(pieces[p].end * TILE_DEPTH, n);
            const float *a_from = M + (size_t)(tile_row + own_row) * n + first + own_k;
            const float *b_from = M + (size_t)(tile_col + own_row) * n + first + own_k;
            int a_rows = n - tile_row - own_row, b_rows = n - tile_col - own_row;  // that exist
            bool inside = max(tile_row + TILE_ROWS, tile_col + TILE_COLS) <= n;
            for (int left = end - first; left > 0; left -= TILE_DEPTH) {
                if (!empty)
                    wait(barriers, EMPTY + stage, parity);
                float *a_to = &As[(stage * TILE_DEPTH + own_k) * A_PITCH + own_row];
                float *b_to = &Bs[(stage * TILE_DEPTH + own_k) * B_PITCH + own_row];
                if (inside && left >= TILE_DEPTH) {
                    copy_rows<TILE_ROWS, A_PITCH, false>(a_to, a_from, n, TILE_ROWS, TILE_DEPTH);
                    copy_rows<TILE_COLS, B_PITCH, false>(b_to, b_from, n, TILE_COLS, TILE_DEPTH);
                } else {
                    copy_rows<TILE_ROWS, A_PITCH, true>(a_to, a_from, n, a_rows, left - own_k);
                    copy_rows<TILE_COLS, B_PITCH, true>(b_to, b_from, n, b_rows, left - own_k);
                }
                arrive_after_copies(barriers, FULL + stage);
                a_from += TILE_DEPTH;
                b_from += TILE_DEPTH;
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
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
#endif
    int warp = thread / 32 % SLICE_WARPS, lane = thread % 32;
    int row = warp % WARPS_DOWN * WARP_ROWS + lane / 8 * 4;  // within the tile
    int col = warp / WARPS_DOWN * WARP_COLS + lane % 8 * 4;

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
                load(a[(k + 1) % 2], b[(k + 1) % 2], As + from * A_PITCH + row, Bs + from * B_PITCH + col);
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
#pragma unroll
            for (int i = 0; i < SLICE_DEPTH; ++i) {
                int k = first + i;
                float a[THREAD_ROWS], b[THREAD_COLS];
#pragma unroll  // by index: with load, the compiler orders the loads less well
                for (int r = 0; r < THREAD_ROWS; r += 4)
                    *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<float4 *>(&As[k * A_PITCH + row + r * 4]);
#pragma unroll
                for (int c = 0; c < THREAD_COLS; c += 4)
                    *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<float4 *>(&Bs[k * B_PITCH + col + c * 8]);
                multiply(sum, a, b);
            }
            arrive(barriers, EMPTY + stage);
        }
#endif

#if SLICES == 1
        if (pieces[p].end < phases) {
            store_part(&parts[pieces[p].share][thread], sum);
            __threadfence();
            sync_consumers();
            if (thread == 0)
                atomicExch(&stored[pieces[p].share], 1);
            continue;
        }
        for (int helper = pieces[p].helper; helper < pieces[p].share; ++helper) {
            if (thread == 0) {
                while (atomicExch(&stored[helper], 0) == 0)  // 0 for the next launch
                    ;
                __threadfence();
            }
            sync_consumers();
            add_part(sum, &parts[helper][thread]);
        }
        // What lies on the diagonal, in squares of TILE_ROWS, is not mirrored; what lies beyond it is not wanted.
        int distance = pieces[p].row / TILE_ROWS - (pieces[p].col + col) / TILE_ROWS;
        bool aligned = n % 4 == 0;
#pragma unroll
        for (int r = 0; r < THREAD_ROWS; r += 4)
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4) {
                int y = pieces[p].row + row + r * 4, x = pieces[p].col + col + c * 8;
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    float *own = &sum[r + i][c];
                    store_4(P + (size_t)(y + i) * n + x, own[0], own[1], own[2], own[3],
                            distance >= 0 && y + i < n ? n - x : 0, aligned);
                }
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    store_4(P + (size_t)(x + i) * n + y, sum[r][c + i], sum[r + 1][c + i], sum[r + 2][c + i],
                            sum[r + 3][c + i], distance > 0 && x + i < n ? n - y : 0, aligned);
            }
#else
        // The sums take the place of the tiles, [SLICES][TILE_ROWS][B_PITCH].
        sync_consumers();
#pragma unroll
        for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4) {
                float *to = &tiles[(slice * TILE_ROWS + row + r / 4 * 16 + r % 4) * B_PITCH + col + c * 8];
                *reinterpret_cast<float4 *>(to) = *reinterpret_cast<float4 *>(&sum[r][c]);
            }
        sync_consumers();
        int tile_row = pieces[p].row, tile_col = pieces[p].col;
        for (int i = thread; i < TILE_ROWS * TILE_COLS; i += CONSUMERS) {
            int r = i / TILE_COLS, c = i % TILE_COLS;
            float total = tiles[r * B_PITCH + c];
            for (int s = 1; s < SLICES; ++s)
                total += tiles[(s * TILE_ROWS + r) * B_PITCH + c];
            tiles[r * B_PITCH + c] = total;
            if (tile_row + r < n && tile_col + c < n)
                P[(size_t)(tile_row + r) * n + tile_col + c] = total;
        }
        if (tile_row == tile_col)
            return;
        sync_consumers();
        for (int i = thread; i < TILE_ROWS * TILE_COLS; i += CONSUMERS) {
            int r = i % TILE_ROWS, c = i / TILE_ROWS;
            if (tile_row + r < n && tile_col + c < n)
                P[(size_t)(tile_col + c) * n + tile_row + r] = tiles[r * B_PITCH + c];
        }
#endif
    }
}

/* tilescope
title    = "M·Mᵀ past cuBLAS"
teaches  = "A triangle of large tiles, each stored twice through shared memory: nearly twice the whole product's rate."
workload = "mmt"
order    = 48
size     = [34]
block    = [160]
blocks   = [[64, 3], [384]]
block_rules = "mmt_fast.toml"
grid     = [
    """TILE_ROWS == TILE_COLS ? (n + TILE_ROWS - 1) / TILE_ROWS * ((n + TILE_ROWS - 1) / TILE_ROWS + 1) / 2 :
    ((n + TILE_ROWS - 1) / TILE_ROWS / 2 + 1) * (((n + TILE_ROWS - 1) / TILE_ROWS + 1) / 2) < SMS ?
    ((n + TILE_ROWS - 1) / TILE_ROWS / 2 + 1) * (((n + TILE_ROWS - 1) / TILE_ROWS + 1) / 2) :
    (((n + TILE_ROWS - 1) / TILE_ROWS / 2 + 1) * (((n + TILE_ROWS - 1) / TILE_ROWS + 1) / 2) + SMS - 1) / SMS * SMS""",
]
dynamic_shared = "4 * STAGES * TILE_DEPTH * (TILE_ROWS + 4 + TILE_COLS + 4)"
require  = [
    [
        "block_y == 1 && (block_x == 160 || block_x == 384) || block_x == 64 && block_y == 3",
        "choose block 160, whose tile is 32 by 64, 384 with 128 by 256, or 64,3 with 64 by 64 and two slices of k",
    ],
]

[define]
THREAD_ROWS  = "block_x == 384 ? 16 : block_x == 64 ? 8 : 4"
THREAD_COLS  = "block_x == 160 ? 4 : 8"
TILE_ROWS    = "block_x == 384 ? 128 : block_x == 64 ? 64 : 32"
TILE_COLS    = "block_x == 384 ? 256 : 64"
SLICES       = "block_x == 64 ? 2 : 1"
PRODUCERS    = "block_x == 160 ? 32 : block_x == 64 ? 64 : 128"
TILE_DEPTH   = "block_x == 384 ? 16 : block_x == 64 ? 32 : 8"
STAGES       = "block_x == 384 ? 4 : 3"
SMS          = "block_x == 384 ? 132 : block_x == 160 ? 3 : 1"
*/
