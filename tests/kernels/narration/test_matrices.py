"""Words about matrix instructions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.values.fragments import Multiplication, multiplication
from kernels.analysis.values.matrix_loads import MatrixLoad, matrix_load
from kernels.catalog import read_kernel
from kernels.narration.matrices import elements_words, gets_words, giver_words, instruction_words, use_words
from kernels.tracing import trace_kernel
from tests.kernels.analysis.test_fragments import KERNELS, LANES, step_of

if TYPE_CHECKING:
    from kernels.trace import Trace


@cache
def run(name: str) -> Trace:
    kernel = read_kernel(KERNELS / f"{name}.cu")
    return trace_kernel(kernel, kernel.size, kernel.block)


def load(name: str, text: str) -> MatrixLoad:
    found = matrix_load(run(name), step_of(run(name), text, 1), LANES)
    assert found is not None
    return found


def test_a_product() -> None:
    shown = multiplication(run("mma_bf16"), step_of(run("mma_bf16"), "mma.sync"), LANES)
    assert isinstance(shown, Multiplication)
    words = "16×8 sums from 16×16 of A and 16×8 of B; each lane holds 8 of A, 4 of B, 4 sums"
    assert instruction_words(shown, 0, 0) == words
    assert use_words(shown, 0, 3, 2) == ("A[3][2] goes into", "the 8 sums of row 3.")
    assert use_words(shown, 1, 3, 2) == ("B[3][2] goes into", "the 16 sums of column 2.")
    assert use_words(shown, 2, 3, 2) == ("C[3][2] gets 16 products:", "row 3 of A · column 2 of B.")


def test_loads() -> None:
    plain, swizzled = load("mma_bf16", "m8n8.x2.trans"), load("mma_f16_swizzled", "m8n8.x4")
    assert instruction_words(plain, 1, 1) == "2 matrices from Bs, a row named by each of 16 lanes: 1 wavefront"
    assert instruction_words(swizzled, 9, 4).endswith("32 lanes: 9 wavefronts, 4 would do")
    assert giver_words(plain, 5) == ("Lane 5 names row 5 of matrix 0:", "Bs[21][0], in banks 20 to 23")
    assert giver_words(plain, 16) == ("Lane 16: its address is not used.",)
    assert giver_words(swizzled, 29)[-1] == "chunk ^ (r % 8): 3 ^ 5 = 6"
    assert gets_words(plain, 5) == ("Lane 5 gets rows 2 and 3, column 1 of each:", "Lane 5 gets rows 2, 3, column 1:")
    assert gets_words(swizzled, 5)[0] == "Lane 5 gets row 1, columns 2 and 3 of each:"


@pytest.mark.parametrize(
    ("elements", "words"),
    [(((3, 2),), "A[3][2]"), (((3, 2), (3, 3)), "A[3][2…3]"), (((4, 1), (5, 1), (6, 1), (7, 1)), "A[4…7][1]")],
)
def test_elements_of_a_register(elements: tuple[tuple[int, int], ...], words: str) -> None:
    assert elements_words("A", elements) == words


def test_a_lane_of_every_matrix_gets_the_same_places() -> None:
    holders = load("mma_f16_swizzled", "m8n8.x4").holders
    assert all(np.array_equal(holders.lane[0], other) for other in holders.lane[1:])
