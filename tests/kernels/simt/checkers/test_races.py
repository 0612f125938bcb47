"""Data races follow from the order between accesses, not from this schedule's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.kernels.simt.checkers.race_sources import RACES, kernel
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Trace

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:1"]


def run(body: str, schedule: str = "lockstep", blocks: int = 2, *, advise: bool = False) -> Trace:
    arguments = {"C": np.zeros(128, np.int32)}
    return trace(kernel(body), arguments, grid=(blocks,), block=(64,), schedule=schedule, advise=advise)


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
def test_a_barrier_orders_only_the_blocks_that_pass_it(schedule: str) -> None:
    """Block 0 alone passes the barrier; block 1 goes by, and its threads are not ordered."""
    body = "s[t] = t;\nif (blockIdx.x == 0) __syncthreads();\nint v = s[63 - t];"
    (hazard,) = run(body, schedule).hazards
    assert hazard.kind == "data-race"
    assert {side.block.x for side in hazard.accesses} == {1}
    assert hazard.count == 64


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("first", "second", "lines"),
    [
        ("__syncwarp();", "__syncwarp();", set()),
        ("", "__syncwarp();", {(6, 8)}),
        ("__syncwarp();", "", {(8, 10)}),
        ("", "", {(6, 8), (8, 10)}),
    ],
)
def test_lanes_of_a_warp_are_ordered_by_a_warp_barrier_only(
    first: str, second: str, lines: set[tuple[int, int]], schedule: str
) -> None:
    body = f"s[t] = t;\n__syncthreads();\nint v = s[t ^ 1];\n{first}\ns[t] = v;\n{second}\nint w = s[t ^ 2];"
    found = run(body, schedule, advise=True).hazards
    assert {tuple(sorted(side.line for side in h.accesses)) for h in found} == lines
    assert all("put __syncwarp() between" in h.message for h in found)


ADVICE = [
    ("s[t] = t;\nC[t + blockIdx.x * 64] = s[63 - t];", "put __syncthreads() between line 4 and line 5"),
    (
        "for (int i = 0; i < 2; ++i) {\ns[t] = i;\n__syncthreads();\nint v = s[63 - t];\n}",
        "put __syncthreads() after line 7, before line 5 runs again",
    ),
    ("s[t] = t;\nint v = s[t ^ 1];", "put __syncwarp() between line 4 and line 5"),
    ("s[t] = 1;\n__syncthreads();\ns[t] = s[(t + 1) % 64];", "read s[(t + 1) % 64] into a variable first"),
    ("s[t] = 1; int v = s[63 - t];", "put __syncthreads() between the two statements"),
    ("if (t < 1) s[0] = 0;\n__syncthreads();\ns[0] += t;", "use atomicAdd(&s[0], t) in line 6"),
    ("if (t < 1) s[0] = 0;\n__syncthreads();\ns[0] = s[0] + t;", "use atomicAdd(&s[0], t) in line 6"),
    ("s[5] = 7;", "let one thread alone write it"),
    ("C[0] = t;", "let one thread alone write it: put if (blockIdx.x == 0 && threadIdx.x == 0) before it"),
    (
        "C[t + 64 * blockIdx.x] = 1;\nint v = C[(t + 64) % 128];",
        "in a cooperative launch, put cooperative_groups::this_grid",
    ),
    ("atomicAdd(&C[0], 1);\nint v = C[0];", "in a cooperative launch, put cooperative_groups::this_grid"),
]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("body", "advice"), ADVICE)
def test_a_report_says_what_to_do(body: str, advice: str, schedule: str) -> None:
    assert any(advice in h.message for h in run(body, schedule, advise=True).hazards)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("value", "same"), [("7", True), ("i", False), ("t / 64", True), ("t / 63", False)])
def test_the_same_value_every_time(value: str, same: bool, schedule: str) -> None:
    (hazard,) = run(f"for (int i = 0; i < 3; ++i) s[0] = {value};", schedule, 1).hazards
    assert ("both write the same value" in hazard.message) == same


UPDATES = [
    "int p = (*C)++;",
    "++C[0];",
    "*C += 3;",
    "*C = *C + 1;",
    "int old = *C; *C = old + 1;",
    "int old = *C; int more; more = old + 1; int same = more; C[0] = same;",
    "struct S { int x, n; } *one = (S *)C; one->n++;",
    "int other = t, old = C[0]; int sum = old - other; *C = sum;",
    "add(C);",
]


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("body", UPDATES)
def test_an_update_of_one_element_by_many_threads_loses_some(body: str, blocks: int) -> None:
    """In lockstep all threads write the same number; what is wrong is that each should have written another."""
    source = "__device__ void add(int *p) {\nint old = *p;\n*p = old + 1;\n}\n" + kernel(body)
    found = trace(source, {"C": np.zeros(2, np.int32)}, grid=(blocks,), block=(64,), advise=True).hazards
    races = {tuple(sorted(side.access for side in pair.accesses)): pair for h in found for pair in h.pairs}
    assert set(races) == {("read", "write"), ("write", "write")}
    assert not races["write", "write"].same_value
    (hazard,) = found
    assert "same value" not in hazard.message
    assert "atomic" in hazard.message


@pytest.mark.parametrize("blocks", [1, 2])
def test_an_update_that_no_single_atomic_does_is_reported_with_its_facts(blocks: int) -> None:
    found = trace(
        kernel("int &n = C[0]; n = n * 2 + 1;"), {"C": np.zeros(2, np.int32)}, grid=(blocks,), block=(64,)
    ).hazards
    assert sorted(sorted(side.access or "" for side in h.accesses) for h in found) == [
        ["read", "write"],
        ["write", "write"],
    ]
    assert all((h.kind, h.cure, h.others, h.same_value) == ("data-race", None, (), False) for h in found)


@pytest.mark.parametrize(
    "body",
    [
        "if (C[0] == 0) C[0] = 1;",
        "int old = C[0]; int one = 1; if (old == 0) C[0] = one;",
        "if (t == 0) C[1] = C[0];\nC[0] = C[2] + 5;",
    ],
)
def test_a_value_that_comes_from_elsewhere_is_the_same(body: str) -> None:
    """Whether it is written may depend on what was there: that changes nothing of what is written."""
    found = trace(kernel(body), {"C": np.zeros(3, np.int32)}, grid=(1,), block=(64,)).hazards
    pairs = [pair for hazard in found for pair in hazard.pairs]
    (race,) = (pair for pair in pairs if all(side.access == "write" for side in pair.accesses))
    assert race.same_value
    assert "both write the same value" in race.message


ADD = """__device__ double add(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old); }
"""


def test_a_thread_that_only_reads_races_with_compare_and_swap() -> None:
    source = ADD + "__global__ void k(double *sum, double *out) {\n"
    source += "if (threadIdx.x) add(sum, 1);\nelse out[0] = sum[0]; }"
    (hazard,) = trace(source, {"sum": np.zeros(1), "out": np.zeros(1)}).hazards
    assert hazard.kind == "data-race"
    assert {access.access for access in hazard.accesses} == {"read", "atomic"}
