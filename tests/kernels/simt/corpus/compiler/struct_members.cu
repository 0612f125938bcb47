// Members of structs: operators, friends, constructors, destructors, anonymous members, references.

#include <vector>

// Members.

namespace increments {
struct N {
    int n;
    __device__ N &operator++() { ++n; return *this; }
    __device__ N operator++(int) { N old = *this; n += 10; return old; }
    __device__ N operator-() const { return {-n}; }
    __device__ operator int() const { return n; }
};

//: out[t] == 1000 * (t + 112) + t + 1
__global__ void increments(int *out) {
    int t = threadIdx.x;
    N a{t}; ++a; N b = a++; (++a).n += 100; out[t] = b.n + 1000 * a.n + (int)(-b) + int(b);
}
}

namespace operators_by_name {
struct N { int n; __device__ int operator()(int x) const { return n * x; } };
__device__ N operator+(N a, N b) { return {a.n + b.n}; }

//: out[t] == 5 * t
__global__ void operators_by_name(int *out) {
    int t = threadIdx.x;
    N a{t}, b; b.operator=(a); out[t] = a.operator()(3) + operator+(a, b).n;
}
}

namespace an_assignment_of_one_struct_s_own {
struct H { int x; __device__ H &operator=(const H &o) { x = o.x + 10; return *this; } };
__device__ float4 twice(float4 v) { return make_float4(2 * v.x, v.y, v.z, v.w); }

//: out[t] == t + 10 + 2 * t
__global__ void an_assignment_of_one_struct_s_own(int *out) {
    int t = threadIdx.x;
    H a{t}, b; b = a; float4 v = make_float4(t, 1, 2, 3), w; w = v; w = twice(w); out[t] = b.x + w.x;
}
}

