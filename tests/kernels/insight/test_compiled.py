"""Counts as compiled: the source's accesses, merged so that the compiled instructions come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.gpu.cubin import Instructions
from kernels.insight.compiled import as_compiled
from kernels.insight.compiled_words import notes
from tests.kernels.insight.traces import catalogue, source

if TYPE_CHECKING:
    from kernels.gpu.cubin import Direction, Memory
    from kernels.trace import Trace


def code(
    trace: Trace, *rows: tuple[str, Memory, Direction, int, int], rolled: bool = False
) -> list[Instructions]:
    """Instructions on the line that holds a text: space, access, bytes, count."""
    lines = trace.text.splitlines()
    return [
        Instructions(
            next(n for n, line in enumerate(lines, 1) if text in line), space, access, size, rolled, count
        )
        for text, space, access, size, count in rows
    ]


def shared_reads(trace: Trace, instructions: list[Instructions]) -> dict[str, tuple[int, int]]:
    """Requests and wavefronts by array."""
    found = as_compiled(trace, instructions).arrays
    return {c.array: (c.requests, c.wavefronts) for c in found if (c.space, c.access) == ("shared", "read")}


def said(trace: Trace, instructions: list[Instructions]) -> list[str]:
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


def test_what_is_read_four_at_a_time_is_so_too_where_fewer_are_left() -> None:
    """50×50 in 8×8 blocks on an H200: 2,366 instructions and 10,400 wavefronts; a last tile holds two columns."""
    trace = catalogue("mmt_tiled", "50", "8,8")
    (line,) = (n for n, text in enumerate(trace.text.splitlines(), 1) if "sum +=" in text)
    found = [
        Instructions(line, "shared", "read", 16, rolled=False, count=6),
        Instructions(line, "shared", "read", 16, rolled=True, count=10),
    ]
    reads = shared_reads(trace, found).values()
    assert (sum(requests for requests, _ in reads), sum(waves for _, waves in reads)) == (2_366, 10_400)


def test_copies_of_the_code_change_nothing() -> None:
    trace = catalogue("matmul_tiled", "64", "8,8")
    once = code(trace, ("sum +=", "shared", "read", 16, 2), ("sum +=", "shared", "read", 4, 8))
    thrice = code(trace, ("sum +=", "shared", "read", 16, 6), ("sum +=", "shared", "read", 4, 24))
    assert (
        shared_reads(trace, once) == shared_reads(trace, thrice) == {"As": (2048, 4096), "Bs": (8192, 8192)}
    )


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


EVERYTHING: tuple[tuple[str, Memory, Direction, int, int], ...] = (
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
    local: tuple[tuple[str, Memory, Direction, int, int], ...] = (
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
    arrays = as_compiled(trace, code(trace, ("sum +=", "global", "read", 4, 5), rolled=True)).arrays
    assert next(c.requests for c in arrays if c.array == "x") == 8


@pytest.mark.parametrize(("rolled", "requests"), [(True, 8), (False, 1)])
def test_a_loop_reads_the_same_element_again_unless_its_read_stands_before_it(
    rolled: bool, requests: int
) -> None:
    trace = source(
        AGAIN.replace("{}", "threadIdx.x"), "1", "32", "x=f32[256]:iota", "y=f32[32]:uninit", "n=8"
    )
    found = code(trace, ("sum +=", "global", "read", 4, 1), rolled=rolled)
    arrays = as_compiled(trace, found).arrays
    assert next(c.requests for c in arrays if c.array == "x") == requests
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


@pytest.mark.parametrize("copies", [1, 4, 5])
def test_what_stays_the_same_is_read_before_the_loop_and_the_rest_in_every_turn(copies: int) -> None:
    trace = source(NEAREST, "1", "32", "x=f32[32]:iota", "c=f32[8]:iota", "y=f32[32]:uninit", "n=8")
    found = [
        *code(trace, ("int i", "global", "read", 4, 1)),  # the compiler gives it the line before the loop
        *code(trace, ("best = fminf", "global", "read", 4, copies), rolled=True),
    ]
    arrays = as_compiled(trace, found).arrays
    assert {c.array: c.requests for c in arrays if c.access == "read"} == {"x": 1, "c": 8}


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


@pytest.mark.parametrize(("n", "wide", "requests"), [(32, 1, 8), (32, 2, 8), (32, 3, 32), (30, 1, 30)])
def test_a_loop_for_the_rest_has_nothing_to_do_where_the_count_fits(n: int, wide: int, requests: int) -> None:
    """The loop takes 4 · `wide` elements at a time; what is left goes one by one, and then nothing is guessed."""
    trace = source(SEVERAL, "1", "32", "x=f32[32]:iota", "y=f32[32]:uninit", f"n={n}")
    loops = code(
        trace, ("sum +=", "shared", "read", 16, wide), ("sum +=", "shared", "read", 4, 1), rolled=True
    )
    assert shared_reads(trace, loops)["s"][0] == requests


def test_a_loop_that_lanes_leave_one_by_one_is_not_known_once_it_is_unrolled() -> None:
    """50 rows by 16 lanes: two lanes have a turn more. On an H200 they part from the others in all their turns."""
    trace = catalogue("mmt_stripe", "50", "16,16")
    (line,) = (n for n, text in enumerate(trace.text.splitlines(), 1) if "= M[" in text)
    found = [
        Instructions(line, "global", "read", 4, rolled=False, count=3),
        Instructions(line, "global", "read", 4, rolled=True, count=4),
    ]
    (reads,) = (
        a
        for a in as_compiled(trace, found).accesses
        if trace.sites[a.sites[0]].span.line == line
        and a.fate == "unknown"
        and trace.sites[a.sites[0]].access == "read"
    )
    assert reads.compiled == reads.written
