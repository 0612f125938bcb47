"""Instructions that stand elsewhere than accesses of the source, have other conditions, or serve something else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.sass.counts import count_as_compiled
from tests.kernels.analysis.traces import source
from tests.kernels.sass.instructions import code, loop, said, shared_reads, skipped, together

if TYPE_CHECKING:
    from tests.kernels.sass.instructions import Row


NOBODY = """__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[64];
    if (threadIdx.x < n)
        s[threadIdx.x] = x[threadIdx.x];
    else
        s[threadIdx.x] = 0.0f;
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x];
}
"""


@pytest.mark.parametrize(("guarded", "executed"), [(True, 4), (False, 2)])
def test_a_store_in_a_branch_that_nobody_takes_is_executed_where_it_has_the_condition(
    guarded: bool, executed: int
) -> None:
    trace = source(NOBODY, "1", "64", "x=f32[64]:iota", "y=f32[64]:uninit", "n=64")
    taken = code(trace, ("= x[", "shared", "write", 4, 1), regions=[skipped(trace, "if (")])
    other = code(trace, ("= 0.0f", "shared", "write", 4, 1), regions=[] if guarded else [skipped(trace, "if (")])
    other = replace(other, instructions=tuple(replace(i, guarded=guarded) for i in other.instructions))
    (found,) = (
        c for c in count_as_compiled(trace, together(taken, other)).arrays if (c.array, c.access) == ("s", "write")
    )
    assert (found.requests, found.wavefronts) == (executed, 2)


ONE_OF_FOUR = """__global__ void k(float *y, int n)
{
    __shared__ float s[128];
    for (int i = 0; i < 4; i++)
        s[32 * i + threadIdx.x] = i;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (blockIdx.x < n)
            y[32 * i + threadIdx.x] = s[32 * i + threadIdx.x];
}
"""


def test_copies_of_a_body_that_are_branches_are_not_executed_for_no_lane() -> None:
    """An unrolled loop of a block that has nothing to do: three loads have the condition, one is a branch."""
    trace = source(ONE_OF_FOUR, "2", "32", "y=f32[128]:uninit", "n=1")
    reads = code(trace, ("y[32", "shared", "read", 4, 3))
    reads = replace(reads, instructions=tuple(replace(i, guarded=True) for i in reads.instructions))
    last = code(trace, ("y[32", "shared", "read", 4, 1), regions=[skipped(trace, "if (")])
    assert shared_reads(trace, together(reads, last)) == {"s": (4 + 3, 4)}


AGAIN = """__global__ void k(const float *x, float *y)
{
    int t = threadIdx.x;
    y[t] = x[t];
    if (t < 32)
        y[t] += x[t + 1];
    else
        y[t] += x[t + 2];
}
"""


def test_a_value_just_written_is_not_loaded_again() -> None:
    """Each side has one load left: that of x, for y[t] is still in a register."""
    trace = source(AGAIN, "1", "64", "x=f32[128]:iota", "y=f32[64]:uninit")
    found = together(
        code(trace, ("y[t] = x", "global", "read", 4, 1)),
        code(trace, ("x[t + 1]", "global", "read", 4, 1), regions=[skipped(trace, "if (")]),
        code(trace, ("x[t + 2]", "global", "read", 4, 1), regions=[skipped(trace, "if (")]),
    )
    reads = {c.array: c.requests for c in count_as_compiled(trace, found).arrays if c.access == "read"}
    assert reads == {"x": 4}


LATER = """__global__ void k(const float *x, float *y, int n)
{
    float a = x[threadIdx.x];
    if (threadIdx.x < n)
        y[threadIdx.x] = a;
}
"""


@pytest.mark.parametrize(("n", "known"), [(64, True), (32, False)])
def test_a_read_that_went_behind_a_later_branch_is_known_where_nobody_is_kept_from_it(n: int, known: bool) -> None:
    trace = source(LATER, "1", "64", "x=f32[64]:iota", "y=f32[64]:zeros", f"n={n}")
    found = code(trace, ("float a", "global", "read", 4, 1), regions=[skipped(trace, "if (")])
    assert any("does not tell" in text for text in said(trace, found)) != known


PLAIN = """__global__ void k(float *y)
{
    y[threadIdx.x] = 1.0f;
}
"""


def test_a_condition_that_the_source_does_not_have_is_of_other_lanes() -> None:
    trace = source(PLAIN, "1", "32", "y=f32[32]:uninit")
    found = code(trace, ("y[", "global", "write", 4, 1))
    found = replace(found, instructions=tuple(replace(i, guarded=True) for i in found.instructions))
    assert any("does not tell" in text for text in said(trace, found))


@pytest.mark.parametrize(
    ("statement", "row", "text"),
    [
        ("y[t] = sinf(x);", ("sinf", "global", "read", 4, 1), "for other purposes, such as a table of sinf"),
        ("atomicAdd(&s, x); y[t] = 0;", ("atomicAdd", "shared", "read", 4, 1), "the atomic is a loop that reads"),
        ('printf("%f", x); y[t] = x;', ("y[t]", "global", "write", 4, 1), "printf, malloc and free access"),
    ],
)
def test_other_counted_accesses_are_named(statement: str, row: Row, text: str) -> None:
    body = f"__shared__ float s;\n int t = threadIdx.x;\n s = 0;\n float x = t;\n {statement}"
    trace = source(f"__global__ void k(float *y)\n{{\n{body}\n}}\n", "1", "1", "y=f32[1]:uninit")
    assert any(text in note for note in said(trace, code(trace, row)))


BOTH_STORE = """__global__ void k(float *y, int n)
{
    __shared__ float s[64];
    for (int d = 1; d < n; d *= 2)
        if (threadIdx.x >= d)
            s[threadIdx.x] = 1.0f;
        else
            s[threadIdx.x] = 2.0f;
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x];
}
"""


def test_one_store_for_both_sides_of_a_branch_is_of_other_lanes_than_either() -> None:
    """At last, all go one way; before, a warp goes both ways, and stores once."""
    trace = source(BOTH_STORE, "1", "64", "y=f32[64]:uninit", "n=128")
    merge = code(trace, ("= 2.0f", "shared", "write", 4, 1), regions=[loop(trace, "for (int d")])
    assert any("does not tell" in text for text in said(trace, merge))


APART = """__global__ void k(const float *x, float *y, int n)
{
    int t = threadIdx.x;
    if (t % 2 || x[t] > n)
        y[t] = 1.0f;
    else
        y[t] = 2.0f;
}
"""


@pytest.mark.parametrize(("test", "known"), [("t % 2 || x[t] > n", False), ("x[t] > n", True)])
def test_lanes_that_come_to_the_end_from_two_tests_come_apart(test: str, known: bool) -> None:
    """Nothing brings them together there: a warp stores once for each."""
    trace = source(APART.replace("t % 2 || x[t] > n", test), "1", "32", "x=f32[32]:iota", "y=f32[32]:zeros", "n=20")
    region = [skipped(trace, "if (t") if not known else skipped(trace, "if (x")]
    stores = (code(trace, (text, "global", "write", 4, 1), regions=region) for text in ("= 1.0f", "= 2.0f"))
    assert any("does not tell" in text for text in said(trace, together(*stores))) != known
