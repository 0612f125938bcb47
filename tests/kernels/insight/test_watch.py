from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.insight import IndexArithmetic, explain_index, variables
from tests.kernels.insight.traces import catalogue, source, step_of

if TYPE_CHECKING:
    from kernels.trace import Trace


def explain(trace: Trace, step: int, lane: int, array: str) -> IndexArithmetic:
    number = int(trace.step_statement[step])
    site = next(s for s in trace.sites if s.statement == number and trace.arrays[s.array].name == array)
    found = explain_index(trace, step, lane, site)
    assert found is not None
    return found


def test_the_column_beyond_the_edge_is_seen_although_the_flat_index_exists() -> None:
    trace = catalogue("matmul_tiled")
    found = explain(trace, step_of(trace, "As", phase=1), 1, "A")
    assert found.text == "row * K + t * TILE_WIDTH + tx"
    assert found.substituted == "0*3 + 1*2 + 1"
    assert (found.flat, found.row, found.column) == (3, 0, 3)
    assert found.element == "A[0][3]"
    assert found.byte_address == 12
    assert not found.inside
    assert not found.performed


@pytest.mark.parametrize(
    ("statement", "lane", "array", "element", "numbers"),
    [
        ("As", 0, "A", "A[0][2]", "0*3 + 1*2 + 0"),
        ("As", 3, "As", "As[1][1]", "[1][1]"),
        ("Bs", 2, "B", "B[3][0]", "(1*2 + 1)*3 + 0"),
        ("Bs", 4, "B", "B[2][2]", "(1*2 + 0)*3 + 2"),
        ("sum", 2, "As", "As[1][0]", "[1][0]"),
    ],
)
def test_row_and_column_come_from_the_source(
    statement: str, lane: int, array: str, element: str, numbers: str
) -> None:
    trace = catalogue("matmul_tiled")
    found = explain(trace, step_of(trace, statement, phase=1), lane, array)
    assert (found.element, found.substituted) == (element, numbers)


def test_a_thread_held_back_by_an_if_has_an_index_too() -> None:
    trace = catalogue("matmul_tiled")
    found = explain(trace, step_of(trace, "C["), 13, "C")
    assert (found.element, found.inside, found.performed) == ("C[2][3]", False, False)


ONE = "__global__ void k(const float *A, float *C, int n, int w) {{ int x = threadIdx.x; int r = blockIdx.x; {} }}"


@pytest.mark.parametrize(
    ("body", "element"),
    [
        ("C[r * w + x] = 1;", "C[1][2]"),
        ("C[x + w * r] = 1;", "C[1][2]"),
        ("C[(r + 1) * w - w + x] = 1;", "C[1][2]"),
        ("int i = r * w + x; C[i] = 1;", "C[1][2]"),
        ("int start = r * w; C[start + x] = 1;", "C[1][2]"),
        ("int i = r * w; i += x; C[i] = 1;", "C[1][2]"),  # not told by the source, but the element exists
        ("C[r * 5 + x] = 1;", "C[1][2]"),
        ("C[r * w + x + 3] = 1;", "C[1][5]"),
        ("C[r * w + x + 30] = 1;", "C[1][32]"),
        ("int i = r * w; i += x + 30; C[i] = 1;", "C[37]"),
        ("C[(int)A[7]] = 1;", "C[1][2]"),
    ],
)
def test_ways_to_write_an_index(body: str, element: str) -> None:
    trace = source(ONE.format(body), "2", "3", "A=f32[4,5]:iota", "C=f32[4,5]:uninit", "n=4", "w=5")
    step = trace.steps - 1
    assert explain(trace, step, 5, "C").element == element


def test_an_index_that_memory_decides_is_not_guessed_for_a_thread_that_did_not_use_it() -> None:
    body = "if (x < 2) C[(int)A[x]] = 1;"
    trace = source(ONE.format(body), "1", "3", "A=f32[4,5]:iota", "C=f32[4,5]:uninit", "n=4", "w=5")
    site = next(s for s in trace.sites if s.access == "write")
    assert explain_index(trace, trace.steps - 1, 2, site) is None


def test_variables_of_a_thread() -> None:
    trace = catalogue("matmul_tiled")
    shown = {v.name: v for v in variables(trace, step_of(trace, "As", phase=1), 5)}
    expected = {"threadIdx.x": 1, "blockIdx.x": 1, "blockDim.y": 2, "K": 3, "row": 0, "col": 3, "t": 1}
    assert {name: shown[name].value for name in expected} == expected
    lines = trace.text.splitlines()
    assert "sum +=" in lines[shown["sum"].line - 1]
    assert "int row" in lines[shown["row"].line - 1]
    assert shown["K"].kind == "parameter"


def test_a_parameter_that_is_assigned_to_shows_its_new_value() -> None:
    text = "__global__ void k(int *a, int n) { if (threadIdx.x == 1) n = 7; a[n] = 1; }"
    trace = source(text, "1", "2", "a=i32[9]:uninit", "n=3")
    step = step_of(trace, "a[n]")
    assert [explain(trace, step, lane, "a").substituted for lane in (0, 1)] == ["3", "7"]
