"""Data races are judged from who could meet whom, not from what this schedule did."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

WITHIN = "no __syncthreads() between the two"
BETWEEN = "does not reach across blocks"
SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:1"]


def kernel(body: str) -> str:
    return f"__global__ void k(int *C) {{\n__shared__ int s[64];\nint t = threadIdx.x;\n{body}\n}}"


def run(body: str, schedule: str = "lockstep", blocks: int = 2):  # type: ignore[no-untyped-def]
    return trace(kernel(body), {"C": np.zeros(128, np.int32)}, grid=(blocks,), block=(64,), schedule=schedule)


RACES = [
    ("s[t] = t;\nC[t + blockIdx.x * 64] = s[63 - t];", "s", (4, 5), ("write", "read"), WITHIN),
    ("s[t] = t;\n__syncthreads();\ns[t] = s[(t + 1) % 64];", "s", (6, 6), ("read", "write"), WITHIN),
    ("s[t] = t;\n__syncthreads();\nint v = s[63 - t];\ns[t] = v;", "s", (6, 7), ("read", "write"), WITHIN),
    ("s[0] = t;", "s", (4, 4), ("write", "write"), WITHIN),
    ("s[0] = 7;", "s", (4, 4), ("write", "write"), "both write the same value"),
    ("if (t == 3) s[0] = 1;\nif (t == 60) atomicAdd(&s[0], 1);", "s", (4, 5), ("write", "atomic"), WITHIN),
    ("if (t < 2) atomicExch(&s[5], 1);\nif (t == 40) s[6] = s[5];", "s", (4, 5), ("atomic", "read"), WITHIN),
    ("C[t] = t;", "C", (4, 4), ("write", "write"), BETWEEN),
    ("C[t + 64 * blockIdx.x] = 1;\n__syncthreads();\nint v = C[(t + 64) % 128];", "C", (4, 6),
     ("write", "read"), BETWEEN),
    ("C[t + 64 * blockIdx.x] = 1;\nint v = C[63 - t + 64 * blockIdx.x];", "C", (4, 5), ("write", "read"),
     WITHIN),
]  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("body", "array", "lines", "accesses", "words"), RACES)
def test_a_race_is_told_with_both_sides(
    body: str, array: str, lines: tuple[int, int], accesses: tuple[str, str], words: str, schedule: str
) -> None:
    found = [h for h in run(body, schedule).hazards if h.kind == "data-race"]
    assert len(found) == 1
    assert found[0].array == array
    assert sorted(side.line for side in found[0].accesses) == sorted(lines)
    assert sorted(side.access for side in found[0].accesses) == sorted(accesses)
    assert words in found[0].message
    one, two = found[0].accesses
    assert (one.block, one.thread) != (two.block, two.thread)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "s[t] = t;\n__syncthreads();\nC[t + blockIdx.x * 64] = s[63 - t];",
        "s[t] = t;\ns[t] += 1;",
        "atomicAdd(&C[0], 1);\natomicMax(&C[0], t);",
        "for (int i = 0; i < 3; ++i) { s[(t + i) % 64] = i;\n__syncthreads();\n}",
        "if (t == 0) s[9] = 1;\n__syncthreads();\nif (t == 50) s[9] = 2;\n__syncthreads();\nint v = s[9];",
        "if (blockIdx.x == 0) return;\ns[t] = t;\n__syncthreads();\nint v = s[63 - t];",
    ],
)
def test_what_is_ordered_is_no_race(body: str, schedule: str) -> None:
    assert run(body, schedule).hazards == ()


def test_a_barrier_orders_only_the_blocks_that_pass_it() -> None:
    """Block 0 alone passes the barrier; block 1 goes by, and its threads are not ordered."""
    body = "s[t] = t;\nif (blockIdx.x == 0) __syncthreads();\nint v = s[63 - t];"
    (hazard,) = run(body).hazards
    assert hazard.kind == "data-race"
    assert {side.block.x for side in hazard.accesses} == {1}
