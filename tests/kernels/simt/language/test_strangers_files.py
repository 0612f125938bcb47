"""Files of other people as a whole: each case was met in public code, and is told in our words."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError, TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from tests.kernels.simt.programs import lanes, trace

SEVERAL = """
__device__ int odd(int x) { throw x; }
__global__ void fine(int *a) { a[threadIdx.x] = 1; }
__global__ void jumps(int *a) { throw 1; }
__global__ void calls(int *a) { a[threadIdx.x] = odd(1); }
template <typename T> __global__ void waits(T *a) { throw 1; }
__constant__ Unheard table[4];
"""


def test_a_kernel_that_cannot_be_read_leaves_the_others_alone() -> None:
    program = parse(SEVERAL, "test.cu")
    found = run(program, Launch(Dim3(1), Dim3(4)), {"a": Unwritten("int32", (4,))}, kernel="fine")
    assert found.outputs["a"].tolist() == [1] * 4


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("jumps", r"^test.cu:4:33: not supported: throw"),
        ("calls", r"^test.cu:5:50: 'odd' was left out: test.cu:2:29: not supported: throw"),
        ("waits", r"^test.cu:6:53: not supported: throw"),
        (None, r"choose one of its kernels: fine, calls, waits, jumps$"),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_is_used(kernel: str | None, message: str) -> None:
    program = parse(SEVERAL, "test.cu")
    given: dict[str, Argument] = {"a": Unwritten("int32", (4,))}
    template = {"T": "int"} if kernel == "waits" else {}
    with pytest.raises(TilescopeError, match=message):
        run(program, Launch(Dim3(1), Dim3(4)), given, kernel=kernel, template=template)


def test_attributes_may_stand_behind_the_parameters() -> None:
    source = """
    __device__ int five() __attribute__((always_inline));
    __device__ int five() { return 5; }
    __global__ void k(int *out) { out[threadIdx.x] = five(); }"""
    assert trace(source, {"out": Unwritten("int32", (8,))}).outputs["out"].tolist() == [5] * 8


def test_libraries_leave_their_names_to_others() -> None:
    source = """
    struct Order { int row_major, accumulator; __device__ int area() { return row_major * accumulator; } };
    __device__ int barrier(int x) { return x; }
    __device__ int atomic(int x) { return x < 3; }
    template <bool col_major> __device__ int fragment() { return col_major ? 1 : 2; }
    __global__ void k(int *out, int texture, int matrix_a, int precision) {
        int surface = texture < 2, thread_scope = 1, wmma = matrix_a < 5 && surface > 0;
        auto accumulator = 0;
        accumulator += surface * precision;
        Order order{2, 3};
        out[threadIdx.x] = accumulator + barrier(matrix_a) + atomic(2) + fragment<true>() + order.area()
            + thread_scope + wmma;
    }"""
    found = trace(source, {"out": np.zeros(8, np.int32), "texture": 1, "matrix_a": 4, "precision": 7})
    assert set(found.outputs["out"].tolist()) == {7 + 4 + 1 + 1 + 6 + 1 + 1}


def test_directives_among_the_arguments_of_a_macro() -> None:
    before = """
    #define RUN(flag, ...) [&] { constexpr bool on = flag; __VA_ARGS__ }()
    #define TWICE(x) (2 * (x))"""
    body = """RUN(true,
        #pragma unroll
        for (int i = 0; i < 3; ++i) r += on ? i : 100;
        #if 0
        r += 1000;
        #else
        r += 20;
        #endif
    );
    r += TWICE(t
    #ifdef TWICE
        + 1
    #endif
    );"""
    assert lanes(body, before=before) == [3 + 20 + 2 * (t + 1) for t in range(8)]


