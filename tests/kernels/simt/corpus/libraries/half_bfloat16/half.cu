// half and half2: every operation rounds to 11 bits.

#include <cuda_fp16.h>

// Vectors of halves and floats become each other.
//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
//: R[t] == 2068590
__global__ void vectors_of_halves_and_floats_become_each_other(const __half *A, const __half *B, float *R) {
    int t = threadIdx.x; half a = A[t], b = B[t]; float r;
    float2 f = __half22float2(__floats2half2_rn(0.1f, 2049.0f)); half2 h = __float22half2_rn(f);
    h += __float2half2_rn(1.0f);
    r = f.x + f.y * 10 + __low2float(h) * 100 + __high2float(h) * 1000; R[t] = r;
}

// Conversions of halves.
//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
//: R == [0, 31, 18, -1, 600000, 0, -27, -7]
__global__ void conversions_halves_1(const __half *A, const __half *B, int *R) {
    int t = threadIdx.x; half a = A[t], b = B[t]; int r; r = __half2int_rn(b) * 10 + __half2int_rd(a) % 10; R[t] = r;
}

//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
//: R == [1, 1001, 2001, 3000, 4000, 5000, 6000, 7000]
__global__ void conversions_halves_2(const __half *A, const __half *B, half *R) {
    int t = threadIdx.x; half a = A[t], b = B[t]; half r; r = __int2half_rn(t * 1000 + 1); R[t] = r;
}

//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
//: R == [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
__global__ void conversions_halves_3(const __half *A, const __half *B, half *R) {
    int t = threadIdx.x; half a = A[t], b = B[t]; half r; r = __ushort_as_half(__half_as_ushort(a)); R[t] = r;
}

// Half and other numbers do not mix.
//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
#define HALF_OTHER(NAME, ...) \
    __global__ void NAME(const __half *A, const __half *B, half *R) { \
        int t = threadIdx.x; half a = A[t], b = B[t]; half r; __VA_ARGS__; R[t] = r; \
    }
HALF_OTHER(half_other_numbers_1, half h = a + 1.0f)
//                                        ^ error: use __half2float or __float2half on one of them
HALF_OTHER(half_other_numbers_2, half h = 2 * a)
//                                        ^ error: use __half2float or __float2half on one of them
HALF_OTHER(half_other_numbers_3, r = a < 0.5f)
//                                   ^ error: use __half2float or __float2half on one of them
HALF_OTHER(half_other_numbers_4, int n = 1; n += a)
//                                          ^ error: use __half2float or __float2half on one of them

// Functions for float do not take half.
//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
__global__ void functions_for_float_do_not_take_half(const __half *A, const __half *B, half *R) {
    int t = threadIdx.x; half a = A[t], b = B[t]; half r; r = sqrt(a); R[t] = r;
//                                                            ^ error: sqrt does not take half: convert it with __half2float
}

// Vectors are made of their members.
//: out[t] == t + 5.75 + 700 + t + 255000 + t
__global__ void vectors_are_made_of_their_members(float *out) {
    int t = threadIdx.x;
    float4 v = make_float4(t, 2, 3.5f, 0.25f); int2 i = make_int2(7.9f, t);
    uchar4 c = make_uchar4(255, 256, 1, t);
    out[t] = v.x + v.y + v.z + v.w + i.x * 100 + i.y + c.x * 1000 + c.y + c.w;
}

// Functions that are refused.
//: A = [0.0999755859375, 1, 2048, -0.75, 60000, 1.0013580322265625e-05, 3.140625, -7]
//: B = [0.300048828125, 3, 1, 0.125, 60000, 0.0010004043579101562, -2.720703125, 0.5]
#define FUNCTIONS_REFUSED(NAME, ...) \
    __global__ void NAME(const __half *A, const __half *B, half *R) { \
        int t = threadIdx.x; half a = A[t], b = B[t]; half r; r = __VA_ARGS__; R[t] = r; \
    }
FUNCTIONS_REFUSED(functions_refused_1, __hadd_sat(a, b))
//                                     ^ error: not supported: function '__hadd_sat'
FUNCTIONS_REFUSED(functions_refused_2, __hltu(a, b))
//                                     ^ error: not supported: function '__hltu'
FUNCTIONS_REFUSED(functions_refused_3, hsqrt(a))
//                                     ^ error: not supported: function 'hsqrt'; there is hrsqrt
FUNCTIONS_REFUSED(functions_refused_4, __hmax2(a, b).x)
//                                     ^ error: __hmax2 takes half2, not half
