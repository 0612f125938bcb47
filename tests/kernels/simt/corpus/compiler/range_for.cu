// Range-based for loops over arrays, pointers, structs with begin and end, and results of functions.

// A loop over an array.
#define LOOP_OVER(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x, r = 0; __VA_ARGS__ out[t] = r; \
    }
//: out[t] == t + 403
LOOP_OVER(loop_over_array_1, int a[3] = {1, 2, t}; for (int x : a) r += x; for (auto &x : a) x *= 2; r += 100 * a[1];)
LOOP_OVER(loop_over_array_2, for (int x : {1, 2, 3}) { if (x == 2) continue; r += x + t; })  //: out[t] == 2 * t + 4
//: out[t] == t + 5
LOOP_OVER(loop_over_array_3, struct P { int v[2]; } p = {{t, 5}}; for (const auto &x : p.v) r += x;)
//: out[t] == 3
LOOP_OVER(loop_over_array_4,
    float a[2][2] = {{1, 2}, {3, t}}; for (auto &row : a) for (float x : row) { if (x > 2) break; r += x; })

// A loop over a struct with begin and end.

namespace a_loop_over_a_struct_with_begin_and_end {
struct At {
    int i, step;
    __device__ int operator*() const { return i; }
    __device__ At &operator++() { i += step; return *this; }
    __device__ bool operator!=(const At &other) const { return i < other.i; }
};
struct Every {
    int from, to, step;
    __device__ At begin() const { return {from, step}; }
    __device__ At end() const { return {to, step}; }
};
__device__ Every every(int to, int step) { return {0, to, step}; }

//: out[t] == 1200 + sum(range(t, 8, 2))
__global__ void a_loop_over_a_struct_with_begin_and_end(int *out) {
    int t = threadIdx.x, r = 0;
    Every two{t, 8, 2}; for (auto i : two) r += i; for (int i : every(9, 4)) r += 100 * i;
    out[t] = r;
}
}

// A loop over a pointer.
__global__ void a_loop_over_a_pointer(int *out) {
    int t = threadIdx.x, r = 0;
    int a[2] = {}, *p = a;
    for (int x : p) r += x;
//  ^ error: not supported: for over int *; use for (int i = 0; i < n; ++i)
    out[t] = r;
}

// A loop over the result of a function.

namespace a_loop_over_the_result_of_a_function {
template <typename T> struct At {
    T value, step;
    __device__ T operator*() const { return value; }
    __device__ At &operator++() { value += step; return *this; }
    __device__ bool operator!=(const At &end) const { return value < end.value; }
};
template <typename T> struct Range {
    T first, last, step;
    __device__ At<T> begin() const { return {first, step}; }
    __device__ At<T> end() const { return {last, step}; }
};
template <typename T> __device__ Range<T> strided(T n) { return {T(threadIdx.x), n, T(blockDim.x)}; }

//: out = unwritten(20)
//: n = 20
//: out[t] == 2 * t + 1
__global__ void a_loop_over_the_result_of_a_function(int *out, int n) {
    for (auto i : strided<unsigned>(n)) out[i] = i;
    for (auto i : strided(n)) out[i] *= 2;
    auto all = strided(n);
    for (int i : all) out[i] += 1;
}
}
