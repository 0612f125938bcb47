// C = A B with seven products instead of eight: one level of Strassen's algorithm over the loop of matmul_specialized.
//
// idea     of A, B and C cut into quarters, seven products of sums of quarters give all of C; the producers form the
//          sums on the way into shared memory
// mapping  a block computes one tile of all four quarters of C: seven products, each added to one or two of them
// watch    what an eighth of the products saves, the sums take: elements are read up to four times, and C is read
//          again; sums round, and cancel again: the error is larger, and follows the largest elements of A and B

#ifndef TILE_DEPTH
#define THREAD_ROWS 16  // results of a consumer thread, multiples of 4
#define THREAD_COLS 8
#define WARPS_DOWN 2  // consumer warps
#define WARPS_ACROSS 4
#define TILE_ROWS 128  // of a quarter of C, computed by a block
#define TILE_COLS 256
#define PRODUCERS 128  // threads
#define TILE_DEPTH 16  // columns of A and rows of B in a phase, a multiple of 8
#define STAGES 4       // buffers
#endif
#define GROUP 8  // rows of tiles that blocks pass through together
#define FULL 0   // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES
#define WARP_ROWS (4 * THREAD_ROWS)
#define WARP_COLS (8 * THREAD_COLS)
#define PITCH (TILE_ROWS + 4)
#define CONSUMERS (32 * WARPS_DOWN * WARPS_ACROSS)
#define THREADS (CONSUMERS + PRODUCERS)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads load 8 neighbours of a row of A
#define ROWS_B_PASS (PRODUCERS * 4 / TILE_COLS)

// With setmaxnreg, threads of 128 results have registers for the operands of the next product.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREADS == 384
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

#else  // before sm_80: the numbered barriers of a block, and copies that wait
__device__ __forceinline__ void init_barrier(unsigned long long *, int, int) {}

__device__ __forceinline__ void arrive(unsigned long long *, int number)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number + 1), "n"(THREADS) : "memory");
}

__device__ __forceinline__ void wait(unsigned long long *, int number, int)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "n"(THREADS) : "memory");
}
#endif

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

// Adds four elements with a sign to those stored, of which the first `inside` exist; fresh ones are only stored.
__device__ __forceinline__ void add_4(float *to, const float *value, float sign, bool fresh, int inside, bool aligned)
{
    if (aligned && inside >= 4) {
        float4 *four = reinterpret_cast<float4 *>(to);
        float4 sum = fresh ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *four;
        sum.x += sign * value[0];
        sum.y += sign * value[1];
        sum.z += sign * value[2];
        sum.w += sign * value[3];
        *four = sum;
    } else {
        for (int i = 0; i < 4; ++i)
            if (i < inside)
                to[i] = (fresh ? 0.0f : to[i]) + sign * value[i];
    }
}

// Quarters are numbered 0 and 1 above 2 and 3. Each product: a quarter of A and one that is added with a sign, the same
// of B, and two quarters of C: the sign with which the product is added, and whether it is the first to be stored.
__device__ const int products[7][12] = {
    {0, 3, 1, 0, 3, 1, 0, 1, 1, 3, 1, 1},    // (A0 + A3)(B0 + B3) to C0 and C3
    {2, 3, 1, 0, 0, 0, 2, 1, 1, 3, -1, 0},   // (A2 + A3) B0 to C2, from C3
    {0, 0, 0, 1, 3, -1, 1, 1, 1, 3, 1, 0},   // A0 (B1 - B3) to C1 and C3
    {3, 0, 0, 2, 0, -1, 0, 1, 0, 2, 1, 0},   // A3 (B2 - B0) to C0 and C2
    {0, 1, 1, 3, 0, 0, 0, -1, 0, 1, 1, 0},   // (A0 + A1) B3 from C0, to C1
    {2, 0, -1, 0, 1, 1, 3, 1, 0, 0, 0, 0},   // (A2 - A0)(B0 + B1) to C3
    {1, 3, -1, 2, 3, 1, 0, 1, 0, 0, 0, 0},   // (A1 - A3)(B2 + B3) to C0
};

// Where a producer thread finds elements of one quarter, or of two that it adds.
struct Quarters {
    const float *from, *more;
    float sign;              // of the second; 0 if there is none
    int rows, columns;       // elements that exist of the first from there on
    int more_rows, more_columns;

    __device__ __forceinline__ void advance(int r, int c, int along)
    {
        from += (size_t)along * r + c;
        more += (size_t)along * r + c;
        rows -= r;
        columns -= c;
        more_rows -= r;
        more_columns -= c;
    }
};

// `down` and `along` are those of the first quarter, from row and column on.
__device__ __forceinline__ Quarters find_quarters(const float *matrix, const int *which, int down, int along, int row,
                                                  int col, int half_down, int half_along)
{
    Quarters q;
    int r = row + which[0] / 2 * half_down, c = col + which[0] % 2 * half_along;
    q.from = matrix + (size_t)r * along + c;
    q.rows = min(half_down - row, down - r);
    q.columns = min(half_along - col, along - c);
    r = row + which[1] / 2 * half_down;
    c = col + which[1] % 2 * half_along;
    q.more = matrix + (size_t)r * along + c;
    q.more_rows = min(half_down - row, down - r);
    q.more_columns = min(half_along - col, along - c);
    q.sign = which[2];
    return q;
}

