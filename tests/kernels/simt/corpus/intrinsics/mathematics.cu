// CUDA's mathematical functions against Python's, lane by lane.

// Conversions round as their name says.
//: x_ = [0.5, 1.5, 3.5, -2.5, -1.5, 2.75, -3.25, 6.75]
#define CONVERSIONS_ROUND(NAME, ...) \
    __global__ void NAME(int *out, const float *x_) { \
        int t = threadIdx.x; float x = x_[t]; out[t] = __VA_ARGS__; \
    }
CONVERSIONS_ROUND(conversions_round_name_1, __float2int_rn(x))  //: out == [0, 2, 4, -2, -2, 3, -3, 7]
CONVERSIONS_ROUND(conversions_round_name_2, __float2int_rz(x))  //: out == [0, 1, 3, -2, -1, 2, -3, 6]
CONVERSIONS_ROUND(conversions_round_name_3, __float2int_rd(x))  //: out == [0, 1, 3, -3, -2, 2, -4, 6]
CONVERSIONS_ROUND(conversions_round_name_4, __float2int_ru(x))  //: out == [1, 2, 4, -2, -1, 3, -3, 7]
CONVERSIONS_ROUND(conversions_round_name_5, (int)__float2uint_rn(x))  //: out == [0, 2, 4, 0, 0, 3, 0, 7]
CONVERSIONS_ROUND(conversions_round_name_6, (int)__double2ll_rn(x))  //: out == [0, 2, 4, -2, -2, 3, -3, 7]
CONVERSIONS_ROUND(conversions_round_name_7, (int)lroundf(x))  //: out == [1, 2, 4, -3, -2, 3, -3, 7]
CONVERSIONS_ROUND(conversions_round_name_8, (int)llrint(x))  //: out == [0, 2, 4, -2, -2, 3, -3, 7]

// Refusals.
#define REFUSALS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
REFUSALS(refusals_1, int t = threadIdx.x; out[t] = sqrtf(1.0f, 2.0f))
//                                                 ^ error: sqrtf takes 1 arguments, 2 are given
REFUSALS(refusals_2, int t = threadIdx.x, r = 0; __trap(); out[t] = r)
//                                               ^ error: use assert
REFUSALS(refusals_3, int t = threadIdx.x; out[t] = sqroot(2.0f))
//                                                 ^ error: not supported: function 'sqroot'
REFUSALS(refusals_4, int t = threadIdx.x, r = 0; r = __shfl_dwn_sync(0xffffffff, r, 1); out[t] = r)
//                                                   ^ error: there is __shfl_down_sync
REFUSALS(refusals_5, int t = threadIdx.x, r = 0; r = *&r + __ldg(t); out[t] = r)
//                                                         ^ error: need a pointer or an array

// Atomics that cuda does not have.
//: c = zeros(1)
__global__ void atomics_cuda_does_1(long long *c) {
    atomicAdd(c, 1);
//  ^ error: does not take long long; make the array unsigned long long
}

//: c = zeros(1)
__global__ void atomics_cuda_does_2(float *c) {
    atomicMax(c, 1.0f);
//  ^ error: atomicMax does not take float; see the array as int
}

//: c = zeros(1)
__global__ void atomics_cuda_does_3(short *c) {
    atomicAdd(c, 1);
//  ^ error: does not take short; it takes int, unsigned int
}

//: c = zeros(1)
__global__ void atomics_cuda_does_4(int *c) {
    atomicInc(c, 1);
//  ^ error: does not take int; it takes unsigned int
}

//: c = zeros(1)
__global__ void atomics_cuda_does_5(const int *c) {
    atomicAdd(c, 1);
//  ^ error: works on global and shared memory that is not const
}

//: c = zeros(1)
__global__ void atomics_cuda_does_6(int *c) {
    atomicCAS(c, 1);
//  ^ error: takes 3 arguments, 2 are given
}

//: c = zeros(1)
__global__ void atomics_cuda_does_7(int *c) {
    atomicAdd(1, 1);
//  ^ error: needs the address of an array element
}

// Products of bytes.
#define PRODUCTS_BYTES(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; out[t] = __VA_ARGS__; \
    }
PRODUCTS_BYTES(products_bytes_1, __dp4a(0x01020304, 0x01010101, 5))  //: out[t] == 15
PRODUCTS_BYTES(products_bytes_2, __dp4a((int)0xff01ff01, 0x02020202, 0))  //: out[t] == 0
PRODUCTS_BYTES(products_bytes_3, __dp4a(0xff01ff01u, 0x02020202u, 0u))  //: out[t] == 1024
//: out[t] == 76 + 7 * t
PRODUCTS_BYTES(products_bytes_4, __dp4a(make_char4(1, -2, 3, t), make_char4(4, 5, -6, 7), 100))
//: out[t] == 2 * 255 * 255 + 1
PRODUCTS_BYTES(products_bytes_5, __dp4a(make_uchar4(255, 255, 255, 255), make_uchar4(255, 0, 0, 255), 1u))
//: out[t] == -2147483648 + 4 * 127 * 127 - 1
PRODUCTS_BYTES(products_bytes_6, __dp4a(0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff))

