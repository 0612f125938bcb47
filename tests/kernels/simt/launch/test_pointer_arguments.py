"""Arguments for pointers to pointers, structs that hold pointers, and null pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import InputError, TilescopeError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

F = np.arange(32, dtype=np.float32)
OUT = Unwritten("float32", (8,))
POINT = "struct Point { struct { float x, y; } at; int id; };\n"
VIEW = "struct View { float *data; int count; };\n"

KERNELS: list[tuple[str, dict[str, Any], list[float]]] = [
    (
        "__global__ void k(float **rows, float *out) { int t = threadIdx.x; out[t] = rows[t % 2][t / 2]; }",
        {"rows[0]": F[:4], "rows[1]": F[8:16]},
        [0, 8, 1, 9, 2, 10, 3, 11],
    ),
    (
        "__global__ void k(float ***a, float *out) { out[threadIdx.x] = a[1][threadIdx.x % 2][threadIdx.x]; }",
        {"a": F.reshape(2, 2, 8)},
        [16, 25, 18, 27, 20, 29, 22, 31],
    ),
    (
        VIEW + "__global__ void k(View *v, float *out) { out[threadIdx.x] = v->data[threadIdx.x] * v->count; }",
        {"v.data": F[:8], "v.count": 3},
        [0, 3, 6, 9, 12, 15, 18, 21],
    ),
    (
        VIEW + "__global__ void k(const View *v, float *out) { int t = threadIdx.x;\n"
        "const View &one = v[t % 2]; out[t] = t < one.count ? one.data[t] : -1; }",
        {"v[0].data": F[:8], "v[0].count": 8, "v[1].data": F[8:12], "v[1].count": 4},
        [0, 9, 2, 11, 4, -1, 6, -1],
    ),
    (
        "struct Many { float *rows[2]; float scale[3]; };\n"
        "__global__ void k(Many m, float *out) { int t = threadIdx.x; out[t] = m.rows[t % 2][t] * m.scale[t % 3]; }",
        {"m.rows": F[:16].reshape(2, 8), "m.scale": np.array([1, 10, 100], np.float32)},
        [0, 90, 200, 11, 40, 1300, 6, 150],
    ),
    (
        "__constant__ float *table[2];\n"
        "__global__ void k(float *out) { out[threadIdx.x] = table[threadIdx.x % 2][threadIdx.x]; }",
        {"table": F[:16].reshape(2, 8)},
        [0, 9, 2, 11, 4, 13, 6, 15],
    ),
    (
        "__device__ float *one;\n__global__ void k(float *out) { out[threadIdx.x] = one[threadIdx.x]; }",
        {"one": F[:8]},
        F[:8].tolist(),
    ),
    (
        "__global__ void k(const float *mask, float *out) { int t = threadIdx.x;\n"
        "out[t] = mask == nullptr ? t : mask[t]; }",
        {"mask": 0},
        [0, 1, 2, 3, 4, 5, 6, 7],
    ),
    (
        VIEW + "__global__ void k(View v, float *out) { int t = threadIdx.x; out[t] = v.data ? v.data[t] : t * 2; }",
        {"v.data": 0, "v.count": 0},
        [0, 2, 4, 6, 8, 10, 12, 14],
    ),
    (
        "__device__ void swap(const float **a, const float **b) { const float *c = *a; *a = *b; *b = c; }\n"
        "__global__ void k(const float *a, const float *b, float *out) {\n"
        "swap(&a, &b); out[threadIdx.x] = a[threadIdx.x]; }",
        {"a": F[:8], "b": F[8:16]},
        F[8:16].tolist(),
    ),
    (
        POINT + "__global__ void k(const Point *p, float *out) { out[threadIdx.x] = p->at.y * p->id; }",
        {"p.at.x": 1, "p.at.y": 2, "p.id": 3},
        [6] * 8,
    ),
    (
        POINT
        + "__global__ void k(Point *p, float *out) { int t = threadIdx.x; out[t] = p[t].at.x + p[t].at.y * p[t].id; }",
        {"p.at.x": F[:8], "p.at.y": 10, "p.id": np.arange(8)},
        [11 * t for t in range(8)],
    ),
    (
        POINT
        + "__constant__ Point centre; __device__ Point all[8];\n"
        + "__global__ void k(float *out) { int t = threadIdx.x; out[t] = centre.at.x * centre.id + all[t].id; }",
        {
            "centre.at.x": 5,
            "centre.at.y": 0,
            "centre.id": 2,
            "all.id": np.arange(8),
            "all.at.x": 0,
            "all.at.y": 0,
        },
        [10 + t for t in range(8)],
    ),
    (
        "struct V { union { struct { float x, y, z; }; struct { float v[3]; }; }; };\n"
        "struct Box { V low, high; struct { int n; }; }; __constant__ V shift;\n"
        "__global__ void k(Box b, float *out) {\n"
        "out[threadIdx.x] = b.low.x + b.low.v[1] + b.high.z * b.n + shift.v[2]; }",
        {"b.low.x": 1, "b.low.y": 2, "b.low.z": 3, "b.high.x": 4, "b.high.y": 5, "b.high.z": 6, "b.n": 10}
        | {"shift.x": 0, "shift.y": 0, "shift.z": 0.5},
        [63.5] * 8,
    ),
]


@pytest.mark.parametrize(("source", "given", "expected"), KERNELS)
def test_given_in_parts(source: str, given: dict[str, Any], expected: list[float]) -> None:
    found = trace(source, {**given, "out": OUT})
    assert found.outputs["out"].tolist() == expected
    assert found.hazards == ()


def test_null_pointers_as_arguments() -> None:
    source = "__global__ void k(const float *mask, float *out) { out[threadIdx.x] = mask[threadIdx.x]; }"
    (hazard,) = trace(source, {"mask": 0, "out": OUT}).hazards
    assert hazard.kind == "out-of-bounds"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"v.data": F}, "no value for 'v.count' (int)"),
        ({"v[0].data": F, "v[0].count": 1, "v[2].data": F}, "no value for 'v[1].data' (float *)"),
        ({"v.data": F, "v.count": F}, "'v.count' is one int: give a number"),
        ({"v.data": 3, "v.count": 1}, "parameter 'v.data' is an array (float *): give an array, not 3"),
        ({}, "no value for parameter 'v' (View *)"),
    ],
)
def test_parts_that_are_missing(given: dict[str, Any], message: str) -> None:
    source = VIEW + "__global__ void k(View *v, float *out) { out[threadIdx.x] = v->data[threadIdx.x]; }"
    with pytest.raises(TilescopeError) as caught:
        trace(source, {**given, "out": OUT})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"p.at.x": F, "p.at.y": F}, "no value for 'p.id' (int)"),
        (
            {"p.at.x": F, "p.at.y": F[:4], "p.id": 1},
            "'p.at.y' has 4 elements, others give 32 structs: give as many",
        ),
        ({"p.at.x": F, "p.at.y": F, "p.id": F}, "'p.id' is one int of each struct: give integers"),
    ],
)
def test_structs_that_do_not_come_out_even(given: dict[str, Any], message: str) -> None:
    source = POINT + "__global__ void k(Point *p, float *out) { out[threadIdx.x] = p[threadIdx.x].id; }"
    with pytest.raises(InputError) as caught:
        trace(source, {**given, "out": OUT})
    assert message in str(caught.value)


def test_an_array_of_another_shape_for_a_member() -> None:
    source = "struct S { float w[3]; }; __global__ void k(S s, float *out) { out[threadIdx.x] = s.w[0]; }"
    with pytest.raises(InputError, match=r"'s.w' is float.3.: give an array of .3., not .4."):
        trace(source, {"s.w": F[:4], "out": OUT})


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("float a[3];", 0xFFFFFFFF),
        ("double a[2];", 0xFFFFFFFFFFFFFFFF),
        ("short a[5];", 0xFFFF),
        ("struct { float x; int y; char z; } a[2];", 0xFFFFFFFF),
        ("half a[4];", 0xFFFF),
    ],
)
def test_every_byte_set(declaration: str, expected: int) -> None:
    source = f"""__global__ void k(unsigned char *out) {{
        {declaration} memset(a, 0xff, sizeof(a)); memcpy(out, a, sizeof(a)); }}"""
    found = trace(source, {"out": np.zeros(64, np.uint8)}, block=(1,)).outputs["out"]
    size = int(np.argmin(found)) if not found.all() else len(found)
    assert size >= expected.bit_length() // 8
    assert set(found[:size].tolist()) == {255}
