"""Data races follow from the order between accesses, not from this schedule's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.checkers.race_sources import LAST_BLOCK, LOCK, RACES, kernel
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.simt import Argument
    from kernels.trace import Hazard, Trace

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


def pairs_of(hazards: Iterable[Hazard]) -> set[tuple[tuple[tuple[int, str], ...], int]]:
    """(lines and accesses of both sides, count) of every race."""
    return {
        (tuple(sorted((side.line, side.access) for side in pair.accesses)), pair.count)
        for h in hazards
        for pair in h.pairs
        if pair.kind == "data-race"
    }


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_pair_of_lines_is_told_once_with_the_elements_it_concerns(schedule: str) -> None:
    body = "s[t] = 0;\nfor (int i = 0; i < 3; ++i)\ns[(t + 1) % 64] += s[t];\nint v = s[t ^ 1];"
    assert pairs_of(run(body, schedule, 1).hazards) == {
        (((4, "write"), (6, "write")), 64),
        (((4, "write"), (6, "read")), 64),
        (((4, "write"), (7, "read")), 64),
        (((6, "read"), (6, "write")), 64),
        (((6, "write"), (7, "read")), 32),
    }


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
        "s[t] = t;\n__syncwarp();\nint v = s[t ^ 31];",
    ],
)
def test_ordered_accesses_do_not_race(body: str, schedule: str) -> None:
    assert run(body, schedule).hazards == ()


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


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "barrier",
    [
        "if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);",
        "__syncwarp(t % 32 < 16 ? 0xffff : 0xffff0000);",
    ],
)
def test_a_warp_barrier_orders_the_lanes_that_pass_it_together(barrier: str, schedule: str) -> None:
    """Halves of the warp pass barriers of their own: what lies across the middle stays unordered."""
    body = f"s[t] = t;\n{barrier}\nint v = s[t ^ {{}}];"
    assert run(body.format(15), schedule, 1).hazards == ()
    (hazard,) = run(body.format(16), schedule, 1).hazards
    assert (hazard.kind, hazard.count) == ("data-race", 64)


ATOMIC = "atomicAdd(&count, 1)"


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("first", "second", "ticket", "clean"),
    [
        ("__syncthreads();", "__threadfence();", ATOMIC, True),
        ("__threadfence(); __syncthreads();", "", ATOMIC, True),
        ("__syncthreads();", "", ATOMIC, False),
        ("", "__threadfence();", ATOMIC, False),
        ("__syncthreads();", "__threadfence_block();", ATOMIC, False),
        ("__syncthreads();", "FENCE;", ATOMIC, False),
        ("__threadfence();", "", ATOMIC, False),
        ("__syncthreads();", "__threadfence();", "count++", False),
    ],
)
def test_the_last_block_may_read_what_the_others_fenced(
    first: str, second: str, ticket: str, clean: bool, schedule: str
) -> None:
    source = LAST_BLOCK.format(first=first, second=second, ticket=ticket)
    arguments: dict[str, Argument] = {"part": Unwritten("int32", (128,)), "out": np.zeros(64, np.int32)}
    found = trace(source, arguments, grid=(2,), block=(64,), schedule=schedule)
    assert {h.kind for h in found.hazards} == (set() if clean else {"data-race"})
    if clean:
        assert found.outputs["out"].tolist() == [2 * t for t in range(64)]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("second", "behind", "clean"),
    [
        ("__threadfence();", "if (last && t == 0) count = 0;", True),  # as in the Programming Guide
        ("", "if (last && t == 0) count = 0;", True),  # all other blocks' atomics came before this one's
        ("__threadfence(); atomicAdd(&out[63], 0);", "if (last && t == 0) count = 0;", True),
        ("atomicAdd(&count, 0); __threadfence();", "if (last && t == 0) count = 0;", True),
        ("__threadfence();", "if (t == 0) count = 0;", False),
        ("FENCE;", "if (last && t == 0) count = 0;", True),
        ("", "if (last && t == 1) count = 0;", True),
        ("", "if (t == 0) count = 0;", False),
        ("atomicAdd(&count, 0);", "if (t == 0 && blockIdx.x == 1) part[0] = count;", False),
    ],
)
def test_the_last_block_may_reset_the_counter(second: str, behind: str, clean: bool, schedule: str) -> None:
    source = LAST_BLOCK.format(first="__syncthreads();", second=second, ticket=ATOMIC)
    source = source.replace("if (last) out[t] = part[t] + part[64 + t];", behind)
    arguments: dict[str, Argument] = {"part": Unwritten("int32", (128,)), "out": np.zeros(64, np.int32)}
    found = trace(source, arguments, grid=(2,), block=(64,), schedule=schedule)
    assert {h.kind for h in found.hazards} == (set() if clean else {"data-race"})


def test_one_fence_does_not_speak_for_every_element() -> None:
    """Thread 0 has fenced its own part; those of the other threads are read unordered, by the same line."""
    source = LAST_BLOCK.format(first="", second="__threadfence();", ticket=ATOMIC)
    arguments = {"part": np.zeros(128, np.int32), "out": np.zeros(64, np.int32)}
    found = trace(source, arguments, grid=(2,), block=(64,))
    assert pairs_of(found.hazards) == {(((6, "write"), (13, "read")), 63)}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("enter", "leave", "unlock", "clean"),
    [
        ("__threadfence();", "__threadfence();", "atomicExch(&lock, 0)", True),
        ("__threadfence();", "", "atomicExch(&lock, 0)", False),
        ("", "__threadfence();", "atomicExch(&lock, 0)", False),
        ("__threadfence_block();", "__threadfence();", "atomicExch(&lock, 0)", False),
        ("__threadfence();", "__threadfence_block();", "atomicExch(&lock, 0)", False),
        ("__threadfence();", "__threadfence();", "atomicExch_block(&lock, 0)", False),
        ("__threadfence();", "__threadfence();", "lock = 0", False),
    ],
)
def test_a_lock_orders_when_it_is_taken_and_released_with_a_fence(
    enter: str, leave: str, unlock: str, clean: bool, schedule: str
) -> None:
    source = LOCK.format(enter=enter, leave=leave, unlock=unlock)
    found = trace(source, {"sum": np.zeros(1, np.int32)}, grid=(3,), block=(4,), schedule=schedule)
    assert found.outputs["sum"].tolist() == [18]
    assert {h.kind for h in found.hazards} == (set() if clean else {"data-race"})


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


VALUES_FROM_ELSEWHERE = [
    "int old = *C; int v = old + 1; old = v; *C = old + 1;",
    "int old = *C; int v = old; *C = old + v;",
]


@pytest.mark.parametrize("body", VALUES_FROM_ELSEWHERE)
def test_a_sum_of_variables_that_depend_on_the_old_value_is_no_atomic_sum(body: str) -> None:
    found = trace(kernel(body), {"C": np.zeros(2, np.int32)}, grid=(2,), block=(64,)).hazards
    assert found
    assert all("atomicAdd" not in h.message for h in found)


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


@pytest.mark.parametrize(
    ("declared", "element", "index"), [("m[4][8]", "m[2][5]", 21), ("m[9]", "m[3]", 3), ("m", "m", 0)]
)
def test_an_element_is_named_as_the_source_names_it(declared: str, element: str, index: int) -> None:
    (hazard,) = trace(f"__global__ void k() {{ __shared__ int {declared}; {element} = threadIdx.x; }}").hazards
    assert hazard.index == index
    assert f"writes {element} in line 1" in hazard.message


@pytest.mark.parametrize("schedule", SCHEDULES[1:])
def test_a_value_that_comes_too_late_is_a_race_and_not_an_unwritten_element(schedule: str) -> None:
    body = "s[t] = t;\nint v = s[63 - t];"
    assert {h.kind for h in run(body, schedule).hazards} == {"data-race"}
    body = "if (t < 63) s[t] = t;\n__syncthreads();\nint v = s[63 - t];"
    assert {h.kind for h in run(body, schedule).hazards} == {"uninitialised-read"}


ADD = """__device__ double add(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old); }
"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:3"])
def test_a_plain_read_before_compare_and_swap_is_no_race(schedule: str) -> None:
    source = ADD + "__global__ void k(double *sum) { add(sum, threadIdx.x); }"
    found = trace(source, {"sum": np.zeros(1)}, grid=(2,), block=(64,), schedule=schedule)
    assert found.hazards == ()
    assert found.outputs["sum"].tolist() == [4032]


def test_a_thread_that_only_reads_races_with_compare_and_swap() -> None:
    source = ADD + "__global__ void k(double *sum, double *out) {\n"
    source += "if (threadIdx.x) add(sum, 1);\nelse out[0] = sum[0]; }"
    (hazard,) = trace(source, {"sum": np.zeros(1), "out": np.zeros(1)}).hazards
    assert hazard.kind == "data-race"
    assert {access.access for access in hazard.accesses} == {"read", "atomic"}
