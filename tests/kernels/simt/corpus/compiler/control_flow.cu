// Divergence: every thread gets the result that it would get alone.

// Each thread is alone.
#define THREAD_ALONE(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
//: out[t] == 1 if t < 3 else 2 if t < 5 else 3
THREAD_ALONE(thread_alone_1,
    int t = threadIdx.x, r = 0; if (t < 3) r = 1; else if (t < 5) r = 2; else r = 3; out[t] = r)
//: out[t] == sum(range(t))
THREAD_ALONE(thread_alone_2, int t = threadIdx.x, r = 0; for (int i = 0; i < t; ++i) r += i; out[t] = r)
//: out[t] == t
THREAD_ALONE(thread_alone_3,
    int t = threadIdx.x, r = 0; for (int i = 0; i < 10; ++i) { if (i == t) break; r += 1; } out[t] = r)
//: out[t] == sum(i for i in range(10) if i % 2 != t % 2)
THREAD_ALONE(thread_alone_4,
    int t = threadIdx.x, r = 0; for (int i = 0; i < 10; ++i) { if (i % 2 == t % 2) continue; r += i; } out[t] = r)
//: out[t] == (t + 1) // 2
THREAD_ALONE(thread_alone_5, int t = threadIdx.x, r = 0; int n = t; while (n > 0) { n -= 2; ++r; } out[t] = r)
//: out[t] == max(1, -(-t // 3))
THREAD_ALONE(thread_alone_6, int t = threadIdx.x, r = 0; int n = t; do { ++r; n -= 3; } while (n > 0); out[t] = r)
//: out[t] == sum(min(i + 1, 4) for i in range(t))
THREAD_ALONE(thread_alone_7,
    int t = threadIdx.x, r = 0;
    for (int i = 0; i < t; ++i) for (int j = 0; j < 4; ++j) { if (j > i) break; r += 1; } out[t] = r)
//: out[t] == sum(range(t + 1))
THREAD_ALONE(thread_alone_8,
    int t = threadIdx.x, r = 0; for (int i = 0; ; ++i) { if (i > t) break; r += i; } out[t] = r)
//: out[t] == t + t % 2
THREAD_ALONE(thread_alone_9, int t = threadIdx.x; int i = 0; for (; i < t; i += 2) ; out[t] = i)
//: out == [45, 45, 34, 45, 22, 11, 0, 55]
THREAD_ALONE(thread_alone_10,
    int t = threadIdx.x, r = 0; int i; for (i = 0; i < 5; ++i) { if (t == i) continue; if (t + i == 6) break; ++r; }
    r = r * 10 + i; out[t] = r)
//: out[t] == t + 1
THREAD_ALONE(thread_alone_11, int t = threadIdx.x, r = 0; while (true) { if (t < ++r) break; } out[t] = r)
//: out[t] == 3 + 3 * t if t < 4 else 0
THREAD_ALONE(thread_alone_12,
    int t = threadIdx.x, r = 0; if (t < 4) { for (int k = 0; k < 3; ++k) { int s = k; s += t; r += s; } } out[t] = r)
//: out[t] == t if t & 1 else 5
THREAD_ALONE(thread_alone_13, int t = threadIdx.x; int k = 5; if (t & 1) k = t; out[t] = k)
//: out[t] == sum(10 - i for i in range(5) if i < t)
THREAD_ALONE(thread_alone_14,
    int t = threadIdx.x, r = 0; for (int i = 0, j = 10; i < j; ++i, --j) r += (i < t) ? j : 0; out[t] = r)

// Device functions.

__device__ int twice(int x) { return 2 * x; }

//: x_ = arange(8) + 10
//: out[t] == 2 * t
__global__ void device_functions_1(int *out, const int *x_) {
    int t = threadIdx.x, x = x_[t];
    out[t] = twice(t);
}

namespace device_functions_2 {
__device__ int f(int x) { if (x < 3) return 1; for (int i = 0; ; ++i) if (i * i >= x) return i; }

//: x_ = arange(8) + 10
//: out[t] == 1 if t < 3 else 2 if t < 5 else 3
__global__ void device_functions_2(int *out, const int *x_) {
    int t = threadIdx.x, x = x_[t];
    out[t] = f(t);
}
}

