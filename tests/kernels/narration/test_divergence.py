from __future__ import annotations

import numpy as np
import pytest

from kernels.analysis.order.divergence import warp_state
from kernels.narration.divergence import lane_ranges, warp_clause
from tests.kernels.analysis.test_divergence import BARRIER, CALLS, IF_ELSE, LOOPS, NESTED
from tests.kernels.analysis.traces import source


@pytest.mark.parametrize(
    ("text", "on", "words"),
    [
        (IF_ELSE, "int x", "warp 0: all 6 lanes run this"),
        (IF_ELSE, "if (x < 2)", "warp 0: x < 2 is true for lanes 0–1, false for lanes 2–5: the sides take turns"),
        (IF_ELSE, "A[x] = 1", "warp 0: lanes 0–1 run this side, lanes 2–5 wait for theirs"),
        (IF_ELSE, "A[x] = 2", "warp 0: lanes 2–5 run this side, lanes 0–1 have run theirs"),
        (NESTED, "return", "warp 0: lane 5 runs this, lanes 0–4 skip it"),
        (
            NESTED,
            "A[x] = 1",
            "warp 0: lanes 1, 3 run this side, lanes 0, 2 wait for theirs, lane 4 skips the side of “x < 4”, "
            "lane 5 has returned",
        ),
        (
            NESTED,
            "if (x < 4)",
            "warp 0: x < 4 is true for lanes 0–3, false for lane 4, which skips the branch, lane 5 has returned",
        ),
        (LOOPS, "A[x] += i", "warp 0: lanes 1–5 go round the loop, lane 0 has left the loop"),
        (LOOPS, "for", "warp 0: lanes 1–5 go on with the loop, lane 0 leaves it"),
        (CALLS, "A[x] = 5", "warp 0: lane 0 runs this, lanes 1–5 wait for their turn"),
    ],
)
def test_clauses(text: str, on: str, words: str) -> None:
    arguments = ("A=f32[8]:zeros", "n=5") if "int n" in text else ("A=f32[8]:zeros",)
    trace = source(text, "1", "6", *arguments)
    step = next(s for s in range(trace.steps) if trace.statement(s).text.startswith(on))
    assert warp_clause(warp_state(trace, step, 0, 0)) == words


def test_clauses_of_whole_warps() -> None:
    trace = source(BARRIER, "1", "40", "A=f32[40]:zeros", schedule="warps")
    first = next(s for s in range(trace.steps) if trace.statement(s).kind == "barrier")
    assert warp_clause(warp_state(trace, first, 0, 0)) == "warp 0: all 32 lanes wait at the barrier"
    assert warp_clause(warp_state(trace, first, 0, 1)) == "warp 1 does not run this"


@pytest.mark.parametrize(
    ("lanes", "words"),
    [
        ([3], "3"),
        ([0, 1], "0–1"),
        ([0, 2, 3, 4, 9], "0, 2–4, 9"),
        (range(1, 32, 2), "1, 3, … 31"),
        ([0, 2, 3, 5, 8, 12], "0, 2–3, … 12 (6 lanes)"),
    ],
)
def test_lane_ranges(lanes: list[int], words: str) -> None:
    assert lane_ranges(np.array(lanes)) == words
