"""Recordings made on the host: the same text, the same log and the same comparison as on a GPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernels.recorder.recording import Recording, accesses_of, differences, find_disturbances
from tests.gpu.jobs import ALL_CLEAN, NOT_RECORDED, is_recorded
from tests.kernels.recorder.host_jobs import JOBS, NAMES, simulated
from tests.kernels.recorder.host_runner import COMPILER
from tests.kernels.simt.programs import trace as run_source

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to run instrumented kernels")


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
