"""Captions of steps, and the words of causes, branches and hazards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import playlist
from kernels.analysis.order.divergence import warp_state
from kernels.analysis.values.value_history import Location
from kernels.narration.causes import inputs_text
from kernels.narration.divergence import lane_ranges, warp_clause
from kernels.narration.hazards import hazard_message
from kernels.narration.narrate import describe
from tests.cases import Cases
from tests.kernels.analysis.test_divergence import BARRIER
from tests.kernels.analysis.test_divergence import CASES as DIVERGENCE
from tests.kernels.analysis.traces import catalogue, source, step_of

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)


@pytest.mark.parametrize(("statement", "phase", "block", "text"), CASES("the_boundary_example"))
def test_the_boundary_example(statement: str, phase: int, block: int, text: str) -> None:
    trace = catalogue("matmul_tiled")
    assert describe(trace, step_of(trace, statement, phase), block).text == text


def test_one_thread_outside_is_named_alone() -> None:
    trace = catalogue("matmul_tiled", "1,1,3", "2,2")
    assert describe(trace, step_of(trace, "As", 1), 0).text.endswith(
        "threads (1,0), (0,1) and 1 more need A[0][3], A[1][2], …, outside the 1×3 matrix: they write 0"
    )
    trace = catalogue("matmul_tiled", "2,2,3", "2,2")
    assert "outside the 2×3 matrix" in describe(trace, step_of(trace, "As", 1), 0).text


@pytest.mark.parametrize(("name", "statement", "block", "text"), CASES("other_kernels"))
def test_other_kernels(name: str, statement: str, block: int, text: str) -> None:
    trace = catalogue(name)
    assert describe(trace, step_of(trace, statement), block).text == text


@pytest.mark.parametrize("name", ["hello_grid", "index_map", "matmul_naive", "matmul_tiled", "mmt_symmetric"])
def test_every_frame_has_one_line(name: str) -> None:
    trace = catalogue(name)
    for frame in playlist(trace, "statement").frames:
        caption = describe(trace, frame.step, frame.block)
        assert caption.text.startswith("Block (")
        assert "\n" not in caption.text
        assert "executes" not in caption.text


def texts(trace: Trace, block: int = 0) -> list[str]:
    return [
        describe(trace, frame.step, frame.block).text
        for frame in playlist(trace, "statement").frames
        if frame.block == block
    ]


def test_a_reduction() -> None:
    said = texts(source(CASES.source("reduce"), "2", "8", "in=f32[13]:iota", "out=f32[1]:zeros", "n=13"), 1)
    assert (
        "Block 1, load: 5 threads copy in[8..12] to s; threads 5, 6 and 1 more need in[13], in[14], …, "
        "outside the 13 elements of in: they write 0" in said
    )
    assert any("each of 4 threads adds s[t + 4] to s[t]; threads 4, 5 and 2 more skip this" in text for text in said)
    assert any("what they wrote to s can be read by the whole block" in text for text in said)
    assert said[-1].startswith("Block 1, store: thread 0 adds s[0] to out[0] atomically; ")


def test_reading_beyond_the_edge_is_not_passed_over() -> None:
    text = (
        "__global__ void k(const float *A, float *C, int n) "
        "{ int r = threadIdx.y, c = threadIdx.x; C[r * n + c] = A[r * n + c + 1]; }"
    )
    said = texts(source(text, "1", "2,2", "A=f32[2,2]:iota", "C=f32[2,2]:uninit", "n=2"))
    assert said[-1].endswith(
        "careful: threads (1,0) and (1,1) read A[0][2] and A[1][2], outside the 2×2 matrix, "
        "at the address of A[1][0] or past the end of A"
    )


@pytest.mark.parametrize(("block", "words"), [("2", "threads 0 and 1 both"), ("4", "threads 0, 1 and 2 more all")])
def test_an_element_beyond_the_edge_that_several_threads_read_is_named_once(block: str, words: str) -> None:
    text = "__global__ void k(const float *A, float *C) { C[threadIdx.x] = A[4]; }"
    said = texts(source(text, "1", block, "A=f32[4]:iota", "C=f32[4]:uninit"))
    assert said[-1].endswith(f"careful: {words} read A[4], outside the 4 elements of A")


def test_two_named_elements_are_different() -> None:
    text = "__global__ void k(const float *A, float *C, int n) { C[threadIdx.x] = A[threadIdx.x / 2 + n]; }"
    said = texts(source(text, "1", "6", "A=f32[4]:iota", "C=f32[6]:uninit", "n=4"))
    assert said[-1].endswith("threads 0, 1 and 4 more read A[4], A[5], …, outside the 4 elements of A")


def test_a_barrier_that_some_threads_never_reach() -> None:
    text = "__global__ void k() { if (threadIdx.x > 0) __syncthreads(); }"
    assert texts(source(text, "1", "4"))[-1] == (
        "Block 0, barrier: only 3 of 4 threads come here, thread 0 does not: every thread of a block must reach the "
        "same barrier"
    )


def test_warps_wait_for_each_other() -> None:
    text = "__global__ void k(int *a) { __shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); a[0] = s[63]; }"
    said = texts(source(text, "1", "64", "a=i32[1]:zeros", schedule="warps"))
    waits = [text for text in said if "barrier" in text]
    assert waits == [
        "Block 0, barrier: 32 of 64 threads wait here for the others; warp 1 has not arrived: its next line is 1",
        "Block 0, barrier: all 64 threads have arrived, s is complete",
    ]


@pytest.mark.parametrize(("body", "text"), CASES("single_statements"))
def test_single_statements(body: str, text: str) -> None:
    trace = source(f"__global__ void k(float *a) {{ int t = threadIdx.x; {body} }}", "1", "4", "a=f32[4]:iota")
    said = texts(trace)
    assert text in said, said


def test_a_copy_names_the_array_that_this_call_writes() -> None:
    said = texts(source(CASES.source("copies"), "1", "4", "a=f32[4]:iota", "out=f32[4]:uninit"))
    assert "Block 0, load: all 4 threads copy a[0..3] to tile" in said
    assert "Block 0, load: all 4 threads copy a[0..3] to own" in said


def test_a_copy_that_arrives_later_names_its_target() -> None:
    later = CASES.source("copies").replace(" + own[0]", "")
    said = texts(source("#define LATER\n" + later, "1", "4", "a=f32[4]:iota", "out=f32[4]:uninit"))
    assert "Block 0, load: all 4 threads start to copy a[0..3] to tile" in said


def test_zeros_of_an_else_branch_are_told_like_those_of_a_conditional_expression() -> None:
    text = (
        "__global__ void k(const float *A, int n) { __shared__ float s[4]; int x = threadIdx.x; "
        "if (x < n) s[x] = A[x]; else s[x] = 0.0f; }"
    )
    said = texts(source(text, "1", "4", "A=f32[3]:iota", "n=3"))
    assert said[-2:] == [
        "Block 0, load: 3 threads copy A[0..2] to s; thread 3 is outside the 3 elements of A and copies nothing",
        "Block 0, load: thread 3 needs A[3], outside the 3 elements of A: it writes 0",
    ]


def test_a_device_function_returns_to_its_caller() -> None:
    text = (
        "__device__ float twice(float x) { return x + x; } "
        "__global__ void k(float *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }"
    )
    trace = source(text, "1", "2", "a=f32[2]:iota")
    assert "Block 0: both threads return x + x from twice" in texts(trace)
    assert all(trace.statement(f.step).kind != "jump" for f in playlist(trace, "memory").frames)


@pytest.mark.parametrize(("n", "excluded"), CASES("only_conditions_that_exclude"))
def test_only_conditions_that_exclude_threads_are_named(n: int, excluded: str) -> None:
    trace = source(CASES.source("nested"), "1", "8", "in=f32[8]:ones", "out=f32[8]:zeros", f"n={n}")
    caption = describe(trace, step_of(trace, "sum +="), 0)
    assert caption.text.endswith(excluded)


def test_padding_leaves_an_array_complete() -> None:
    trace = catalogue("matmul_tiled_padded", "8,8,8", "8,8")
    text = describe(trace, step_of(trace, "__syncthreads"), 0).text
    assert text.endswith("all 64 threads have arrived, As and Bs are complete")


def test_a_guard_that_lets_threads_outside_pass_is_no_test_of_the_bounds() -> None:
    text = CASES.source("a_guard_that_lets_threads")
    trace = source(text, "2", "8", "in=i32[16]:iota", "out=i32[16]:uninit", "n=16")
    caption = describe(trace, step_of(trace, "s[threadIdx.x + 8]"), 1).text
    assert caption.endswith("they write 0; threads 2, 3 and 4 more copy nothing: threadIdx.x < 2 is false")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([(0, 0), (0, 1), (0, 2)], "A[0][0..2]"),
        ([(0, 0), (0, 1), (1, 0), (1, 1)], "A[0..1][0..1]"),
        ([(0, 0), (0, 1), (2, 0), (2, 1)], "A[0][0..1] and A[2][0..1]"),
        ([(0, 2), (1, 2), (3, 2)], "A[0..1][2] and A[3][2]"),
        ([(0, 0), (1, 1), (2, 2)], "A[0][0], A[1][1] and A[2][2]"),
        ([(0, 0), (1, 1), (2, 2), (3, 3)], "4 elements of A"),
    ],
)
def test_inputs_are_named_as_rectangles(cells: list[tuple[int, int]], expected: str) -> None:
    trace = catalogue("matmul_naive")
    array = trace.array_number("A")
    assert inputs_text(trace, [Location(array, 4 * row + column) for row, column in cells]) == expected


def test_inputs_of_several_arrays_are_listed_by_array() -> None:
    trace = catalogue("matmul_naive")
    a, b = trace.array_number("A"), trace.array_number("B")
    assert inputs_text(trace, [Location(a, 0), Location(a, 1), Location(b, 5)]) == "A[0][0..1] and B[1][1]"
    assert inputs_text(trace, [Location(a, 0), Location(a, 5), Location(b, 5)]) == "A[0][0], A[1][1] and B[1][1]"
    assert inputs_text(trace, []) == ""


@pytest.mark.parametrize(("name", "on", "words"), CASES("clauses"))
def test_clauses(name: str, on: str, words: str) -> None:
    text = DIVERGENCE.source(name)
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


def guarded_barrier() -> Trace:
    return source(CASES.source("guarded_barrier"), "1", "8", "out=f32[8]:zeros")


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (guarded_barrier, ("thread 0 of block 0 waits", "thread 3 of block 0 does not")),
        (lambda: catalogue("lesson_missing_guard", "3", "2,2"), ("thread (0,1) of block (0,1) reads A[9]",)),
        (lambda: catalogue("lesson_uncleared_target", "4", "2,2"), ("thread (0,0,0) of block (0,0,0) reads C[0]",)),
        (
            lambda: catalogue("lesson_missing_barrier", "6", "6,6"),
            ("thread (0,0) of block (0,0) writes As[0][0] in line 23 and thread (1,0) of block (0,0) reads it",),
        ),
    ],
    ids=["line", "plane", "space", "race"],
)
def test_threads_and_blocks_have_the_names_of_captions(trace: object, words: tuple[str, ...]) -> None:
    assert callable(trace)
    run: Trace = trace()
    hazard = run.hazards[0]
    message = hazard_message(run.launch, hazard)
    assert all(part in message for part in words)
    assert "(0, " in hazard.message  # what a saved trace contains stays as it is
