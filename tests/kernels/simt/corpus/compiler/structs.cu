// Structs, vector types, references, overloads, templates and switch.

// Structs.

namespace structs {
struct Pair { float x; int n; };

#define STRUCTS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
//: out[t] == 3 * t + 1
STRUCTS(structs_1, Pair p = {0.5f, t}; Pair q = p; q.n *= 2; out[t] = p.n + q.n + (p.x == 0.5f))
//: out == [1, 1, 1, 1, 2, 2, 2, 2]
STRUCTS(structs_2, Pair p; if (t < 4) { p.n = 1; } else { p = Pair{0.f, 2}; } out[t] = p.n)
//: out[t] == 3 + t
STRUCTS(structs_3, Pair a[3] = {{1.f, 1}, {2.f, 2}}; a[2].n = t; out[t] = a[0].n + a[1].n + a[2].n)
STRUCTS(structs_4, Pair p = {1.f, t}; Pair *q = &p; q->n += 5; out[t] = p.n)  //: out[t] == t + 5
}

struct In { int a[3]; }; struct Out { In in; int b; };

//: out[t] == 8
__global__ void structs_5(int *out) {
    int t = threadIdx.x;
    Out o; o.in.a[t % 3] = 7; o.b = 1; out[t] = o.in.a[t % 3] + o.b;
}

namespace structs_6 {
struct Pair { float x; int n; };
__device__ Pair twice(Pair p) { p.n *= 2; return p; }

//: out[t] == 4 * t
__global__ void structs_6(int *out) {
    int t = threadIdx.x;
    out[t] = twice(twice(Pair{1.f, t})).n;
}
}

namespace structs_7 {
struct Pair { float x; int n; };
__device__ Pair make(int n) { return {0.f, n}; }

//: out[t] == t
__global__ void structs_7(int *out) {
    int t = threadIdx.x;
    auto p = make(t); out[t] = p.n;
}
}

namespace structs_8 {
struct Pair { float x; int n; };

//: out[t] == [20, 10][t % 2]
__global__ void structs_8(int *out) {
    int t = threadIdx.x;
    Pair p = t % 2 ? Pair{0.f, 10} : Pair{0.f, 20}; out[t] = p.n;
}
}

//: out[t] == 3 * t + 2
__global__ void structs_9(int *out) {
    int t = threadIdx.x, r = 0;
    int2 v = make_int2(t, 2 * t); r = v.x + v.y; v = {1, 2}; r += v.y;
    out[t] = r;
}

//: out[t] == 7
__global__ void structs_10(int *out) {
    int t = threadIdx.x;
    float4 v; v.x = 1; v.w = 4; float *p = &v.x; p[1] = 2; out[t] = v.x + v.y + v.w;
}

__device__ int2 operator+(int2 a, int2 b) { return make_int2(a.x + b.x, a.y + b.y); }

//: out[t] == (1 + t) * (2 + t)
__global__ void structs_11(int *out) {
    int t = threadIdx.x;
    int2 v = make_int2(1, 2) + make_int2(t, t); out[t] = v.x * v.y;
}

namespace structs_12 {
__device__ void operator+=(int2 &a, int b) { a.x += b; a.y -= b; }

//: out[t] == (5 + t) * 10 + 5 - t
__global__ void structs_12(int *out) {
    int t = threadIdx.x;
    int2 v = make_int2(5, 5); v += t; out[t] = v.x * 10 + v.y;
}
}

namespace structs_13 {
struct V { int x; __device__ int twice() const { return 2 * x; } __device__ void add(int n) { x += n; } };

//: out[t] == 2 * (t + 3)
__global__ void structs_13(int *out) {
    int t = threadIdx.x;
    V v = {t}; v.add(3); out[t] = v.twice();
}
}

namespace structs_14 {
struct V { int x; __device__ V &operator+=(const V &o) { x += o.x; return *this; } };

//: out[t] == t + 4
__global__ void structs_14(int *out) {
    int t = threadIdx.x;
    V v = {t}, w = {2}; v += w; out[t] = (v += w).x;
}
}

__device__ int &at(int *a, int i) { return a[i]; }

