// P = M times M transposed on the tensor cores, by one triangle of tiles and three products of tf32.
//
// idea     as in matmul_3xtf32 each number is the sum of two of tf32; P is symmetric, and tiles on and below the
//          diagonal hold all of it, in half the products
// mapping  a block computes one tile of the triangle; producers copy rows of M for the left factor and split rows of M
//          for the right one, which tensor cores want transposed: for once it lies in memory as they want it
// watch    a tile is stored twice, the second time by columns: the lanes of one column have eight neighbours of a row
//          of P; rates count 2 n^3, of which half is computed, and stand apart from those of floats, with their error

#ifndef CONSUMERS
#define CONSUMERS 256  // threads, 16 rows a warp
#define PRODUCERS 128  // threads
#define STAGES 4       // buffers
#endif
#define TILE PRODUCERS  // rows and columns of P, computed by a block
#define TILE_DEPTH 32   // columns of M in a phase
#define THREADS (CONSUMERS + PRODUCERS)
#define A_PITCH (TILE_DEPTH + 4)
#define B_PART (TILE * TILE_DEPTH)
#define ROWS_A_PASS (PRODUCERS / 8)  // 8 threads load four neighbours each of a row of M
#define GROUP 8                      // rows of tiles that blocks pass through together
#define FULL 0   // barriers: of buffer s the one at FULL + s and the one at EMPTY + s
#define EMPTY STAGES

// Four warps together multiply on sm_90a, by wgmma; elsewhere each by itself.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && CONSUMERS == 256
#define WARPGROUPS
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

__device__ __forceinline__ void arrive_after_copies(unsigned long long *, int) {}  // they are done

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

// A number as the sum of two of tf32, both rounded: of the bits of a float the tensor cores use the upper 19.
struct Split {
    unsigned big, small;
};

__device__ __forceinline__ Split split(float x)
{
    Split s;
    s.big = (__float_as_uint(x) + 0x1000) & 0xffffe000;
    s.small = __float_as_uint(x - __uint_as_float(s.big)) + 0x1000;
    return s;
}

// Stores the parts of four numbers that follow one another along k.
__device__ __forceinline__ void store_parts(float *bigs, float *smalls, const float (&four)[4])
{
    Split s[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        s[i] = split(four[i]);
    *reinterpret_cast<uint4 *>(bigs) = make_uint4(s[0].big, s[1].big, s[2].big, s[3].big);
    *reinterpret_cast<uint4 *>(smalls) = make_uint4(s[0].small, s[1].small, s[2].small, s[3].small);
}

#ifdef WARPGROUPS
#define FOUR(d) "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])
// A warpgroup adds 64 x 8 by 8 x 128 products to what is in d, or begins with 0: a in registers, b in shared memory.
__device__ __forceinline__ void multiply(float (&d)[TILE / 8][4], const unsigned (&a)[4], unsigned long long b,
                                         int add)
{
    asm volatile("{\n"
                 ".reg .pred add;\n"
                 "setp.ne.b32 add, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, add, 1, 1;\n"
                 "}"
                 : FOUR(d[0]), FOUR(d[1]), FOUR(d[2]), FOUR(d[3]), FOUR(d[4]), FOUR(d[5]), FOUR(d[6]), FOUR(d[7]),
                   FOUR(d[8]), FOUR(d[9]), FOUR(d[10]), FOUR(d[11]), FOUR(d[12]), FOUR(d[13]), FOUR(d[14]), FOUR(d[15])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
#elif __CUDA_ARCH__ >= 800
// A warp adds 16 x 8 by 8 x 8 products to d.
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#else  // before sm_80: the lanes exchange what a tensor core would read from their registers
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int k = 0; k < 8; ++k) {
        float left[2], right[2];
        for (int i = 0; i < 2; ++i) {
            left[i] = __uint_as_float(__shfl_sync(0xffffffff, k < 4 ? a[i] : a[2 + i], lane / 4 * 4 + k % 4));
            right[i] = __uint_as_float(__shfl_sync(0xffffffff, k < 4 ? b0 : b1, (lane % 4 * 2 + i) * 4 + k % 4));
        }
        for (int i = 0; i < 4; ++i)
            d[i] += left[i / 2] * right[i % 2];
    }
}
#endif

// Where four numbers of row n of the right tile, from k on, are stored: chunks of 16 bytes change places from row to
// row, so that eight rows of one k lie in different banks.
__device__ __forceinline__ int place_b(int n, int k)
{
    return n * TILE_DEPTH + (k / 4 ^ n % 8) * 4;
}

// Loads a lane's numbers of 16 x 8 of A, two parts each.
__device__ __forceinline__ void load_a(unsigned (&big)[4], unsigned (&small)[4], const float *a_at)
{
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        Split s = split(a_at[i % 2 * 8 * A_PITCH + i / 2 * 4]);
        big[i] = s.big;
        small[i] = s.small;
    }
}

