"""Counts as compiled where the compiler unrolled a loop: which copies of its body a lane passes, and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernels.sass.cubin import Instructions, MemoryCode
from tests.kernels.analysis.traces import source
from tests.kernels.sass.instructions import code, loop, reads_of, said, shared_reads, skipped, together, unrolled

AGAIN = """__global__ void k(const float *x, float *y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
        sum += x[{}];
    y[threadIdx.x] = sum;
}
"""


def test_a_loop_that_reads_other_elements_each_time_reads_them_all() -> None:
    trace = source(AGAIN.replace("{}", "32 * i + threadIdx.x"), "1", "32", "x=f32[256]:iota", "y=f32[32]:uninit", "n=8")
    assert reads_of(trace, "x", unrolled(trace, "global", {4: 4}, {4: 1})) == 8


@pytest.mark.parametrize(("rolled", "requests"), [(True, 8), (False, 1)])
def test_a_loop_reads_the_same_element_again_unless_its_read_stands_before_it(rolled: bool, requests: int) -> None:
    trace = source(AGAIN.replace("{}", "threadIdx.x"), "1", "32", "x=f32[256]:iota", "y=f32[32]:uninit", "n=8")
    found = code(trace, ("sum +=", "global", "read", 4, 1), regions=[loop(trace, "for (")] if rolled else ())
    assert reads_of(trace, "x", found) == requests
    assert any("once where the source reads it 8 times" in text for text in said(trace, found)) != rolled


NEAREST = """__global__ void k(const float *x, const float *c, float *y, int n)
{
    int i = threadIdx.x;
    float best = 1e30f;
    for (int k = 0; k < n; ++k)
        best = fminf(best, x[i] - c[k]);
    y[i] = best;
}
"""


@pytest.mark.parametrize("rungs", [[1], [4], [4, 1]])
def test_loop_invariant_loads_are_before_the_loop(rungs: list[int]) -> None:
    trace = source(NEAREST, "1", "32", "x=f32[32]:iota", "c=f32[8]:iota", "y=f32[32]:uninit", "n=8")
    found = together(
        code(trace, ("int i", "global", "read", 4, 1)),  # the compiler gives it the line before the loop
        unrolled(trace, "global", *({4: count} for count in rungs), line="best = fminf"),
    )
    assert (reads_of(trace, "x", found), reads_of(trace, "c", found)) == (1, 8)


SEVERAL = """__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
        sum += s[i];
    y[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("n", "rungs", "requests"),
    [
        (32, [{16: 1}, {4: 1}], 8),
        (32, [{16: 2}, {4: 1}], 4 * 2),
        (30, [{16: 1}, {4: 1}], 7 + 2),
        (31, [{16: 2}, {4: 1}], 3 * 2 + 7),
        (
            30,
            [{4: 1}, {16: 1}],
            None,
        ),  # what is left over comes first: then no four stand at a multiple of 16 bytes
        (32, [{4: 1}, {16: 1}], 8),
        (32, [{16: 3}, {4: 1}], 2 * 3 + 8),
        (32, [{16: 1}], 8),
        (30, [{16: 1}], None),  # two turns are left over, and nothing takes them
        (30, [{16: 1}, {8: 1, 4: 1}], None),  # three at a time, as a loop: not two
    ],
)
def test_each_rung_takes_its_turns_of_an_unrolled_loop(
    n: int, rungs: list[dict[int, int]], requests: int | None
) -> None:
    trace = source(SEVERAL, "1", "32", "x=f32[32]:iota", "y=f32[32]:uninit", f"n={n}")
    found = unrolled(trace, "shared", *rungs)
    assert shared_reads(trace, found)["s"][0] == (n if requests is None else requests)
    assert any("does not tell" in text for text in said(trace, found)) == (requests is None)


@pytest.mark.parametrize(("n", "requests"), [(28, 7), (29, 8), (30, 8), (31, 9)])
def test_code_for_what_is_left_may_read_more_than_that_and_branch(n: int, requests: int) -> None:
    """Of three that are left, two are read at once, then the third; one is read by the same instruction as two."""
    trace = source(SEVERAL, "1", "32", "x=f32[32]:iota", "y=f32[32]:uninit", f"n={n}")
    two = code(trace, ("sum +=", "shared", "read", 8, 1), regions=[skipped(trace, "for (")])
    third = Instructions(two.instructions[0].line, "shared", "read", 4, 1, 0, guarded=False, count=1)
    rest = MemoryCode((*two.regions, replace(two.regions[0], within=0)), (*two.instructions, third))
    found = together(unrolled(trace, "shared", {16: 1}), rest)
    assert shared_reads(trace, found)["s"][0] == requests
    more = any("at a time where it can, also where fewer are left: 128-bit" in text for text in said(trace, found))
    assert more == (n == 29)


@pytest.mark.parametrize(("n", "requests"), [(28, 7), (29, 7 + 3), (31, 7 + 3)])
def test_code_for_what_is_left_may_be_executed_for_no_lane(n: int, requests: int) -> None:
    """Three loads, each with the condition that there are so many left."""
    trace = source(SEVERAL, "1", "32", "x=f32[32]:iota", "y=f32[32]:uninit", f"n={n}")
    rest = code(trace, ("sum +=", "shared", "read", 4, 3), regions=[skipped(trace, "for (")])
    rest = replace(rest, instructions=tuple(replace(i, guarded=True) for i in rest.instructions))
    found = together(unrolled(trace, "shared", {16: 1}), rest)
    assert shared_reads(trace, found)["s"] == (requests, 7 + n % 4 + 7)  # 16 bytes for all lanes take two


LEAVE = """__global__ void k(const float *x, float *y, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[i];
    y[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("n", "requests"),
    [
        (128, 1 * 4),
        (112, 1 * 4 + 3),  # half of the warp takes three turns one by one, the other half four at once
        (144, 1 * 4 + 1),  # one that is left over comes first, for half of the warp
        (96, 3),
    ],
)
def test_lanes_that_take_different_numbers_of_turns_part_on_the_rungs(n: int, requests: int) -> None:
    trace = source(LEAVE, "1", "32", "x=f32[256]:iota", "y=f32[32]:uninit", f"n={n}")
    found = unrolled(trace, "global", {4: 1}, {4: 4})
    assert reads_of(trace, "x", found) == requests
    parted = "lanes with different trip counts diverge in the unrolled loop: 7 requests of x[i]"
    assert (parted in said(trace, found)) == (n == 112)
