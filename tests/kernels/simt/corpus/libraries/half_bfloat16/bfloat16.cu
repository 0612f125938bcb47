// bfloat16: rounding, operators and conversions, bit by bit.

// Conversions.

__device__ float half_of(float x) { return x / 2; }
__device__ nv_bfloat16 added(nv_bfloat16 x) { x += __nv_bfloat16(1.0f); return x; }

//: in = [16256, 49184, 16026, 32406, 1, 0, 48589, 17279]
//: r == [1, -2.5, 0.30078125, 9.969209968386869e+37, 9.183549615799121e-41, 0, -0.10009765625, 255]
__global__ void conversions_1(const __nv_bfloat16 *in, float *r) {
    __nv_bfloat16 x = in[threadIdx.x];
    r[threadIdx.x] = x;
}

//: in = [16256, 49184, 16026, 32406, 1, 0, 48589, 17279]
//: r == [2, -5, 0.6015625, 1.9938419936773738e+38, 1.8367099231598242e-40, 0, -0.2001953125, 510]
__global__ void conversions_2(const __nv_bfloat16 *in, float *r) {
    __nv_bfloat16 x = in[threadIdx.x];
    r[threadIdx.x] = __bfloat162float(x) * 2;
}

//: in = [16256, 49184, 16026, 32406, 1, 0, 48589, 17279]
#define CONVERSIONS(NAME, ...) \
    __global__ void NAME(const __nv_bfloat16 *in, int *r) { \
        __nv_bfloat16 x = in[threadIdx.x]; r[threadIdx.x] = __VA_ARGS__; \
    }
CONVERSIONS(conversions_3, (int)(x * __nv_bfloat16(2)))  //: r == [2, -5, 0, 2147483647, 0, 0, 0, 510]
CONVERSIONS(conversions_4, x > __float2bfloat16(0.2f))  //: r == [1, 0, 1, 1, 0, 0, 0, 1]
//: r == [49024, 16416, 48794, 65174, 32769, 32768, 15821, 50047]
CONVERSIONS(conversions_5, __bfloat16_as_ushort(-x))

//: in = [16256, 49184, 16026, 32406, 1, 0, 48589, 17279]
#define CONVERSIONS_2(NAME, ...) \
    __global__ void NAME(const __nv_bfloat16 *in, float *r) { \
        __nv_bfloat16 x = in[threadIdx.x]; r[threadIdx.x] = __VA_ARGS__; \
    }
//: r == [0.5, -1.25, 0.150390625, 4.9846049841934345e+37, 4.591774807899561e-41, 0, -0.050048828125, 127.5]
CONVERSIONS_2(conversions_6, half_of(x))
//: r == [1, -2.5, 0.30078125, 9.969209968386869e+37, 9.183549615799121e-41, 0, -0.10009765625, 255]
CONVERSIONS_2(conversions_7, __high2float(__floats2bfloat162_rn(1, x)))
CONVERSIONS_2(conversions_8, added(x))  //: r == [2, -1.5, 1.296875, 9.969209968386869e+37, 1, 1, 0.8984375, 256]
CONVERSIONS_2(conversions_9, __shfl_sync(~0u, x, 1))  //: r[t] == -2.5

// Refusals.
//: a = [16256, 16384]
#define REFUSALS(NAME, ...) \
    __global__ void NAME(__nv_bfloat16 *a) { \
        __VA_ARGS__; \
    }
REFUSALS(refusals_1, a[0] = a[0] + 1.0f)
//                          ^ error: no operator + takes __nv_bfloat16 and float: work on the members, or declare it
REFUSALS(refusals_2, a[0] = a[0] % a[1])
//                          ^ error: no operator % takes __nv_bfloat16 and __nv_bfloat16: work on the members, or declare it
REFUSALS(refusals_3, __hmax2(a[0], __halves2bfloat162(a[0], a[0])))
//                   ^ error: __hmax2 takes __nv_bfloat162, not __nv_bfloat16
REFUSALS(refusals_4, __low2bfloat16(a[0]))
//                   ^ error: not supported: function '__low2bfloat16'; there is __low2float

// Nan differs from everything.
//: <<<1, 1>>>
//: in = [32767, 16256]
//: r[t] == 5
__global__ void nan_differs_from_everything(const __nv_bfloat16 *in, int *r) {
    __nv_bfloat16 a = in[0], b = in[1];
    r[0] = (a != a) + 2 * (a == a) + 4 * (a != b) + 8 * (b != b);
}