def test_kernels_of_other_files_are_no_kernels_of_this_one() -> None:
    source = """
    template <int N> __global__ void elsewhere(int *a);
    template <int N> __global__ void special(int *a);
    template <> __global__ void special<2>(int *a) { a[threadIdx.x] = 2; }
    template <int N> __global__ void here(int *a);
    template <int N> __global__ void here(int *a) { a[threadIdx.x] = N; }"""
    program = parse(source, "test.cu")
    assert [template.name for template in program.templates] == ["here", "special"]


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        pytest.param(
            """namespace first { __device__ int f() { return 1; } struct S { int x; }; }
            namespace second {
                struct S { int y, x; };
                __device__ int g() { return 5; }
                __device__ int f() { return 20 + g(); }
                __device__ int both() { return f() + first::f(); }
            }
            namespace other = second;
            __device__ int g() { return 300; }""",
            "first::S a{t}; second::S b{1, 2}; r = first::f() + other::f() + second::both() + g() + a.x + 1000 * b.x;",
            [1 + 25 + 26 + 300 + t + 2000 for t in range(8)],
            id="functions and structs",
        ),
        pytest.param(
            """namespace a {
                namespace b { constexpr int N = 3; __device__ int n() { return N; } }
                constexpr int N = 40;
            }
            namespace c { constexpr int N = 500; using namespace a; __device__ int n() { return N + b::N; } }
            namespace v { inline namespace one { __device__ int n() { return 6; } } }
            __device__ int in_c() { using namespace c; return n(); }
            __device__ int in_b() { using a::b::n; return n(); }
            using namespace v;""",
            "r = a::N + a::b::n() + c::n() + c::N + 1000 * n() + in_c() + in_b();",
            [40 + 3 + 503 + 500 + 6000 + 503 + 3] * 8,
            id="constants",
        ),
        pytest.param(
            """namespace big {
                struct Op {
                    __device__ int operator()(int x) const { return f(x); }
                    __device__ int f(int x) const { return 9 * x; }
                };
            }
            namespace small {
                struct Op {
                    int f;
                    __device__ Op(int x) : f(x) {}
                    __device__ int operator()(int x) const { return f + x; }
                };
                __device__ int f(int x) { return x; }
            }
            namespace tiny { __device__ int f(int x) { return -x; } }""",
            "big::Op op; small::Op other(10); r = op(t) + 100 * other(t) + small::f(1) + tiny::f(3) + other.f;",
            [9 * t + 100 * (10 + t) + 1 - 3 + 10 for t in range(8)],
            id="members of the same name",
        ),
    ],
)
def test_namespaces_that_declare_the_same_names(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


@pytest.mark.parametrize("end", ["using }", "namespace }", "namespace {", "namespace a { using"])
def test_namespaces_that_break_off(end: str) -> None:
    with pytest.raises(SourceError):
        parse(f"namespace a {{ int x; }} namespace b {{ int x; }} __global__ void k() {{ }} {end}", "k.cu")


def test_a_function_that_another_file_defines_is_told() -> None:
    source = """
    __device__ float other(float x);
    __device__ float own(float x);
    __device__ float own(float x) { return x; }
    __global__ void k(float *out) { out[0] = own(1); }
    __global__ void l(float *out) { out[0] = other(1); }"""
    program = parse(source, "k.cu")
    assert run(program, Launch(Dim3(1), Dim3(1)), {"out": Unwritten("float32", (1,))}, kernel="k").hazards == ()
    with pytest.raises(SourceError, match=r"k.cu:6:46: 'other' is a function without a body in this file: include"):
        run(program, Launch(Dim3(1), Dim3(1)), {"out": Unwritten("float32", (1,))}, kernel="l")


def test_macros_of_headers_that_are_not_there_stand_alone_on_their_lines() -> None:
    source = """#include "no_such_header.h"
    WARNINGS_OFF()
    WARNINGS_OFF_TOO(4127, "x")
    LIBRARY_BEGIN
    namespace a {
    struct S { int x; };
    DECLARE(S)
    }
    WARNINGS_ON()
    template <typename T> __device__ T twice(T x) { return 2 * x; }
    API
    __global__ void k(int *out, a::S s) { out[threadIdx.x] = twice(s.x); }
    LIBRARY_END"""
    program = parse(source, "k.cu")
    arguments: dict[str, Argument] = {"out": Unwritten("int32", (4,)), "s.x": 4}
    assert run(program, Launch(Dim3(1), Dim3(4)), arguments).outputs["out"].tolist() == [8] * 4
