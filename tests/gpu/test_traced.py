"""A run on the GPU, read back as a trace, is the simulator's trace: warp by warp, step by step, value by value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from click.testing import CliRunner

from gui.explore.page import ExplorePage
from gui.selection.recording import Recording
from gui.selection.session import Selection, Session
from kernels.cli import main
from kernels.errors import InputError
from kernels.fill import Fill
from kernels.gpu.device import present_device
from kernels.recorder.record import record
from kernels.recorder.recording import differences, find_disturbances
from kernels.recorder.traced import to_trace
from kernels.simt import Options, run
from kernels.trace.file import load, save
from kernels.tracing import Job, prepare
from tests.gpu.constructs import CONSTRUCTS, job_of
from tests.gpu.jobs import CLEAN, RECORDED, job_of_case
from tests.kernels.recorder.warp_actions import assert_same, assert_same_columns

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from kernels.catalog import Kernel
    from kernels.trace import Trace


NUMBERS: Final = Fill("mod", (7,))
"""Small whole numbers: sums of them are exact in any order."""


def both(job: Job, *, fmad: bool = False) -> tuple[Trace, Trace]:
    """Return the trace of the run on the GPU, and the simulator's."""
    options = Options(contract=fmad)
    expected = run(job.program, job.launch, job.arguments, kernel=job.function.name, options=options)
    recording = record(job.program, job.function, job.launch, job.arguments, job.instances, fmad=fmad)
    assert differences(expected, recording) == ()
    assert find_disturbances(recording) == ()
    return to_trace(recording, expected, present_device().name), expected


@pytest.mark.parametrize("fmad", [False, True], ids=["rounded", "fused"])
@pytest.mark.parametrize("kernel", RECORDED, ids=lambda kernel: kernel.id)
def test_every_kernel_of_the_catalogue(kernel: Kernel, fmad: bool, tmp_path: Path) -> None:
    fill = NUMBERS if kernel.clear else Fill("random", (1,))
    trace, expected = both(prepare(kernel, kernel.size, kernel.block, fill), fmad=fmad)
    assert_same(trace, expected, kernel.id)
    for name, values in expected.outputs.items():
        np.testing.assert_array_equal(trace.outputs[name], values)
    save(trace, tmp_path / "run.trace")
    assert_same_columns(load(tmp_path / "run.trace"), trace)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_every_construct(name: str) -> None:
    assert_same(*both(job_of(name)), name)


@pytest.mark.parametrize("name", CLEAN)
def test_every_correct_kernel_of_the_corpus(name: str) -> None:
    assert_same(*both(job_of_case(CLEAN[name])), name)


@pytest.mark.parametrize("kernel", RECORDED, ids=lambda kernel: kernel.id)
def test_the_explore_page_steps_through_it(qtbot: QtBot, kernel: Kernel) -> None:
    trace, _ = both(prepare(kernel, kernel.size, kernel.block, NUMBERS))
    selection = Selection(kernel, kernel.size, kernel.block, present_device())
    page = ExplorePage(Session(selection))
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: not page.busy)
    with qtbot.waitSignal(page.ready):
        page._session.play(Recording(Path("run.trace"), trace, kernel))
    assert len(page.frames)
    for position in range(0, len(page.frames), max(1, len(page.frames) // 50)):
        page.timeline.go(position)
        assert page.scene is not None
        assert page.caption.whole


def test_a_log_that_is_too_large_is_refused() -> None:
    job = job_of("loops")
    with pytest.raises(
        InputError, match="the log of 64 threads takes 0 MiB: record a smaller problem, or raise --max-memory"
    ):
        record(job.program, job.function, job.launch, job.arguments, job.instances, max_bytes=1000)


def test_the_command_line_saves_what_the_gpu_did(tmp_path: Path) -> None:
    file = tmp_path / "run.trace"
    words = ["trace", "matmul_tiled", "--size", "7,9,5", "--block", "4,4", "--json"]
    result = CliRunner().invoke(main, [*words, "--on-gpu", "--out", str(file)])
    assert result.exit_code == 0, result.output
    found, simulated = json.loads(result.stdout), json.loads(CliRunner().invoke(main, words).stdout)
    assert found["on_gpu"]["machine"].startswith(present_device().name)
    assert load(file).schedule == found["on_gpu"]["machine"]
    assert found["output"] == simulated["output"]
    assert found["counts"] == simulated["counts"]
