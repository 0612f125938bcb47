"""An index computed in int that does not fit one is reported; what provably fits costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.simt.compiler.index.intervals import operation_interval
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = "__global__ void k(float *C, const int *I, int n) {\nint t = threadIdx.x;\n"


def hazards(body: str, n: int = 46341) -> list[tuple[str, int, int, str]]:
    """Kind, line, count and message of each overflow; C and I have 64 elements."""
    arguments: dict[str, Any] = {"C": np.zeros(64, np.float32), "I": np.arange(64, dtype=np.int32), "n": n}
    found = trace(HEAD + body + "\n}", arguments)
    return [(h.kind, h.line, h.count, h.message) for h in found.hazards if h.kind == "index-overflow"]


@pytest.mark.parametrize(
    ("function", "statement", "line"),
    [
        ("int at(int row, int col, int pitch) { return row * pitch + col; }", "C[at(n, t, n)] = 1;", 1),
        ("int at(int row, int col, int pitch) { return row * pitch + col; }", "int i = at(n, t, n); C[i] = 1;", 1),
        ("int at(int row, int pitch) { int i = row * pitch; return i; }", "C[at(n, n)] = 1;", 1),
        ("void put(float *C, int i) { C[i] = 1; }", "put(C, n * n);", 4),
        ("void put(float *C, int row, int col) { int i = row + col; C[i] = 1; }", "put(C, n * n, t);", 4),
    ],
)
def test_an_overflow_in_a_function_or_an_argument_of_it_is_reported(function: str, statement: str, line: int) -> None:
    source = f"__device__ {function}\n{HEAD}{statement}\n}}"
    arguments: dict[str, Any] = {"C": np.zeros(64, np.float32), "I": np.arange(64, dtype=np.int32), "n": 46341}
    found = [(h.line, h.count) for h in trace(source, arguments).hazards if h.kind == "index-overflow"]
    assert found == [(line, 8)]


def test_operations_on_intervals_hold_every_result() -> None:
    """Each operation on all small intervals, against every pair of numbers in them."""
    python: dict[str, Callable[[int, int], int]] = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "&": lambda x, y: x & y,
        "|": lambda x, y: x | y,
        "^": lambda x, y: x ^ y,
        ">>": lambda x, y: x >> y,
        "<<": lambda x, y: x << y,
        "/": lambda x, y: int(x / y),
        "%": lambda x, y: x - y * int(x / y),
    }
    ends = [(a, b) for a in range(-4, 5) for b in range(a, 6, 2)]
    for op, function in python.items():
        for left in ends:
            for right in ends:
                found = operation_interval(op, left, right)
                if found is not None:
                    results = [
                        function(x, y) for x in range(left[0], left[1] + 1) for y in range(right[0], right[1] + 1)
                    ]
                    assert found[0] <= min(results)
                    assert max(results) <= found[1], (op, left, right)


@pytest.mark.parametrize(
    ("loop", "values"),
    [
        ("for (int i = 0; i < 5; ++i)", range(5)),
        ("for (int i = 7; i >= 2; --i)", range(2, 8)),
        ("for (int i = t; 20 > i; i += 3)", range(20)),
        ("for (int i = 2147483600; i > 0 && i < 2147483640; i += 30)", range(2147483600, 2147483640)),
    ],
)
def test_counters_stay_between_their_ends(loop: str, values: range) -> None:
    """The sum with the largest value that keeps every counter in range is silent; one more is reported."""
    room = 2147483647 - max(values)
    assert hazards(f"{loop} C[(i + {room}) & 63] = 1;") == []
