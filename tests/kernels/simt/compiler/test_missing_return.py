"""Functions that end without a return: reported where their value is used."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

_PICK = "__device__ int pick(int i) {{\n  {}\n}}\n"


def _run(body: str, use: str) -> list[tuple[str, str, int, int]]:
    source = _PICK.format(body) + f"__global__ void k(int *o) {{ int t = threadIdx.x;\n{use} }}"
    found = trace(source, {"o": np.zeros(8, np.int32)}).hazards
    return [(h.kind, h.array, h.line, h.count) for h in found]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if (i < 3) return i;", 5),
        ("while (i < 3) { if (i == 2) return 7; ++i; }", 5),
        ("for (;;) { if (i == 2) return 7; if (i++ > 5) break; }", 5),
        ("switch (i) { case 0: return 1; case 1: return 2; }", 6),
        ("if (i < 3) return i;\n  __syncwarp();", 5),
    ],
)
def test_lanes_that_reach_the_end_are_reported(body: str, count: int) -> None:
    found = _run(body, "int r = pick(t); o[t] = r;")
    assert ("uninitialised-read", "pick", body.count("\n") + 5, count) in found


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("if (i < 3) return i;", "pick(t);"),
        ("if (i < 3) return i;", "int unused = pick(t); o[t] = 1;"),
        ("if (i < 3) return i;", "(void)pick(t); o[t] = (pick(t), 2);"),
        ("if (i < 3) return i;", "for (int j = 0; j < 2; pick(t), pick(t)) ++j; pick(t), pick(t);"),
        ("if (i < 3) return i;", "if (t < 3) o[t] = pick(t);"),
        ("if (i < 3) return i; else return 4;", "o[t] = pick(t);"),
        ("while (true) { if (i > 6) return i; ++i; }", "o[t] = pick(t);"),
        ("switch (i) { case 0: return 1; default: return 2; }", "o[t] = pick(t);"),
        ("do { if (i > 2) return 1; } while (++i); return 5;", "o[t] = pick(t);"),
    ],
)
def test_returning_or_unused_functions_are_not_reported(body: str, use: str) -> None:
    assert _run(body, use) == []


def test_the_report_names_the_function_and_both_lines() -> None:
    source = _PICK.format("if (i < 3) return i;") + "__global__ void k(int *o) { o[threadIdx.x] = pick(threadIdx.x); }"
    (hazard,) = trace(source, {"o": np.zeros(8, np.int32)}).hazards
    assert (hazard.line, hazard.accesses[0].thread.x) == (4, 3)
    assert "reaches the end of pick (line 1) without a return" in hazard.message