//: out[t] == t + 3
__global__ void structs_15(int *out) {
    int t = threadIdx.x;
    int a[2] = {3, t}; out[t] = at(a, 0) + at(a, 1);
}

namespace structs_16 {
struct V { int x, y; __device__ V(int a) : x(a), y(a + 1) {} };

//: out[t] == t * (t + 1)
__global__ void structs_16(int *out) {
    int t = threadIdx.x;
    V v(t); out[t] = v.x * v.y;
}
}

// Functions.

__device__ void swap(int &a, int &b) { int c = a; a = b; b = c; }

//: out == [0, 1, 2, 3, 10, 10, 10, 10]
__global__ void functions_1(int *out) {
    int t = threadIdx.x;
    int a = t, b = 10; if (t > 3) swap(a, b); out[t] = a;
}

namespace functions_2 {
__device__ void add(int &a) { a += 2; }

//: out[t] == [31, 13][t % 2]
__global__ void functions_2(int *out) {
    int t = threadIdx.x;
    int v[2] = {1, 1}; add(v[t % 2]); out[t] = v[0] * 10 + v[1];
}
}

__device__ int sum(const int &a, const int &b) { return a + b; }

//: out[t] == t + 3
__global__ void functions_3(int *out) {
    int t = threadIdx.x;
    out[t] = sum(t, 3);
}

//: out[t] == t + 1
__global__ void functions_4(int *out) {
    int t = threadIdx.x;
    int v[4] = {0}; int &last = v[3]; last = t; auto &first = v[0]; first = 1; out[t] = v[0] + v[3];
}

namespace functions_5 {
__device__ int f(int a, int b = 10) { return a * b; }

//: out[t] == 12 * t
__global__ void functions_5(int *out) {
    int t = threadIdx.x;
    out[t] = f(t) + f(t, 2);
}
}

namespace functions_6 {
__device__ int f(int) { return 1; } __device__ int f(float) { return 2; }__device__ int f(const int *) { return 3; }

//: out[t] == 123
__global__ void functions_6(int *out) {
    int t = threadIdx.x;
    int v[1]; out[t] = f(t) * 100 + f(1.f) * 10 + f(v);
}
}

template <typename S> __device__ S max(S a, S b, S c) { return max(max(a, b), c); }

//: out[t] == max(t, 3) + max(t, 2) + 1
__global__ void functions_7(int *out) {
    int t = threadIdx.x;
    out[t] = max(t, 3) + max(t, 1, 2) + (int)max(0.5, 1.5f);
}

__device__ void atomicMax(float *a, float v) { atomicMax((int *)a, __float_as_int(v)); }

//: out[t] == max(2, 2 * t + 1)
__global__ void functions_8(int *out) {
    int t = threadIdx.x;
    __shared__ float v[8]; v[t] = 1; atomicMax(&v[t], t + 0.5f); out[t] = v[t] * 2;
}

template <typename S> __device__ S larger(S a, S b) { return a > b ? a : b; }

//: out[t] == max(t, 4) + int(max(t, 0.5))
__global__ void functions_9(int *out) {
    int t = threadIdx.x;
    out[t] = larger(t, 4) + (int)larger<float>(t, 0.5f);
}

template <int N, typename S> __device__ S power(S x) { S y = 1; for (int i = 0; i < N; i++) y *= x; return y; }

//: out[t] == t**3
__global__ void functions_10(int *out) {
    int t = threadIdx.x;
    out[t] = power<3>(t);
}

template <int N> __device__ int count() { if constexpr (N > 0) return 1 + count<N - 1>(); else return 0; }

//: out[t] == 5
__global__ void functions_11(int *out) {
    int t = threadIdx.x;
    out[t] = count<5>();
}

namespace functions_12 {
template <typename S> struct Box { S v; __device__ S twice() const { return v + v; } };
template <typename S> __device__ S doubled(S x) { Box<S> b = {x}; return b.twice(); }

//: out[t] == 2 * t
__global__ void functions_12(int *out) {
    int t = threadIdx.x;
    out[t] = doubled(t);
}
}