// A producer thread's elements of a tile of A: of one quarter, and of the one that is added.
struct Column {
    float one[TILE_ROWS / ROWS_A_PASS][TILE_DEPTH / 8];
    float more[TILE_ROWS / ROWS_A_PASS][TILE_DEPTH / 8];
    float sign;
};

// Loads them. What lies outside is 0, and so is a quarter that is not there.
template <bool GUARDED>
__device__ __forceinline__ void load_a(Column &c, const Quarters &a, unsigned K)
{
    c.sign = a.sign;
#pragma unroll
    for (int r = 0; r < TILE_ROWS; r += ROWS_A_PASS)
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k += 8) {
            bool inside = !GUARDED || (r < a.rows && k < a.columns);
            c.one[r / ROWS_A_PASS][k / 8] = inside ? a.from[(size_t)K * r + k] : 0.0f;
        }
#pragma unroll
    for (int r = 0; r < TILE_ROWS; r += ROWS_A_PASS)
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k += 8) {
            bool inside = a.sign != 0.0f && (!GUARDED || (r < a.more_rows && k < a.more_columns));
            c.more[r / ROWS_A_PASS][k / 8] = inside ? a.more[(size_t)K * r + k] : 0.0f;
        }
}

// Stores their sums, transposed.
__device__ __forceinline__ void store_a(float *to, const Column &c)
{
#pragma unroll
    for (int r = 0; r < TILE_ROWS; r += ROWS_A_PASS)
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k += 8)
            to[k * PITCH + r] = c.one[r / ROWS_A_PASS][k / 8] + c.sign * c.more[r / ROWS_A_PASS][k / 8];
}

// Loads the element `r` rows and `c` columns from there, of both quarters if there are two; outside they are 0.
__device__ __forceinline__ float load_1(const Quarters &q, unsigned along, int r, int c)
{
    size_t at = (size_t)along * r + c;
    float value = r < q.rows && c < q.columns ? q.from[at] : 0.0f;
    if (q.sign != 0.0f && r < q.more_rows && c < q.more_columns)
        value += q.sign * q.more[at];
    return value;
}