// Functions that are refused.
#define FUNCTIONS_REFUSED(NAME, ...) \
    __global__ void NAME(double *out) { \
        int t = threadIdx.x; out[t] = __VA_ARGS__; \
    }
FUNCTIONS_REFUSED(functions_refused_1, j0f(1.0f))
//                                     ^ error: not supported: function 'j0f'
FUNCTIONS_REFUSED(functions_refused_2, __fadd_rz(1.0f, 2.0f))
//                                     ^ error: not supported: function '__fadd_rz'; there is __fadd_rn
FUNCTIONS_REFUSED(functions_refused_3, __vadd4(1, 2))
//                                     ^ error: not supported: function '__vadd4'
FUNCTIONS_REFUSED(functions_refused_4, erfinvf(1.0f))
//                                     ^ error: not supported: function 'erfinvf'
FUNCTIONS_REFUSED(functions_refused_5, nan(1))
//                                     ^ error: nan takes a text: write nan("")

// Known values.
#define KNOWN_VALUES(NAME, ...) \
    __global__ void NAME(double *out) { \
        int t = threadIdx.x; out[t] = __VA_ARGS__; \
    }
KNOWN_VALUES(known_values_1, sinpif(1.0f))  //: out == approx(full(8, 0.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_2, sinpi(2.5))  //: out == approx(full(8, 1.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_3, cospif(0.5f))  //: out == approx(full(8, 0.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_4, cospi(100000001.0))  //: out == approx(full(8, -1.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_5, sinpi(-0.25))  //: out == approx(full(8, -0.7071067811865475), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_6, fma(2.0, 3.0, 4.0))  //: out == approx(full(8, 10.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_7, fma(1.0f, 2, 3))  //: out == approx(full(8, 5.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_8, __fmaf_rn(2.0f, 3.0f, 4.0f))  //: out == approx(full(8, 10.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_9, ldexpf(1.5f, 3))  //: out == approx(full(8, 12.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_10, scalbn(1.5, -1))  //: out == approx(full(8, 0.75), rel=1e-15, abs=1e-15)
//: out == approx(full(8, 0.3333333432674408), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_11, __fdividef(1.0f, 3.0f))
KNOWN_VALUES(known_values_12, __fdividef(1.0f, 1.7e38f))  //: out == approx(full(8, 0.0), rel=1e-15, abs=1e-15)
//: out == approx(full(8, 3.5), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_13, __frcp_rn(4.0f) + __fsqrt_rn(9.0f) + __frsqrt_rn(16.0f))
KNOWN_VALUES(known_values_14, 1.0f / __saturatef(-0.0f))  //: out == approx(full(8, inf), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_15, 1.0 / sinpi(-2.0) + 1.0 / cospi(-0.5))  //: np.isnan(out).all()
//: out == approx(full(8, 1.25), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_16, __saturatef(1.5f) + __saturatef(-3.0f) + __saturatef(0.25f) + __saturatef(NAN))
KNOWN_VALUES(known_values_17, __expf(1.0f))  //: out == approx(full(8, 2.7182817459106445), rel=1e-15, abs=1e-15)
//: out == approx(full(8, 3.6931471824645996), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_18, __logf(2.0f) + __log2f(8.0f))
KNOWN_VALUES(known_values_19, __sinf(1.0f))  //: out == approx(full(8, 0.8414709568023682), rel=1e-15, abs=1e-15)
//: out == approx(full(8, 1.4142135381698608), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_20, __powf(2.0f, 0.5f))
//: out == approx(full(8, 36.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_21, __dadd_rn(1.0, 2.0) * __dmul_rn(3.0, 4.0))
KNOWN_VALUES(known_values_22, norm3df(2.0f, 3.0f, 6.0f))  //: out == approx(full(8, 7.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_23, nan("") + nanf(""))  //: np.isnan(out).all()
KNOWN_VALUES(known_values_24, tgamma(0.0) + tgamma(1e-309))  //: out == approx(full(8, inf), rel=1e-15, abs=1e-15)
//: out == approx(full(8, -math.inf), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_25, tgamma(-0.0) + tgammaf(-1e-40f))
KNOWN_VALUES(known_values_26, tgamma(-2.0))  //: np.isnan(out).all()
KNOWN_VALUES(known_values_27, tgamma(NAN))  //: np.isnan(out).all()
//: out == approx(full(8, 0.0004999999999999999), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_28, rhypot(1.2e308, 1.6e308) * 1e305)
KNOWN_VALUES(known_values_29, lgamma(-2.0) + lgammaf(0.0f))  //: out == approx(full(8, inf), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_30, lgamma(-INFINITY))  //: out == approx(full(8, inf), rel=1e-15, abs=1e-15)
//: out == approx(full(8, 0.0006927964924032517), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_31, normcdf(-37.24280293534191) * 1e300)
//: out == approx(full(8, 1.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_32, normcdf(-INFINITY) + normcdf(40.0))
//: out == approx(full(8, 2.0**-23), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_33, nextafterf(1.0f, 2.0f) - 1.0f)
KNOWN_VALUES(known_values_34, sqrt(2.0f) == sqrt(2.0))  //: out == approx(full(8, 0.0), rel=1e-15, abs=1e-15)
//: out == approx(full(8, 24.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_35, sizeof(sqrt(2.0f)) + sizeof(pow(2.0f, 3)) + sizeof(pow(2, 3)) + sizeof(fmin(1.0f, 2.0)))
//: out == approx(full(8, 15.0), rel=1e-15, abs=1e-15)
KNOWN_VALUES(known_values_36,
    isnan(NAN) + isinf(-INFINITY) * 2 + isfinite(1.0f) * 4 + signbit(-0.0f) * 8 + isnan(1.0))

