// atomicAdd of vectors: each member is added to, and rounded, on its own.

#include <cuda_fp16.h>
#include <cuda_bf16.h>

// Sums.
//: <<<1, 8>>> lockstep reversed
//: sum = zeros((2, 2))
//: sum == [[12, 24], [16, 32]]
//: old[:2] == [[0.0, 0.0], [0.0, 0.0]]
__global__ void sums_1(half2 *sum, half2 *old) {
    int t = threadIdx.x;
    old[t] = atomicAdd(&sum[t % 2], __floats2half2_rn(t, 2 * t));
}

//: <<<1, 8>>> lockstep reversed
//: sum = full((2, 2), 2048)
//: sum[t] == 2048
//: old[:2] == [[2048.0, 2048.0], [2048.0, 2048.0]]
__global__ void sums_2(half2 *sum, half2 *old) {
    int t = threadIdx.x;
    old[t] = atomicAdd(&sum[t % 2], __floats2half2_rn(1, 0));
}

//: <<<1, 8>>> lockstep reversed
//: sum = ones((2, 2))
//: sum == [[13, 3], [17, 3]]
//: old[:2] == [[1.0, 1.0], [1.0, 1.0]]
__global__ void sums_3(float2 *sum, float2 *old) {
    int t = threadIdx.x;
    old[t] = atomicAdd(&sum[t % 2], make_float2(t, 0.5f));
}

//: <<<1, 8>>> lockstep reversed
//: sum = zeros((2, 2))
//: sum == [[16704, 16512], [16768, 16512]]
//: old[:2] == [[0, 0], [0, 0]]
__global__ void sums_4(__nv_bfloat162 *sum, __nv_bfloat162 *old) {
    int t = threadIdx.x;
    old[t] = atomicAdd(&sum[t % 2], __floats2bfloat162_rn(t, 1));
}

//: <<<1, 8>>> lockstep reversed
//: sum = [16256, 17280]
//: sum == [16720, 17288]
//: old[:2] == [16256, 17280]
__global__ void sums_5(__nv_bfloat16 *sum, __nv_bfloat16 *old) {
    int t = threadIdx.x;
    old[t] = atomicAdd(&sum[t % 2], __float2bfloat16(t));
}

// Signed 64 bit words.
//: a = [-1]
#define SIGNED_64(NAME, ...) \
    __global__ void NAME(long long *a) { \
        __VA_ARGS__; \
    }
SIGNED_64(signed_64_bit_1, atomicAnd(a, ~(1ll << (40 + threadIdx.x))))  //: a[t] == -280375465082881
SIGNED_64(signed_64_bit_2, atomicOr(a, ~(1ll << (40 + threadIdx.x))))  //: a[t] == -1
SIGNED_64(signed_64_bit_3, atomicXor(a, ~(1ll << (40 + threadIdx.x))))  //: a[t] == -280375465082881

// Other vectors are refused.
//: a = zeros((1, 2))
__global__ void other_vectors_are_refused(int2 *a) {
    atomicAdd(a, *a);
//  ^ error: atomicAdd does not take int2
}
