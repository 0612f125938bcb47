"""Results at a moment of the order played, and the reads that a race makes wrong."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import play_order, playlist
from kernels.analysis.order.races import hazard_lanes, race_at, shown_at, wrong_reads
from kernels.analysis.values.result_check import ResultCheck, check_result, problem_size
from kernels.catalog import catalog, find_kernel
from kernels.narration.narrate import describe
from kernels.simt import Options
from kernels.trace import element_name
from kernels.tracing import trace_kernel
from kernels.workload import WORKLOADS, Size, verify
from tests.kernels.analysis.traces import source
from tests.sweeps import RIGHT_BY_LUCK, in_handful

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.trace import Trace


@cache
def run(name: str, schedule: str = "") -> tuple[Trace, ResultCheck]:
    kernel = find_kernel(name)
    trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(schedule=schedule or kernel.schedule))
    found = check_result(play_order(trace), kernel.workload)
    assert found is not None
    return trace, found


def kernels_with_results() -> list[object]:
    """Every kernel of the catalogue with a result; the plain command takes the lessons and one of each kind."""
    listed = [kernel for kernel in catalog() if kernel.file is not None and kernel.workload.id != "none"]
    return [
        pytest.param(variant, id=variant.id, marks=() if kernel.flaw or in_handful(variant) else pytest.mark.exhaustive)
        for kernel in listed
        for variant in kernel.variants()
    ]


@pytest.mark.parametrize("kernel", kernels_with_results())
def test_at_the_end_a_lesson_is_wrong_and_every_other_kernel_right(kernel: Kernel) -> None:
    trace = trace_kernel(kernel, kernel.size, kernel.block, options=Options(schedule=kernel.schedule))
    order = play_order(trace)
    found = check_result(order, kernel.workload)
    assert found is not None
    verdict = found.verdict(*playlist(trace, "memory", order).frames[-1])
    assert verdict.over
    assert verdict.judged == verdict.total == sum(output.values.size for output in found.outputs)
    assert (verdict.wrong > 0) == (bool(kernel.flaw) and kernel.id not in RIGHT_BY_LUCK)
    inputs = {a.name: v for a, v in zip(trace.arrays, trace.initial, strict=True) if v is not None}
    ends = {
        trace.arrays[output.array].name: np.where(output.written, output.values, np.nan) for output in found.outputs
    }
    assert verify(kernel.workload, kernel.size, inputs, ends).correct == (verdict.wrong == 0)


def test_an_element_is_judged_after_its_last_write() -> None:
    """Four blocks add their parts to each element of P: after one to three of them it is a partial sum."""
    trace, found = run("mmt_stripe")
    [output] = found.outputs
    seen = {}
    for frame in playlist(trace, "memory").frames:
        verdict = found.verdict(*frame)
        assert verdict.wrong == 0
        seen[frame.block] = verdict.judged
    writers = trace.writes(output.array).lane[trace.writes(output.array).index == 5] // trace.launch.block.count
    assert len(set(writers.tolist())) == 4
    counts = list(seen.values())
    assert counts[0] == 0
    assert counts[-1] == output.values.size


def test_the_first_wrong_element_is_the_one_that_is_played_first() -> None:
    trace, found = run("lesson_swapped_index")
    frames = playlist(trace, "memory").frames
    wrong = found.verdict(*frames[-1]).first
    assert wrong is not None
    before = [frame for frame in frames if found.verdict(*frame).wrong == 0]
    after = next(frame for frame in frames if found.verdict(*frame).wrong)
    assert (wrong.block, wrong.step) == after
    assert frames[len(before)] == after
    assert trace.outputs["C"].reshape(-1)[wrong.index] == wrong.value != wrong.expected
    inputs = [trace.initial[trace.array_number(name)] for name in "AB"]
    assert (inputs[0] @ inputs[1]).reshape(-1)[wrong.index] == wrong.expected  # type: ignore[operator]


def test_elements_that_are_never_written_are_judged_when_no_access_is_left() -> None:
    trace, found = run("lesson_single_block")
    [output] = found.outputs
    frames = playlist(trace, "memory").frames
    missing = ~output.written
    assert missing.any()
    for frame in list(frames)[:-1]:
        if not found.over(*frame):
            assert not (found.judged(*frame)[0] & missing).any()
    last = found.wrong(output.array, *frames[-1])
    assert last is not None
    assert last[missing].all()


def test_only_outputs_have_wrong_elements() -> None:
    trace, found = run("lesson_swapped_index")
    assert found.wrong(trace.array_number("A"), 0, trace.steps - 1) is None


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        (("A=f32[2,4]:iota", "B=f32[4,3]:iota", "C=f32[2,3]:zeros", "M=2", "N=3", "K=4"), Size(2, 3, 4)),
        (("A=f32[2,4]:iota", "B=f32[4,3]:iota", "C=f32[2,3]:zeros", "M=2", "N=3", "K=3"), None),  # another problem
        (("A=f32[8]:iota", "B=f32[12]:iota", "C=f32[6]:zeros", "M=2", "N=3", "K=4"), None),  # unknown shapes
    ],
)
def test_a_run_has_the_size_that_its_arguments_fit(arguments: tuple[str, ...], size: Size | None) -> None:
    text = "__global__ void k(const float *A, const float *B, float *C, int M, int N, int K) { C[0] = A[0]; }"
    trace = source(text, "1", "1", *arguments)
    assert problem_size(trace, WORKLOADS["matmul"]) == size
    assert (check_result(play_order(trace), WORKLOADS["matmul"]) is None) == (size is None)


@cache
def lesson(name: str, schedule: str = "") -> Trace:
    kernel = find_kernel(name)
    options = Options(schedule=schedule or kernel.schedule)
    return trace_kernel(kernel, kernel.size, kernel.block, options=options)


LESSONS = ["lesson_missing_barrier", "lesson_missing_second_barrier"]


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        (LESSONS[0], "thread (0,5) reads As[5][2], which thread (2,5) has not written yet"),
        (LESSONS[1], "thread (0,5) reads As[5][2], which thread (2,5) has overwritten already"),
    ],
)
def test_a_lesson_shows_a_read_that_goes_wrong(name: str, clause: str) -> None:
    trace = lesson(name)
    place = shown_at(trace, 0)
    assert place is not None
    block, step = place
    assert describe(trace, step, block).text.endswith(f"; {clause}")


@pytest.mark.parametrize("name", LESSONS)
def test_the_results_that_are_wrong_are_those_of_wrong_reads(name: str) -> None:
    trace, lockstep = lesson(name), lesson(name, "lockstep")
    wrong, block = wrong_reads(trace), trace.launch.block
    differs = trace.outputs["C"] != lockstep.outputs["C"]
    threads = {(block.member(int(lane)).y, block.member(int(lane)).x) for lane in wrong.lane}
    assert set(map(tuple, np.argwhere(differs).tolist())) == threads
    assert set(wrong.early.tolist()) == {name == LESSONS[0]}


@pytest.mark.parametrize("name", LESSONS)
def test_in_lockstep_no_read_is_wrong_and_the_race_is_shown_as_reported(name: str) -> None:
    trace = lesson(name, "lockstep")
    assert not len(wrong_reads(trace).step)
    [hazard] = trace.hazards
    race = race_at(trace, hazard.step, 0)
    assert race is not None
    assert race.order == "unordered"
    assert [trace.thread_of(party.lane) for party in race.parties] == [access.thread for access in hazard.accesses]
    assert describe(trace, hazard.step, 0).text.endswith("nothing orders the two")
    assert element_name(trace.arrays[race.array], race.index) in describe(trace, hazard.step, 0).text


@pytest.mark.parametrize("name", LESSONS)
def test_every_thread_with_a_wrong_read_is_marked_and_so_is_the_frame(name: str) -> None:
    trace = lesson(name)
    wrong = wrong_reads(trace)
    step = int(wrong.step[0])
    marked = set(hazard_lanes(trace, step, 0).tolist())
    assert marked == set(wrong.lane[wrong.step == step]) | set(wrong.writer[wrong.step == step])
    frames = playlist(trace, "memory")
    assert step in {frames.frames[int(at)].step for at in frames.hazards}


@pytest.mark.parametrize("name", ["matmul_tiled", "lesson_missing_guard", "lesson_uncleared_target"])
def test_other_kernels_have_no_wrong_reads(name: str) -> None:
    for schedule in ("lockstep", "warps", "reversed"):
        assert not len(wrong_reads(lesson(name, schedule)).step)
