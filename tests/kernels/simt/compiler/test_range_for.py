"""Range-based for loops over arrays, pointers, structs with begin and end, and results of functions."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[3] = {1, 2, t}; for (int x : a) r += x; for (auto &x : a) x *= 2; r += 100 * a[1];", 403),
        ("for (int x : {1, 2, 3}) { if (x == 2) continue; r += x + t; }", 4),
        ("struct P { int v[2]; } p = {{t, 5}}; for (const auto &x : p.v) r += x;", 5),
        ("float a[2][2] = {{1, 2}, {3, t}}; for (auto &row : a) for (float x : row) { if (x > 2) break; r += x; }", 3),
    ],
)
def test_a_loop_over_an_array(body: str, expected: int) -> None:
    found = lanes(body)
    assert found[0] == expected


def test_a_loop_over_a_struct_with_begin_and_end() -> None:
    before = """
    struct At {
        int i, step;
        __device__ int operator*() const { return i; }
        __device__ At &operator++() { i += step; return *this; }
        __device__ bool operator!=(const At &other) const { return i < other.i; }
    };
    struct Every {
        int from, to, step;
        __device__ At begin() const { return {from, step}; }
        __device__ At end() const { return {to, step}; }
    };
    __device__ Every every(int to, int step) { return {0, to, step}; }
    """
    body = "Every two{t, 8, 2}; for (auto i : two) r += i; for (int i : every(9, 4)) r += 100 * i;"
    assert lanes(body, before=before) == [1200 + sum(range(t, 8, 2)) for t in range(8)]


def test_a_loop_over_a_pointer() -> None:
    with pytest.raises(SourceError, match=r"5:1: .*for over int \*; use for \(int i = 0"):
        lanes("int a[2] = {}, *p = a;\nfor (int x : p) r += x;")


def test_a_loop_over_the_result_of_a_function() -> None:
    source = """
    template <typename T> struct At {
        T value, step;
        __device__ T operator*() const { return value; }
        __device__ At &operator++() { value += step; return *this; }
        __device__ bool operator!=(const At &end) const { return value < end.value; }
    };
    template <typename T> struct Range {
        T first, last, step;
        __device__ At<T> begin() const { return {first, step}; }
        __device__ At<T> end() const { return {last, step}; }
    };
    template <typename T> __device__ Range<T> strided(T n) { return {T(threadIdx.x), n, T(blockDim.x)}; }
    __global__ void k(int *out, int n) {
        for (auto i : strided<unsigned>(n)) out[i] = i;
        for (auto i : strided(n)) out[i] *= 2;
        auto all = strided(n);
        for (int i : all) out[i] += 1;
    }"""
    found = trace(source, {"out": Unwritten("int32", (20,)), "n": 20})
    assert found.outputs["out"].tolist() == [2 * i + 1 for i in range(20)]
    assert found.hazards == ()
