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