// Stores the tile of B for a phase, which lies inside and begins at a multiple of 16 bytes.
template <bool SUM>
__device__ __forceinline__ void store_b(float *to, const Quarters &b, unsigned N)
{
    float4 four[TILE_DEPTH / ROWS_B_PASS];
#pragma unroll
    for (int k = 0; k < TILE_DEPTH; k += ROWS_B_PASS) {
        float4 &f = four[k / ROWS_B_PASS];
        f = *reinterpret_cast<const float4 *>(b.from + (size_t)N * k);
        if (SUM) {
            float4 more = *reinterpret_cast<const float4 *>(b.more + (size_t)N * k);
            f.x += b.sign * more.x;
            f.y += b.sign * more.y;
            f.z += b.sign * more.z;
            f.w += b.sign * more.w;
        }
    }
#pragma unroll
    for (int k = 0; k < TILE_DEPTH; k += ROWS_B_PASS)
        *reinterpret_cast<float4 *>(to + k * TILE_COLS) = four[k / ROWS_B_PASS];
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
matmul_strassen(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ int corner[2];  // of the tile: kept here, the loop needs every register
    float *As = tiles;                                // [STAGES][TILE_DEPTH][PITCH]
    float *Bs = tiles + STAGES * TILE_DEPTH * PITCH;  // [STAGES][TILE_DEPTH][TILE_COLS]

    int thread = threadIdx.x;
    int half_m = (M + 1) / 2, half_n = (N + 1) / 2, half_k = (K + 1) / 2;
    int tiles_down = (half_m + TILE_ROWS - 1) / TILE_ROWS;
    int tiles_across = (half_n + TILE_COLS - 1) / TILE_COLS;
    int group_row = blockIdx.x / (GROUP * tiles_across) * GROUP;
    int group_rows = min(GROUP, tiles_down - group_row);
    int in_group = blockIdx.x % (GROUP * tiles_across);
    int tile_row = (group_row + in_group % group_rows) * TILE_ROWS;
    int tile_col = in_group / group_rows * TILE_COLS;

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
        asm volatile("setmaxnreg.dec.sync.aligned.u32 104;");
#endif
        int producer = thread - CONSUMERS;
        int a_row = producer / 8, a_k = producer % 8;
        int b_k = producer * 4 / TILE_COLS, b_col = producer * 4 % TILE_COLS;
        float *a_start = &As[a_k * PITCH + a_row], *b_start = &Bs[b_k * TILE_COLS + b_col];
        bool whole = (M | N | K) % 2 == 0 && tile_row + TILE_ROWS <= half_m && tile_col + TILE_COLS <= half_n;

        // Of A, this thread loads its elements a phase ahead.
        Column column;
        Quarters a = find_quarters(A, products[0], M, K, tile_row + a_row, a_k, half_m, half_k);
        load_a<true>(column, a, K);
        int stage = 0, parity = 1, filled = 0;
        for (int p = 0; p < 7; ++p) {
            Quarters b = find_quarters(B, products[p] + 3, K, N, b_k, tile_col + b_col, half_k, half_n);
            for (int left = half_k; left > 0; left -= TILE_DEPTH) {
                if (filled == STAGES)
                    wait(barriers, EMPTY + stage, parity);
                else
                    ++filled;
                store_a(a_start + stage * TILE_DEPTH * PITCH, column);
                if (left > TILE_DEPTH)
                    a.advance(0, TILE_DEPTH, K);
                else if (p < 6)
                    a = find_quarters(A, products[p + 1], M, K, tile_row + a_row, a_k, half_m, half_k);
                if (whole && left >= 2 * TILE_DEPTH)
                    load_a<false>(column, a, K);
                else
                    load_a<true>(column, a, K);

                float *b_to = b_start + stage * TILE_DEPTH * TILE_COLS;
                if (whole && N % 8 == 0 && left >= TILE_DEPTH) {
                    if (b.sign != 0.0f)
                        store_b<true>(b_to, b, N);
                    else
                        store_b<false>(b_to, b, N);
                } else {
#pragma unroll 2
                    for (int k = 0; k < TILE_DEPTH; k += ROWS_B_PASS)
#pragma unroll
                        for (int i = 0; i < 4; ++i)
                            b_to[k * TILE_COLS + i] = load_1(b, N, k, i);
                }
                arrive(barriers, FULL + stage);
                b.advance(TILE_DEPTH, 0, N);
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        }
        return;
    }

#ifdef LOOK_AHEAD
    asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
#endif
    int warp = thread / 32, lane = thread % 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS + lane / 8 * 4;  // within the tile
    int col = warp % WARPS_ACROSS * WARP_COLS + lane % 8 * 4;

    int stage = 0, parity = 0;
    Fragment f[2];
#ifdef LOOK_AHEAD
    wait(barriers, FULL, 0);
    load(f[0], As + row, Bs + col);
#endif
    for (int p = 0; p < 7; ++p) {
        float sum[THREAD_ROWS][THREAD_COLS] = {};
#ifdef LOOK_AHEAD
        for (int left = half_k; left > 0; left -= TILE_DEPTH) {
            int next = stage;
#pragma unroll
            for (int k = 0; k < TILE_DEPTH; ++k) {
                if (k == TILE_DEPTH * 3 / 4 && (left > TILE_DEPTH || p < 6)) {
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
        for (int first = 0; first < half_k; first += TILE_DEPTH) {
            wait(barriers, FULL + stage, parity);
#pragma unroll
            for (int k = 0; k < TILE_DEPTH; ++k) {
                int from = stage * TILE_DEPTH + k;
                load(f[0], As + from * PITCH + row, Bs + from * TILE_COLS + col);
                multiply(sum, f[0]);
            }
            arrive(barriers, EMPTY + stage);
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
#endif
        for (int t = 6; t < 12; t += 3) {
            int quarter = products[p][t];
            float sign = products[p][t + 1];
            bool fresh = products[p][t + 2];
            int rows = min(half_m, M - quarter / 2 * half_m), columns = min(half_n, N - quarter % 2 * half_n);
            float *to = C + (size_t)(quarter / 2 * half_m) * N + quarter % 2 * half_n;
            if (sign == 0.0f)
                continue;
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
                for (int c = 0; c < THREAD_COLS; c += 4) {
                    int i = corner[0] + row + r / 4 * 16 + r % 4;
                    int j = corner[1] + col + c * 8;
                    add_4(to + (size_t)i * N + j, &sum[r][c], sign, fresh, i < rows ? columns - j : 0, N % 8 == 0);
                }
        }
    }
}

/* tilescope
title    = "Seven products for eight"
teaches  = "One level of Strassen's algorithm: an eighth of the products less, paid for with sums and with digits."
workload = "matmul"
order    = 70
size     = [36, 36, 20]
block    = [96]
blocks   = [[384]]
by_norm  = true
grid     = ["((M + 1) / 2 + TILE_ROWS - 1) / TILE_ROWS * (((N + 1) / 2 + TILE_COLS - 1) / TILE_COLS)"]
dynamic_shared = "4 * STAGES * TILE_DEPTH * (TILE_ROWS + 4 + TILE_COLS)"
require  = [
    [
        "block_y == 1 && (block_x == 96 || block_x == 384)",
        "choose block 96, whose tiles are 32 by 32, or 384 with 128 by 256",
    ],
]

[define]
THREAD_ROWS  = "block_x == 384 ? 16 : 4"
THREAD_COLS  = "block_x == 384 ? 8 : 4"
WARPS_DOWN   = "2"
WARPS_ACROSS = "block_x == 384 ? 4 : 1"
TILE_ROWS    = "block_x == 384 ? 128 : 32"
TILE_COLS    = "block_x == 384 ? 256 : 32"
PRODUCERS    = "block_x == 384 ? 128 : 32"
TILE_DEPTH   = "block_x == 384 ? 16 : 8"
STAGES       = "block_x == 384 ? 4 : 3"
*/
