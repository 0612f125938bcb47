// P = M times M transposed by one triangle of tiles, each of which is stored twice.
//
// idea     P is symmetric: tiles on and below the diagonal hold all of it, in half the products
// mapping  block t computes the t-th tile of the triangle, as in matmul_fast; both operands are rows of M, copied
//          transposed, and on the diagonal one copy serves as both
// watch    the mirrored tile would be stored in columns, 32 sectors a request: the tile goes through shared memory, so
//          that both stores run along rows; rates count 2 n^3, of which half is computed

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a consumer thread, multiples of 4
#define THREAD_COLS 8
#define TILE 128       // rows and columns of P, computed by a block
#define SLICES 1       // groups of consumers that share the k's of a phase
#define PRODUCERS 128  // threads
#define TILE_DEPTH 16  // columns of M in a phase, a multiple of 8
#define STAGES 4       // buffers
#endif
#define FULL 0  // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES
#define WARP_ROWS (4 * THREAD_ROWS)
#define WARP_COLS (8 * THREAD_COLS)
#define WARPS_ACROSS (TILE / WARP_COLS)
#define PITCH (TILE + 4)
#define SLICE_WARPS (TILE / WARP_ROWS * WARPS_ACROSS)  // consumer warps
#define SLICE_DEPTH (TILE_DEPTH / SLICES)
#define CONSUMERS (32 * SLICE_WARPS * SLICES)
#define THREADS (CONSUMERS + PRODUCERS)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads copy 8 neighbours of a row of M

// With setmaxnreg, threads of 128 results have registers for the operands of the next product.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREAD_ROWS * THREAD_COLS == 128
#define LOOK_AHEAD
#define BLOCKS_PER_SM 2
#else
#define BLOCKS_PER_SM (THREADS > 192 ? 1 : 2)
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

// Rows of products, one from left to right, the next from right to left.
__device__ __forceinline__ void multiply(float (&sum)[THREAD_ROWS][THREAD_COLS], const float (&a)[THREAD_ROWS],
                                         const float (&b)[THREAD_COLS])
{
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int i = 0; i < THREAD_COLS; ++i) {
            int c = r % 2 ? THREAD_COLS - 1 - i : i;
            sum[r][c] += a[r] * b[c];
        }
}

// Copies the tile of a phase transposed: an element of every ROWS_A_PASS-th row of M, of which `rows` exist, and 8
// columns further on, of which `left` exist; GUARDED asks what exists, in a loop that needs few registers.
template <bool GUARDED>
__device__ __forceinline__ void copy_tile(float *to, const float *from, unsigned n, int rows, int left)
{
#pragma unroll
    for (int k = 0; k < TILE_DEPTH; k += 8)
#pragma unroll(GUARDED ? 2 : TILE)
        for (int r = 0; r < TILE; r += ROWS_A_PASS)
            copy_1(to + k * PITCH + r, from + (size_t)n * r + k, !GUARDED || (r < rows && k < left));
}

// Waits until all consumers are here.
__device__ __forceinline__ void sync_consumers()
{
    asm volatile("bar.sync %0, %1;" ::"n"(CONSUMER_BARRIER), "n"(CONSUMERS) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
mmt_fast(const float *M, float *P, int n)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ int corner[2];  // of the tile: kept here, the loop needs every register
    float *As = tiles;                                // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // the same; not used on the diagonal

    // Tile rows hold 1, 2, 3 ... tiles.
    int down = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) / 2.0f);
    down += (down + 1) * (down + 2) / 2 <= (int)blockIdx.x;
    down -= down * (down + 1) / 2 > (int)blockIdx.x;
    int across = blockIdx.x - down * (down + 1) / 2;
    int tile_row = down * TILE, tile_col = across * TILE;

    int thread = threadIdx.y * 32 * SLICE_WARPS + threadIdx.x;  // with slices, a row of the block is one
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
#ifdef LOOK_AHEAD
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
#endif
        int producer = thread - CONSUMERS;
        int own_k = producer % 8, own_row = producer / 8;
        const float *a_from = M + (size_t)(tile_row + own_row) * n + own_k;
        const float *b_from = M + (size_t)(tile_col + own_row) * n + own_k;
        float *start = &As[own_k * PITCH + own_row];
        bool diagonal = tile_row == tile_col;

        int stage = 0, parity = 1;
        for (int left = n; left > 0; left -= TILE_DEPTH) {
            if (left + STAGES * TILE_DEPTH <= n)
                wait(barriers, EMPTY + stage, parity);
            float *a_to = start + stage * TILE_DEPTH * PITCH, *b_to = a_to + STAGES * TILE_DEPTH * PITCH;
            if (tile_row + TILE <= n && left >= TILE_DEPTH) {
                copy_tile<false>(a_to, a_from, n, TILE, TILE_DEPTH);
                if (!diagonal)
                    copy_tile<false>(b_to, b_from, n, TILE, TILE_DEPTH);
            } else {
                copy_tile<true>(a_to, a_from, n, n - tile_row - own_row, left - own_k);
                if (!diagonal)
                    copy_tile<true>(b_to, b_from, n, n - tile_col - own_row, left - own_k);
            }
            arrive_after_copies(barriers, FULL + stage);
            a_from += TILE_DEPTH;
            b_from += TILE_DEPTH;
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        return;
    }

