from __future__ import annotations

import pytest

from kernels.analysis.order.divergence import LANE_STATES, warp_state
from tests.kernels.analysis.traces import catalogue, source, step_of

IF_ELSE = """
__global__ void k(float *A) {
    int x = threadIdx.x;
    if (x < 2)
        A[x] = 1.0f;
    else
        A[x] = 2.0f;
    A[x] += 3.0f;
}
"""

NESTED = """
__global__ void k(float *A, int n) {
    int x = threadIdx.x;
    if (x >= n) return;
    if (x < 4) {
        if (x % 2) A[x] = 1.0f;
        else A[x] = 2.0f;
    }
    A[x] += 3.0f;
}
"""

LOOPS = """
__global__ void k(float *A) {
    int x = threadIdx.x;
    for (int i = 0; i < x; ++i) {
        if (i == 2) break;
        A[x] += i;
    }
    A[x] += 5.0f;
}
"""

CALLS = """
__device__ float f(int x) {
    if (x > 1) return 2.0f;
    return 1.0f;
}
__global__ void k(float *A) {
    int x = threadIdx.x;
    switch (x) {
    case 0: A[x] = 5.0f; break;
    default: A[x] = f(x);
    }
    A[x] += 3.0f;
}
"""

BARRIER = """
__global__ void k(float *A) {
    __shared__ float s[40];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    A[threadIdx.x] = s[39 - threadIdx.x];
}
"""

LETTERS = {"runs": "R", "masked": "m", "waits": "w", "returned": "x", "elsewhere": "-"}


def described(text: str, on: str, threads: int = 6, nth: int = 0) -> tuple[str, list[tuple[object, ...]]]:
    """Return the states of the lanes as letters, and each split: its text, and (value, lanes, turn) of its sides."""
    arguments = ("A=f32[8]:zeros", "n=5") if "int n" in text else ("A=f32[8]:zeros",)
    trace = source(text, "1", f"{threads}", *arguments)
    step = [s for s in range(trace.steps) if trace.statement(s).text.startswith(on)][nth]
    found = warp_state(trace, step, 0, 0)
    sides: list[tuple[object, ...]] = [
        (split.text, *((side.taken, side.lanes.tolist(), side.turn) for side in split.sides)) for split in found.splits
    ]
    return "".join(LETTERS[LANE_STATES[n]] for n in found.state), sides


@pytest.mark.parametrize(
    ("text", "on", "nth", "states", "splits"),
    [
        (IF_ELSE, "int x", 0, "RRRRRR", []),
        (IF_ELSE, "if (x < 2)", 0, "RRRRRR", [("x < 2", (True, [0, 1], "later"), (False, [2, 3, 4, 5], "later"))]),
        (IF_ELSE, "A[x] = 1", 0, "RRmmmm", [("x < 2", (True, [0, 1], "now"), (False, [2, 3, 4, 5], "later"))]),
        (IF_ELSE, "A[x] = 2", 0, "mmRRRR", [("x < 2", (True, [0, 1], "before"), (False, [2, 3, 4, 5], "now"))]),
        (IF_ELSE, "A[x] += 3", 0, "RRRRRR", []),
        (NESTED, "return", 0, "mmmmmR", [("x >= n", (True, [5], "now"), (False, [0, 1, 2, 3, 4], "none"))]),
        (
            NESTED,
            "A[x] = 1",
            0,
            "mRmRmx",
            [
                ("x < 4", (True, [0, 1, 2, 3], "now"), (False, [4], "none")),
                ("x % 2", (True, [1, 3], "now"), (False, [0, 2], "later")),
            ],
        ),
        (
            NESTED,
            "A[x] = 2",
            0,
            "RmRmmx",
            [
                ("x < 4", (True, [0, 1, 2, 3], "now"), (False, [4], "none")),
                ("x % 2", (True, [1, 3], "before"), (False, [0, 2], "now")),
            ],
        ),
        (NESTED, "A[x] += 3", 0, "RRRRRx", []),
        (LOOPS, "A[x] += i", 0, "mRRRRR", [("i < x", (True, [1, 2, 3, 4, 5], "now"), (False, [0], "none"))]),
        # Lanes that left in different rounds are one side.
        (LOOPS, "A[x] += i", 1, "mmRRRR", [("i < x", (True, [2, 3, 4, 5], "now"), (False, [0, 1], "none"))]),
        (LOOPS, "for", 1, "mRRRRR", [("i < x", (True, [2, 3, 4, 5], "later"), (False, [0, 1], "none"))]),
        (LOOPS, "break", 0, "mmmRRR", [("i < x", (True, [3, 4, 5], "now"), (False, [0, 1, 2], "none"))]),
        (LOOPS, "A[x] += 5", 0, "RRRRRR", []),
        (
            CALLS,
            "return 1",
            0,
            "mRmmmm",
            [
                ("switch (x)", (None, [1, 2, 3, 4, 5], "now"), (None, [0], "before")),
                ("x > 1", (True, [2, 3, 4, 5], "before"), (False, [1], "now")),
            ],
        ),
        (CALLS, "A[x] = 5", 0, "Rmmmmm", [("switch (x)", (None, [0], "now"), (None, [1, 2, 3, 4, 5], "later"))]),
    ],
)
def test_lanes_and_branches(text: str, on: str, nth: int, states: str, splits: list[object]) -> None:
    assert described(text, on, nth=nth) == (states, splits)


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
