"""A register without a value may be copied; the report comes where a copy is used, and names that place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from tests.kernels.hazards.corpus import FOLDER
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.simt import Argument
    from kernels.trace import Hazard

HALF: Final = "float a; if (t < 4) a = 1;\n"
"""Gives half of the threads a value; stands in line 2."""

ADD: Final = "__device__ float add(float x) { return x + 1; }\n"


def hazards(body: str, *, record: bool = True, schedule: str = "lockstep") -> list[Hazard]:
    source = f"{ADD}__global__ void k(const int *A, float *C, float n) {{ int t = threadIdx.x;\n{HALF}{body}\n}}"
    arguments: dict[str, Argument] = {
        "A": np.arange(8, dtype=np.int32),
        "C": np.zeros(8, np.float32),
        "n": 2.5,
    }
    return list(trace(source, arguments, record=record, schedule=schedule).hazards)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("C[t] = a;", "uses a, which has no value yet: give it one where it is declared"),
        ("float b = a; C[t] = b;", "uses b, a copy of a, which had no value yet: initialise a"),
        ("float b; b = a; C[t] = b;", "uses b, which has no value yet, or a copy of a without one: initialise b and a"),
    ],
)
def test_the_report_names_what_has_no_value(body: str, words: str) -> None:
    (hazard,) = hazards(body)
    assert words in hazard.message


def test_a_stencil_whose_planes_go_through_registers() -> None:
    """Threads of the halo outside of the grid load nothing, copy their registers all the same, and compute nothing."""
    n = 8
    grid = np.random.default_rng(1).integers(0, 9, (n, n, n)).astype(np.float32)
    output = trace(
        (FOLDER / "stencil_in_registers.cu").read_text(encoding="utf-8"),
        {"in": grid, "out": np.zeros((n, n, n), np.float32), "n": n},
        grid=(2, 2),
        block=(6, 6),
    )
    assert output.hazards == ()
    inside = slice(1, -1)
    expected = -6 * grid[inside, inside, inside]
    for axis in range(3):
        for shift in (-1, 1):
            expected += np.roll(grid, shift, axis)[inside, inside, inside]
    assert np.array_equal(output.outputs["out"][inside, inside, inside], expected)
    assert not output.outputs["out"][[0, -1]].any()