#ifdef LOOK_AHEAD
    asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
#endif
    int slice = thread / 32 / SLICE_WARPS, warp = thread / 32 % SLICE_WARPS, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + lane / 8 * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + lane % 8 * 4;
    if (corner[0] == corner[1])
        Bs = As;

    float sum[THREAD_ROWS][THREAD_COLS] = {};
#ifdef LOOK_AHEAD
    float a[2][THREAD_ROWS], b[2][THREAD_COLS];
    int stage = 0, parity = 0;
    wait(barriers, FULL, 0);
    load(a[0], b[0], As + row, Bs + col);
    for (int left = n; left > 0; left -= TILE_DEPTH) {
        int next = stage;
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; ++k) {
            if (k == TILE_DEPTH / 2 && left > TILE_DEPTH) {
                if (++next == STAGES) {
                    next = 0;
                    parity ^= 1;
                }
                wait(barriers, FULL + next, parity);
            }
            int from = (k + 1 < TILE_DEPTH ? stage : next) * TILE_DEPTH + (k + 1) % TILE_DEPTH;
            load(a[(k + 1) % 2], b[(k + 1) % 2], As + from * PITCH + row, Bs + from * PITCH + col);
            multiply(sum, a[k % 2], b[k % 2]);
            if (k == TILE_DEPTH - 2)
                arrive(barriers, EMPTY + stage);
        }
        stage = next;
    }
#else
    for (int phase = 0; phase * TILE_DEPTH < n; ++phase) {
        int stage = phase % STAGES;
        int first = stage * TILE_DEPTH + slice * SLICE_DEPTH;
        wait(barriers, FULL + stage, phase / STAGES % 2);
#pragma unroll
        for (int i = 0; i < SLICE_DEPTH; ++i) {
            int k = first + i;
            float a[THREAD_ROWS], b[THREAD_COLS];
#pragma unroll  // by index: with load, the compiler orders the loads less well
            for (int r = 0; r < THREAD_ROWS; r += 4)
                *reinterpret_cast<float4 *>(&a[r]) = *reinterpret_cast<float4 *>(&As[k * PITCH + row + r * 4]);
#pragma unroll
            for (int c = 0; c < THREAD_COLS; c += 4)
                *reinterpret_cast<float4 *>(&b[c]) = *reinterpret_cast<float4 *>(&Bs[k * PITCH + col + c * 8]);
            multiply(sum, a, b);
        }
        arrive(barriers, EMPTY + stage);
    }
#endif

    // The sums take the place of the tiles, [SLICES][TILE][PITCH].
    sync_consumers();
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (int c = 0; c < THREAD_COLS; c += 4) {
            float *to = &tiles[(slice * TILE + row + r / 4 * 16 + r % 4) * PITCH + col + c * 8];
            *reinterpret_cast<float4 *>(to) = *reinterpret_cast<float4 *>(&sum[r][c]);
        }
    sync_consumers();
    tile_row = corner[0];
    tile_col = corner[1];
    for (int i = thread; i < TILE * TILE; i += CONSUMERS) {
        int r = i / TILE, c = i % TILE;
        float total = tiles[r * PITCH + c];
        for (int s = 1; s < SLICES; ++s)
            total += tiles[(s * TILE + r) * PITCH + c];
        tiles[r * PITCH + c] = total;
        if (tile_row + r < n && tile_col + c < n)
            P[(size_t)(tile_row + r) * n + tile_col + c] = total;
    }
    if (tile_row == tile_col)
        return;
    sync_consumers();
    for (int i = thread; i < TILE * TILE; i += CONSUMERS) {
        int r = i % TILE, c = i / TILE;
        if (tile_row + r < n && tile_col + c < n)
            P[(size_t)(tile_col + c) * n + tile_row + r] = tiles[r * PITCH + c];
    }
}

/* tilescope
title    = "M·Mᵀ past cuBLAS"
teaches  = "A triangle of large tiles, each stored twice through shared memory: nearly twice the whole product's rate."
workload = "mmt"
order    = 48
size     = [34]
block    = [96]
blocks   = [[64, 3], [256]]
block_rules = "mmt_fast.toml"
grid     = ["(n + TILE - 1) / TILE * ((n + TILE - 1) / TILE + 1) / 2"]
dynamic_shared = "8 * STAGES * TILE_DEPTH * (TILE + 4)"
require  = [
    [
        "block_y == 1 && (block_x == 96 || block_x == 256) || block_x == 64 && block_y == 3",
        "choose block 96, whose tile is 32 by 32, 256 with 128 by 128, or 64,3 with 64 by 64 and two slices of k",
    ],
]

[define]
THREAD_ROWS  = "block_x == 256 ? 16 : block_x == 64 ? 8 : 4"
THREAD_COLS  = "block_x == 96 ? 4 : 8"
TILE         = "block_x == 256 ? 128 : block_x == 64 ? 64 : 32"
SLICES       = "block_x == 64 ? 2 : 1"
PRODUCERS    = "block_x == 96 ? 32 : block_x == 64 ? 64 : 128"
TILE_DEPTH   = "block_x == 256 ? 16 : block_x == 64 ? 32 : 8"
STAGES       = "block_x == 256 ? 4 : 3"
*/