// Atomics in global and in shared memory.
//: <<<1, 8>>> lockstep shuffle:3
#define ATOMIC(NAME, TYPE, FUNCTION, ...) \
    __global__ void NAME(TYPE *c, TYPE *old, TYPE start) { \
        __shared__ TYPE s[1]; \
        int t = threadIdx.x; \
        if (t == 0) s[0] = start; \
        __syncthreads(); \
        old[t] = FUNCTION(&c[0], __VA_ARGS__); \
        FUNCTION(&s[0], __VA_ARGS__); \
        __syncthreads(); \
        assert(s[0] == c[0]); \
    }
//: c = [5]
//: start = 5
//: c == 33
ATOMIC(atomic_add_int, int, atomicAdd, t)
//: c = [5]
//: start = 5
//: c == 13
//: sorted(old) == [5, 6, 7, 8, 9, 10, 11, 12]
ATOMIC(atomic_add_block_unsigned, unsigned, atomicAdd_block, 1u)
//: c = [1.0]
//: start = 1.0
//: c == 5.0
ATOMIC(atomic_add_float, float, atomicAdd, 0.5f)
//: c = [1.0]
//: start = 1.0
//: c == 5.0
ATOMIC(atomic_add_double, double, atomicAdd, 0.5)
//: c = [2**40]
//: start = 2**40
//: c == 2**40 + 8
ATOMIC(atomic_add_unsigned_long_long, unsigned long long, atomicAdd, 1ull)
//: c = [5]
//: start = 5
//: c == -23
ATOMIC(atomic_sub_int, int, atomicSub, t)
//: c = [0]
//: start = 0
//: c == -4
ATOMIC(atomic_min_int, int, atomicMin, 3 - t)
//: c = [3]
//: start = 3
//: c == 7
ATOMIC(atomic_max_unsigned, unsigned, atomicMax, (unsigned)t)
//: c = [0]
//: start = 0
//: c == -7
ATOMIC(atomic_min_long_long, long long, atomicMin, (long long)-t)
//: c = [1]
//: start = 1
//: c == 9
//: sorted(old) == [1, 9, 9, 9, 9, 9, 9, 9]
ATOMIC(atomic_exch_int, int, atomicExch, 9)
//: c = [3]
//: start = 3
//: c == 1
//: sorted(old) == [0, 0, 1, 2, 3, 3, 4, 4]
ATOMIC(atomic_inc_unsigned, unsigned, atomicInc, 4u)
//: c = [2]
//: start = 2
//: c == 4
//: sorted(old) == [0, 0, 1, 1, 2, 2, 3, 4]
ATOMIC(atomic_dec_unsigned, unsigned, atomicDec, 4u)
//: c = [1023]
//: start = 1023
//: c == 768
ATOMIC(atomic_and_int, int, atomicAnd, ~(1 << t))
//: c = [256]
//: start = 256
//: c == 511
ATOMIC(atomic_or_system_unsigned, unsigned, atomicOr_system, 1u << t)
//: c = [3]
//: start = 3
//: c == 252
ATOMIC(atomic_xor_int, int, atomicXor, 1 << t)
//: c = [7]
//: start = 7
ATOMIC(atomic_cas_int, int, atomicCAS, 7, t)
