// Structured bindings of structs and arrays.

// Structured bindings.

namespace structured_bindings {
struct P { int x, y; };

//: out[t] == t + 520 + 1000 * t
__global__ void structured_bindings_1(int *out) {
    int t = threadIdx.x;
    P p{t, 2}; auto [x, y] = p; auto &[u, v] = p; v = 5; out[t] = x + 10 * y + 100 * p.y + 1000 * u;
}

__device__ P made(int t) { return {t, t + 1}; }

#define STRUCTURED_BINDINGS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
//: out[t] == t * (t + 1) + 6
STRUCTURED_BINDINGS(structured_bindings_2,
    int t = threadIdx.x; auto [x, y] = made(t); const auto [a, b](made(5)); out[t] = x * y + b)
//: out[t] == t + 730
STRUCTURED_BINDINGS(structured_bindings_3,
    int t = threadIdx.x; int a[2] = {t, 3}; auto [x, y] = a; auto &[u, v] = a; u = 7;
    out[t] = x + 10 * y + 100 * a[0])
//: out[t] == sum(range(t))
STRUCTURED_BINDINGS(structured_bindings_4,
    int t = threadIdx.x, r = 0; for (auto [x, y] = P{0, t}; x < y; ++x) r += x; out[t] = r)
}

// Bindings that do not fit are refused.

namespace bindings_that_do_not_fit_are_refused {
struct P { int x, y; };

__global__ void bindings_do_fit_1(int *out) {
    int t = threadIdx.x, r = 0;
    P p{t, 2}; auto [x, y, z] = p;
//                            ^ error: 3 names for the 2 parts of
    out[t] = r;
}

__global__ void bindings_do_fit_2(int *out) {
    int t = threadIdx.x, r = 0;
    auto [x, y] = t;
//              ^ error: a structured binding of a value that is no plain struct or array; name its type first
    out[t] = r;
}
}

// Bindings of a function result in a template kernel.

namespace bindings_function_result_1 {
struct Place { int row, column; };
__device__ Place find(int t) { return {t / 4, t % 4}; }
#define FIND find(threadIdx.x)

//: template M = 4
//: out == [0, 1, 2, 3, 10, 11, 12, 13]
template <int M> __global__ void bindings_function_result_1(int *out) {
    auto [row, column] = FIND; out[threadIdx.x] = 10 * row + column;
}
}

namespace bindings_function_result_2 {
struct Place { int row, column; };
template <int N> __device__ Place find(int t) { return {t / N, t % N}; }
#define FIND find<M>(threadIdx.x)

//: template M = 4
//: out == [0, 1, 2, 3, 10, 11, 12, 13]
template <int M> __global__ void bindings_function_result_2(int *out) {
    auto [row, column] = FIND; out[threadIdx.x] = 10 * row + column;
}
}

namespace bindings_function_result_3 {
struct Place { int row, column; };
template <class T> __device__ T find(int t) { return {t / 4, t % 4}; }
#define FIND find<Place>(threadIdx.x)

//: template M = 4
//: out == [0, 1, 2, 3, 10, 11, 12, 13]
template <int M> __global__ void bindings_function_result_3(int *out) {
    auto [row, column] = FIND; out[threadIdx.x] = 10 * row + column;
}
}