// Adds the products of a phase. Tensor cores cut their sums off, so that only those of a phase are left to them.
__device__ __forceinline__ void multiply_phase(float (&sum)[TILE / 8][4], const unsigned (&big)[TILE_DEPTH / 8][4],
                                               const unsigned (&small)[TILE_DEPTH / 8][4], const float *bigs, int lane)
{
#ifdef WARPGROUPS
    // The tensor cores find the tile by its address in units of 16 bytes, by the 1024 bytes of eight rows, and by the
    // code of the places of its chunks, 1.
    unsigned long long b_big = shared_address(bigs) / 16 | 1ull << 16 | 64ull << 32 | 1ull << 62;
    unsigned long long b_small = b_big + B_PART / 4;
    float part[TILE / 8][4];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < TILE_DEPTH / 8; ++k) {
        multiply(part, small[k], b_big + 2 * k, k > 0);
        multiply(part, big[k], b_small + 2 * k, 1);
        multiply(part, big[k], b_big + 2 * k, 1);
    }
    asm volatile("wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int c = 0; c < TILE / 8; ++c) {
        asm volatile("" : FOUR(part[c]));  // not to be read before that
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sum[c][i] += part[c][i];
    }
#else
    int at[TILE_DEPTH / 4];
#pragma unroll
    for (int k = 0; k < TILE_DEPTH / 4; ++k) {
        at[k] = place_b(lane / 4, k * 4) + lane % 4;
        asm volatile("" : "+r"(at[k]));  // not to be kept from phase to phase, with what is computed from it
    }
#pragma unroll
    for (int c = 0; c < TILE / 8; ++c) {
        const float *b = bigs + c * 8 * TILE_DEPTH;
        float part[4] = {};
#pragma unroll
        for (int k = 0; k < TILE_DEPTH / 8; ++k) {
            unsigned b0 = __float_as_uint(b[at[2 * k]]), b1 = __float_as_uint(b[at[2 * k + 1]]);
            multiply(part, small[k], b0, b1);
            multiply(part, big[k], __float_as_uint(b[B_PART + at[2 * k]]), __float_as_uint(b[B_PART + at[2 * k + 1]]));
            multiply(part, big[k], b0, b1);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sum[c][i] += part[i];
    }
#endif
}

