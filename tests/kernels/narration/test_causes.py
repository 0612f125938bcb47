"""Causes in words."""

from __future__ import annotations

import pytest

from kernels.analysis.values.value_history import Location
from kernels.narration.causes import inputs_text
from tests.kernels.analysis.traces import catalogue


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([(0, 0), (0, 1), (0, 2)], "A[0][0..2]"),
        ([(0, 0), (0, 1), (1, 0), (1, 1)], "A[0..1][0..1]"),
        ([(0, 0), (0, 1), (2, 0), (2, 1)], "A[0][0..1] and A[2][0..1]"),
        ([(0, 2), (1, 2), (3, 2)], "A[0..1][2] and A[3][2]"),
        ([(0, 0), (1, 1), (2, 2)], "A[0][0], A[1][1] and A[2][2]"),
        ([(0, 0), (1, 1), (2, 2), (3, 3)], "4 elements of A"),
    ],
)
def test_inputs_are_named_as_rectangles(cells: list[tuple[int, int]], expected: str) -> None:
    trace = catalogue("matmul_naive")
    array = trace.array_number("A")
    assert inputs_text(trace, [Location(array, 4 * row + column) for row, column in cells]) == expected


def test_inputs_of_several_arrays_are_listed_by_array() -> None:
    trace = catalogue("matmul_naive")
    a, b = trace.array_number("A"), trace.array_number("B")
    assert inputs_text(trace, [Location(a, 0), Location(a, 1), Location(b, 5)]) == "A[0][0..1] and B[1][1]"
    assert inputs_text(trace, [Location(a, 0), Location(a, 5), Location(b, 5)]) == "A[0][0], A[1][1] and B[1][1]"
    assert inputs_text(trace, []) == ""
