"""An index computed in int that does not fit one is reported; what provably fits costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.simt import Unwritten
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
    ("body", "count", "says"),
    [
        (
            "C[n * n] = 1;",
            8,
            "46341 * 46341 for an index: 2147488281 does not fit an int, it wraps to -2147479015",
        ),
        ("C[n * n / n] = 1;", 8, "compute it in size_t or long long"),
        ("C[(t + 46337) * n - t] = 1;", 4, "thread (4, 0) of block (0, 0) computes 46341 * 46341"),
        ("C[t + 2147483647] = 1;", 7, "1 + 2147483647 for an index: 2147483648"),
        ("C[-2000000000 - n * 8000] = 1;", 8, "-2000000000 - 370728000"),
        ("float *p = C + n * n; *p = 1;", 8, "46341 * 46341"),
        ("*(C + 3 + n * n) = 1;", 8, "46341 * 46341"),
        ("C[I[t] + 2147483645] = 1;", 5, "3 + 2147483645"),
        ("int big = I[t] * 70000; C[big * (t + 30000)] = 1;", 6, "140000 * 30002"),
        ("for (int i = 0; i < n; i += 46340) C[i * n - i * n] = 1;", 0, ""),
        ("for (int i = 0; i <= n; i += 46341) C[i * n] = 1;", 8, "46341 * 46341"),
        ("for (int i = 0; i < 4; ++i) { i += n; C[i * n] = 1; }", 8, "46341 * 46341"),
        ("int i = 1; i += n; C[i * n] = 1;", 8, "46342 * 46341"),
        ("int i = n; int &j = i; j *= 2; C[i * n] = 1;", 8, "92682 * 46341"),
        ("int i = n * n; C[i + t] = 1;", 8, "46341 * 46341"),
        ("size_t i = n * n - 1; C[2 * i] = 1;", 8, "46341 * 46341"),
        ("if (t < 2) C[I[t] * 2147483647] = 1;", 0, ""),
        ("int i; i = n * n; C[i] = 1;", 8, "46341 * 46341"),
        ("int i = n; i *= n; C[i] = 1;", 8, "46341 * 46341"),
        ("int i = 0; if (t < 2) i = n * n; C[i] = 1;", 2, "46341 * 46341"),
        ("int i; i = t < 2 ? -(n * n) : 0; C[i] = 1;", 2, "46341 * 46341"),
        ("int start = n * n; int i = start + t; C[i] = 1;", 8, "46341 * 46341"),
        ("int start = n * n; float *p = C + start; p[t] = 1;", 8, "46341 * 46341"),
        ("int start = n * n; *(C + (size_t)start) = 1;", 8, "46341 * 46341"),
        ("C += n * n; C[0] = 1;", 8, "46341 * 46341"),
        ("float *p = C; p += n * n; *p = 1;", 8, "46341 * 46341"),
        ("auto at = [&](int row, int col) { return row * n + col; }; C[at(n, t)] = 1;", 8, "46341 * 46341"),
    ],
)
def test_an_overflow_is_reported_with_its_values(body: str, count: int, says: str) -> None:
    found = hazards(body)
    if not count:
        assert found == []
        return
    ((_, line, total, message),) = found
    assert (line, total) == (3, count)
    assert says in message


@pytest.mark.parametrize(
    "body",
    [
        "C[(size_t)n * n % 64] = 1;",
        "C[(long long)n * n % 64] = 1;",
        "int hash = n * n * 31; C[hash & 63] = 1;",  # it is no index yet
        "unsigned u = n; C[u * u % 64] = 1;",
        "C[threadIdx.x * 2 + 1] = 1;",
        "for (int i = t; i < 64; i += blockDim.x) C[i] = 1;",
        "int hash; hash = n * n * 31; C[hash & 63] = 1;",
        "int hash = t; hash = (hash * 1103515245 + 12345) & 63; C[hash] = 1;",
        "for (int s = 32; s > 0; s /= 2) C[t % s + s - 1] = 1;",
        "for (int s = 1; s < 64; s *= 2) C[s * 1 + t % s - s] = 1;",
    ],
)
def test_indices_that_fit_or_are_wide_are_not_reported(body: str) -> None:
    assert hazards(body) == []


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


def test_an_index_in_a_function_that_is_called_inside_an_index_is_its_own_matter() -> None:
    source = """__device__ int hash(int x) { return (x * 2654435 ^ 77777 * 88888) & 7; }
        __global__ void k(float *C) { C[hash(threadIdx.x + 1000)] = 1; }"""
    found = trace(source, {"C": Unwritten("float32", (8,))})
    assert [h.kind for h in found.hazards if h.kind == "index-overflow"] == []
