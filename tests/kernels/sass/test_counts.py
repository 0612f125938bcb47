"""Counts as compiled: the source's accesses, merged so that the compiled instructions come out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.sass.counts import count_as_compiled
from tests.kernels.analysis.traces import catalogue, source
from tests.kernels.sass.instructions import code, said, shared_reads, skipped, together

if TYPE_CHECKING:
    from kernels.trace import Trace
    from tests.kernels.sass.instructions import Row


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
    assert shared_reads(trace, once) == shared_reads(trace, thrice) == {"As": (2048, 4096), "Bs": (8192, 8192)}


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


def test_equal_reads_of_the_source_are_one_load() -> None:
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
    arrays = count_as_compiled(trace, code(trace, *EVERYTHING, *local)).arrays
    assert [(c.access, c.requests) for c in arrays if c.space == "local"] == [("write", 2), ("read", 1)]


ACROSS = """__global__ void k(float *y)
{
    __shared__ float s[64];
    s[threadIdx.x] = 1.0f;
    s[threadIdx.x + 32] = 2.0f;
    __syncthreads();
    float a = s[2 * threadIdx.x];
    float b = s[2 * threadIdx.x + 1];
    float c = s[threadIdx.x];
    y[threadIdx.x] = a + b + c;
}
"""


def test_lines_are_matched_together_where_the_compiler_merged_across_them() -> None:
    trace = source(ACROSS, "1", "32", "y=f32[32]:uninit")
    merge: list[Row] = [("float a =", "shared", "read", 8, 1), ("float c =", "shared", "read", 4, 1)]
    assert shared_reads(trace, code(trace, *merge)) == {"s": (2, 3)}


def test_an_instruction_is_of_a_line_whose_accesses_it_makes() -> None:
    """One load for the first two lines is right, but not one that is said to be of the third."""
    trace = source(ACROSS, "1", "32", "y=f32[32]:uninit")
    elsewhere: list[Row] = [("float c =", "shared", "read", 8, 1), ("float c =", "shared", "read", 4, 1)]
    assert any("does not tell" in text for text in said(trace, code(trace, *elsewhere)))


def test_a_read_without_instructions_is_left_out() -> None:
    trace = twice()
    found = code(trace, *(row for row in EVERYTHING if "keep[0]" not in row[0]))
    assert shared_reads(trace, found) == {"s": (1, 2)}
    assert any("leaves s[threadIdx.x] out" in text for text in said(trace, found))


@pytest.mark.parametrize(("size", "count"), [(16, 1), (4, 7), (2, 1)])
def test_unexplained_accesses_are_counted_as_written_with_a_note(size: int, count: int) -> None:
    trace = catalogue("matmul_tiled", "64", "16,16")
    found = code(trace, ("sum +=", "shared", "read", size, count))
    assert shared_reads(trace, found) == {"As": (8_192, 8_192), "Bs": (8_192, 8_192)}
    assert any("does not tell" in text for text in said(trace, found))


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
def test_a_warp_executes_an_instruction_with_a_condition_for_no_lane_too(guarded: bool, executed: int) -> None:
    """The second warp has nothing to store. It does not come by where the guard is a branch."""
    trace = source(GUARDED, "1", "64", "x=f32[64]:iota", "y=f32[64]:uninit", "n=20")
    stores = code(
        trace,
        ("s[threadIdx.x] =", "shared", "write", 4, 1),
        regions=[] if guarded else [skipped(trace, "if (")],
    )
    stores = replace(stores, instructions=tuple(replace(i, guarded=guarded) for i in stores.instructions))
    (found,) = (c for c in count_as_compiled(trace, stores).arrays if (c.array, c.access) == ("s", "write"))
    assert (found.requests, found.accesses, found.wavefronts) == (executed, 20, 1)
    idle = "the guard of s[threadIdx.x] is the instruction's predicate: warps execute it once with no active lane"
    assert (idle in said(trace, stores)) == guarded


SUMMED = """__device__ float sum(float x)
{
    for (int d = 16; d; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
__global__ void k(float *y)
{
    __shared__ float s[2];
    int lane = threadIdx.x % 32;
    float x = sum(lane);
    if (lane == 0)
        s[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        float z = 0;
        if (lane < 2)
            z = s[lane];
        y[lane] = sum(z);
    }
}
"""


def test_a_branch_around_functions_of_a_warp_stays_one() -> None:
    """The first warp adds up what all have left; that no region tells of its branch says nothing."""
    trace = source(SUMMED, "1", "64", "y=f32[32]:uninit")
    reads = code(trace, ("z = s[lane]", "shared", "read", 4, 1))
    reads = replace(reads, instructions=tuple(replace(i, guarded=True) for i in reads.instructions))
    (found,) = (c for c in count_as_compiled(trace, reads).arrays if (c.array, c.access) == ("s", "read"))
    assert found.requests == 1


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


def test_a_load_common_to_both_branches_may_be_hoisted() -> None:
    trace = source(EITHER, "3", "32", "x=f32[32]:iota", "y=f32[96]:uninit", "n=2")
    found = together(
        code(trace, ("__syncthreads", "shared", "read", 8, 1)),
        code(trace, ("sum = s[0] + s[1] + s[2]", "shared", "read", 8, 1), regions=[skipped(trace, "if (")]),
        code(trace, ("sum = s[0] + s[1] + t[2]", "shared", "read", 8, 1), regions=[skipped(trace, "if (")]),
    )
    assert shared_reads(trace, found) == {"s": (2 * 2 + 1, 2 * 2 + 1), "t": (1, 1)}
