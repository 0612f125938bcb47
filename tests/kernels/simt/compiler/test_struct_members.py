"""Members of structs: operators, friends, constructors, destructors, anonymous members, references."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import lanes


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        pytest.param(
            """struct N {
                int n;
                __device__ N &operator++() { ++n; return *this; }
                __device__ N operator++(int) { N old = *this; n += 10; return old; }
                __device__ N operator-() const { return {-n}; }
                __device__ operator int() const { return n; }
            };""",
            "N a{t}; ++a; N b = a++; (++a).n += 100; r = b.n + 1000 * a.n + (int)(-b) + int(b);",
            [1000 * (t + 112) + t + 1 for t in range(8)],
            id="increments",
        ),
        pytest.param(
            """struct N { int n; __device__ int operator()(int x) const { return n * x; } };
            __device__ N operator+(N a, N b) { return {a.n + b.n}; }""",
            "N a{t}, b; b.operator=(a); r = a.operator()(3) + operator+(a, b).n;",
            [5 * t for t in range(8)],
            id="operators by name",
        ),
        pytest.param(
            """struct H { int x; __device__ H &operator=(const H &o) { x = o.x + 10; return *this; } };
            __device__ float4 twice(float4 v) { return make_float4(2 * v.x, v.y, v.z, v.w); }""",
            "H a{t}, b; b = a; float4 v = make_float4(t, 1, 2, 3), w; w = v; w = twice(w); r = b.x + w.x;",
            [t + 10 + 2 * t for t in range(8)],
            id="an assignment of one struct's own",
        ),
        pytest.param(
            """struct C { float re, im; __device__ C(float re = 0, float im = 0) : re(re), im(im) {} };
            __device__ C operator*(const C &a, const C &b) {
                return C(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
            }
            __device__ float real(C c) { return c.re; }
            __device__ C sqrt(C c) { return C(-1); }
            __device__ int which(C) { return 1; }
            __device__ int which(double) { return 2; }""",
            "C c(t, 1), d = c * 2.0f, e = 3 * c, f = 3;"
            " r = d.re + e.im * 100 + real(4) * 1000 + sqrt(4.0f) + f.re * 10000"
            " + 100000 * which(1) + 1000000 * which(c);",
            [2 * t + 300 + 4000 + 2 + 30000 + 200000 + 1000000 for t in range(8)],
            id="arguments that constructors make",
        ),
        pytest.param(
            """template <typename T> struct B { T v; __device__ T get() { return v; } };
            template <typename T> struct D : B<T> {
                using Base = B<T>;
                using Base::v;
                using B<T>::get;
                __device__ T twice() { return 2 * this->get() + v; }
            };""",
            "D<int> d; d.v = t; r = d.twice() + d.get();",
            [4 * t for t in range(8)],
            id="names of a base",
        ),
        pytest.param(
            """struct P {
                int x;
                friend __device__ int get(const P &p) { return p.x; }
                friend __device__ P operator+(P a, P b) { return {a.x + b.x}; }
                friend struct Nobody;
            };
            template <typename T> struct Q { T x; friend __device__ T twice(const Q &q) { return 2 * q.x; } };""",
            "P p{t}; Q<int> q{t}; Q<float> f{1.5f}; r = get(p + p) + twice(q) + twice(f);",
            [4 * t + 3 for t in range(8)],
            id="friends",
        ),
        pytest.param(
            """struct V {
                union { struct { int x, y; }; int e[2]; };
                int z;
                __device__ int sum() const { return x + e[1] + z; }
            };""",
            "V v; v.x = t; v.y = 10; v.z = 100; v.e[0] += 1; r = v.sum() + 1000 * v.e[1];",
            [10_111 + t for t in range(8)],
            id="members without a name",
        ),
        pytest.param(
            """struct A {
                const int a; float b; int c[3];
                __device__ A(int x) : a(x), b{2.5f}, c{x, 7} {}
                __device__ A() : A(5) { b += 1; }
                __host__ __device__ ~A() {}
            };""",
            "A p(t), q; r = p.a + 10 * p.c[1] + p.c[2] + 100 * q.a + q.b * 2000;",
            [t + 70 + 500 + 7000 for t in range(8)],
            id="constructors",
        ),
        pytest.param(
            """struct A { int x; };
            struct B { int v[2]; struct { int y; } in; };
            __device__ int f(const A &a = {3}) { return a.x; }
            __device__ B made(int t) { return {{t, 1}, {2}}; }""",
            "B b = made(t), all[2]; all[t & 1].in = {.y = 7};"
            " r = f() + f({t}) + b.v[0] + 10 * b.v[1] + 100 * b.in.y + all[t & 1].in.y;",
            [220 + 2 * t for t in range(8)],
            id="braces",
        ),
        pytest.param(
            """template <typename D> struct Shape {
                __device__ int twice() { return 2 * static_cast<D *>(this)->area(); }
            };
            struct Square : Shape<Square> { int side; __device__ int area() { return side * side; } };""",
            "Square s; s.side = t; r = s.twice();",
            [2 * t * t for t in range(8)],
            id="a base that knows what inherits from it",
        ),
        pytest.param(
            "struct S { __device__ int a() noexcept(true) { return 1; } __device__ int b() throw() { return 2; } };",
            "S s; r = s.a() + s.b();",
            [3] * 8,
            id="exceptions that are not thrown",
        ),
        pytest.param(
            """template <typename T> struct V {
                int n;
                union { struct { T x, y; }; T both[2]; };
                __device__ V() : x(1), y(2), n(3) {}
                __device__ V(T a, T b) : both{a, b}, n(4) {}
                __device__ inline friend V operator+(const V &a, const V &b) { return V(a.x + b.x, a.y + b.y); }
                __host__ __device__ friend T dot(const V &a, const V &b) { return a.both[0] * b.x + a.y * b.both[1]; }
            };""",
            "V<int> a, b(t, 5), c = a + b; r = dot(a, b) * 1000 + c.x * 100 + c.y * 10 + a.n;",
            [1000 * (t + 10) + 100 * (t + 1) + 73 for t in range(8)],
            id="constructors and members without a name, friends behind other words",
        ),
        pytest.param(
            """#include <vector>
            class Data {
                static constexpr int n = 4, m = 2 * n;
                enum { K = 3 };
                std::vector<int> all;
            };""",
            "int a[Data::n]; a[t % Data::n] = Data::m; r = a[t % Data::n] + 10 * Data::K;",
            [38] * 8,
            id="constants of a struct that only the host can use",
        ),
    ],
)
def test_members(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


def test_a_destructor_with_a_body_is_refused() -> None:
    with pytest.raises(SourceError, match="not supported: destructor with statements"):
        lanes("S s; r = 1;", before="struct S { int x; __device__ ~S() { x = 0; } };")


def test_an_unsupported_constructor_is_refused_where_it_is_used() -> None:
    before = "struct S { int x; __device__ S() { throw 1; } };"
    with pytest.raises(SourceError, match=r"type 'S' was left out: .*not supported: throw"):
        lanes("S s; r = s.x;", before=before)


@pytest.mark.parametrize("static_first", [True, False])
def test_static_and_member_functions_of_the_same_name(static_first: bool) -> None:
    functions = [
        "__device__ static void init(int *at, int n) { *at = n + 1; }",
        "__device__ void init(int n) { Bar::init(&this->held, n); }",
    ]
    before = f"""struct Bar {{
        int held;
        {" ".join(functions if static_first else functions[::-1])}
        __device__ void again(int n) {{ init(&held, n); init(n + held); }}
    }};"""
    body = """Bar bar; bar.init(t); r = bar.held; bar.again(10); r += 100 * bar.held;
    Bar::init(&bar.held, 7); r += 10000 * bar.held; bar.init(&bar.held, 1); r += 100000 * bar.held;"""
    assert lanes(body, before=before) == [t + 1 + 2200 + 80000 + 200000 for t in range(8)]


def test_members_that_are_references() -> None:
    before = """
    struct Span { float *at; int columns; __device__ float &operator()(int r, int c) { return at[r * columns + c]; } };
    template <typename S> struct Loader {
        S &to;
        const int stride;
        __device__ Loader(int n, S &s) : stride(n), to(s) {}
        __device__ void load(int i) { to(i, 0) = i * stride; this->to(i, 1) = i * stride + 1; to.columns = 2; }
    };
    struct Sum { float &total; const int &by; __device__ void add(float x) { total += x * by; } };
    struct Twice : Sum { __device__ void two(float x) { add(x); total += x; } };"""
    body = """float tile[16], parts[4] = {0, 0, 0, 0}, sum = 0; int by = 2;
    Span span{tile, 2}; Loader<Span> loader(2, span);
    for (int i = 0; i < 8; ++i) loader.load(i);
    Sum adder{sum, by}; adder.add(span(t, 1)); by = 3; adder.add(1);
    Sum other = {parts[1], adder.by}; other.add(5); adder.total += other.total;
    r = sum + 1000 * parts[1];"""
    assert lanes(body, kind="float", before=before) == [2 * (2 * t + 1) + 3 + 15 + 15000 for t in range(8)]
