"""Kernel arguments that are structs, arrays of structs, rows, pointers to pointers, and arrays after a struct."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import variables
from kernels.errors import InputError, TilescopeError
from kernels.simt import Argument, Unwritten
from kernels.trace.file import load, save
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.simt import Argument


def test_members_of_struct_parameters_are_known_before_the_first_step(tmp_path: Path) -> None:
    source = """
    typedef struct { int width; float *elements; } Matrix;
    __global__ void k(Matrix m, float2 by) {
        m.elements[threadIdx.x] = by.x * m.width;
        m.width += 1;
        m.elements[threadIdx.x] += m.width;
    }"""
    given: dict[str, Argument] = {"m.width": 3, "m.elements": np.zeros(8, np.float32), "by.x": 1.5, "by.y": 2}
    found = trace(source, given)
    assert found.outputs["m.elements"].tolist() == [8.5] * 8
    assert found.scalars == {"m.width": 3, "by.x": 1.5, "by.y": 2}
    values = [{v.name: v.value for v in variables(found, step, 1)} for step in range(found.steps)]
    assert [v["m.width"] for v in values] == [3, 4, 4]
    save(found, tmp_path / "k.trace")
    assert load(tmp_path / "k.trace").scalars == found.scalars


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "float32", "int64", "float64"])
@pytest.mark.parametrize("shape", [(8, -1), (-1,)])
def test_structs_are_given_by_their_bytes(dtype: str, shape: tuple[int, ...]) -> None:
    source = """
    struct Item { float x; short n; char c; double *next; double d; };
    __global__ void k(Item *items) { Item &i = items[threadIdx.x]; i.d += i.x * i.n + i.c + (i.next == nullptr); }"""
    items = np.zeros(8, [("x", "f4"), ("n", "i2"), ("c", "i1"), ("_", "i1"), ("next", "i8"), ("d", "f8")])
    items["x"], items["n"], items["c"], items["d"] = 2, np.arange(8), 3, 100
    found = trace(source, {"items": items.view(dtype).reshape(shape)})
    assert found.hazards == ()
    output = found.outputs["items"]
    assert output.shape == items.view(dtype).reshape(shape).shape
    assert output.dtype == dtype
    assert np.ascontiguousarray(output).reshape(-1).view(items.dtype)["d"].tolist() == [104 + 2 * t for t in range(8)]


def test_vectors_are_not_given_by_other_floating_point_numbers() -> None:
    source = "__global__ void k(float4 *v) { v[threadIdx.x].x = 1; }"
    assert trace(source, {"v": np.zeros((8, 16), np.uint8)}).hazards == ()
    with pytest.raises(TilescopeError, match="give an array of float32, not of float64"):
        trace(source, {"v": np.zeros((8, 2), np.float64)})


def test_pointers_to_pointers_are_given_row_by_row() -> None:
    source = """
    __global__ void k(float **rows, const int *const *index, float *out, void **raw) {
        int t = threadIdx.x;
        float *mine = rows[t % 3];
        mine[t] += index[1][t];
        out[t] = rows[1][t] + ((int *)raw[0])[t];
        if (t == 7) rows[2][8] = 1;
    }"""
    given: dict[str, Argument] = {
        "rows": np.arange(24, dtype=np.float32).reshape(3, 8),
        "index": np.arange(16, dtype=np.int32).reshape(2, 8),
        "raw": np.ones((1, 8), np.int32),
        "out": Unwritten("float32", (8,)),
    }
    found = trace(source, given)
    mine = [8 + t + (8 + t if t % 3 == 1 else 0) for t in range(8)]
    assert found.outputs["rows[1]"].tolist() == mine
    assert found.outputs["out"].tolist() == [value + 1 for value in mine]
    (hazard,) = found.hazards
    assert (hazard.kind, hazard.array, hazard.index) == ("out-of-bounds", "rows[2]", 8)
    for wrong in (np.zeros(8, np.float32), np.zeros((65, 2), np.float32)):
        with pytest.raises(TilescopeError, match=r"'rows' points to pointers .* give a row for each, up to 64"):
            trace(source, {**given, "rows": wrong})


def test_an_array_after_a_struct_is_one_argument() -> None:
    source = """
    struct Matrix { int rows, columns; __align__(16) float data[]; };
    __global__ void k(const Matrix *in, Matrix *out) {
        int t = threadIdx.x;
        out->data[t] = in->data[t % in->rows * in->columns + t / in->rows];
    }"""
    shape: dict[str, Argument] = {"in.rows": 2, "in.columns": 4, "out.rows": 4, "out.columns": 2}
    made = trace(source, {**shape, "in.data": np.arange(8, dtype=np.float32), "out.data": np.zeros(8, np.float32)})
    assert made.hazards == ()
    held = np.frombuffer(made.outputs["out"].tobytes(), np.float32)[4:12]
    assert held.tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    with pytest.raises(InputError, match=r"'out\.data' is what lies behind one struct: give numbers"):
        trace(source, {**shape, "in.data": np.zeros(8, np.float32), "out.data": Unwritten("float32", (8,))})