namespace device_functions_3 {
__device__ int f(int x) { x += 1; return x; }
__device__ int g(int x) { return f(x) * f(x + 1); }

//: x_ = arange(8) + 10
//: out[t] == (t + 1) * (t + 2) + 1
__global__ void device_functions_3(int *out, const int *x_) {
    int t = threadIdx.x, x = x_[t];
    out[t] = g(t) + f(0);
}
}

__device__ float half_of(const int *p, int i) { return p[i] * 0.5f; }

//: x_ = arange(8) + 10
//: out[t] == 2 * (10 + t)
__global__ void device_functions_4(int *out, const int *x_) {
    int t = threadIdx.x, x = x_[t];
    out[t] = (int)(4 * half_of(x_, t));
}

// A void function may hold a barrier.

__device__ void rotate(int *s) { int v = s[(threadIdx.x + 1) % 64]; __syncthreads(); s[threadIdx.x] = v; }

//: <<<1, 64>>> every schedule
//: out = zeros(64)
//: out[t] == (t + 1) % 64
__global__ void a_void_function_may_hold_a_barrier(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    rotate(s);
    out[threadIdx.x] = s[threadIdx.x];
}

// Unsupported statements are refused before the run.
__global__ void unsupported_statements_refused_1() {
    int x = y;
//          ^ error: unknown name 'y'
}

__global__ void unsupported_statements_refused_2() {
    foo(1);
//  ^ error: not supported: function 'foo'
}

namespace unsupported_statements_refused_3 {
__device__ int f(int n) { return n ? f(n - 1) : 0; }
//                                   ^ error: recursion

__global__ void unsupported_statements_refused_3() {
    f(3);
}
}

__global__ void unsupported_statements_refused_4() {
    const int c = 1;
     c = 2;
//   ^ error: this is const or a whole array: it cannot be assigned
}

//: A = zeros(4)
__global__ void unsupported_statements_refused_5(const float *A) {
    A[0] = 1;
//  ^ error: this is const or a whole array: it cannot be assigned
}

//: A = zeros(4)
__global__ void unsupported_statements_refused_6(float *A) {
    int x = 1.5f % 2;
//          ^ error: operator % does not take float
}

//: A = zeros(4)
__global__ void unsupported_statements_refused_7(float *A) {
    A[1.5f] = 2;
//    ^ error: an index must be an integer
}

#define UNSUPPORTED_STATEMENTS(NAME, ...) \
    __global__ void NAME() { \
        __VA_ARGS__; \
    }
//: error: break outside a loop
UNSUPPORTED_STATEMENTS(unsupported_statements_refused_8, break)
UNSUPPORTED_STATEMENTS(unsupported_statements_refused_9, printf("%n"))
//                                                       ^ error: not supported: printf conversion %n
UNSUPPORTED_STATEMENTS(unsupported_statements_refused_10, int x = max(1))
//                                                                ^ error: max takes 2 arguments

// Values that a format does not ask for are computed and not printed.
//: <<<1, 1>>>
//: out = ones(1)
//: out[t] == 2
//: printf == '7'
__global__ void values_that_a_format_does_not_ask_for_are_computed_and_not_printed(int *out) {
    printf("%d", 7, ++out[0], "text");
}

// Declarations in conditions.
#define DECLARATIONS_CONDITIONS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x, r = 0; __VA_ARGS__ out[t] = r; \
    }
DECLARATIONS_CONDITIONS(declarations_conditions_1, if (int x = t / 4) r = x; else r = -1;)  //: out[t] == t // 4 or -1
//: out[t] == 9 if t < 2 else t - 3 if t > 4 else 3 - t
DECLARATIONS_CONDITIONS(declarations_conditions_2,
    if (t < 2) r = 9; else if (int x = t - 3; x > 1) r = x; else r = -x;)
//: out[t] == sum(x for x in range(1, t + 1) if x != 3)
DECLARATIONS_CONDITIONS(declarations_conditions_3, int n = t; while (int x = n--) { if (x == 3) continue; r += x; })
DECLARATIONS_CONDITIONS(declarations_conditions_4, if (r = 5; t > 3) r += t;)  //: out[t] == 5 + t * (t > 3)

// A barrier that is named but not called has no effect.
//: data-race
__global__ void a_barrier_that_is_named_but_not_called_has_no_effect(int *out) {
    __shared__ int s[8];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads;
    out[threadIdx.x] = s[7 - threadIdx.x];
}
