// `wmma`: products, layouts, accesses, and errors.

#include <mma.h>
using namespace nvcuda;

// Tiles in shared memory and sums that are rounded once.
//: <<<1, 32>>>
//: out = unwritten(16, 16)
//: out[t] == 2064
__global__ void tiles_in_shared_memory_and_sums_that_are_rounded_once(half *out) {
    __shared__ half tile[16][24];
    for (int i = threadIdx.x; i < 384; i += 32) tile[i / 24][i % 24] = i % 24 < 16 ? 1.0f : 9.0f;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
    wmma::load_matrix_sync(a, &tile[0][0], 24);
    wmma::load_matrix_sync(b, &tile[0][0], 24);
    wmma::fill_fragment(c, __float2half(2048.0f));
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

// Rounding to tf32.
//: <<<1, 1>>>
#define ROUNDING_TF32(NAME, ...) \
    __global__ void NAME(float *x) { \
        x[0] = __VA_ARGS__; \
    }
//: x = ones(1)
//: x[t] == 1
ROUNDING_TF32(rounding_tf32_1, wmma::__float_to_tf32(x[0]))
//: x = [1.0009765625]
//: x[t] == 1.0009765625
ROUNDING_TF32(rounding_tf32_2, wmma::__float_to_tf32(x[0]))
//: x = [1.00048828125]
//: x[t] == 1.0009765625
ROUNDING_TF32(rounding_tf32_3, wmma::__float_to_tf32(x[0]))
//: x = [-1.00048828125]
//: x[t] == -1.0009765625
ROUNDING_TF32(rounding_tf32_4, wmma::__float_to_tf32(x[0]))
//: x = [1.000244140625]
//: x[t] == 1
ROUNDING_TF32(rounding_tf32_5, wmma::__float_to_tf32(x[0]))
//: x = [3.4028234663852886e+38]
//: x[t] == inf
ROUNDING_TF32(rounding_tf32_6, wmma::__float_to_tf32(x[0]))

// Hazards and refusals.
//: a = ones(512)
//: c = zeros(256)
#define HAZARDS_REFUSALS(NAME, ...) \
    __global__ void NAME(const half *a, float *c) { \
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; \
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; __VA_ARGS__; \
    }
HAZARDS_REFUSALS(hazards_refusals_1, wmma::load_matrix_sync(fa, a + 1, 16))  //: <<<1, 32>>>
//                                   ^ misaligned-access x32: must be a multiple of 16
HAZARDS_REFUSALS(hazards_refusals_2, wmma::load_matrix_sync(fa, a + 272, 16))  //: <<<1, 32>>>
//                                   ^ out-of-bounds x2: a[512…519], but a has 512 elements
HAZARDS_REFUSALS(hazards_refusals_3, if (threadIdx.x < 31) wmma::load_matrix_sync(fa, a, 16))  //: <<<1, 32>>>
//                                                         ^ warp-mask x1: without lane 31 of its warp
HAZARDS_REFUSALS(hazards_refusals_4, wmma::load_matrix_sync(fa, a, 16))  //: <<<1, 24>>>
//                                   ^ warp-mask x1: without lane 24 of its warp
HAZARDS_REFUSALS(hazards_refusals_5, wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major))  //: <<<1, 32>>>
//                                                              ^ uninitialised-read x64: reads fc
//: <<<1, 64>>>
HAZARDS_REFUSALS(hazards_refusals_6,
    wmma::fill_fragment(fc, threadIdx.x); wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major))
//                                        ^ data-race x256

// Refusals.
//: a = ones(256)
//: c = zeros(256)
#define REFUSALS(NAME, ...) \
    __global__ void NAME(const half *a, float *c) { \
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; \
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; __VA_ARGS__; \
    }
REFUSALS(refusals_1, wmma::load_matrix_sync(fa, c, 16))
//                   ^ error: needs a pointer to half, not float *
REFUSALS(refusals_2, wmma::load_matrix_sync(fa, a))
//                   ^ error: load_matrix_sync takes 3 or 4 arguments, 2 are given
REFUSALS(refusals_3, wmma::load_matrix_sync(fc, c, 16))
//                   ^ error: takes mem_row_major or mem_col_major of accumulators only
REFUSALS(refusals_4, wmma::mma_sync(fc, fa, fa, fc))
//                   ^ error: mma_sync takes an accumulator, a matrix_a, a matrix_b and an accumulator
REFUSALS(refusals_5, wmma::fill_fragment(c, 0))
//                                       ^ error: fill_fragment needs a fragment here, not float *
REFUSALS(refusals_6, wmma::fragment<wmma::matrix_a, 8, 8, 8, half, wmma::row_major> f)
//                   ^ error: use half, bfloat16, int8 or uint8 with 16×16×16
REFUSALS(refusals_7, wmma::fragment<wmma::matrix_a, 16, 16, 16, half> f)
//                   ^ error: use half, bfloat16, int8 or uint8 with 16×16×16
REFUSALS(refusals_8, wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> f)
//                   ^ error: or precision::tf32 with 16×16×8
