"""Brace initialisers: elided and parenthesised braces, designators, arrays in structs, returned lists."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

TYPES = """
struct Point { int a; float2 at; };
struct Pair { Point p[2]; };
struct Phase {
    int index, parity;
    __device__ Phase() {}
    __device__ Phase(int i, int p) : index(i), parity(p) {}
    __device__ Phase(const Phase &other) : index(other.index), parity(other.parity) {}
};
struct Held { Phase phase; float2 at; __device__ Held(int t) : phase({2, t}), at({1.0f, 5.0f}) {} };
struct Made { float2 at; __device__ Made(float2 a) : at(a) {} };
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("float2 v[2] = {1.0, 2.0, t}; r = v[0].x + 10 * v[0].y + 100 * v[1].x + 1000 * v[1].y;", [721, 21]),
        (
            "float4 w[2][2] = {{1.0f}, {t, 2, 3, 4, 5, 6}};"
            "r = w[0][0].x + 10 * w[1][0].x + 100 * w[1][0].w + 1000 * w[1][1].y + 10000 * w[0][1].x;",
            [6471, 6401],
        ),
        (
            "float2 one = make_float2(1, t); float2 v[3] = {one, make_float2(3, 4), 5, 6};"
            "r = v[0].y + 10 * v[1].y + 100 * v[2].x + 1000 * v[2].y;",
            [6547, 6540],
        ),
        (
            "Point p[2] = {1, 2, 3, {4, {5, t}}}; r = p[0].a + 10 * p[0].at.y + 100 * p[1].a + 1000 * p[1].at.y;",
            [7431, 431],
        ),
        (
            "Point p[2] = {1, {2, 3}, t}; Pair q[2] = {{1}, 2, 3, 4, 5, 6};"
            "r = p[0].at.y + 10 * p[1].a + 100 * q[1].p[1].a + 1000 * q[1].p[1].at.x + 10000 * q[0].p[1].a;",
            [6573, 6503],
        ),
        ("float2 v({3.0f, t}); Point p({1, {2, 3}}); r = v.x + 10 * v.y + 100 * p.at.y;", [373, 303]),
        ("Phase p({3, t}); Made m({4.0f, 5.0f}); r = p.index + 10 * p.parity + 100 * m.at.y;", [573, 503]),
        ("Held h(t); r = h.phase.index + 10 * h.phase.parity + 100 * h.at.y;", [572, 502]),
    ],
)
def test_braces_may_be_left_out_or_stand_in_parentheses(body: str, expected: list[int]) -> None:
    numbers = lanes(body, kind="float", before=TYPES)
    assert [numbers[7], numbers[0]] == expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("float2 v[2] = {1, 2, 3, 4, 5};", r"too many values for float2\[2\]"),
        ("Point p[1] = {1, 2, 3, {4, 5}};", r"too many values for Point\[1\]"),
    ],
)
def test_values_that_no_part_is_left_for(body: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        lanes(body, before=TYPES)


def test_braces_and_designators_in_declarations() -> None:
    source = """
    auto constexpr WIDTH = 4u;
    struct Step { int from; int by = 2; int rest[2]; float scale; };
    __global__ void k(float *a) {
        auto const column{threadIdx.x % WIDTH};
        const auto scale{0.5f};
        Step step = {.from = 7, .scale = scale}, second{.by{5}};
        for (auto i{0}; i < 2; ++i) step.from += step.by + second.by + step.rest[i] + second.from;
        a[threadIdx.x] = column + step.from * step.scale;
    }"""
    found = trace(source, {"a": Unwritten("float32", (8,))})
    assert found.outputs["a"].tolist() == [t % 4 + 10.5 for t in range(8)]
    assert found.hazards == ()


@pytest.mark.parametrize(
    "braces",
    ["{1, {2, 3}, {4}}", "{1, 2, 3, {4}}", "{1, {2, 3}, Inner{4}, {0}}", "{.a = 1, .b = {2, 3}, .c{4}}"],
)
def test_braces_of_a_member_that_is_an_array(braces: str) -> None:
    source = f"""
    struct Inner {{ int x; }};
    struct Mixed {{ int a; int b[2]; Inner c; int d[3]; }};
    __global__ void k(int *a) {{
        Mixed m = {braces};
        a[threadIdx.x] = 1000 * m.a + 100 * m.b[0] + 10 * m.b[1] + m.c.x + m.d[2];
    }}"""
    assert trace(source, {"a": Unwritten("int32", (8,))}).outputs["a"].tolist() == [1234] * 8


def test_a_returned_list_with_designators_and_default_values() -> None:
    source = """
    struct P { float x; float y = 7; };
    struct Q { P p; int n[2]; };
    __device__ P plain(float v) { return {v}; }
    __device__ P named(float v) { return {.x = v, .y = 2}; }
    __device__ Q nested() { return {.p = {.x = 1, .y = 3}, .n = {4, 5}}; }
    template <typename T> __device__ T one(float v) { return {.x = v}; }
    __global__ void k(float *out) {
        auto next = [](float v) -> P { return {.x = v + 1}; };
        Q q = nested();
        float all[] = {plain(1).y, named(4).x, named(4).y, one<P>(5).y, next(1).x, next(1).y, q.p.y, q.n[1] * 1.f};
        if (threadIdx.x == 0) for (int i = 0; i < 8; ++i) out[i] = all[i];
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [7, 4, 2, 7, 2, 7, 3, 5]
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("values", "sums"),
    [
        ("{0}", [0, 0, 0]),
        ("{}", [0, 0, 0]),
        ("{7}", [7, 0, 0]),
        ("{1, 2, 3, 4, 5, 6, 7}", [10, 5, 13]),
        ("{{1, 2}, 5, {6}}", [3, 5, 6]),
        ("{1, 2, 3, 4, 5}", [10, 5, 0]),
        ("{all}", [1, 0, 0]),
    ],
)
def test_braces_of_a_struct_that_begins_with_an_array(values: str, sums: list[int]) -> None:
    source = f"""
    struct Context {{ unsigned char block[4]; int length; int state[2]; }};
    __global__ void k(int *out) {{
        Context all = {{1}};
        Context c = {values};
        out[0] = c.block[0] + c.block[1] + c.block[2] + c.block[3];
        out[1] = c.length;
        out[2] = c.state[0] + c.state[1];
    }}"""
    assert trace(source, {"out": np.zeros(3, np.int32)}, block=(1, 1, 1)).outputs["out"].tolist() == sums


def test_braces_as_arguments_of_pair_conversions() -> None:
    source = """
    __global__ void k(half2 *h, __nv_bfloat162 *b, float *out) {
        h[0] = __float22half2_rn({1.5f, 2.5f});
        b[0] = __float22bfloat162_rn({3.5f, 4.5f});
        out[0] = __half22float2({h[0].y, h[0].x}).x;
        out[1] = __bfloat1622float2({b[0].y, b[0].x}).y;
    }"""
    arguments = {name: np.zeros(2, kind) for name, kind in (("h", "f2"), ("b", "u2"), ("out", "f4"))}
    found = trace(source, arguments, block=(1,))
    assert found.outputs["h"].tolist() == [1.5, 2.5]
    assert found.outputs["out"].tolist() == [2.5, 3.5]
