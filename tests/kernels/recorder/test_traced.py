"""Recordings made on the host, compared with the simulator's run and read back as its trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.frontend import Instances, parse
from kernels.launch import Dim3, Launch
from kernels.recorder.log import StepNote
from kernels.recorder.recording import Recording, accesses_of, differences, find_disturbances
from kernels.recorder.traced import to_trace
from kernels.trace.file import load, save
from kernels.tracing import Job
from tests.gpu.jobs import ALL_CLEAN, NOT_RECORDED, is_recorded
from tests.kernels.recorder.host_jobs import JOBS, NAMES, simulated
from tests.kernels.recorder.host_runner import COMPILER, record_all
from tests.kernels.recorder.warp_actions import assert_same, assert_same_columns
from tests.kernels.simt.programs import trace as run_source

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.recorder.recording import Recording
    from kernels.trace import Trace

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to run instrumented kernels")


def both(name: str, recordings: dict[str, Recording]) -> tuple[Trace, Trace]:
    """Return the recorded trace and the simulator's."""
    expected = simulated(JOBS[name])
    return to_trace(recordings[name], expected, "the host"), expected


@pytest.mark.parametrize("name", NAMES)
def test_every_warp_does_what_the_simulator_says(name: str, recordings: dict[str, Recording]) -> None:
    trace, expected = both(name, recordings)
    assert trace.schedule == "the host"
    assert_same(trace, expected, name.removeprefix("construct_"))


@pytest.mark.parametrize("name", ["construct_local", "construct_copies", "construct_structs", "matmul_tiled_0"])
def test_it_is_a_trace_like_any_other(name: str, recordings: dict[str, Recording], tmp_path: Path) -> None:
    trace, expected = both(name, recordings)
    save(trace, tmp_path / "run.trace")
    again = load(tmp_path / "run.trace")
    assert_same_columns(again, trace)
    for output, values in expected.outputs.items():
        np.testing.assert_array_equal(again.outputs[output], values)
        contents, written = again.contents(again.array_number(output), again.steps)
        np.testing.assert_array_equal(contents[written], values.reshape(contents.shape)[written])


def test_a_kernel_can_do_next_to_nothing(tmp_path: Path) -> None:
    jobs = {}
    for number, body in enumerate(("", "__shared__ int s[4];", "int t = threadIdx.x;", "A[threadIdx.x] = 1;")):
        program = parse(f"__global__ void k(int *A) {{ {body} }}", "k.cu")
        values = {"A": np.zeros(40, np.int32)}
        jobs[f"k{number}"] = Job(program, program.kernels[0], Launch(Dim3(1), Dim3(40)), values, Instances(program))
    for name, recording in record_all(jobs, tmp_path).items():  # compiled together
        expected = simulated(jobs[name])
        assert differences(expected, recording) == ()
        assert_same(to_trace(recording, expected, "the host"), expected)


def test_the_warp_that_began_first_has_the_first_turn(recordings: dict[str, Recording]) -> None:
    """Two blocks of one warp: whoever has the earlier times goes first, and on a coarse clock the first block."""
    recording = recordings["construct_shared"]
    entries = recording.entries
    step = np.array([isinstance(note, StepNote) for note in entries.notes])[entries.note]
    second = entries.thread >= 32
    for early, late, expected in ((second, ~second, [1, 0]), (~second, second, [0, 1]), (step, step, [0, 1])):
        time = entries.time.copy()
        time[step & late] = 9
        time[step & early] = 5
        trace = to_trace(
            replace(recording, entries=replace(entries, time=time)),
            simulated(JOBS["construct_shared"]),
            "the host",
        )
        blocks = [int(trace.lanes(s)[0]) // 32 for s in range(trace.steps)]
        assert list(dict.fromkeys(blocks)) == expected
        # Behind the barrier is behind the barrier, however coarse the clock.
        for block in (0, 1):
            assert (np.diff(trace.step_epoch[trace.block_steps(block)]) >= 0).all()


@pytest.mark.exhaustive
def test_of_the_corpus_the_recorder_refuses_what_is_listed() -> None:
    assert {name for name, case in ALL_CLEAN.items() if not is_recorded(case)} == set(NOT_RECORDED)


@pytest.mark.parametrize("name", NAMES)
def test_every_thread_does_what_the_simulator_says(name: str, recordings: dict[str, Recording]) -> None:
    trace = simulated(JOBS[name])
    assert differences(trace, recordings[name]) == ()
    assert len(recordings[name].accesses) == trace.access_count


def test_the_first_difference_is_named(recordings: dict[str, Recording]) -> None:
    recording = recordings["construct_assignment"]
    trace = simulated(JOBS["construct_assignment"])
    changed = replace(recording.accesses, rows=recording.accesses.rows.copy())
    changed.rows[changed.first[33] + 2, 1] += 1
    found = differences(trace, replace(recording, accesses=changed))
    assert len(found) == 1
    assert found[0].startswith("thread (1, 0, 0) of block (1, 0, 0), access 3: simulated reads ")
    assert ", on the GPU reads " in found[0]


def test_a_thread_that_stops_early_is_named(recordings: dict[str, Recording]) -> None:
    recording = recordings["construct_update"]
    accesses = recording.accesses
    first = accesses.first.copy()
    first[-1] -= 1
    fewer = replace(accesses, rows=accesses.rows[:-1], first=first)
    (found,) = differences(simulated(JOBS["construct_update"]), replace(recording, accesses=fewer))
    assert found.endswith("on the GPU ends after 8")


def test_outputs_that_the_notes_have_changed_are_named(recordings: dict[str, Recording]) -> None:
    recording = recordings["construct_update"]
    assert find_disturbances(recording) == ()
    changed = recording.results["out"].copy()
    changed[7] += 1
    (found,) = find_disturbances(replace(recording, results={**recording.results, "out": changed}))
    assert found.startswith("out[7]: ")
    assert found.endswith("in the plain one (1 of 64 elements differ)")


def test_outputs_are_compared_bit_by_bit(recordings: dict[str, Recording]) -> None:
    recording = recordings["construct_update"]
    changed = recording.outputs["out"].copy()
    changed[5] = -changed[5]
    (found,) = differences(
        simulated(JOBS["construct_update"]), replace(recording, outputs={**recording.outputs, "out": changed})
    )
    assert found.startswith("out[5]: simulated ")
    assert found.endswith("(1 of 64 elements differ)")


def test_members_of_structs_are_compared_as_what_they_are(recordings: dict[str, Recording]) -> None:
    source = "struct P { float x; int n; }; __global__ void k(P *p) { p[threadIdx.x].x = 1.5f; }"
    trace = run_source(source, {"p": np.zeros((8, 2), np.uint32)})
    outputs = {"p": trace.outputs["p"].copy()}
    outputs["p"][3, 0] = np.float32(2.5).view(np.uint32)
    changed = replace(recordings["construct_update"], outputs=outputs, accesses=accesses_of(trace))
    assert differences(trace, changed) == ("p[3].x: simulated 1.5, on the GPU 2.5 (1 of 16 elements differ)",)