// Loads four neighbours of a row of M, of which the first `inside` exist; the others are 0.
__device__ __forceinline__ void load_4(float (&four)[4], const float *from, int inside, bool aligned)
{
    if (aligned && inside >= 4) {
        *reinterpret_cast<float4 *>(four) = *reinterpret_cast<const float4 *>(from);
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            four[i] = i < inside ? from[i] : 0.0f;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
mmt_3xtf32(const float *M, float *P, int n)
{
    extern __shared__ __align__(1024) float tiles[];
    __shared__ unsigned long long barriers[2 * STAGES];
    __shared__ int corner[2];  // of the tile: kept here, the loop needs every register
    float *Bs = tiles;                        // [STAGES][big and small][TILE][TILE_DEPTH], at place_b
    float *As = tiles + STAGES * 2 * B_PART;  // [STAGES][TILE][A_PITCH]

    // Of a group of rows of tiles first those left of the group's own triangle, column after column, then the triangle.
    int thread = threadIdx.x;
    int tiles_down = (n + TILE - 1) / TILE;
    int number = blockIdx.x, group_row = 0, group_rows = min(GROUP, tiles_down);
    while (number >= group_rows * group_row + group_rows * (group_rows + 1) / 2) {
        number -= group_rows * group_row + group_rows * (group_rows + 1) / 2;
        group_row += group_rows;
        group_rows = min(GROUP, tiles_down - group_row);
    }
    int tile_row = number % group_rows, tile_col = number / group_rows;
    if (tile_col >= group_row) {
        number -= group_rows * group_row;
        tile_row = 0;
        while (number > tile_row)
            number -= ++tile_row;
        tile_col = group_row + number;
    }
    tile_row = (group_row + tile_row) * TILE;
    tile_col *= TILE;
    if (thread == 0) {
        corner[0] = tile_row;
        corner[1] = tile_col;
    }

    if (thread < STAGES) {
        init_barrier(barriers, FULL + thread, 2 * PRODUCERS);  // each arrives for its copies and for its stores
        init_barrier(barriers, EMPTY + thread, CONSUMERS);
    }
    __syncthreads();

    if (thread >= CONSUMERS) {
#ifdef WARPGROUPS
        asm volatile("setmaxnreg.dec.sync.aligned.u32 88;");
#endif
        // Of every ROWS_A_PASS-th row this thread copies four neighbours for the left tile, and loads four for the
        // right one a phase ahead. Rows below the matrix repeat its last one: their results are not stored.
        int own_row = (thread - CONSUMERS) / 8, own_k = (thread - CONSUMERS) % 8 * 4;
        bool aligned = n % 4 == 0;
        const float *from = M + own_k;
        float value[TILE / ROWS_A_PASS][4];
#pragma unroll
        for (int r = 0; r < TILE / ROWS_A_PASS; ++r)
            load_4(value[r], from + (size_t)min(tile_col + own_row + r * ROWS_A_PASS, n - 1) * n, n - own_k, aligned);

        int stage = 0, parity = 1;
        for (int first = 0; first < n; first += TILE_DEPTH) {
            if (first >= STAGES * TILE_DEPTH)
                wait(barriers, EMPTY + stage, parity);

            int inside = n - first - own_k;
            float *a_to = As + (stage * TILE + own_row) * A_PITCH + own_k;
#pragma unroll 4
            for (int r = 0; r < TILE; r += ROWS_A_PASS) {
                const float *a_from = from + (size_t)min(tile_row + own_row + r, n - 1) * n;
                if (aligned)
                    copy_4(a_to + r * A_PITCH, a_from, inside > 0);
                else
                    for (int i = 0; i < 4; ++i)
                        copy_1(a_to + r * A_PITCH + i, a_from + i, i < inside);
            }
            arrive_after_copies(barriers, FULL + stage);

            float *bigs = Bs + stage * 2 * B_PART;
#pragma unroll
            for (int r = 0; r < TILE / ROWS_A_PASS; ++r) {
                int place = place_b(own_row + r * ROWS_A_PASS, own_k);
                store_parts(bigs + place, bigs + B_PART + place, value[r]);
            }
#ifdef WARPGROUPS
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // before wgmma reads what threads have stored
#endif
            arrive(barriers, FULL + stage);

            from += TILE_DEPTH;
#pragma unroll
            for (int r = 0; r < TILE / ROWS_A_PASS; ++r)
                load_4(value[r], from + (size_t)min(tile_col + own_row + r * ROWS_A_PASS, n - 1) * n,
                       inside - TILE_DEPTH, aligned);
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        return;
    }

#ifdef WARPGROUPS
    asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
#endif
    int lane = thread % 32, row = thread / 32 * 16 + lane / 4;  // within the tile
    float sum[TILE / 8][4] = {};  // those of row and row + 8, of two columns of every eight
    int filled = 0;  // buffers so far
    for (int left = n; left > 0; left -= TILE_DEPTH, ++filled) {
        int stage = filled % STAGES;
        wait(barriers, FULL + stage, filled / STAGES % 2);
        const float *bigs = Bs + stage * 2 * B_PART;
        unsigned big[TILE_DEPTH / 8][4], small[TILE_DEPTH / 8][4];
#pragma unroll
        for (int k = 0; k < TILE_DEPTH / 8; ++k)
            load_a(big[k], small[k], As + (stage * TILE + row) * A_PITCH + k * 8 + lane % 4);
        multiply_phase(sum, big, small, bigs, lane);
        arrive(barriers, EMPTY + stage);
    }

    // On the diagonal only one triangle of the tile is stored, and mirrored: P is symmetric to the last bit.
#pragma unroll
    for (int c = 0; c < TILE / 8; ++c)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int y = corner[0] + row + i / 2 * 8, x = corner[1] + c * 8 + lane % 4 * 2 + i % 2;
            if (y < n && x <= y) {
                P[(size_t)y * n + x] = sum[c][i];
                P[(size_t)x * n + y] = sum[c][i];
            }
        }
}

/* tilescope
title    = "M·Mᵀ on tensor cores, three products of tf32"
teaches  = "A triangle of tiles on the tensor cores: half the products, each of numbers split into two."
workload = "mmt"
order    = 69
size     = [34]
block    = [96]
blocks   = [[192], [384]]
block_rules = "matmul_3xtf32.toml"
roundings = 16
grid     = ["(n + PRODUCERS - 1) / PRODUCERS * ((n + PRODUCERS - 1) / PRODUCERS + 1) / 2"]
dynamic_shared = "4 * STAGES * (2 * 32 + 36) * PRODUCERS"
require  = [
    [
        "block_y == 1 && (block_x == 96 || block_x == 192 || block_x == 384)",
        "choose block 96, whose tile is 32 by 32, 192 with 64 by 64, or 384 with 128 by 128",
    ],
]

[define]
CONSUMERS = "block_x / 3 * 2"
PRODUCERS = "block_x / 3"
STAGES    = "block_x == 384 ? 4 : 3"
*/
