"""Recordings as traces: made on the host, they are the simulator's traces, warp by warp and step by step."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from kernels.gpu.log import Step
from kernels.gpu.recording import accesses_of
from kernels.gpu.traced import trace_of
from kernels.insight import counts, playlist
from kernels.trace.file import load, save
from tests.kernels.gpu.host import COMPILER, record_all
from tests.kernels.gpu.test_recording import JOBS, simulated
from tests.kernels.gpu.warps import last_values, steps_of_warps

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.gpu.recording import Recording
    from kernels.trace import Trace

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to run instrumented kernels")

LATER: Final = ("construct_functions", "construct_members", "construct_references")
"""Kernels in which a variable is noted later: what a function changes through references, where it returns."""

CONVERTS: Final = "construct_conversions"
"""C++ calls conversions by itself: on the GPU they are part of the statement that needs them."""


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    return record_all(JOBS, tmp_path_factory.mktemp("host"))


def both(name: str, recordings: dict[str, Recording]) -> tuple[Trace, Trace]:
    """Return the recorded trace and the simulator's."""
    expected = simulated(JOBS[name])
    return trace_of(recordings[name], expected, "the host"), expected


@pytest.mark.parametrize("name", [name for name in JOBS if name != CONVERTS])
def test_every_warp_makes_the_simulator_s_steps(name: str, recordings: dict[str, Recording]) -> None:
    trace, expected = both(name, recordings)
    ours, theirs = steps_of_warps(trace), steps_of_warps(expected)
    assert ours.keys() == theirs.keys()
    for warp in theirs:
        for one, other in zip(ours[warp], theirs[warp], strict=True):
            assert one[:-1] == other[:-1]
            assert name in LATER or one[-1] == other[-1]
    # A parameter that is a reference has no value of its own here, also where the call gives it a number.
    assert last_values(ours).items() <= last_values(theirs).items()


@pytest.mark.parametrize("name", JOBS)
def test_it_is_told_in_the_same_words_and_counts_the_same(
    name: str, recordings: dict[str, Recording]
) -> None:
    trace, expected = both(name, recordings)
    for table in ("statements", "arrays", "sites", "registers", "scalars", "launch", "text", "kernel"):
        assert getattr(trace, table) == getattr(expected, table)
    assert trace.schedule == "the host"
    assert counts(trace).arrays == counts(expected).arrays
    assert counts(trace).lines == counts(expected).lines
    ours, theirs = accesses_of(trace), accesses_of(expected)
    np.testing.assert_array_equal(ours.first, theirs.first)
    np.testing.assert_array_equal(ours.rows, theirs.rows)


@pytest.mark.parametrize(
    "name", ["construct_local", "construct_copies", "construct_structs", "matmul_tiled_0"]
)
def test_it_is_a_trace_like_any_other(name: str, recordings: dict[str, Recording], tmp_path: Path) -> None:
    trace, expected = both(name, recordings)
    save(trace, tmp_path / "run.trace")
    again = load(tmp_path / "run.trace")
    for field in fields(trace):
        one, other = getattr(trace, field.name), getattr(again, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        elif field.name not in ("initial", "outputs", "masks"):
            assert one == other
    for output, values in expected.outputs.items():
        np.testing.assert_array_equal(again.outputs[output], values)
        contents, written = again.contents(again.array_number(output), again.steps)
        np.testing.assert_array_equal(contents[written], values.reshape(contents.shape)[written])
    assert len(playlist(again, "statement")) == len(playlist(trace, "statement"))


def test_the_warp_that_began_first_has_the_first_turn(recordings: dict[str, Recording]) -> None:
    """Two blocks of one warp: whoever has the earlier times goes first, and on a coarse clock the first block."""
    recording = recordings["construct_shared"]
    entries = recording.entries
    step = np.array([isinstance(note, Step) for note in entries.notes])[entries.note]
    second = entries.thread >= 32
    for early, late, expected in ((second, ~second, [1, 0]), (~second, second, [0, 1]), (step, step, [0, 1])):
        time = entries.time.copy()
        time[step & late] = 9
        time[step & early] = 5
        trace = trace_of(
            replace(recording, entries=replace(entries, time=time)),
            simulated(JOBS["construct_shared"]),
            "the host",
        )
        blocks = [int(trace.lanes(s)[0]) // 32 for s in range(trace.steps)]
        assert list(dict.fromkeys(blocks)) == expected
        # Behind the barrier is behind the barrier, however coarse the clock.
        for block in (0, 1):
            assert (np.diff(trace.step_epoch[trace.block_steps(block)]) >= 0).all()
