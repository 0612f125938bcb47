"""Templates of structs: specialisations, template template parameters, members defined outside of the struct."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError, TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.kernels.simt.programs import lanes

KINDS = """
template <typename T, int N> struct Kind { static constexpr int is = 1; };
template <typename T, int N> struct Kind<T *, N> { static constexpr int is = 20 + N; };
template <typename T> struct Kind<T *, 4> { static constexpr int is = 300; };
template <int N> struct Kind<float, N> { static constexpr int is = 4000 + N; };
template <> struct Kind<float, 4> { static constexpr int is = 50000; };
template <typename T, int N> struct Row { T v[N]; };
template <typename T, int N, int M> struct Kind<Row<T, N>, M> { static constexpr int is = 100 * N + M + sizeof(T); };
"""


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("int, 1", 1),
        ("double *, 3", 23),
        ("int **, 4", 300),
        ("float, 3", 4003),
        ("float, 4", 50000),
        ("Row<double, 5>, 7", 515),
    ],
)
def test_the_specialisation_that_says_most_is_taken(kind: str, expected: int) -> None:
    assert lanes(f"r = Kind<{kind}>::is;", before=KINDS) == [expected] * 8


def test_two_specialisations_that_say_as_much() -> None:
    before = """template <typename T, typename U> struct P { static constexpr int is = 1; };
    template <typename T> struct P<T, int> { static constexpr int is = 2; };
    template <typename T> struct P<float, T> { static constexpr int is = 3; };"""
    assert lanes("r = P<int, int>::is + 10 * P<float, float>::is;", before=before) == [32] * 8
    with pytest.raises(SourceError, match="several specialisations of P fit"):
        lanes("r = P<float, int>::is;", before=before)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        pytest.param(
            """template <typename T> struct Add { __device__ T operator()(T a, T b) const { return a + b; } };
            template <typename T> struct Less { __device__ T operator()(T a, T b) const { return a < b ? a : b; } };
            template <template <typename> class Op, typename T> __device__ T two(T a, T b) { return Op<T>()(a, b); }
            template <template <class> typename Op, int N = 2> struct Twice {
                template <typename T> __device__ static T of(T a) { return Op<T>()(a, N * a); }
            };
            template <template <typename> class Op> __device__ int through(int a) { return two<Op>(a, 3); }""",
            "r = two<Add, float>(t, 0.5f) * 2 + two<Less>(t, 4) + Twice<Add>::of(t) + through<Less>(t);",
            [2 * t + 1 + min(t, 4) + 3 * t + min(t, 3) for t in range(8)],
            id="templates of templates",
        ),
        pytest.param(
            """template <typename T, int N> struct Row {
                T v[N];
                __device__ Row(T first);
                __device__ T last(int by = 2) const;
                __device__ static int count();
                template <typename U> __device__ U as(int i);
            };
            template <typename T, int N> __device__ Row<T, N>::Row(T first) {
                for (int i = 0; i < N; ++i) v[i] = first + i;
            }
            template <typename T, int N> __device__ T Row<T, N>::last(int by) const { return by * v[N - 1]; }
            template <typename S, int M> __device__ int Row<S, M>::count() { return M; }
            template <> __device__ int Row<float, 3>::count() { return 1000; }
            template <typename T, int N> template <typename U> __device__ U Row<T, N>::as(int i) { return (U)v[i]; }""",
            "Row<float, 2> a(t + 0.5f); Row<int, 3> b(t); "
            "r = a.last() + b.last(1) + a.as<int>(1) + b.count() + Row<float, 3>::count();",
            [2 * t + 3 + t + 2 + t + 1 + 3 + 1000 for t in range(8)],
            id="functions outside of their template",
        ),
        pytest.param(
            """template <typename T> __device__ T first();
            template <> __device__ int2 first() { return make_int2(1, 2); }
            template <> __device__ float first() { return 0.5f; }
            struct Exp { template <typename T> __device__ static T of(const T &x) { return x; } };
            template <> __device__ float Exp::of<float>(const float &x) { return 2 * x; }
            template <typename T, int N> struct Row { T v[N]; };""",
            "using row = struct Row<int, 2>; row q = {{3, 4}};"
            " r = first<int2>().y + first<float>() * 2 + Exp::of(t) + Exp::of(1.5f) + q.v[1];",
            [2 + 1 + t + 3 + 4 for t in range(8)],
            id="full specialisations",
        ),
        pytest.param(
            """struct S {
                template <typename T> struct Cell { T x; };
                template <typename T> using List = Cell<T>[2];
                template <typename T> __device__ T of(Cell<T> c) { return c.x; }
            };
            template <int N> struct Tile {
                template <bool on> struct Column { int v[N]; __device__ Column() { v[0] = on; } };
                template <bool on> __device__ int first(const Column<on> &c) { return c.v[0] + N; }
                __device__ int both() { Column<true> a; Column<false> b; return first(a) * 10 + first(b); }
            };
            template <typename T> struct Box { struct In { T x; __device__ T get() { return x; } }; In in; };""",
            "S::Cell<int> c{t}; S s; Box<float> b; b.in.x = 2.5f; Box<float>::In i = b.in;"
            " r = s.of(c) + i.get() * 2 + 100 * Tile<3>().both();",
            [t + 5 + 4300 for t in range(8)],
            id="structs inside of structs",
        ),
        pytest.param(
            """template <typename T, int N> struct Row { T v[N]; };
            struct Wide : Row<int, 4> { int more; };
            template <typename T, int N> __device__ T last(const Row<T, N> &row) { return row.v[N - 1]; }
            template <typename T, int N> __device__ int length(T (&)[N]) { return N; }
            template <typename T> __device__ int sort(T) { return 1; }
            template <typename T> __device__ int sort(T *) { return 2; }
            template <typename T, int N> __device__ int sort(Row<T, N>) { return 3; }""",
            "Row<int, 3> a = {{0, 0, t}}; Wide w; w.v[3] = 5; float f[6]; "
            "r = last(a) + last(w) + 10 * length(f) + 100 * sort(t) + 1000 * sort(f) + 10000 * sort(a);",
            [32165 + t for t in range(8)],
            id="arguments that parameters tell",
        ),
    ],
)
def test_templates(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


def test_a_type_where_a_template_is_asked_for() -> None:
    before = "template <template <typename> class Op> struct Apply {}; struct Add {};"
    with pytest.raises(SourceError, match="parameter Op is a struct template, Add is given"):
        lanes("Apply<Add> a;", before=before)


def test_lengths_of_arrays_that_are_more_than_a_name() -> None:
    before = """
    template <typename T, int N, int PAD = 0>
    __device__ T corner(T a[N][N + PAD], T b[2 * N], const T (&c)[N + 1]) { return a[N - 1][N - 1] + b[1] + c[N]; }"""
    body = """__shared__ int a[2][3];
    int b[4] = {0, t, 0, 0}, c[3] = {1, 2, t};
    if (!t) a[1][1] = 5;
    __syncthreads();
    r = corner<int, 2, 1>(a, b, c);"""
    assert lanes(body, before=before) == [5 + 2 * t for t in range(8)]


def test_a_specialisation_for_what_nobody_knows_is_left_out() -> None:
    before = """template <typename T> struct Bits { static constexpr int are = 8 * sizeof(T); };
    template <> struct Bits<std::complex<float>> { static constexpr int are = 1; };
    template <typename T> struct Unknown<T *> { T x; };"""
    assert lanes("r = Bits<short>::are;", before=before) == [16] * 8


def test_templates_that_never_end() -> None:
    before = "template <int N> __device__ int down() { return N + down<N - 1>(); }"
    with pytest.raises(SourceError, match="calls nested deeper than 128 levels; a template may never end"):
        lanes("r = down<3>();", before=before)


def test_a_kernel_takes_a_template_by_its_name() -> None:
    program = parse(
        """template <typename T> struct Add { __device__ T operator()(T a, T b) const { return a + b; } };
        template <template <typename> class Op, typename T = int>
        __global__ void k(T *a) { a[threadIdx.x] = Op<T>()(threadIdx.x, 5); }""",
        "k.cu",
    )
    given = {"a": Unwritten("int32", (8,))}
    found = run(program, Launch(Dim3(1), Dim3(8), 0), given, template={"Op": "Add"})
    assert found.outputs["a"].tolist() == [t + 5 for t in range(8)]
    with pytest.raises(TilescopeError, match="'Less' is no struct template"):
        run(program, Launch(Dim3(1), Dim3(8), 0), given, template={"Op": "Less"})


def test_constants_that_specialisations_alone_give() -> None:
    before = """
    template <typename T> constexpr unsigned bytes();
    template <> constexpr unsigned bytes<float>() { return 4; }
    template <> constexpr unsigned bytes<float2>() { return 8; }
    template <typename T> constexpr int twice() { return 2 * sizeof(T); }
    template <> constexpr int twice<double>() { return 5; }
    template <unsigned N> __device__ int f() { return N; }
    template <typename T> __device__ int all() {
        float part[bytes<T>()];
        return f<bytes<T>()>() + 10 * f<twice<short>()>() + 100 * f<twice<double>()>() + 1000 * sizeof(part);
    }"""
    assert lanes("r = all<float>() + t * all<float2>();", before=before)[:2] == [16544, 16544 + 32548]


def test_a_struct_may_have_a_name_for_itself() -> None:
    before = """
    template <int N, typename T> struct Tile {
        using Self = Tile;
        using Full = Tile<N, T>;
        T value;
        __device__ Self plus(T more) const { Self made; made.value = value + more; return made; }
    };
    template <typename T> __device__ int next(typename T::Self tile) {
        typename T::Full other = tile.plus(2);
        return other.value;
    }"""
    body = """Tile<3, int>::Full x; x.value = t;
    Tile<3, int>::Self y = x.plus(1); r = y.value + 100 * next<Tile<3, int>>(y);"""
    assert lanes(body, before=before) == [t + 1 + 100 * (t + 3) for t in range(8)]


def test_a_static_constant_may_be_named_by_an_object() -> None:
    before = """
    template <typename T, int N> struct Span { T *at; static constexpr int columns = N; };
    template <int N> __device__ int f() { return N; }"""
    body = """Span<float, 3> s{nullptr}; float a[s.columns + 1];
    r = f<s.columns * 2>() + 100 * sizeof(a) + t * s.columns;"""
    assert lanes(body, before=before) == [1606 + 3 * t for t in range(8)]