struct C { float re, im; __device__ C(float re = 0, float im = 0) : re(re), im(im) {} };
__device__ C operator*(const C &a, const C &b) {
    return C(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
__device__ float real(C c) { return c.re; }
__device__ C sqrt(C c) { return C(-1); }
__device__ int which(C) { return 1; }
__device__ int which(double) { return 2; }

//: out[t] == 2 * t + 300 + 4000 + 2 + 30000 + 200000 + 1000000
__global__ void arguments_that_constructors_make(int *out) {
    int t = threadIdx.x;
    C c(t, 1), d = c * 2.0f, e = 3 * c, f = 3;
    out[t] = d.re + e.im * 100 + real(4) * 1000 + sqrt(4.0f) + f.re * 10000 + 100000 * which(1) + 1000000 * which(c);
}

namespace names_of_a_base {
template <typename T> struct B { T v; __device__ T get() { return v; } };
template <typename T> struct D : B<T> {
    using Base = B<T>;
    using Base::v;
    using B<T>::get;
    __device__ T twice() { return 2 * this->get() + v; }
};

//: out[t] == 4 * t
__global__ void names_of_a_base(int *out) {
    int t = threadIdx.x;
    D<int> d; d.v = t; out[t] = d.twice() + d.get();
}
}

namespace friends_case {
struct P {
        int x;
        friend __device__ int get(const P &p) { return p.x; }
        friend __device__ P operator+(P a, P b) { return {a.x + b.x}; }
        friend struct Nobody;
    };
    template <typename T> struct Q { T x; friend __device__ T twice(const Q &q) { return 2 * q.x; } };

//: out[t] == 4 * t + 3
__global__ void friends_case(int *out) {
    int t = threadIdx.x;
    P p{t}; Q<int> q{t}; Q<float> f{1.5f}; out[t] = get(p + p) + twice(q) + twice(f);
}
}

namespace members_without_a_name {
struct V {
    union { struct { int x, y; }; int e[2]; };
    int z;
    __device__ int sum() const { return x + e[1] + z; }
};

//: out[t] == 10_111 + t
__global__ void members_without_a_name(int *out) {
    int t = threadIdx.x;
    V v; v.x = t; v.y = 10; v.z = 100; v.e[0] += 1; out[t] = v.sum() + 1000 * v.e[1];
}
}

namespace constructors {
struct A {
    const int a; float b; int c[3];
    __device__ A(int x) : a(x), b{2.5f}, c{x, 7} {}
    __device__ A() : A(5) { b += 1; }
    __host__ __device__ ~A() {}
};

//: out[t] == t + 70 + 500 + 7000
__global__ void constructors(int *out) {
    int t = threadIdx.x;
    A p(t), q; out[t] = p.a + 10 * p.c[1] + p.c[2] + 100 * q.a + q.b * 2000;
}
}

namespace braces_case {
struct A { int x; };
struct B { int v[2]; struct { int y; } in; };
__device__ int f(const A &a = {3}) { return a.x; }
__device__ B made(int t) { return {{t, 1}, {2}}; }

//: out[t] == 220 + 2 * t
__global__ void braces_case(int *out) {
    int t = threadIdx.x;
    B b = made(t), all[2]; all[t & 1].in = {.y = 7};
    out[t] = f() + f({t}) + b.v[0] + 10 * b.v[1] + 100 * b.in.y + all[t & 1].in.y;
}
}

namespace a_base_that_knows_what_inherits_from_it {
template <typename D> struct Shape {
        __device__ int twice() { return 2 * static_cast<D *>(this)->area(); }
    };
    struct Square : Shape<Square> { int side; __device__ int area() { return side * side; } };

//: out[t] == 2 * t * t
__global__ void a_base_that_knows_what_inherits_from_it(int *out) {
    int t = threadIdx.x;
    Square s; s.side = t; out[t] = s.twice();
}
}

namespace exceptions_that_are_not_thrown {
struct S { __device__ int a() noexcept(true) { return 1; } __device__ int b() throw() { return 2; } };

//: out[t] == 3
__global__ void exceptions_that_are_not_thrown(int *out) {
    int t = threadIdx.x;
    S s; out[t] = s.a() + s.b();
}
}

namespace constructors_and_members_without_a_name_friends_behind_other_words {
template <typename T> struct V {
    int n;
    union { struct { T x, y; }; T both[2]; };
    __device__ V() : x(1), y(2), n(3) {}
    __device__ V(T a, T b) : both{a, b}, n(4) {}
    __device__ inline friend V operator+(const V &a, const V &b) { return V(a.x + b.x, a.y + b.y); }
    __host__ __device__ friend T dot(const V &a, const V &b) { return a.both[0] * b.x + a.y * b.both[1]; }
};

//: out[t] == 1000 * (t + 10) + 100 * (t + 1) + 73
__global__ void constructors_and_members_without_a_name_friends_behind_other_words(int *out) {
    int t = threadIdx.x;
    V<int> a, b(t, 5), c = a + b; out[t] = dot(a, b) * 1000 + c.x * 100 + c.y * 10 + a.n;
}
}

class Data {
    static constexpr int n = 4, m = 2 * n;
    enum { K = 3 };
    std::vector<int> all;
};

//: out[t] == 38
__global__ void constants_of_a_struct_that_only_the_host_can_use(int *out) {
    int t = threadIdx.x;
    int a[Data::n]; a[t % Data::n] = Data::m; out[t] = a[t % Data::n] + 10 * Data::K;
}

// A destructor with a body is refused.

namespace a_destructor_with_a_body_is_refused {
struct S { int x; __device__ ~S() { x = 0; } };

__global__ void a_destructor_with_a_body_is_refused(int *out) {
    int t = threadIdx.x;
    S s; out[t] = 1;
//  ^ error: not supported: destructor with statements
}
}

// An unsupported constructor is refused where it is used.

namespace an_unsupported_constructor_is_refused_where_it_is_used {
struct S { int x; __device__ S() { throw 1; } };

__global__ void an_unsupported_constructor_is_refused_where_it_is_used(int *out) {
    int t = threadIdx.x;
    S s; out[t] = s.x;
//  ^ error: not supported: throw
}
}

// Static and member functions of the same name.

namespace static_member_functions_1 {
struct Bar {
    int held;
    __device__ static void init(int *at, int n) { *at = n + 1; }
    __device__ void init(int n) { Bar::init(&this->held, n); }
    __device__ void again(int n) { init(&held, n); init(n + held); }
};

//: out[t] == t + 1 + 2200 + 80000 + 200000
__global__ void static_member_functions_1(int *out) {
    int t = threadIdx.x, r = 0;
    Bar bar; bar.init(t); r = bar.held; bar.again(10); r += 100 * bar.held;
        Bar::init(&bar.held, 7); r += 10000 * bar.held; bar.init(&bar.held, 1); r += 100000 * bar.held;
    out[t] = r;
}
}

namespace static_member_functions_2 {
struct Bar {
    int held;
    __device__ void init(int n) { Bar::init(&this->held, n); }
    __device__ static void init(int *at, int n) { *at = n + 1; }
    __device__ void again(int n) { init(&held, n); init(n + held); }
};

//: out[t] == t + 1 + 2200 + 80000 + 200000
__global__ void static_member_functions_2(int *out) {
    int t = threadIdx.x, r = 0;
    Bar bar; bar.init(t); r = bar.held; bar.again(10); r += 100 * bar.held;
        Bar::init(&bar.held, 7); r += 10000 * bar.held; bar.init(&bar.held, 1); r += 100000 * bar.held;
    out[t] = r;
}
}

// Members that are references.

namespace members_that_are_references {
struct Span { float *at; int columns; __device__ float &operator()(int r, int c) { return at[r * columns + c]; } };
template <typename S> struct Loader {
    S &to;
    const int stride;
    __device__ Loader(int n, S &s) : stride(n), to(s) {}
    __device__ void load(int i) { to(i, 0) = i * stride; this->to(i, 1) = i * stride + 1; to.columns = 2; }
};
struct Sum { float &total; const int &by; __device__ void add(float x) { total += x * by; } };
struct Twice : Sum { __device__ void two(float x) { add(x); total += x; } };

//: out[t] == 2 * (2 * t + 1) + 3 + 15 + 15000
__global__ void members_that_are_references(float *out) {
    int t = threadIdx.x;
    float tile[16], parts[4] = {0, 0, 0, 0}, sum = 0; int by = 2;
    Span span{tile, 2}; Loader<Span> loader(2, span);
    for (int i = 0; i < 8; ++i) loader.load(i);
    Sum adder{sum, by}; adder.add(span(t, 1)); by = 3; adder.add(1);
    Sum other = {parts[1], adder.by}; other.add(5); adder.total += other.total;
    out[t] = sum + 1000 * parts[1];
}
}
