// decltype and typeof of expressions.

// The type of an expression.
//: out[t] == 4 + t
__global__ void type_expression_1(int *out) {
    int t = threadIdx.x;
    decltype(t) x = t; decltype(x * 1.5f) y = x; out[t] = sizeof(y) + y / 2 * 2;
}

__device__ int f(int x) { decltype(x) y = -x; return y; }

//: out[t] == 10 - t
__global__ void type_expression_2(int *out) {
    int t = threadIdx.x;
    decltype(threadIdx.x) u = -1; decltype(warpSize / 2) w = -1; out[t] = f(t) + (u > 0) * 10 + (w > 0) * 100;
}

//: out[t] == [27, 35][t % 2]
__global__ void type_expression_3(int *out) {
    int t = threadIdx.x;
    short s[2] = {3, 4}; typeof(s[0] + 0l) x = s[t & 1]; decltype(&s[1]) p = s; out[t] = x * sizeof x + *p;
}

template <class A, class B> __device__ auto add(A a, B b) -> decltype(a + b) { return a + b; }

//: out[t] == 2 * t + 1
__global__ void type_expression_4(int *out) {
    int t = threadIdx.x;
    out[t] = add(t, 0.5f) * 2;
}

struct V { float x; __device__ float operator[](int i) const { return x * i; } };

//: out[t] == 9 + 2 * t
__global__ void type_expression_5(int *out) {
    int t = threadIdx.x;
    V v{1.5f}; decltype(v[2]) y = v[3] + t; out[t] = y * 2;
}

// Decltype of an overloaded template is refused.

template <class T> __device__ T same(T x) { return x; }
template <class T> __device__ T same(T *x) { return *x; }

__global__ void decltype_of_an_overloaded_template_is_refused(int *out) {
    int t = threadIdx.x;
    decltype(same(t)) x = 1; out[t] = x;
//  ^ error: decltype(same(t)); write the type, or auto
}
