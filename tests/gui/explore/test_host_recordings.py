"""Traces that were not made by the simulator, on the page: here of the kernel's text run on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.selection.recording import Recording
from kernels.recorder.traced import to_trace
from kernels.simt import run
from kernels.tracing import prepare
from tests.gui.explore.conftest import kernel
from tests.kernels.recorder.host_runner import COMPILER, record_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage


@pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to run instrumented kernels")
def test_a_recording_is_stepped_through_warp_by_warp(
    qtbot: QtBot, open_page: Callable[..., ExplorePage], tmp_path: Path
) -> None:
    tiled = kernel("matmul_tiled")
    job = prepare(tiled, tiled.size, tiled.block)
    expected = run(job.program, job.launch, job.arguments, kernel=job.function.name)
    trace = to_trace(record_all({"tiled": job}, tmp_path)["tiled"], expected, "the host")
    page = open_page(tiled)
    captions = [caption_at(page, 0), caption_at(page, len(page.frames) - 1)]
    with qtbot.waitSignal(page.ready):
        page._session.play(Recording(tmp_path / "tiled.trace", trace, tiled))
    assert page.story is not None
    assert page.story.stage.trace.schedule == "the host"
    told = [caption_at(page, position) for position in range(len(page.frames))]
    assert all(told)
    assert [told[0], told[-1]] == [f"Recorded on the GPU, the host. {caption}" for caption in captions]


def caption_at(page: ExplorePage, position: int) -> str:
    page.timeline.go(position)
    return page.caption.whole