template <typename S, int N = 2> struct Tile { S v[N]; };

//: out[t] == t
__global__ void functions_13(int *out) {
    int t = threadIdx.x;
    Tile<int> a; a.v[1] = t; out[t] = a.v[1];
}

// Switch.
#define SWITCH_CASE(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
//: out[t] == [1, 12, 10, 5][t % 4]
SWITCH_CASE(switch_case_1,
    int t = threadIdx.x, r = 0;
    switch (t % 4) { case 0: r = 1; break; case 1: r = 2; case 2: r += 10; break; default: r = 5; } out[t] = r)
//: out == [9, 9, 9, 1, 1, 9, 9, 9]
SWITCH_CASE(switch_case_2,
    int t = threadIdx.x, r = 0; switch (t) { default: r = 9; break; case 3: case 4: r = 1; } out[t] = r)
//: out == [103, 103, 103, 103, 103, 3, 3, 3]
SWITCH_CASE(switch_case_3,
    int t = threadIdx.x, r = 0;
    for (int i = 0; i < 4; i++) { switch (i) { case 1: continue; case 3: if (t > 4) break; r += 100; } r++; }
    out[t] = r)
//: out[t] == 6
SWITCH_CASE(switch_case_4,
    int t = threadIdx.x; int i = 0; while (true) { switch (i++) { case 5: break; default: continue; } break; }
    out[t] = i)
//: out == [0, 0, 4, 0, 0, 0, 0, 0]
SWITCH_CASE(switch_case_5, int t = threadIdx.x, r = 0; switch (t) { case 2: { int x = 4; r = x; } } out[t] = r)

// A switch may wait and return.
//: <<<1, 64>>> lockstep warps reversed
//: way = 1
//: out[t] == 63 - t % 64
__global__ void switch_wait_return_1(int *out, int way) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    switch (way) { case 1: __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x]; return; }
    out[threadIdx.x] = -1;
}

//: <<<1, 64>>> lockstep warps reversed
//: way = 2
//: out[t] == -1
__global__ void switch_wait_return_2(int *out, int way) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    switch (way) { case 1: __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x]; return; }
    out[threadIdx.x] = -1;
}

// Struct parameters are given member by member.

struct View { float *data; int width; };

//: v.data = zeros(16, "f4")
//: v.width = 2
//: n = 4
//: trace.outputs["v.data"][::2] == [4.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0.0]
__global__ void struct_parameters_given_1(View v, int n) {
    if (threadIdx.x < n) v.data[threadIdx.x * v.width] = n;
}

//: v.data = zeros(16, "f4")
//: n = 4
//: error: no value for 'v.width'
__global__ void struct_parameters_given_2(View v, int n) {
    if (threadIdx.x < n) v.data[threadIdx.x * v.width] = n;
}

// A template kernel.
//: template T = int, SCALE = 2
//: out[7] == 3
template <typename T, int SCALE> __global__ void template_kernel_1(T *out) {
    out[threadIdx.x] = T(threadIdx.x) / SCALE;
}

//: template T = float, SCALE = 4
//: out[7] == 1.75
template <typename T, int SCALE> __global__ void template_kernel_2(T *out) {
    out[threadIdx.x] = T(threadIdx.x) / SCALE;
}

// A template kernel needs its arguments.
#define TEMPLATE_KERNEL(NAME, ...) \
    template <typename T, int SCALE> __global__ void NAME(T *out) { \
        out[threadIdx.x] = __VA_ARGS__; \
    }
//: error: give its argument as --template T=VALUE
TEMPLATE_KERNEL(template_kernel_needs_1, T(threadIdx.x) / SCALE)
//: error: no template parameter 'N': its parameters are T, SCALE
TEMPLATE_KERNEL(template_kernel_needs_2, T(threadIdx.x) / SCALE)  //: template T = int, N = 3
//: error: 'number' is not a type
TEMPLATE_KERNEL(template_kernel_needs_3, T(threadIdx.x) / SCALE)  //: template T = number, SCALE = 3

// Mismatched types are refused.

struct P { int x; };

