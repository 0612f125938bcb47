from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.analysis import IndexArithmetic, explain_index, variables
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source, step_of

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)


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


@pytest.mark.parametrize(("statement", "lane", "array", "element", "numbers"), CASES("row_and_column_come"))
def test_row_and_column_come_from_the_source(statement: str, lane: int, array: str, element: str, numbers: str) -> None:
    trace = catalogue("matmul_tiled")
    found = explain(trace, step_of(trace, statement, phase=1), lane, array)
    assert (found.element, found.substituted) == (element, numbers)


def test_a_guarded_thread_has_an_index_too() -> None:
    trace = catalogue("matmul_tiled")
    found = explain(trace, step_of(trace, "C["), 13, "C")
    assert (found.element, found.inside, found.performed) == ("C[2][3]", False, False)


ONE = "__global__ void k(const float *A, float *C, int n, int w) {{ int x = threadIdx.x; int r = blockIdx.x; {} }}"


@pytest.mark.parametrize(("body", "element"), CASES("ways_to_write_an_index"))
def test_ways_to_write_an_index(body: str, element: str) -> None:
    trace = source(ONE.format(body), "2", "3", "A=f32[4,5]:iota", "C=f32[4,5]:uninit", "n=4", "w=5")
    step = trace.steps - 1
    assert explain(trace, step, 5, "C").element == element


def test_an_index_from_memory_is_unknown_for_a_thread_without_the_access() -> None:
    body = "if (x < 2) C[(int)A[x]] = 1;"
    trace = source(ONE.format(body), "1", "3", "A=f32[4,5]:iota", "C=f32[4,5]:uninit", "n=4", "w=5")
    site = next(s for s in trace.sites if s.access == "write")
    assert explain_index(trace, trace.steps - 1, 2, site) is None


def test_an_index_cast_from_nan_is_unknown() -> None:
    body = "float f = x < 2 ? x : sqrtf(-1.0f); if (x < 2) C[(int)f] = 1;"
    trace = source(ONE.format(body), "1", "3", "A=f32[4,5]:iota", "C=f32[4,5]:uninit", "n=4", "w=5")
    site = next(s for s in trace.sites if s.access == "write")
    assert explain_index(trace, trace.steps - 1, 2, site) is None
    assert explain(trace, trace.steps - 1, 1, "C").element == "C[0][1]"


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


def test_the_chain_has_index_numbers_and_result() -> None:
    """Thread (0, 0) of block (0, 1), phase 1: its row is 2."""
    trace = catalogue("matmul_tiled")
    found = explain(trace, step_of(trace, "As", phase=1), 8, "A")
    assert found.chain == "row * K + t * TILE_WIDTH + tx = 2*3 + 1*2 + 0 = 8"
    assert explain(trace, step_of(trace, "sum"), 2, "As").chain == "[ty][k] = [1][0]"


def everything() -> Trace:
    return source(
        CASES.source("everything"),
        "1",
        "4",
        "A=f32[64]:iota",
        "V=f32[8,4]:iota",
        "S=f32[4,2]:iota",
        "C=f32[64]:uninit",
        "n=7",
    )


@pytest.mark.parametrize(("statement", "array", "chain", "element"), CASES("vectors_members_and_pointers"))
def test_vectors_members_and_pointers(statement: str, array: str, chain: str, element: str) -> None:
    trace = everything()
    found = explain(trace, step_of(trace, statement), 3, array)
    assert (found.chain, found.element) == (chain, element)


def test_members_of_an_object_that_is_copied_whole() -> None:
    trace = everything()
    step = step_of(trace, "P p")
    groups = trace.accesses(step)
    chains = []
    for group in groups:
        found = explain_index(trace, step, 3, group.site, int(group.index[3]))
        assert found is not None
        chains.append((found.chain, found.element))
    if groups[0].site.width == 1:
        assert chains == [("t = 3", "S[3].x"), ("t = 3", "S[3].y")]
    else:
        assert chains == [("t = 3", "S[3]")]


def test_a_pointers_position_is_unknown_for_a_thread_without_the_access() -> None:
    text = "__global__ void k(const float *A, float *C) { A += 5; if (threadIdx.x) C[0] = A[threadIdx.x]; }"
    trace = source(text, "1", "2", "A=f32[9]:iota", "C=f32[1]:uninit")
    site = next(s for s in trace.sites if s.access == "read")
    assert explain_index(trace, trace.steps - 1, 0, site) is None


def named(trace: Trace, step: int, lane: int) -> dict[str, object]:
    return {v.name: v.value for v in variables(trace, step, lane) if v.kind in ("register", "local")}


@pytest.mark.parametrize(("statement", "expected"), CASES("a_name_means_the_innermost"))
def test_a_name_means_the_innermost_declaration(statement: str, expected: dict[str, object]) -> None:
    trace = source(CASES.source("scopes"), "1", "1", "C=i32[4]:uninit", "n=3")
    assert named(trace, step_of(trace, statement), 0) == expected


def test_a_thread_outside_of_the_step_is_at_its_last_step() -> None:
    body = "int a = 1; if (threadIdx.x) { int b = 2; C[0] = b; } else { int c = 3; C[1] = c; }"
    text = f"__global__ void k(int *C) {{ {body} }}"
    trace = source(text, "1", "2", "C=i32[2]:uninit")
    assert named(trace, step_of(trace, "C[1]"), 1) == {"a": 1, "b": 2}
    assert named(trace, step_of(trace, "C[0]"), 0) == {"a": 1}


def test_parameters_belong_to_the_kernel() -> None:
    trace = source(CASES.source("scopes"), "1", "1", "C=i32[4]:uninit", "n=3")
    kinds = [{v.kind for v in variables(trace, step_of(trace, at), 0)} for at in ("C[1]", "return y")]
    assert kinds == [{"built-in", "parameter", "register"}, {"built-in", "register"}]


def test_values_of_earlier_iterations_are_not_used() -> None:
    body = "for (int i = 0; i < 2; ++i) {\nint a;\nint b[2];\nC[i] = i;\na = i;\nb[i] = 7;\nC[i] += a + b[i];\n}"
    trace = source(f"__global__ void k(int *C) {{ {body} }}", "1", "1", "C=i32[2]:uninit")
    seen = [named(trace, step, 0) for step in range(trace.steps) if trace.statement(step).text.startswith("C[i]")]
    assert seen == [
        {"i": 0},
        {"i": 0, "a": 0, "b[0]": 7},
        {"i": 1},
        {"i": 1, "a": 1, "b[1]": 7},
    ]


def test_loaded_values_are_substituted_for_a_thread_that_read_them() -> None:
    text = CASES.source("loaded_values_are_substituted")
    arguments = ("next=i32[9]:iota", "start=i32[4]:iota", "C=f32[16]:uninit")
    trace = source(text, "1", "4", *arguments)
    assert explain(trace, step_of(trace, "s[t]"), 2, "next").chain == "start[t] + 1 = 2 + 1 = 3"
    assert explain(trace, step_of(trace, "C["), 2, "C").chain == "2 * s[t ^ 1] = 2*4 = 8"
