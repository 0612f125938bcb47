"""Divergence: every thread gets the result that it would get alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

PROGRAMS = [
    ("if (t < 3) r = 1; else if (t < 5) r = 2; else r = 3;", lambda t: 1 if t < 3 else 2 if t < 5 else 3),
    ("for (int i = 0; i < t; ++i) r += i;", lambda t: sum(range(t))),
    ("for (int i = 0; i < 10; ++i) { if (i == t) break; r += 1; }", lambda t: t),
    (
        "for (int i = 0; i < 10; ++i) { if (i % 2 == t % 2) continue; r += i; }",
        lambda t: sum(i for i in range(10) if i % 2 != t % 2),
    ),
    ("int n = t; while (n > 0) { n -= 2; ++r; }", lambda t: (t + 1) // 2),
    ("int n = t; do { ++r; n -= 3; } while (n > 0);", lambda t: max(1, -(-t // 3))),
    (
        "for (int i = 0; i < t; ++i) for (int j = 0; j < 4; ++j) { if (j > i) break; r += 1; }",
        lambda t: sum(min(i + 1, 4) for i in range(t)),
    ),
    ("for (int i = 0; ; ++i) { if (i > t) break; r += i; }", lambda t: sum(range(t + 1))),
    ("int i = 0; for (; i < t; i += 2) ; r = i;", lambda t: t + t % 2),
    (
        "int i; for (i = 0; i < 5; ++i) { if (t == i) continue; if (t + i == 6) break; ++r; } r = r * 10 + i;",
        lambda t: _python(t),
    ),
    ("while (true) { if (t < ++r) break; }", lambda t: t + 1),
    ("if (t < 4) { for (int k = 0; k < 3; ++k) { int s = k; s += t; r += s; } }", lambda t: 3 + 3 * t if t < 4 else 0),
    ("int k = 5; if (t & 1) k = t; r = k;", lambda t: t if t & 1 else 5),
    (
        "for (int i = 0, j = 10; i < j; ++i, --j) r += (i < t) ? j : 0;",
        lambda t: sum(10 - i for i in range(5) if i < t),
    ),
]


def _python(t: int) -> int:
    count, i = 0, 0
    while i < 5:
        if t != i:
            if t + i == 6:
                break
            count += 1
        i += 1
    return count * 10 + i


@pytest.mark.parametrize(("body", "expected"), PROGRAMS, ids=[body[:40] for body, _ in PROGRAMS])
def test_each_thread_is_alone(body: str, expected: Any) -> None:
    assert lanes(body) == [expected(t) for t in range(8)]


@pytest.mark.parametrize(
    ("function", "call", "expected"),
    [
        ("__device__ int twice(int x) { return 2 * x; }", "twice(t)", lambda t: 2 * t),
        (
            "__device__ int f(int x) { if (x < 3) return 1; for (int i = 0; ; ++i) if (i * i >= x) return i; }",
            "f(t)",
            lambda t: 1 if t < 3 else 2 if t < 5 else 3,
        ),
        (
            "__device__ int f(int x) { x += 1; return x; }\n__device__ int g(int x) { return f(x) * f(x + 1); }",
            "g(t) + f(0)",
            lambda t: (t + 1) * (t + 2) + 1,
        ),
        (
            "__device__ float half_of(const int *p, int i) { return p[i] * 0.5f; }",
            "(int)(4 * half_of(x_, t))",
            lambda t: 2 * (10 + t),
        ),
    ],
)
def test_device_functions(function: str, call: str, expected: Any) -> None:
    got = lanes(f"r = {call};", before=function, x=("int", np.arange(10, 18)))
    assert got == [expected(t) for t in range(8)]


def test_a_void_function_may_hold_a_barrier() -> None:
    source = """
    __device__ void rotate(int *s) { int v = s[(threadIdx.x + 1) % 64]; __syncthreads(); s[threadIdx.x] = v; }
    __global__ void k(int *out) {
        __shared__ int s[64];
        s[threadIdx.x] = threadIdx.x;
        __syncthreads();
        rotate(s);
        out[threadIdx.x] = s[threadIdx.x];
    }"""
    for schedule in ("lockstep", "warps", "reversed", "shuffle:3"):
        found = trace(source, {"out": np.zeros(64, np.int32)}, block=(64,), schedule=schedule)
        assert found.outputs["out"].tolist() == [*range(1, 64), 0]
        assert found.hazards == ()


@pytest.mark.parametrize(
    ("source", "where", "reason"),
    [
        ("__global__ void k() {\n  int x = y; }", (2, 11), "unknown name 'y'"),
        ("__global__ void k() {\n  foo(1); }", (2, 3), "not supported: function 'foo'"),
        (
            "__device__ int f(int n) { return n ? f(n - 1) : 0; }\n__global__ void k() { f(3); }",
            (1, 38),
            "recursion",
        ),
        ("__global__ void k() { const int c = 1;\n  c = 2; }", (2, 3), "const"),
        ("__global__ void k(const float *A) {\n  A[0] = 1; }", (2, 3), "const"),
        ("__global__ void k(float *A) {\n  int x = 1.5f % 2; }", (2, 11), "operator % does not take float"),
        ("__global__ void k(float *A) {\n  A[1.5f] = 2; }", (2, 5), "an index must be an integer"),
        ("__global__ void k() {\n  break; }", (2, 3), "break outside a loop"),
        ('__global__ void k() {\n  printf("%n"); }', (2, 3), "not supported: printf conversion %n"),
        ("__global__ void k() {\n  int x = max(1); }", (2, 11), "max takes 2 arguments"),
    ],
)
def test_unsupported_statements_are_refused_before_the_run(source: str, where: tuple[int, int], reason: str) -> None:
    with pytest.raises(SourceError, match=f"test.cu:{where[0]}:{where[1]}: .*{reason}"):
        trace(source, {"A": np.zeros(4, np.float32)} if "float *A" in source else {})


def test_values_that_a_format_does_not_ask_for_are_computed_and_not_printed() -> None:
    source = """__global__ void k(int *out) { printf("%d", 7, ++out[0], "text"); }"""
    found = trace(source, {"out": np.ones(1, np.int32)}, block=(1,))
    assert "".join(found.printf) == "7"
    assert found.outputs["out"].tolist() == [2]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (int x = t / 4) r = x; else r = -1;", lambda t: t // 4 or -1),
        (
            "if (t < 2) r = 9; else if (int x = t - 3; x > 1) r = x; else r = -x;",
            lambda t: 9 if t < 2 else t - 3 if t > 4 else 3 - t,
        ),
        (
            "int n = t; while (int x = n--) { if (x == 3) continue; r += x; }",
            lambda t: sum(x for x in range(1, t + 1) if x != 3),
        ),
        ("if (r = 5; t > 3) r += t;", lambda t: 5 + t * (t > 3)),
    ],
)
def test_declarations_in_conditions(body: str, expected: object) -> None:
    assert callable(expected)
    assert lanes(body) == [expected(t) for t in range(8)]


def test_a_barrier_that_is_named_but_not_called_has_no_effect() -> None:
    source = """
    __global__ void k(int *out) {
        __shared__ int s[8];
        s[threadIdx.x] = threadIdx.x;
        __syncthreads;
        out[threadIdx.x] = s[7 - threadIdx.x];
    }"""
    (hazard,) = trace(source, {"out": Unwritten("int32", (8,))}).hazards
    assert hazard.kind == "data-race"
