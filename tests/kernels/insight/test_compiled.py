"""Counts as compiled: the source's accesses, merged so that the compiled instructions come out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.gpu.cubin import Instructions, MemoryCode
from kernels.gpu.regions import Region
from kernels.insight.compiled import as_compiled
from kernels.insight.compiled_words import notes
from tests.kernels.insight.traces import catalogue, source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.gpu.cubin import Direction, Memory
    from kernels.trace import Trace


Row = tuple[str, "Memory", "Direction", int, int]
"""The text of a line, space, access, bytes, count."""


def code(trace: Trace, *rows: Row, regions: Sequence[Region] = ()) -> MemoryCode:
    """Instructions on the lines that hold a text, in the innermost of some regions, each within the one before."""
    found = (
        Instructions(
            line_of(trace, text), space, access, size, len(regions) - 1, 0, guarded=False, count=count
        )
        for text, space, access, size, count in rows
    )
    return MemoryCode(tuple(regions), tuple(found))


def together(*parts: MemoryCode) -> MemoryCode:
    """One behind the other, each in regions of its own."""
    regions: list[Region] = []
    instructions: list[Instructions] = []
    for part in parts:
        moved = len(regions)
        instructions += [
            replace(i, region=i.region + moved if i.region >= 0 else -1) for i in part.instructions
        ]
        regions += [replace(r, within=r.within + moved if r.within >= 0 else -1) for r in part.regions]
    return MemoryCode(tuple(regions), tuple(instructions))


def loop(trace: Trace, text: str) -> Region:
    return Region(line_of(trace, text), loop=True, waits=False, within=-1)


def skipped(trace: Trace, text: str) -> Region:
    return Region(line_of(trace, text), loop=False, waits=False, within=-1)


def line_of(trace: Trace, text: str) -> int:
    return next(n for n, line in enumerate(trace.text.splitlines(), 1) if text in line)


def shared_reads(trace: Trace, instructions: MemoryCode) -> dict[str, tuple[int, int]]:
    """Requests and wavefronts by array."""
    found = as_compiled(trace, instructions).arrays
    return {c.array: (c.requests, c.wavefronts) for c in found if (c.space, c.access) == ("shared", "read")}


def said(trace: Trace, instructions: MemoryCode) -> list[str]:
    return [note.text for note in notes(trace, as_compiled(trace, instructions))]


def test_the_tiled_product_has_the_wavefronts_that_nsight_compute_counted() -> None:
    """64×64 in 16×16 blocks on an H200: 12,288 in all; as written it would be 16,384."""
    trace = catalogue("matmul_tiled", "64", "16,16")
    found = code(trace, ("sum +=", "shared", "read", 16, 4), ("sum +=", "shared", "read", 4, 16))
    assert shared_reads(trace, found) == {"As": (2_048, 4_096), "Bs": (8_192, 8_192)}
    assert "the compiler reads As[ty][k] four at a time: 128-bit loads" in said(trace, found)


def test_the_symmetric_product_has_the_wavefronts_that_nsight_compute_counted() -> None:
    """50×50 in 16×16 blocks on an H200: 23,040 in all; as written it would be 46,080."""
    trace = catalogue("mmt_symmetric", "50", "16,16")
    found = shared_reads(trace, code(trace, ("sum +=", "shared", "read", 16, 8)))
    assert sum(waves for _, waves in found.values()) == 23_040


ROWS_OF_A_TURN: tuple[Row, ...] = (("sum +=", "shared", "read", 16, 2), ("sum +=", "shared", "read", 4, 8))


def test_copies_of_the_code_change_nothing() -> None:
    trace = catalogue("matmul_tiled", "64", "8,8")
    once = code(trace, *ROWS_OF_A_TURN)
    behind = replace(once, instructions=tuple(replace(i, barriers=2) for i in once.instructions))
    thrice = together(once, behind, code(trace, *ROWS_OF_A_TURN, regions=[skipped(trace, "As[ty][tx] =")]))
    assert (
        shared_reads(trace, once) == shared_reads(trace, thrice) == {"As": (2048, 4096), "Bs": (8192, 8192)}
    )


def test_twice_the_instructions_between_two_barriers_are_no_copies() -> None:
    trace = catalogue("matmul_tiled", "64", "8,8")
    found = code(trace, *((*row[:4], 2 * row[4]) for row in ROWS_OF_A_TURN))
    assert any("does not tell" in text for text in said(trace, found))


TWICE = """__global__ void k(float *y)
{
    __shared__ float s[64];
    float keep[2];
    s[threadIdx.x] = 1.0f;
    s[threadIdx.x + 32] = 2.0f;
    __syncthreads();
    keep[0] = s[threadIdx.x] * s[threadIdx.x];
    keep[1] = s[2 * threadIdx.x]
            + s[2 * threadIdx.x + 1];
    y[threadIdx.x] = keep[0] + keep[1];
}
"""


def twice() -> Trace:
    return source(TWICE, "1", "32", "y=f32[32]:uninit")


EVERYTHING: tuple[Row, ...] = (
    ("= 1.0f", "shared", "write", 4, 1),
    ("= 2.0f", "shared", "write", 4, 1),
    ("keep[0] = s", "shared", "read", 4, 1),
    ("keep[1] = s", "shared", "read", 8, 1),
    ("y[", "global", "write", 4, 1),
)


def test_what_the_source_reads_twice_is_read_once() -> None:
    trace = twice()
    assert shared_reads(trace, code(trace, *EVERYTHING)) == {"s": (2, 3)}
    assert said(trace, code(trace, *EVERYTHING)) == [
        "the compiler reads s[threadIdx.x] once where the source reads it twice",
        "the compiler keeps keep in registers: no memory is accessed",
        "the compiler reads s[2 * threadIdx.x] and s[2 * threadIdx.x + 1] two at a time: 64-bit loads",
    ]


def test_a_local_array_that_has_instructions_is_memory() -> None:
    trace = twice()
    local: tuple[Row, ...] = (
        ("keep[0] = s", "local", "write", 4, 1),
        ("keep[1] = s", "local", "write", 4, 1),
        ("y[", "local", "read", 8, 1),
    )
    arrays = as_compiled(trace, code(trace, *EVERYTHING, *local)).arrays
    assert [(c.access, c.requests) for c in arrays if c.space == "local"] == [("write", 2), ("read", 1)]


def test_lines_are_matched_together_where_the_compiler_merged_across_them() -> None:
    trace = twice()
    across = [row for row in EVERYTHING if "keep" not in row[0]]
    # s[x]² and s[2x] + s[2x + 1]: all on the first line, one of the three reads 8 bytes wide
    found = code(
        trace, *across, ("keep[0] = s", "shared", "read", 4, 1), ("keep[0] = s", "shared", "read", 8, 1)
    )
    assert shared_reads(trace, found) == {"s": (2, 3)}


def test_a_read_without_instructions_is_left_out() -> None:
    trace = twice()
    found = code(trace, *(row for row in EVERYTHING if "keep[0]" not in row[0]))
    assert shared_reads(trace, found) == {"s": (1, 2)}
    assert any("leaves s[threadIdx.x] out" in text for text in said(trace, found))


@pytest.mark.parametrize(("size", "count"), [(16, 1), (4, 7), (2, 1)])
def test_what_no_merging_explains_is_counted_as_written_and_says_so(size: int, count: int) -> None:
    trace = catalogue("matmul_tiled", "64", "16,16")
    found = code(trace, ("sum +=", "shared", "read", size, count))
    assert shared_reads(trace, found) == {"As": (8_192, 8_192), "Bs": (8_192, 8_192)}
    assert any("does not tell" in text for text in said(trace, found))


AGAIN = """__global__ void k(const float *x, float *y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
        sum += x[{}];
    y[threadIdx.x] = sum;
}
"""


def test_a_loop_that_reads_other_elements_each_time_reads_them_all() -> None:
    trace = source(
        AGAIN.replace("{}", "32 * i + threadIdx.x"), "1", "32", "x=f32[256]:iota", "y=f32[32]:uninit", "n=8"
    )
    assert reads_of(trace, "x", unrolled(trace, "global", {4: 4}, {4: 1})) == 8


@pytest.mark.parametrize(("rolled", "requests"), [(True, 8), (False, 1)])
def test_a_loop_reads_the_same_element_again_unless_its_read_stands_before_it(
    rolled: bool, requests: int
) -> None:
    trace = source(
        AGAIN.replace("{}", "threadIdx.x"), "1", "32", "x=f32[256]:iota", "y=f32[32]:uninit", "n=8"
    )
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
def test_what_stays_the_same_is_read_before_the_loop_and_the_rest_in_every_turn(rungs: list[int]) -> None:
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


def unrolled(trace: Trace, space: Memory, *rungs: dict[int, int], line: str = "sum +=") -> MemoryCode:
    """A loop one behind the other for each rung, given as instructions by size."""
    return together(
        *(
            code(
                trace,
                *((line, space, "read", size, count) for size, count in rung.items()),
                regions=[loop(trace, "for (int")],
            )
            for rung in rungs
        )
    )


def reads_of(trace: Trace, array: str, found: MemoryCode) -> int:
    arrays = as_compiled(trace, found).arrays
    return next(c.requests for c in arrays if (c.array, c.access) == (array, "read"))


@pytest.mark.parametrize(("n", "requests"), [(28, 7), (29, 8), (30, 8), (31, 9)])
def test_code_for_what_is_left_may_read_more_than_that_and_branch(n: int, requests: int) -> None:
    """Of three that are left, two are read at once, then the third; one is read by the same instruction as two."""
    trace = source(SEVERAL, "1", "32", "x=f32[32]:iota", "y=f32[32]:uninit", f"n={n}")
    two = code(trace, ("sum +=", "shared", "read", 8, 1), regions=[skipped(trace, "for (")])
    third = Instructions(two.instructions[0].line, "shared", "read", 4, 1, 0, guarded=False, count=1)
    rest = MemoryCode((*two.regions, replace(two.regions[0], within=0)), (*two.instructions, third))
    found = together(unrolled(trace, "shared", {16: 1}), rest)
    assert shared_reads(trace, found)["s"][0] == requests
    more = any(
        "at a time where it can, also where fewer are left: 128-bit" in text for text in said(trace, found)
    )
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
    parted = "lanes that take different numbers of turns part in the unrolled loop: 7 requests of x[i]"
    assert (parted in said(trace, found)) == (n == 112)


GUARDED = """__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[64];
    if (threadIdx.x < n)
        s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[0];
}
"""


@pytest.mark.parametrize(("guarded", "executed"), [(True, 2), (False, 1)])
def test_a_warp_executes_an_instruction_with_a_condition_for_no_lane_too(
    guarded: bool, executed: int
) -> None:
    """The second warp has nothing to store. It does not come by where the guard is a branch."""
    trace = source(GUARDED, "1", "64", "x=f32[64]:iota", "y=f32[64]:uninit", "n=20")
    stores = code(
        trace,
        ("s[threadIdx.x] =", "shared", "write", 4, 1),
        regions=[] if guarded else [skipped(trace, "if (")],
    )
    stores = replace(stores, instructions=tuple(replace(i, guarded=guarded) for i in stores.instructions))
    (found,) = (c for c in as_compiled(trace, stores).arrays if (c.array, c.access) == ("s", "write"))
    assert (found.requests, found.accesses, found.wavefronts) == (executed, 20, 1)
    idle = "the guard of s[threadIdx.x] is a condition of the instruction: warps execute it once for no lane"
    assert (idle in said(trace, stores)) == guarded


EITHER = """__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[64], t[64];
    s[threadIdx.x] = x[threadIdx.x];
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum;
    if (blockIdx.x < n)
        sum = s[0] + s[1] + s[2] + s[3];
    else
        sum = s[0] + s[1] + t[2] + t[3];
    y[blockIdx.x * 32 + threadIdx.x] = sum;
}
"""


def test_what_both_sides_of_a_branch_begin_with_may_stand_before_it() -> None:
    trace = source(EITHER, "3", "32", "x=f32[32]:iota", "y=f32[96]:uninit", "n=2")
    found = together(
        code(trace, ("__syncthreads", "shared", "read", 8, 1)),
        code(trace, ("sum = s[0] + s[1] + s[2]", "shared", "read", 8, 1), regions=[skipped(trace, "if (")]),
        code(trace, ("sum = s[0] + s[1] + t[2]", "shared", "read", 8, 1), regions=[skipped(trace, "if (")]),
    )
    assert shared_reads(trace, found) == {"s": (2 * 2 + 1, 2 * 2 + 1), "t": (1, 1)}
