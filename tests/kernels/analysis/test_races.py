"""Races as they happen: the reads that a missing barrier makes wrong, in the order that was run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import playlist
from kernels.analysis.order.races import hazard_lanes, race_at, shown_at, wrong_reads
from kernels.catalog import find_kernel
from kernels.narration.narrate import describe
from kernels.simt import Options
from kernels.trace import element_name
from kernels.tracing import trace_kernel

if TYPE_CHECKING:
    from kernels.trace import Trace


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
