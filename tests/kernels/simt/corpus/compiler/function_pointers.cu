// Functions as values: pointers to them, as arguments of templates, and structs that can be called.

// Calls.

namespace calls {
typedef int (*op_t)(int, int);
using unary_t = int (*)(int);
typedef int plain_t(int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int inc(int x) { return x + 1; }
__device__ op_t table[2] = {add, &mul};
__constant__ op_t chosen = mul;
struct Step { op_t how; int by; };
struct Less { int by; __device__ int operator()(int x) const { return x - by; } };
template <unary_t f> __device__ int twice(int x) { return f(f(x)); }
template <int (*f)(int, int), int n = 3> __device__ int fold(int x) {
    for (int i = 0; i < n; ++i) x = f(x, 2);
    return x;
}
template <typename F> __device__ int apply(F f, int x) { return f(x); }
template <typename T, typename R> __device__ R through(R (*f)(T), T x) { return f(x); }
template <typename T> __device__ T neg(T x) { return -x; }
template <class Op> __device__ int with(int x) { Op op{2}; return op(x); }
__device__ op_t pick(int i) { if (i) return mul; return add; }
__device__ int use(plain_t *f, int x) { return f(x) + (*f)(x); }
__device__ int over(int x) { return x; }
__device__ float over(float x) { return x; }

#define CALLS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
CALLS(calls_1, int t = threadIdx.x; op_t f = add; out[t] = f(t, 2))  //: out[t] == t + 2
CALLS(calls_2, int t = threadIdx.x; int (*f)(int, int) = &mul; out[t] = (*f)(t, 2))  //: out[t] == 2 * t
CALLS(calls_3, int t = threadIdx.x; int (*const f)(int, int) = mul; out[t] = (**f)(t, 2))  //: out[t] == 2 * t
CALLS(calls_4, int t = threadIdx.x; auto f = add; out[t] = f(t, 2))  //: out[t] == t + 2
//: out[t] == t + 3 if t % 2 else 3 * t
CALLS(calls_5, int t = threadIdx.x; op_t f = t % 2 ? add : mul; out[t] = f(t, 3))
//: out[t] == t + 3 if t > 4 else 3 * t
CALLS(calls_6, int t = threadIdx.x; op_t f; if (t > 4) f = add; else f = mul; out[t] = f(t, 3))
//: out[t] == t * t if t > 4 else -1
CALLS(calls_7,
    int t = threadIdx.x, r = 0; op_t f = t > 4 ? mul : nullptr; if (f) r = f(t, t); else r = -1; out[t] = r)
//: out[t] == t + 5 if t % 3 == 1 else 5 * t
CALLS(calls_8, int t = threadIdx.x; op_t f[] = {mul, add, mul}; out[t] = f[t % 3](t, 5))
//: out[t] == (4 * t if t & 1 else t + 4) + t * t
CALLS(calls_9, int t = threadIdx.x; out[t] = table[t & 1](t, 4) + chosen(t, t))
//: out[t] == 7 * t if t & 1 else t + 7
CALLS(calls_10, int t = threadIdx.x; Step s = {t & 1 ? mul : add, 7}; out[t] = s.how(t, s.by))
//: out[t] == t
CALLS(calls_11, int t = threadIdx.x; Step s[2] = {{add, 1}, {mul, 2}}; Step *p = s; out[t] = p[1].how(t, p->by))
CALLS(calls_12, int t = threadIdx.x; out[t] = pick(t & 1)(t, 2))  //: out[t] == 2 * t if t & 1 else t + 2
//: out[t] == t + 2 + 8 * t + t + 2
CALLS(calls_13, int t = threadIdx.x; out[t] = twice<inc>(t) + fold<mul>(t) + fold<add, 1>(t))
//: out[t] == t + 1 + t - 3 + t + 1
CALLS(calls_14, int t = threadIdx.x; out[t] = apply(inc, t) + apply(Less{3}, t) + apply(&inc, t))
CALLS(calls_15, int t = threadIdx.x; out[t] = through(neg<int>, t) + (int)through<int>(inc, t))  //: out[t] == 1
CALLS(calls_16, int t = threadIdx.x; unary_t f = neg; out[t] = f(t))  //: out[t] == -t
CALLS(calls_17, int t = threadIdx.x; out[t] = with<Less>(t) + Less{1}(t) + Less{t}(t))  //: out[t] == t - 2 + t - 1
CALLS(calls_18, int t = threadIdx.x; out[t] = use(inc, t))  //: out[t] == 2 * t + 2
CALLS(calls_19, int t = threadIdx.x; int (*f)(int) = over; out[t] = f(t))  //: out[t] == t
//: out[t] == 0 if t else 3
CALLS(calls_20, int t = threadIdx.x; op_t f = pick(t); out[t] = (f == add) + 2 * (f != mul) + 4 * (f == nullptr))
CALLS(calls_21, int t = threadIdx.x; void *p = (void *)mul; op_t f = (op_t)p; out[t] = f(t, 3))  //: out[t] == 3 * t
CALLS(calls_22, int t = threadIdx.x; op_t *p = table; out[t] = p[1](t, 3) + (*p)(t, 3))  //: out[t] == 3 * t + t + 3
CALLS(calls_23, int t = threadIdx.x; out[t] = sizeof(op_t) + sizeof(Step))  //: out[t] == 24
}

// Each function of a choice runs for its lanes and may wait at a barrier.

typedef void (*phase_t)(int *, int &);
__shared__ int s[8];
__device__ void turn(int *out, int &n) {
    s[threadIdx.x] = n; __syncthreads(); n = s[7 - threadIdx.x]; __syncthreads();
}
__device__ void keep(int *out, int &n) { out[threadIdx.x] = n; n += 100; }

//: rounds = 4
//: out[t] == t + 100
__global__ void each_function_of_a_choice_runs_for_its_lanes_and_may_wait_at_a_barrier(int *out, int rounds) {
    phase_t phases[2] = {turn, keep};
    int n = threadIdx.x;
    for (int i = 0; i < rounds; ++i) phases[i % 2](out, n);
}

// Arguments are evaluated once.

namespace arguments_are_evaluated_once {
typedef int (*op_t)(int, int);
using unary_t = int (*)(int);
typedef int plain_t(int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int inc(int x) { return x + 1; }
__device__ op_t table[2] = {add, &mul};
__constant__ op_t chosen = mul;
struct Step { op_t how; int by; };
struct Less { int by; __device__ int operator()(int x) const { return x - by; } };
template <unary_t f> __device__ int twice(int x) { return f(f(x)); }
template <int (*f)(int, int), int n = 3> __device__ int fold(int x) {
    for (int i = 0; i < n; ++i) x = f(x, 2);
    return x;
}
template <typename F> __device__ int apply(F f, int x) { return f(x); }
template <typename T, typename R> __device__ R through(R (*f)(T), T x) { return f(x); }
template <typename T> __device__ T neg(T x) { return -x; }
template <class Op> __device__ int with(int x) { Op op{2}; return op(x); }
__device__ op_t pick(int i) { if (i) return mul; return add; }
__device__ int use(plain_t *f, int x) { return f(x) + (*f)(x); }
__device__ int over(int x) { return x; }
__device__ float over(float x) { return x; }

//: out[t] == (t + 2 if t & 1 else 2 * t) + 10
__global__ void arguments_are_evaluated_once(int *out) {
    int t = threadIdx.x;
    int i = 0; op_t f = t & 1 ? add : mul; int a[2] = {t, 9}; out[t] = f(a[i++], 2) + 10 * i;
}
}

// Functions of cuda have addresses.

namespace functions_of_cuda_have_addresses {
typedef float (*op)(float);
__device__ op table[2] = {sqrtf, fabs};
template <typename F> __device__ float fold(F f, float a, float b) { return f(a, b); }

//: out[t] == 3 + (2 if t % 2 else 4) + 3 + 1
__global__ void functions_of_cuda_have_addresses(float *out) {
    int t = threadIdx.x;
    double (*root)(double) = sqrt;
    op f = t % 2 ? table[0] : table[1];
    out[t] = fold(fmaxf, 3, 1) + f(4.0f) + root(9.0) + sqrtf(1.0f);
}
}

// A pointer that was never set.

namespace a_pointer_that_was_never_set {
__device__ int add(int a, int b) { return a + b; }

//: out = zeros(8)
__global__ void a_pointer_that_was_never_set(int *out) {
    int (*f)(int, int) = threadIdx.x < 5 ? add : nullptr;
    out[threadIdx.x] = f(1, 2);
//                     ^ out-of-bounds x3: points to no function
}
}

// Refused.

namespace refused {
typedef int (*op_t)(int, int);
using unary_t = int (*)(int);
typedef int plain_t(int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int inc(int x) { return x + 1; }
__device__ op_t table[2] = {add, &mul};
__constant__ op_t chosen = mul;
struct Step { op_t how; int by; };
struct Less { int by; __device__ int operator()(int x) const { return x - by; } };
template <unary_t f> __device__ int twice(int x) { return f(f(x)); }
template <int (*f)(int, int), int n = 3> __device__ int fold(int x) {
    for (int i = 0; i < n; ++i) x = f(x, 2);
    return x;
}
template <typename F> __device__ int apply(F f, int x) { return f(x); }
template <typename T, typename R> __device__ R through(R (*f)(T), T x) { return f(x); }
template <typename T> __device__ T neg(T x) { return -x; }
template <class Op> __device__ int with(int x) { Op op{2}; return op(x); }
__device__ op_t pick(int i) { if (i) return mul; return add; }
__device__ int use(plain_t *f, int x) { return f(x) + (*f)(x); }
__device__ int over(int x) { return x; }
__device__ float over(float x) { return x; }

#define REFUSED(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
REFUSED(refused_1, int t = threadIdx.x, r = 0; auto f = over; out[t] = r)
//                                                      ^ error: can be several functions: give each its own name
REFUSED(refused_2, int t = threadIdx.x, r = 0; op_t f = inc; out[t] = r)
//                                                      ^ error: has the type int (*)(int, int)
REFUSED(refused_3, int t = threadIdx.x, r = 0; op_t f = sinf; out[t] = r)
//                                                      ^ error: no function 'sinf' has the type int
REFUSED(refused_4, int t = threadIdx.x, r = 0; op_t f = sincosf; out[t] = r)
//                                                      ^ error: unknown name 'sincosf'
REFUSED(refused_5, int t = threadIdx.x; op_t f = add; out[t] = f(1))
//                                                             ^ error: takes 2 arguments, 1 are given
REFUSED(refused_6, int t = threadIdx.x, r = 0; op_t f = 5; out[t] = r)
//                                                  ^ error: int cannot become int
REFUSED(refused_7, int t = threadIdx.x; op_t f = add; out[t] = f + 1)
//                                                             ^ error: int cannot become int
REFUSED(refused_8, int t = threadIdx.x; out[t] = t(1))
//                                               ^ error: int has no member function
REFUSED(refused_9, int t = threadIdx.x; out[t] = fold<t>(1))
//                                                    ^ error: a template argument is a type, a function, or a constant
REFUSED(refused_10, int t = threadIdx.x; out[t] = fold<3>(1))
//                                                ^ error: no function
REFUSED(refused_11, int t = threadIdx.x, r = 0; op_t f = k; out[t] = r)
//                                                       ^ error: unknown name 'k'
}
