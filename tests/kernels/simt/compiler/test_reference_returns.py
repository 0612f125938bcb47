"""Functions that return references: as lvalues, chained, and discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_discarded_reference_return_is_evaluated() -> None:
    cell = "struct Cell { int x; __device__ int &set(int v) { return x = v; } __device__ int &more() { return ++x; } };"
    assert lanes("Cell a; a.set(t * 10); a.more(); r = a.x;", before=cell)[:3] == [1, 11, 21]


def test_constexpr_functions_return_references() -> None:
    source = """
    template <typename T, int N> struct Row {
        T all[N];
        __device__ constexpr T &operator[](int i) noexcept { return all[i]; }
        __device__ constexpr const T &operator[](int i) const noexcept { return all[i]; }
        __device__ constexpr T *data() { return all; }
    };
    template <typename T> __device__ constexpr T &same(T &x) { return x; }
    __global__ void k(float *out) {
        Row<float, 4> row{};
        row[0] = 1;
        for (int i = 1; i < 4; ++i) row[i] += row[i - 1] + 1;
        *row.data() = 5;
        same(row[1]) *= 2;
        out[0] = row[0] + 10 * row[1] + 100 * row[3];
    }"""
    found = trace(source, {"out": Unwritten("float32", (1,))}, block=(1,))
    assert found.outputs["out"].tolist() == [5 + 40 + 400]


def test_returned_references_are_lvalues() -> None:
    source = """
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
    __global__ void k(float *out, float *w) {
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
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,)), "w": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [9 + t + 29 + 2000 + 1 for t in range(8)]
    assert found.outputs["w"].tolist() == [8] * 8
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("{ if (i) return 3; return p[1]; }", "this cannot be assigned"),
        ("{ __syncthreads(); return p[i]; }", "assignment to at\\(…\\), which waits at a barrier"),
        ("{ __syncthreads(); return i ? p[0] : p[1]; }", "assignment to at\\(…\\), which waits at a barrier"),
        ("{ return i + 1; }", "at, which returns a reference to a value"),
    ],
)
def test_unsupported_reference_returns_are_refused(function: str, reason: str) -> None:
    source = f"__device__ int &at(int *p, int i) {function} __global__ void k(int *p) {{ at(p, threadIdx.x) = 1; }}"
    with pytest.raises(SourceError, match=reason):
        trace(source, {"p": np.zeros(8, np.int32)})


CHAINED = """struct Q {
    int v;
    __device__ Q &operator<<(int k) { v += k; return *this; }
    __device__ Q &operator+=(const Q &o) { v += o.v; return *this; }
    __device__ Q &operator++() { v++; return *this; }
    __device__ Q operator++(int) { Q old = *this; v++; return old; }
    __device__ Q &add(int k) { v += k; return *this; }
    __device__ Q &operator,(const Q &o) { v += 10 * o.v; return *this; }
};
__device__ Q &operator>>(Q &q, int k) { q.v -= k; return q; }
__device__ void bump(Q &q) { q.v += 5; }"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("Q a; a.v = t; a << 1 << 2 << 30; r = a.v;", lambda t: t + 33, id="one after another"),
        pytest.param("Q a; a.v = t; (a << 5).v += 100; r = a.v;", lambda t: t + 105, id="a member of it"),
        pytest.param("Q a, b; a.v = t; b.v = 2; (a += b) += b; r = a.v;", lambda t: t + 4, id="assignments"),
        pytest.param("Q a; a.v = t; a >> 1 >> 2; bump(a << 1); r = a.v;", lambda t: t + 3, id="as arguments"),
        pytest.param("Q a; a.v = t; ++++a; r = (a++).v + 100 * a.v;", lambda t: t + 2 + 100 * (t + 3), id="increments"),
        pytest.param(
            "Q a; a.v = t; Q b = a << 1 << 2; Q &c = a << 4; c.v *= 2; r = a.v + 1000 * b.v;",
            lambda t: 2 * (t + 7) + 1000 * (t + 3),
            id="references to it",
        ),
        pytest.param(
            "Q a[2]; a[0].v = a[1].v = t; int j = 0; a[j++] << 10 << 20; a[1].add(2).add(3) << 4;"
            "r = a[0].v + 1000 * a[1].v + 100000 * j;",
            lambda t: t + 30 + 1000 * (t + 9) + 100000,
            id="elements",
        ),
        pytest.param(
            "Q a, b; a.v = b.v = t; (t % 2 ? a : b).add(100); r = a.v + 1000 * b.v;",
            lambda t: t + 100 * (t % 2) + 1000 * (t + 100 * (1 - t % 2)),
            id="one of two",
        ),
        pytest.param("Q a, b; a.v = t; b.v = 2; a, b, b; a, 7; r = (a.v, a.v + 1);", lambda t: t + 41, id="commas"),
        pytest.param("r = 1 << t >> 1;", lambda t: 1 << t >> 1, id="numbers"),
    ],
)
def test_operators_that_return_references(body: str, expected: Callable[[int], int]) -> None:
    assert lanes(body, before=CHAINED) == [expected(t) for t in range(8)]
