// Brace initialisers: elided and parenthesised braces, designators, arrays in structs, returned lists.

// Braces may be left out or stand in parentheses.

struct Point { int a; float2 at; };
struct Pair { Point p[2]; };
struct Phase {
    int index, parity;
    __device__ Phase() {}
    __device__ Phase(int i, int p) : index(i), parity(p) {}
    __device__ Phase(const Phase &other) : index(other.index), parity(other.parity) {}
};
struct Held { Phase phase; float2 at; __device__ Held(int t) : phase({2, t}), at({1.0f, 5.0f}) {} };
struct Made { float2 at; __device__ Made(float2 a) : at(a) {} };

#define BRACES_LEFT(NAME, ...) \
    __global__ void NAME(float *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
//: out[t] == 100 * t + 21
BRACES_LEFT(braces_left_out_1,
    float2 v[2] = {1.0, 2.0, t}; out[t] = v[0].x + 10 * v[0].y + 100 * v[1].x + 1000 * v[1].y)
//: out[t] == 10 * t + 6401
BRACES_LEFT(braces_left_out_2,
    float4 w[2][2] = {{1.0f}, {t, 2, 3, 4, 5, 6}};
    out[t] = w[0][0].x + 10 * w[1][0].x + 100 * w[1][0].w + 1000 * w[1][1].y + 10000 * w[0][1].x)
//: out[t] == t + 6540
BRACES_LEFT(braces_left_out_3,
    float2 one = make_float2(1, t); float2 v[3] = {one, make_float2(3, 4), 5, 6};
    out[t] = v[0].y + 10 * v[1].y + 100 * v[2].x + 1000 * v[2].y)
//: out[t] == 1000 * t + 431
BRACES_LEFT(braces_left_out_4,
    Point p[2] = {1, 2, 3, {4, {5, t}}}; out[t] = p[0].a + 10 * p[0].at.y + 100 * p[1].a + 1000 * p[1].at.y)
//: out[t] == 10 * t + 6503
BRACES_LEFT(braces_left_out_5,
    Point p[2] = {1, {2, 3}, t}; Pair q[2] = {{1}, 2, 3, 4, 5, 6};
    out[t] = p[0].at.y + 10 * p[1].a + 100 * q[1].p[1].a + 1000 * q[1].p[1].at.x + 10000 * q[0].p[1].a)
//: out[t] == 10 * t + 303
BRACES_LEFT(braces_left_out_6, float2 v({3.0f, t}); Point p({1, {2, 3}}); out[t] = v.x + 10 * v.y + 100 * p.at.y)
//: out[t] == 10 * t + 503
BRACES_LEFT(braces_left_out_7, Phase p({3, t}); Made m({4.0f, 5.0f}); out[t] = p.index + 10 * p.parity + 100 * m.at.y)
//: out[t] == 10 * t + 502
BRACES_LEFT(braces_left_out_8, Held h(t); out[t] = h.phase.index + 10 * h.phase.parity + 100 * h.at.y)

// Values that no part is left for.
__global__ void values_part_left_1(int *out) {
    int t = threadIdx.x, r = 0;
    float2 v[2] = {1, 2, 3, 4, 5};
//                             ^ error: too many values for float2[2]
    out[t] = r;
}

__global__ void values_part_left_2(int *out) {
    int t = threadIdx.x, r = 0;
    Point p[1] = {1, 2, 3, {4, 5}};
//                         ^ error: too many values for Point[1]
    out[t] = r;
}

// Braces and designators in declarations.

auto constexpr WIDTH = 4u;
struct Step { int from; int by = 2; int rest[2]; float scale; };

//: a[t] == t % 4 + 10.5
__global__ void braces_and_designators_in_declarations(float *a) {
    auto const column{threadIdx.x % WIDTH};
    const auto scale{0.5f};
    Step step = {.from = 7, .scale = scale}, second{.by{5}};
    for (auto i{0}; i < 2; ++i) step.from += step.by + second.by + step.rest[i] + second.from;
    a[threadIdx.x] = column + step.from * step.scale;
}

// Braces of a member that is an array.

struct Inner { int x; };
struct Mixed { int a; int b[2]; Inner c; int d[3]; };

//: a[t] == 1234
#define BRACES_MEMBER(NAME, ...) \
    __global__ void NAME(int *a) { \
        Mixed m = __VA_ARGS__; a[threadIdx.x] = 1000 * m.a + 100 * m.b[0] + 10 * m.b[1] + m.c.x + m.d[2]; \
    }
BRACES_MEMBER(braces_member_array_1, {1, {2, 3}, {4}})
BRACES_MEMBER(braces_member_array_2, {1, 2, 3, {4}})
BRACES_MEMBER(braces_member_array_3, {1, {2, 3}, Inner{4}, {0}})
BRACES_MEMBER(braces_member_array_4, {.a = 1, .b = {2, 3}, .c{4}})

// A returned list with designators and default values.

struct P { float x; float y = 7; };
struct Q { P p; int n[2]; };
__device__ P plain(float v) { return {v}; }
__device__ P named(float v) { return {.x = v, .y = 2}; }
__device__ Q nested() { return {.p = {.x = 1, .y = 3}, .n = {4, 5}}; }
template <typename T> __device__ T one(float v) { return {.x = v}; }

//: out == [7, 4, 2, 7, 2, 7, 3, 5]
__global__ void a_returned_list_with_designators_and_default_values(float *out) {
    auto next = [](float v) -> P { return {.x = v + 1}; };
    Q q = nested();
    float all[] = {plain(1).y, named(4).x, named(4).y, one<P>(5).y, next(1).x, next(1).y, q.p.y, q.n[1] * 1.f};
    if (threadIdx.x == 0) for (int i = 0; i < 8; ++i) out[i] = all[i];
}

// Braces of a struct that begins with an array.

struct Context { unsigned char block[4]; int length; int state[2]; };

//: <<<1, 1>>>
//: out = zeros(3)
#define BRACES_STRUCT(NAME, ...) \
    __global__ void NAME(int *out) { \
        Context all = {1}; Context c = __VA_ARGS__; out[0] = c.block[0] + c.block[1] + c.block[2] + c.block[3]; \
        out[1] = c.length; out[2] = c.state[0] + c.state[1]; \
    }
BRACES_STRUCT(braces_struct_begins_1, {0})  //: out[t] == 0
BRACES_STRUCT(braces_struct_begins_2, {})  //: out[t] == 0
BRACES_STRUCT(braces_struct_begins_3, {7})  //: out == [7, 0, 0]
BRACES_STRUCT(braces_struct_begins_4, {1, 2, 3, 4, 5, 6, 7})  //: out == [10, 5, 13]
BRACES_STRUCT(braces_struct_begins_5, {{1, 2}, 5, {6}})  //: out == [3, 5, 6]
BRACES_STRUCT(braces_struct_begins_6, {1, 2, 3, 4, 5})  //: out[t] == -5 * t + 10
BRACES_STRUCT(braces_struct_begins_7, {all})  //: out == [1, 0, 0]

// Braces as arguments of pair conversions.
//: <<<1, 1>>>
//: h = zeros(2)
//: b = zeros(2)
//: out = zeros(2)
//: h == [1.5, 2.5]
//: out == [2.5, 3.5]
__global__ void braces_as_arguments_of_pair_conversions(half2 *h, __nv_bfloat162 *b, float *out) {
    h[0] = __float22half2_rn({1.5f, 2.5f});
    b[0] = __float22bfloat162_rn({3.5f, 4.5f});
    out[0] = __half22float2({h[0].y, h[0].x}).x;
    out[1] = __bfloat1622float2({b[0].y, b[0].x}).y;
}
