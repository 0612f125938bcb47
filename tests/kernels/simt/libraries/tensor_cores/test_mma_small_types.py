"""`mma.sync` of 4-bit integers and of bits: fragment layouts, and exact sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = {"s4": 4, "u4": 4, "b1": 1}


def source(rows: int, depth: int, kinds: str) -> str:
    """Return a kernel of one warp: rows of A and columns of B are rows of words in memory, C[rows][8]."""
    words = depth * BITS[kinds.split(".")[2 if kinds.startswith("sat") else 1]] // 32
    count, across, high = rows // 8 * words // 4, words // 4, rows // 8
    names = [f"%{i}" for i in range(4 * high + count + across)]
    cut = [2 * high, 2 * high + count, 2 * high + count + across]
    listed = [names[: cut[0]], names[cut[0] : cut[1]], names[cut[1] : cut[2]], names[cut[2] :]]
    places = [f"C[(t / 4 + 8 * {r // 2}) * 8 + t % 4 * 2 + {r % 2}]" for r in range(2 * high)]
    left = [f"A[(t / 4 + 8 * {r % high}) * {words} + t % 4 + 4 * {r // high}]" for r in range(count)]
    right = [f"B[t / 4 * {words} + t % 4 + 4 * {r}]" for r in range(across)]
    outputs = ", ".join(f'"=r"(d[{r}])' for r in range(2 * high))
    inputs = ", ".join(f'"r"({one})' for one in (*left, *right, *places))
    registers = ", ".join("{{" + ", ".join(one) + "}}" for one in listed).replace("{{", "{").replace("}}", "}")
    return f"""__global__ void k(const int *A, const int *B, int *C) {{
        int t = threadIdx.x, d[{2 * high}];
        asm volatile("mma.sync.aligned.m{rows}n8k{depth}.row.col.{kinds} {registers};" : {outputs} : {inputs});
        {" ".join(f"{place} = d[{r}];" for r, place in enumerate(places))}
    }}"""


def numbers(words: NDArray[Any], kind: str) -> NDArray[Any]:
    bits = BITS[kind]
    taken = words.view(np.uint32)[..., None] >> np.arange(0, 32, bits, dtype=np.uint32) & np.uint32(2**bits - 1)
    found = taken.reshape(len(words), -1).astype(np.int64)
    return np.where(found > 7, found - 16, found) if kind == "s4" else found


@pytest.mark.parametrize(
    ("rows", "depth", "kinds"),
    [
        (8, 32, "s32.s4.s4.s32"),
        (16, 32, "s32.u4.u4.s32"),
        (16, 64, "s32.s4.s4.s32"),
        (16, 64, "s32.s4.u4.s32"),
        (16, 64, "satfinite.s32.u4.s4.s32"),
        (8, 128, "s32.b1.b1.s32.xor.popc"),
        (16, 128, "s32.b1.b1.s32.and.popc"),
        (16, 256, "s32.b1.b1.s32.xor.popc"),
    ],
)
def test_products_are_exact(rows: int, depth: int, kinds: str) -> None:
    left, right = (word for word in kinds.split(".") if word in BITS)
    random = np.random.default_rng(3)
    words = depth * BITS[left] // 32
    a, b = (random.integers(-(2**31), 2**31, (n, words)).astype(np.int32) for n in (rows, 8))
    c = random.integers(-1000, 1000, (rows, 8)).astype(np.int32)
    found = trace(source(rows, depth, kinds), {"A": a, "B": b, "C": c}, block=(32,))
    x, y = numbers(a, left), numbers(b, right).T
    exact = (x[:, :, None] ^ y[None]).sum(axis=1) if "xor" in kinds else x @ y
    assert found.outputs["C"].tolist() == (exact + c).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("rows", "depth", "kinds"),
    [
        (16, 32, "s32.b1.b1.s32.xor.popc"),
        (16, 64, "s32.s4.s4.s32.xor.popc"),
        (8, 64, "s32.s4.s4.s32"),
        (16, 128, "s32.b1.b1.s32"),
    ],
)
def test_shapes_that_there_are_not_are_refused(rows: int, depth: int, kinds: str) -> None:
    with pytest.raises(SourceError, match=f"mma.sync.aligned.m{rows}n8k{depth}"):
        trace(source(rows, depth, kinds), dict.fromkeys("ABC", np.zeros(1024, np.int32)), block=(32,))
