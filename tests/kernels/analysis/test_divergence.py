from __future__ import annotations

import pytest

from kernels.analysis.order.divergence import LANE_STATES, warp_state
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source, step_of

CASES = Cases(__file__)

SOURCES = ("if_else", "nested", "loops", "calls", "barrier")
IF_ELSE, NESTED, LOOPS, CALLS, BARRIER = map(CASES.source, SOURCES)


LETTERS = {"runs": "R", "masked": "m", "waits": "w", "returned": "x", "elsewhere": "-"}


def described(text: str, on: str, threads: int = 6, nth: int = 0) -> tuple[str, list[list[object]]]:
    """Return the states of the lanes as letters, and each split: its text, and (value, lanes, turn) of its sides."""
    arguments = ("A=f32[8]:zeros", "n=5") if "int n" in text else ("A=f32[8]:zeros",)
    trace = source(text, "1", f"{threads}", *arguments)
    step = [s for s in range(trace.steps) if trace.statement(s).text.startswith(on)][nth]
    found = warp_state(trace, step, 0, 0)
    sides: list[list[object]] = [
        [split.text, *([side.taken, side.lanes.tolist(), side.turn] for side in split.sides)] for split in found.splits
    ]
    return "".join(LETTERS[LANE_STATES[n]] for n in found.state), sides


@pytest.mark.parametrize(("text", "on", "nth", "states", "splits"), CASES("lanes_and_branches"))
def test_lanes_and_branches(text: str, on: str, nth: int, states: str, splits: list[object]) -> None:
    assert described(CASES.source(text), on, nth=nth) == (states, splits)


def test_a_warp_waits_at_the_barrier_until_the_block_has_arrived() -> None:
    trace = source(BARRIER, "1", "40", "A=f32[40]:zeros", schedule="warps")
    first, second = (s for s in range(trace.steps) if trace.statement(s).kind == "barrier")

    def letters(step: int, warp: int) -> str:
        return "".join(LETTERS[LANE_STATES[n]] for n in warp_state(trace, step, 0, warp).state)

    assert letters(first, 0) == "w" * 32
    assert letters(first, 1) == "-" * 8  # has not run yet
    assert letters(first + 1, 0) == "w" * 32
    assert letters(first + 1, 1) == "R" * 8
    assert letters(second, 1) == "R" * 8  # all have arrived
    assert letters(second, 0) == "-" * 32
    assert letters(second + 1, 0) == "R" * 32


def test_a_warp_waits_at_a_barrier_that_others_never_reach() -> None:
    text = BARRIER.replace("__syncthreads();", "if (threadIdx.x < 32) __syncthreads();")
    trace = source(text, "1", "40", "A=f32[40]:zeros")
    step = next(s for s in range(trace.steps) if trace.statement(s).kind == "barrier")
    states = [[LETTERS[LANE_STATES[n]] for n in warp_state(trace, step, 0, warp).state] for warp in (0, 1)]
    assert states == [["w"] * 32, ["-"] * 8]


def test_a_warp_with_no_lane_on_a_side_is_not_divergent() -> None:
    text = IF_ELSE.replace("x < 2", "x < 32")
    trace = source(text, "1", "64", "A=f32[64]:zeros")
    states = [[warp_state(trace, step_of(trace, on), 0, warp) for warp in (0, 1)] for on in ("A[x] = 1", "A[x] = 2")]
    letters = [[LETTERS[LANE_STATES[warp.state[0]]] for warp in both] for both in states]
    assert letters == [["R", "-"], ["-", "R"]]
    assert not any(warp.divergent or warp.splits for both in states for warp in both)


def test_threads_outside_the_matrix_leave_a_guarded_loop() -> None:
    trace = catalogue("matmul_naive", "3", "2,2")
    found = warp_state(trace, step_of(trace, "sum +="), 3, 0)
    assert found.first_lane == 12
    assert [LANE_STATES[n] for n in found.state] == ["runs", "masked", "masked", "masked"]
    assert [side.lanes.tolist() for side in found.splits[0].sides] == [[0], [1, 2, 3]]
