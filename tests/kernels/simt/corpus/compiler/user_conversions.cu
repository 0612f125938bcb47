// Conversion operators of structs: to pointers, to numbers, in arithmetic.

// A struct that converts to a pointer is subscripted.

template <typename T> struct Shared {
    __device__ operator T *() { extern __shared__ T all[]; return (T *)(void *)all; }
    __device__ operator const T *() const { extern __shared__ T all[]; return (T *)(void *)all; }
};
__device__ void put(float *to, int t) { to[t] = t + 1; }
template <typename T> __device__ T got(const T *from, int t) { return from[t ^ 1]; }

//: <<<1, 8, 32>>>
//: out[t] == (t ^ 1) + 1 + 10
__global__ void a_struct_that_converts_to_a_pointer_is_subscripted(float *out) {
    Shared<float> s;
    put(s, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = got<float>(s, threadIdx.x) + 10 * *s + s[0] - 1;
}

// Conversion operators.

template <class T> struct Memory {
    __device__ inline operator T *() { extern __shared__ int bytes[]; return (T *)bytes; }
    __device__ inline operator const T *() const { extern __shared__ int bytes[]; return (T *)bytes; }
};
struct Half { float whole; __device__ operator float() const { return whole / 2; } };

//: <<<1, 8, 32>>>
//: a[t] == (7 - t) / 2
__global__ void conversion_operators_1(float *a) {
    float *all = Memory<float>();
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float *same = Memory<float>();
    Half half{same[7 - threadIdx.x]};
    a[threadIdx.x] = half;
}

//: <<<1, 8, 32>>>
//: a[t] == (7 - t) / 2
__global__ void conversion_operators_2(float *a) {
    float *all = Memory<float>();
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const float *same = Memory<float>();
    Half half{same[7 - threadIdx.x]};
    a[threadIdx.x] = half;
}

// Arithmetic with structs that convert to numbers.

struct I { int v; __device__ operator int() const { return v; } };

#define ARITHMETIC_STRUCTS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; I n{7}, m{8}; __VA_ARGS__ \
    }
ARITHMETIC_STRUCTS(arithmetic_structs_convert_1, out[t] = n / 2 + 2 * n;)  //: out[t] == 17
ARITHMETIC_STRUCTS(arithmetic_structs_convert_2, out[t] = (n < m) && (m - n == 1);)  //: out[t] == 1
ARITHMETIC_STRUCTS(arithmetic_structs_convert_3, out[t] = -n + !n;)  //: out[t] == -7
ARITHMETIC_STRUCTS(arithmetic_structs_convert_4, int a[9]; a[7] = 5; out[t] = *(a + n);)  //: out[t] == 5
ARITHMETIC_STRUCTS(arithmetic_structs_convert_5, int a[9]; a[n] = 5; out[t] = a[7];)  //: out[t] == 5
ARITHMETIC_STRUCTS(arithmetic_structs_convert_6, int x = 1; x += n; x *= m; out[t] = x;)  //: out[t] == 64
ARITHMETIC_STRUCTS(arithmetic_structs_convert_7, switch (n) { case 7: out[t] = 3; })  //: out[t] == 3
