"""Start of tracing on a page, and the memory that runs leave."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtWidgets import QApplication

from gui.explore.playback.story import story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.tracing import Tracing
from gui.selection.recording import Recording
from gui.shell.pages import EXPLORE
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.tracing import trace_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.explore.playback.story import Story
    from gui.shell.main_window import MainWindow


def story_of(kernel_id: str) -> Story:
    kernel = find_kernel(kernel_id)
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    return story_of_recording(Recording(Path(trace.file), trace, kernel), lambda: False)


@pytest.mark.parametrize("kernel_id", ["matmul_tiled", "kmeans_assign", "matmul_split_k", "lesson_missing_barrier"])
def test_a_story_is_freed_without_a_collection(kernel_id: str) -> None:
    """Else one that was left out of collections would stay in memory for good."""
    story = story_of(kernel_id)
    build_scene(story.stage, story.statements.frames[-1])
    trace, frames = weakref.ref(story.stage.trace), weakref.ref(story.statements)
    gc.disable()
    try:
        del story
        assert trace() is None
        assert frames() is None
    finally:
        gc.enable()


def test_a_page_traces_once_it_has_been_painted(qtbot: QtBot, window: MainWindow) -> None:
    """Before, the run would take Python's lock from the window, which builds the page."""
    window.show_page(EXPLORE)
    page = cast("ExplorePage", window.page(EXPLORE))
    finished: list[bool] = []
    page._tracing.finished.connect(lambda _: finished.append(page.isVisible()))
    for _ in range(3):
        QApplication.processEvents()
    assert page.busy
    assert page.story is None
    assert page._tracing._work.busy is False
    window.show()
    qtbot.waitUntil(lambda: not page.busy)
    assert finished == [True]
    assert page.story is not None
    window.session.select(block=Dim3(1, 1))
    assert page._tracing._work.busy  # later runs do not wait


def test_a_page_that_was_never_painted_closes(window: MainWindow) -> None:
    window.show_page(EXPLORE)
    page = cast("ExplorePage", window.page(EXPLORE))
    assert page.busy
    window.close()
    assert not page.busy


@pytest.mark.usefixtures("started")
def test_what_a_run_leaves_in_memory_is_out_of_later_collections(qtbot: QtBot) -> None:
    tracing = Tracing()
    kept: list[list[int]] = []

    def work(cancelled: Callable[[], bool]) -> object:
        kept.extend([n] for n in range(5_000))
        return kept

    before = gc.get_freeze_count()
    with qtbot.waitSignal(tracing.finished):
        tracing.start(work)
    qtbot.waitUntil(lambda: gc.get_freeze_count() >= before + 5_000)
    tracing.close()
