// Functions that return references: as lvalues, chained, and discarded.

// A discarded reference return is evaluated.

struct Cell { int x; __device__ int &set(int v) { return x = v; } __device__ int &more() { return ++x; } };

//: out[t] == 10 * t + 1
__global__ void a_discarded_reference_return_is_evaluated(int *out) {
    int t = threadIdx.x;
    Cell a; a.set(t * 10); a.more(); out[t] = a.x;
}

// Constexpr functions return references.

namespace constexpr_functions_return_references {
template <typename T, int N> struct Row {
    T all[N];
    __device__ constexpr T &operator[](int i) noexcept { return all[i]; }
    __device__ constexpr const T &operator[](int i) const noexcept { return all[i]; }
    __device__ constexpr T *data() { return all; }
};
template <typename T> __device__ constexpr T &same(T &x) { return x; }

//: <<<1, 1>>>
//: out[t] == 445
__global__ void constexpr_functions_return_references(float *out) {
    Row<float, 4> row{};
    row[0] = 1;
    for (int i = 1; i < 4; ++i) row[i] += row[i - 1] + 1;
    *row.data() = 5;
    same(row[1]) *= 2;
    out[0] = row[0] + 10 * row[1] + 100 * row[3];
}
}

// Returned references are lvalues.

namespace returned_references_are_lvalues {
struct V {
    float e[3], w;
    __device__ V(float a, float b, float c) : w(0) { e[0] = a; e[1] = b; e[2] = c; }
    __device__ float operator[](int i) const { return e[i]; }
    __device__ float &operator[](int i) { return e[i]; }
    __device__ float &x() { return e[0]; }
    __device__ V &operator+=(const V &o) { for (int i = 0; i < 3; ++i) e[i] += o.e[i]; return *this; }
    __device__ V &add(float d) { w += d; return *this; }
};
struct Cursor { float *p; __device__ float &operator*() { return *p; } };
__device__ float &at(float *p, int i) { return p[i]; }
__device__ V &self(V &v) { return v; }

//: out[t] == 9 + t + 29 + 2000 + 1
//: w[t] == 8
__global__ void returned_references_are_lvalues(float *out, float *w) {
    int t = threadIdx.x, i = 0;
    V v(1, 2, t);
    v[1] = 5;
    v[2] += v[0];
    v.x() = 7;
    at(out, t) = 3;
    at(out, t) += v[1] + v[2];
    (v += v) += v;
    self(v).e[0] += 1;
    v.add(1).add(2).add(i++).w += 4;
    float &r = at(out, t);
    r += v.x() + v[1] * 100;
    ++at(out, t);
    Cursor c{w + t};
    *c = v.w;
    *c += i;
}
}

// Unsupported reference returns are refused.

namespace unsupported_reference_returns_1 {
__device__ int &at(int *p, int i) { if (i) return 3; return p[1]; }
//                                                ^ error: this cannot be assigned

//: p = zeros(8)
__global__ void unsupported_reference_returns_1(int *p) {
    at(p, threadIdx.x) = 1;
}
}

namespace unsupported_reference_returns_2 {
__device__ int &at(int *p, int i) { __syncthreads(); return p[i]; }

//: p = zeros(8)
__global__ void unsupported_reference_returns_2(int *p) {
    at(p, threadIdx.x) = 1;
//  ^ error: (…), which waits at a barrier; return a pointer
}
}

namespace unsupported_reference_returns_3 {
__device__ int &at(int *p, int i) { __syncthreads(); return i ? p[0] : p[1]; }

//: p = zeros(8)
__global__ void unsupported_reference_returns_3(int *p) {
    at(p, threadIdx.x) = 1;
//  ^ error: (…), which waits at a barrier; return a pointer
}
}

namespace unsupported_reference_returns_4 {
__device__ int &at(int *p, int i) { return i + 1; }

//: p = zeros(8)
__global__ void unsupported_reference_returns_4(int *p) {
    at(p, threadIdx.x) = 1;
//  ^ error: at, which returns a reference to a value
}
}

// Operators that return references.

namespace operators_that_return_references {
struct Q {
        int v;
        __device__ Q &operator<<(int k) { v += k; return *this; }
        __device__ Q &operator+=(const Q &o) { v += o.v; return *this; }
        __device__ Q &operator++() { v++; return *this; }
        __device__ Q operator++(int) { Q old = *this; v++; return old; }
        __device__ Q &add(int k) { v += k; return *this; }
        __device__ Q &operator,(const Q &o) { v += 10 * o.v; return *this; }
    };
    __device__ Q &operator>>(Q &q, int k) { q.v -= k; return q; }
    __device__ void bump(Q &q) { q.v += 5; }

#define OPERATORS_RETURN(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
OPERATORS_RETURN(one_after_another, Q a; a.v = t; a << 1 << 2 << 30; out[t] = a.v)  //: out[t] == t + 33
OPERATORS_RETURN(a_member_of_it, Q a; a.v = t; (a << 5).v += 100; out[t] = a.v)  //: out[t] == t + 105
OPERATORS_RETURN(assignments, Q a, b; a.v = t; b.v = 2; (a += b) += b; out[t] = a.v)  //: out[t] == t + 4
OPERATORS_RETURN(as_arguments, Q a; a.v = t; a >> 1 >> 2; bump(a << 1); out[t] = a.v)  //: out[t] == t + 3
OPERATORS_RETURN(increments, Q a; a.v = t; ++++a; out[t] = (a++).v + 100 * a.v)  //: out[t] == t + 2 + 100 * (t + 3)
//: out[t] == 2 * (t + 7) + 1000 * (t + 3)
OPERATORS_RETURN(references_to_it,
    Q a; a.v = t; Q b = a << 1 << 2; Q &c = a << 4; c.v *= 2; out[t] = a.v + 1000 * b.v)
//: out[t] == t + 30 + 1000 * (t + 9) + 100000
OPERATORS_RETURN(elements,
    Q a[2]; a[0].v = a[1].v = t; int j = 0; a[j++] << 10 << 20; a[1].add(2).add(3) << 4;
    out[t] = a[0].v + 1000 * a[1].v + 100000 * j)
//: out[t] == t + 100 * (t % 2) + 1000 * (t + 100 * (1 - t % 2))
OPERATORS_RETURN(one_of_two, Q a, b; a.v = b.v = t; (t % 2 ? a : b).add(100); out[t] = a.v + 1000 * b.v)
OPERATORS_RETURN(commas, Q a, b; a.v = t; b.v = 2; a, b, b; a, 7; out[t] = (a.v, a.v + 1))  //: out[t] == t + 41
OPERATORS_RETURN(numbers, out[t] = 1 << t >> 1)  //: out[t] == 1 << t >> 1
}
