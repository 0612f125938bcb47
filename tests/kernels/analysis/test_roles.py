"""Facts of one step: the roles of its lanes, its values, and its groups of like accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import lane_roles
from kernels.analysis.metrics.pattern_groups import LINE_BYTES, pattern_groups
from kernels.analysis.metrics.requests import requests_of, sectors, wavefronts
from kernels.analysis.values.registers import last_assignment
from kernels.analysis.values.step_values import step_values
from kernels.trace import accesses
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source, step_of

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)

ACTIVE, ZERO, HELD, IDLE = "active", "zero-fill", "guarded-off", "idle"


@pytest.mark.parametrize(
    ("statement", "phase", "block", "roles", "elements"),
    [
        ("As", 0, 0, [ACTIVE] * 4, []),
        ("As", 1, 0, [ACTIVE, ZERO, ACTIVE, ZERO], ["A[0][3]", "A[1][3]"]),
        ("As", 0, 3, [ACTIVE, ACTIVE, ZERO, ZERO], ["A[3][0]", "A[3][1]"]),
        ("Bs", 0, 3, [ACTIVE, ZERO, ACTIVE, ZERO], ["B[0][3]", "B[1][3]"]),
        ("C[", -1, 3, [ACTIVE, HELD, HELD, HELD], ["C[2][3]", "C[3][2]", "C[3][3]"]),
        ("__syncthreads", 0, 3, [ACTIVE] * 4, []),
    ],
)
def test_the_boundary_example(statement: str, phase: int, block: int, roles: list[str], elements: list[str]) -> None:
    trace = catalogue("matmul_tiled")
    found = lane_roles(trace, step_of(trace, statement, phase), block)
    assert list(found.names()) == roles
    wanted = found.zero_fill or found.guarded_off
    named = wanted.elements.name if wanted and wanted.elements else None
    assert [named(at) for at in range(len(elements))] == elements if named else not elements


def test_threads_outside_wait_while_the_others_loop() -> None:
    trace = catalogue("matmul_naive", "3", "2,2")
    assert list(lane_roles(trace, step_of(trace, "sum +="), 3).names()) == [ACTIVE, HELD, HELD, HELD]


def test_a_block_that_has_returned_is_idle() -> None:
    trace = catalogue("mmt_symmetric")
    assert set(lane_roles(trace, step_of(trace, "Ms"), 1).names()) == {IDLE}


def test_zeros_written_in_an_else_branch_are_zero_fills() -> None:
    trace = source(CASES.source("if_else"), "1", "4", "A=f32[3]:iota", "n=3")
    copies, fills = (
        lane_roles(trace, step_of(trace, "s[x] = A"), 0),
        lane_roles(trace, step_of(trace, "s[x] = 0"), 0),
    )
    assert list(copies.names()) == [ACTIVE, ACTIVE, ACTIVE, HELD]
    assert list(fills.names()) == [HELD, HELD, HELD, ZERO]
    assert fills.zero_fill is not None
    assert fills.zero_fill.elements is not None
    assert fills.zero_fill.elements.name(0) == "A[3]"


def test_clearing_shared_memory_is_no_zero_fill() -> None:
    text = "__global__ void k() { __shared__ float s[2]; s[threadIdx.x] = 0.0f; }"
    assert list(lane_roles(source(text, "1", "2"), 0, 0).names()) == [ACTIVE, ACTIVE]


@pytest.mark.parametrize(("on", "name", "stored", "values"), CASES("values"))
def test_values(on: str, name: str, stored: bool, values: list[float]) -> None:
    trace = source(CASES.source("kernel"), "1", "4", "A=f32[4]:iota")
    found = step_values(trace, step_of(trace, on), 0, np.arange(4, dtype=np.int32))
    assert found is not None
    assert (found.name, found.stored, found.values.tolist()) == (name, stored, values)
    assert found.known.all()


def test_a_barrier_has_none() -> None:
    trace = source(CASES.source("kernel"), "1", "4", "A=f32[4]:iota")
    assert step_values(trace, step_of(trace, "__syncthreads"), 0, np.arange(4, dtype=np.int32)) is None


def test_a_value_is_found_however_long_ago_each_lane_has_assigned_it() -> None:
    text = CASES.source("a_value_is_found_however_long")
    trace = source(text, "1", "4", "A=f32[4]:iota")
    found = last_assignment(trace, register_named(trace, "v"), trace.steps - 1, np.array([3, 0, 1], np.int32))
    assert found.values.tolist() == [3.0, 0.0, 7.0]
    assert (np.diff(found.rows) > 0).all()
    assert found.rows[2] - found.rows[1] > 3000
    loop = int(trace.set_step[found.rows[2]]) - 1
    assert last_assignment(trace, register_named(trace, "v"), loop, np.array([1], np.int32)).values.tolist() == [10.0]


def register_named(trace: Trace, name: str) -> int:
    return next(number for number, register in enumerate(trace.registers) if register.name == name)


LOOP = """
__global__ void k(const float *a) {{
    __shared__ float s[4096];
    for (int i = 0; i < 500; i++) {{ s[{0}] = a[{0}]; }}
}}
"""


def looped(index: str) -> Trace:
    return source(LOOP.format(index), "1", "64", "a=f32[32768]:iota")


@pytest.mark.parametrize(("index", "same", "lines"), CASES("groups_have_equal_patterns"))
def test_groups_have_equal_patterns_at_equal_elements_or_whole_lines_apart(
    index: str, same: list[int], lines: list[int]
) -> None:
    trace = looped(index)
    for apart, wanted in ((0, same), (LINE_BYTES // 4, lines)):
        found = sorted(times for times, groups in pattern_groups(trace, 0, apart) for _ in groups)
        assert found == wanted


@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_naive", "mmt_symmetric_diagonal"])
def test_one_of_each_costs_as_much_as_all(name: str) -> None:
    trace = catalogue(name, "33", "8,8")
    for number, site in enumerate(trace.sites):
        apart = LINE_BYTES // trace.arrays[site.array].dtype.itemsize
        parts = [(times, requests_of(trace, number, groups)) for times, groups in pattern_groups(trace, number, apart)]
        for cost in (sectors, wavefronts):
            folded = sum(times * np.array(cost(asked)) for times, asked in parts)
            assert np.array_equal(folded, cost(requests_of(trace, number)))


def test_no_part_is_large_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accesses, "AT_ONCE", 1000)
    trace = looped("i + threadIdx.x")
    groups = np.flatnonzero(trace.group_site == 0)
    parts = accesses.in_parts(trace, groups)
    assert max(len(part) for part in parts) <= 1000 // 64 + 1
    assert np.array_equal(np.concatenate(parts), groups)
    assert sum(times * len(part) for times, part in pattern_groups(trace, 0)) == len(groups)
