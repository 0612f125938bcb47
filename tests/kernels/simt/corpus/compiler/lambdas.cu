// Lambdas: captures, init captures, barriers and races inside, as arguments.

// Lambdas.

template <typename F> __device__ int apply(F f, int x) { return f(x) + f(1); }
template <typename F> __device__ void each(int n, const F &f) { for (int i = 0; i < n; ++i) f(i); }
struct Scale { int by; __device__ int all(int x) { auto f = [this](int y) { return y * by; }; return f(x) + f(1); } };
__device__ int outer(int x) { auto twice = [](int y) { return 2 * y; }; return twice(x) + 1; }

#define LAMBDAS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
//: out[t] == 20 + t
LAMBDAS(lambdas_1,
    int t = threadIdx.x; int n = 10; auto at = [&n](int y, int x) { return y * n + x; }; out[t] = at(2, t))
//: out[t] == (t + 1) % 8
LAMBDAS(lambdas_2,
    int t = threadIdx.x; auto next = [](int a, int end) { return a < end - 1 ? a + 1 : 0; }; out[t] = next(t, 8))
//: out[t] == t + 1
LAMBDAS(lambdas_3, int t = threadIdx.x; int n = t; auto f = [=](int x) { return x + n; }; n = 50; out[t] = f(1))
//: out[t] == t + 1 + 10 * t
LAMBDAS(lambdas_4,
    int t = threadIdx.x; int n = t; auto f = [n](int x) mutable { n += x; return n; }; out[t] = f(1) + 10 * n)
//: out[t] == t + 3
LAMBDAS(lambdas_5, int t = threadIdx.x; int n = t; auto f = [&](int x) { n += x; }; f(1); f(2); out[t] = n)
//: out[t] == 2 * t + 2
LAMBDAS(lambdas_6,
    int t = threadIdx.x; int a[2] = {1, t}; auto f = [&](int i) { a[i] += 1; return a[i]; }; out[t] = f(1) + a[1])
//: out[t] == sum(i for i in range(4) if i <= t)
LAMBDAS(lambdas_7, int t = threadIdx.x, r = 0; each(4, [&](int i) { if (i > t) return; r += i; }); out[t] = r)
//: out[t] == 21 if t > 3 else -1
LAMBDAS(lambdas_8,
    int t = threadIdx.x, r = 0; if (t > 3) each(2, [&](auto i) { r += i + 10; }); else r = -1; out[t] = r)
//: out[t] == 4 * t if t > 4 else 4
LAMBDAS(lambdas_9,
    int t = threadIdx.x, r = 0; r = apply([t](int x) -> int { if (t > 4) return x * t; return x; }, 3); out[t] = r)
LAMBDAS(lambdas_10, int t = threadIdx.x, r = 0; r = [&]() { return t * 2; }(); out[t] = r)  //: out[t] == 2 * t
//: out[t] == t // 2 + 3
LAMBDAS(lambdas_11, int t = threadIdx.x; auto f = [&](auto x) { return x / 2; }; out[t] = f(t) + (int)(f(3.0f) * 2))
//: out[t] == t + 2
LAMBDAS(lambdas_12,
    int t = threadIdx.x; auto f = [&](int x) { return x + 1; }; auto g = [&](int x) { return f(f(x)); };
    out[t] = g(t))
LAMBDAS(lambdas_13, int t = threadIdx.x; Scale s{t}; out[t] = s.all(3))  //: out[t] == 4 * t
LAMBDAS(lambdas_14, int t = threadIdx.x; out[t] = outer(t) + outer(1))  //: out[t] == 2 * t + 4
//: out[t] == 3 * t
LAMBDAS(lambdas_15,
    int t = threadIdx.x, r = 0; for (int i = 0; i < 3; ++i) { auto f = [i](int x) { return x * i; }; r += f(t); }
    out[t] = r)
//: out[t] == 2 * t + 1
LAMBDAS(lambdas_16, int t = threadIdx.x; double d = t; auto f = [=] { return d + 0.5; }; out[t] = (int)(2 * f()))

// Refused.
#define REFUSED(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
REFUSED(refused_1, int t = threadIdx.x, r = 0; int n = 3; auto f = [&m = n]() { return m; }; out[t] = r)
//                                                                  ^ error: this capture of a lambda; declare a variable
REFUSED(refused_2, int t = threadIdx.x, r = 0; int a[2] = {1, 2}; auto f = [=] { return a[0]; }; out[t] = r)
//                                                                         ^ error: copy of the array 'a' in a lambda
REFUSED(refused_3, int t = threadIdx.x; auto f = [](int x) { return x; }; out[t] = f())
//                                                                                 ^ error: this lambda takes 1 arguments, 0 are given
REFUSED(refused_4, int t = threadIdx.x; int n = 1; auto f = [=] { n = 2; }; out[t] = f())
//                                                                ^ error: this is const or a whole array: it cannot be assigned
REFUSED(refused_5, int t = threadIdx.x, r = 0; auto f = [](int... x) { }; out[t] = r)
//                                                         ^ error: parameter '...'

// Init captures.
#define INIT_CAPTURES(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
//: out[t] == 2 * t + 2
INIT_CAPTURES(init_captures_1, int n = t; auto f = [n = n + 1](int x) { return n * x; }; n = 100; out[t] = f(2))
//: out[t] == 3 * t
INIT_CAPTURES(init_captures_2, auto f = [i = 0, step = t]() mutable { i += step; return i; }; f(); f(); out[t] = f())
//: out[t] == 6 + t + 3
INIT_CAPTURES(init_captures_3,
    int a[2] = {t, 5}; auto f = [&, p = a, t = 3] { return p[1] + a[0] + t; }; a[1] = 6; out[t] = f())
