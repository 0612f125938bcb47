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