__global__ void mismatched_types_refused_1() {
    P p = {1}; p.y = 2;
//             ^ error: P has no member .y: its members are .x
}

__global__ void mismatched_types_refused_2() {
    P p = {1, 2};
//            ^ error: too many values for P
}

namespace mismatched_types_refused_3 {
__device__ void f(int &a) { a = 1; }

__global__ void mismatched_types_refused_3() {
    f(3);
//  ^ error: f takes
}
}

namespace mismatched_types_refused_4 {
__device__ int f(int a, int b) { return a; }

__global__ void mismatched_types_refused_4() {
    f(3);
//  ^ error: takes 2 arguments, 1 are given
}
}

__global__ void mismatched_types_refused_5() {
    P a = {1}, b = {2}; a + b;
//                      ^ error: operator+ takes (int2, int2), not (P, P)
}

__global__ void mismatched_types_refused_6() {
    switch (1.5f) { case 1: break; }
//  ^ error: switch needs an integer, not float
}

// A constructor by default beside another.

namespace a_constructor_by_default_beside_another {
struct Pair {
    Pair() = default;
    __device__ explicit Pair(int x) : a(x), b(2 * x) {}
    int a, b = 7;
};

//: out[t] == 170 + 3 * t
__global__ void a_constructor_by_default_beside_another(int *out) {
    Pair none, one(threadIdx.x);
    none.a = 100;
    out[threadIdx.x] = none.a + 10 * none.b + one.a + one.b;
}
}

// Unions.

union Bits { float f; unsigned u; unsigned char b[4]; };
typedef union { double d; unsigned long long l; int2 halves; } Wide;
struct Tagged { int tag; Bits value; };
__device__ unsigned bits(float x) { Bits c; c.f = x; return c.u; }
__device__ Bits made(unsigned u) { Bits c; c.u = u; return c; }

#define UNIONS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
UNIONS(unions_1, out[t] = bits(2.0f) >> 24)  //: out[t] == 0x40
UNIONS(unions_2, Bits c = made(0x40490fdb); out[t] = (int)(c.f * 100) + c.b[0])  //: out[t] == 314 + 0xDB
//: out[t] == 1023 + t
UNIONS(unions_3, Wide w; w.d = 1.0; w.halves.x = t; out[t] = (int)(w.l >> 52) + (int)(w.l & 15))
//: out[t] == 126 + t.bit_length() if t else 0
UNIONS(unions_4, union { int i; float f; } x; x.f = t; out[t] = x.i >> 23)
UNIONS(unions_5, Tagged m; m.tag = t; m.value.f = 1; auto n = m; out[t] = n.tag + n.value.b[2])  //: out[t] == t + 128
//: out[t] == 5 if t & 1 else 7
UNIONS(unions_6, Bits c[2]; c[t & 1].u = 5; c[1 - (t & 1)].u = 7; Bits *p = c; out[t] = p[1].b[0])
UNIONS(unions_7, Bits c{}; out[t] = c.u + sizeof(Bits) + sizeof(Wide) + sizeof(Tagged))  //: out[t] == 20

// An array of unions.
//: g = zeros(8, "f4")
//: s = zeros((8, 2), "u4")
//: g[t] == 1
//: s[t] == [0, 256][t % 2]
__global__ void an_array_of_unions(Bits *g, Tagged *s) {
    g[threadIdx.x].f += 1; s[threadIdx.x].value.b[1] = 1;
}

// A member of a union without a name is refused.
__global__ void a_member_of_a_union_without_a_name_is_refused(int *out) {
    int t = threadIdx.x, r = 0;
    float x = made(1).f;
//            ^ error: member .f of a value: give the struct or union a name first
    out[t] = r;
}

// A union takes the default values of its first member.

template <int N> union Sums { float x[N]{1}; float4 x4[N / 4]; };

//: out[t] == t + 1
__global__ void a_union_takes_the_default_values_of_its_first_member(int *out) {
    int t = threadIdx.x;
    Sums<8> sums[2][3]; sums[1][2].x[5] += t; out[t] = sums[1][2].x4[1].y + sums[0][0].x[0] + sums[1][0].x4[1].w;
}
