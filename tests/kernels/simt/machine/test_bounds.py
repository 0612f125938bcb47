"""The bounds check of an index of any integer type, in arrays of every space.

The plain command takes three types for each access to a space, in turn; the exhaustive command all fourteen.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
import pytest

from tests.kernels.simt.programs import THREADS, trace
from tests.sweeps import in_turn

TYPES: Final = {
    "char": np.int8,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "bool": np.bool_,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "size_t": np.uint64,
    "plain": np.int32,
    "narrow": np.int16,
    "scoped": np.uint8,
}
"""C's name of each index type, and NumPy's."""

ENUMS: Final = "enum plain { a = -1 }; enum narrow : short { b = -1 }; enum class scoped : unsigned char { c };"

SPACES: Final = {
    "global": ("", "int *h,", "", "h[{i}]"),
    "pointer": ("", "int *h,", "", "*(h + {i})"),
    "moved pointer": ("", "int *h,", "int *p = h; p += {i};", "*p"),
    "two pointers": ("", "int *h,", "int x[1]; int *p = r[0] ? x : h;", "p[{i}]"),
    "shared": ("", "", "__shared__ int h[{n}];", "h[{i}]"),
    "dynamic shared": ("", "", "extern __shared__ int h[];", "h[{i}]"),
    "local": ("", "", "int h[{n}];", "h[{i}]"),
    "constant": ("__constant__ int h[{n}];", "", "", "h[{i}]"),
    "device": ("__device__ int h[{n}];", "", "", "h[{i}]"),
    "rows": ("__device__ int h[{n}][3];", "", "", "h[{i}][0]"),
    "columns": ("__device__ int h[3][{n}];", "", "", "h[0][{i}]"),
    "structs": ("struct S {{ int x, y; }}; __device__ S h[{n}];", "", "", "h[{i}].y"),
    "member": ("struct S {{ int x[{n}]; int y; }}; __device__ S h[2];", "", "", "h[0].x[{i}]"),
    "vectors": ("__device__ int2 h[{n}];", "", "", "h[{i}].y"),
}
"""By name: what stands before the kernel, a parameter, a declaration, and the element with index {i} of {n}."""

ACCESSES: Final = {
    "read": "r[threadIdx.x] = {};",
    "write": "{} = 5;",
    "atomic": "atomicAdd(&({}), 1);",
}
IMPOSSIBLE: Final = {("constant", "write"), ("constant", "atomic"), ("local", "atomic")}


@pytest.mark.parametrize(
    ("space", "access", "kind"),
    in_turn((pair for pair in product(SPACES, ACCESSES) if pair not in IMPOSSIBLE), list(TYPES), "-".join),
)
@pytest.mark.parametrize("record", [True, False])
def test_minus_one_as_an_index_of_any_type(kind: str, space: str, access: str, *, record: bool) -> None:
    """-1, converted to the type, is out of bounds exactly where it lies outside of the array.

    The array has as many elements as the narrow types have values, so that -1 seen as unsigned lies in it.
    """
    before, parameter, declaration, element = SPACES[space]
    size = 256 if np.dtype(TYPES[kind]).itemsize == 1 else 65536
    index = f"({kind})i[threadIdx.x]"
    arguments = {"i": np.full(THREADS, -1, np.int32), "r": np.zeros(THREADS, np.int32)}
    if parameter:
        arguments["h"] = np.zeros(size, np.int32)
    output = trace(
        f"{ENUMS} {before.format(n=size)} __global__ void k({parameter} const int *i, int *r) {{"
        f"{declaration.format(n=size, i=index)} {ACCESSES[access].format(element.format(i=index))} }}",
        arguments,
        shared=4 * size,
        record=record,
    )
    value = int(np.array([-1]).astype(TYPES[kind])[0])
    found = [hazard for hazard in output.hazards if hazard.kind == "out-of-bounds"]
    assert bool(found) == (not 0 <= value < size)
    assert all(hazard.count == THREADS for hazard in found)


@pytest.mark.parametrize("kind", ["char", "unsigned char", "short", "unsigned short", "int", "unsigned"])
def test_the_difference_of_two_pointers_has_a_sign(kind: str) -> None:
    """A pointer keeps where it points in a signed type, whatever it was moved by."""
    output = trace(
        f"__global__ void k(const int *h, const {kind} *i, long long *r) {{"
        "r[threadIdx.x] = (h + i[0]) - (h + i[threadIdx.x]); }",
        {"h": np.zeros(9, np.int32), "i": np.arange(THREADS, dtype=TYPES[kind]), "r": np.zeros(THREADS, np.int64)},
    )
    assert output.outputs["r"].tolist() == [-t for t in range(THREADS)]
    assert output.contents(output.array_number("r"), output.steps)[0].tolist() == output.outputs["r"].tolist()
    assert output.hazards == ()


def test_a_histogram_of_signed_letters() -> None:
    """`char` is signed: letters beyond 127 are negative, and lie in front of the counts."""
    output = trace(
        "__global__ void k(const char *text, int *counts) { atomicAdd(&counts[text[threadIdx.x]], 1); }",
        {"text": np.array([65, 66, -61, -92, 65, 67, -61, -68], np.int8), "counts": np.zeros(256, np.int32)},
    )
    (hazard,) = output.hazards
    assert (hazard.kind, hazard.array, hazard.index, hazard.count) == ("out-of-bounds", "counts", -61, 4)
    assert "only let threads access it whose index is not negative" in hazard.message
    assert output.outputs["counts"].sum() == 4
    assert np.flatnonzero(output.outputs["counts"]).tolist() == [65, 66, 67]
