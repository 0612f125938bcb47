"""Templates of functions, structs and aliases: deduction, defaults, members, template arguments of kernels."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.analysis import variables
from kernels.errors import SourceError, TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from tests.kernels.simt.programs import trace


def test_names_for_types_with_parameters() -> None:
    source = """
    template <typename T> using out_ptr = T *__restrict__;
    template <typename T> using in_ptr = const T *__restrict__;
    template <typename T, int N> using row = T[N];
    template <typename T> __device__ void add(out_ptr<T> to, in_ptr<T> from) { *to += *from; }
    template <int N> __global__ void k(out_ptr<float> a, in_ptr<float> b) {
        row<float, N> kept = {1, 2};
        add(a + threadIdx.x, b + threadIdx.x);
        a[threadIdx.x] += kept[1];
    }"""
    program = parse(source, "test.cu")
    given: dict[str, Argument] = {"a": np.ones(8, np.float32), "b": np.arange(8, dtype=np.float32)}
    found = run(program, Launch(Dim3(1), Dim3(8)), given, template={"N": "2"})
    assert found.outputs["a"].tolist() == [t + 3 for t in range(8)]


def test_shifts_after_a_template_parameter_with_a_value() -> None:
    source = """
    template <const int WIDTH = 32> __device__ int steps() {
        int count = 0;
        for (int offset = WIDTH >> 1; offset > 0; offset >>= 1) ++count;
        return count;
    }
    __global__ void k(int *a) { a[threadIdx.x] = 10 * steps<8>() + steps(); }"""
    assert trace(source, {"a": Unwritten("int32", (8,))}).outputs["a"].tolist() == [35] * 8


def test_deduced_return_types() -> None:
    source = """
    template <typename T> __device__ T next(T i);
    template <> __device__ float next(float x) { return x * 2; }
    template <> __device__ int next<int>(int x) { return x + 100; }
    struct Part { float a, b; };
    __device__ Part join(Part x, const Part &y) { return {x.a + y.a, x.b * y.b}; }
    __device__ auto half_of(int n) { return n / 2.0; }
    __device__ auto from(const float *p, int i) { if (i > 2) return p + i; return p; }
    __device__ auto nothing(int n) { if (n > 2) return; }
    __global__ void k(float *out) {
        int t = threadIdx.x;
        __shared__ float s[8];
        s[t] = t;
        __syncthreads();
        nothing(t);
        Part part = join(Part{1, 2}, {(float)t, 3.0f});
        out[t] = next(1.5f) + next(t) + part.a + part.b + half_of(t) + *from(s, t);
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [110 + 2.5 * t + (t if t > 2 else 0) for t in range(8)]
    assert found.hazards == ()


def test_a_template_that_is_only_declared() -> None:
    source = """
    template <typename T> __device__ T next(T i);
    template <> __device__ float next(float x) { return x * 2; }
    __global__ void k(int *out) { out[0] = next(1); }"""
    with pytest.raises(SourceError, match="2:5: next<int> is declared and not defined"):
        trace(source, {"out": np.zeros(1, np.int32)})


def test_templates_inside_of_structs() -> None:
    source = """
    template <typename T, int N> struct Row {
        T v[N];
        template <int K> __device__ T at(int i) const { return v[i] * K; }
        template <typename F> __device__ void each(F f) { for (int i = 0; i < N; ++i) v[i] = f(v[i]); }
        template <typename U> static __device__ U as(T x) { return (U)x; }
        __device__ T all(int i) { return at<2>(i) + this->template at<3>(i) + at<N>(i); }
    };
    struct Sum { float x; template <typename T> __device__ T add(T y) { x += y; return x; } };
    struct Minus { __device__ float operator()(float x) const { return -x; } };
    __device__ int two(int x) { return 2 * x; }
    template <int (*f)(int)> __device__ int twice(int x) { return f(f(x)); }
    __global__ void k(float *out) {
        int t = threadIdx.x;
        Row<float, 4> row;
        for (int i = 0; i < 4; ++i) row.v[i] = i + t;
        row.each(Minus());
        Sum sum{1};
        int whole = sum.add(2.5f);
        sum.add<float>(1);
        Row<int, 2> other;
        other.v[1] = twice<two>(t);
        out[t] = row.all(1) + other.at<10>(1) + sum.x + whole + Row<float, 4>::as<int>(2.7f);
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [-9 * (1 + t) + 40 * t + 4.5 + 3 + 2 for t in range(8)]
    assert found.hazards == ()
    last = {v.name: v.value for v in variables(found, found.steps - 1, 1)}
    assert (last["t"], last["whole"]) == (1, 3)


def test_a_kernel_takes_a_struct_that_can_be_called_as_its_template_argument() -> None:
    source = """
    struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
    struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
    template <typename Op> __global__ void k(int *out) { out[threadIdx.x] = Op()(threadIdx.x, 3); }"""
    program = parse(source, "k.cu")
    launch = Launch(Dim3(1), Dim3(8), 0)
    for name, expected in (("Add", [t + 3 for t in range(8)]), ("Larger", [max(t, 3) for t in range(8)])):
        found = run(program, launch, {"out": Unwritten("int32", (8,))}, template={"Op": name})
        assert found.outputs["out"].tolist() == expected
    with pytest.raises(TilescopeError, match="'Less' is not a type"):
        run(program, launch, {"out": Unwritten("int32", (8,))}, template={"Op": "Less"})


@pytest.mark.parametrize(
    "kind",
    ["Twice", "Words", "Adds<unsigned int>", "struct Twice", "real", "float *", "const Twice*", "char **"],
)
def test_a_kernel_takes_any_type_that_its_file_names(kind: str) -> None:
    source = """
    template <typename T> struct Adds { T by; };
    struct Twice { int by; };
    typedef Adds<unsigned> Words;
    using real = double;
    template <typename T> __global__ void k(int *out) { out[0] = sizeof(T); }"""
    given: dict[str, Argument] = {"out": Unwritten("int32", (1,))}
    found = run(parse(source, "k.cu"), Launch(Dim3(1), Dim3(1)), given, template={"T": kind})
    assert found.outputs["out"].tolist() == [8 if kind == "real" or "*" in kind else 4]


def test_lengths_that_are_sums_of_parameters_are_not_deduced() -> None:
    source = """
    template <typename T, size_t X, size_t Y, size_t K, size_t MORE = 0U>
    __device__ void load(const T *from, T a[Y][K + MORE], T b[K][X + MORE]) {
        a[Y - 1][K - 1] = from[0];
        b[K - 1][X - 1] = from[1];
    }
    __global__ void k(const float *in, float *out) {
        __shared__ float a[3][4], b[4][5];
        load<float, 5, 3, 4>(in, a, b);
        out[0] = a[2][3] + 10 * b[3][4];
    }"""
    given: dict[str, Argument] = {"in": np.array([2, 3], np.float32), "out": Unwritten("float32", (1,))}
    assert trace(source, given, block=(1,)).outputs["out"].tolist() == [32]


def test_names_are_given_to_instances_before_their_template_is_defined() -> None:
    source = """
    template <class T> struct Vector;
    using Double = Vector<double>;
    typedef Vector<int> Int;
    struct Holder { Double *first; int n; };
    template <class T> struct Vector {
        T x;
        __device__ Vector(T x) : x(x) {}
        __device__ Vector operator+(const Vector &other) const { return x + other.x; }
    };
    struct Pair { Double first; Int second; };
    __global__ void k(int *out) {
        Double d(2.5);
        Holder h = {&d, 3};
        Pair p = {d + d, Int(7)};
        out[0] = h.first->x * 2 + h.n;
        out[1] = p.first.x + p.second.x + sizeof(Pair);
    }"""
    assert trace(source, {"out": Unwritten("int32", (2,))}, block=(1,)).outputs["out"].tolist() == [8, 28]


def test_each_instance_of_a_template_has_arrays_of_its_own_types() -> None:
    source = """
    template <typename T> __device__ int told(T) {
        T all[3] = {1, 2, 3};
        T last = all[2];
        return sizeof(all) * 10 + last;
    }
    template <typename T, int N> __device__ T turned(T x) {
        __shared__ T all[8];
        all[threadIdx.x] = x * N;
        __syncthreads();
        return all[7 - threadIdx.x];
    }
    __global__ void k(int *out) {
        int t = threadIdx.x;
        out[t] = turned<float, 1>(t) + turned<double, 2>(t) + turned<float, 3>(t);
        if (t == 0) out[8] = told(1.0) + 1000 * told(short(1)) + 1000000 * told('a');
    }"""
    found = trace(source, {"out": Unwritten("int32", (9,))})
    assert found.outputs["out"].tolist() == [*((7 - t) * 6 for t in range(8)), 243 + 63_000 + 33_000_000]
    assert found.hazards == ()
    assert [array.dtype.name for array in found.arrays if array.space == "shared"] == [
        "float32",
        "float64",
        "float32",
    ]
    assert {register.dtype.name for register in found.registers if register.name == "last"} == {
        "float64",
        "int16",
        "int8",
    }


def test_pointers_to_const_in_templates() -> None:
    source = """
    template <typename T> __device__ int which(T *a) { return 1; }
    template <typename T> __device__ int which(const T *a) { return 2; }
    template <typename T> __device__ T &at(T *a, int i) { return a[i]; }
    template <typename T> __device__ T sum(T *a, int n) {
        T s = 0, *end = a + n;
        for (T *p = a; p < end; ++p) s += *p;
        return s;
    }
    template <typename T> __device__ T twice(T *a) { return sum(a, 3) + sum<T>(a, 3); }
    __global__ void k(const float *in, float *out) {
        at(out, threadIdx.x) = at(in, threadIdx.x) + 100 * twice(in) + 1000 * which(in) + 10000 * which(out);
    }"""
    found = trace(source, {"in": np.arange(8, dtype=np.float32), "out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [t + 600 + 2000 + 10000 for t in range(8)]
    assert found.hazards == ()


def test_explicit_arguments_are_not_made_const() -> None:
    source = """template <typename T> __device__ void put(T *a) { *a = 1; }
    __global__ void k(const float *in) { put<float>(in); }"""
    with pytest.raises(SourceError, match=r"2:42: no function 'put' takes \(const float \*\)"):
        trace(source, {"in": np.zeros(8, np.float32)})


def test_defaults_that_depend_on_other_arguments() -> None:
    source = """
    template <typename T> struct Size { static constexpr int n = sizeof(T); };
    template <typename T, class S = Size<T>> __device__ int size(T x) { return S::n; }
    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>> __device__ int kind(T) { return 1; }
    template <typename T, typename = std::enable_if_t<!std::is_integral<T>::value>, int = 0>
    __device__ int kind(T) { return 2; }
    template <typename F, class S = Size<F>> __global__ void k(int *out, const F *x) {
        if (not x[threadIdx.x]) out[threadIdx.x] = size(1.0) + 10 * size<short>(1) + 100 * S::n;
        else out[threadIdx.x] = kind(1) + 10 * kind(1.0f);
    }"""
    program = parse(source, "k.cu")
    given: dict[str, Argument] = {"x": np.arange(4, dtype=np.float32), "out": Unwritten("int32", (4,))}
    found = run(program, Launch(Dim3(1), Dim3(4)), given, template={"F": "float"})
    assert found.outputs["out"].tolist() == [428, 21, 21, 21]
