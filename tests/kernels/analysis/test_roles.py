from __future__ import annotations

import pytest

from kernels.analysis import lane_roles
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source, step_of

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
