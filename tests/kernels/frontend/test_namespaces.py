"""Namespaces: equal names in several, aliases, using, and CUDA's library names as ordinary identifiers."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from tests.kernels.simt.programs import lanes, trace


def test_library_names_can_be_ordinary_identifiers() -> None:
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
def test_unfinished_namespaces_are_refused(end: str) -> None:
    with pytest.raises(SourceError):
        parse(f"namespace a {{ int x; }} namespace b {{ int x; }} __global__ void k() {{ }} {end}", "k.cu")
