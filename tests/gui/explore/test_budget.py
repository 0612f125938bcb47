"""Start of tracing on a page, and the memory that runs leave.

The plain test command shows one kernel of each kind, and `-m exhaustive` all of the catalogue.
"""

import gc
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from functools import _lru_cache_wrapper
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import pytest
from PySide6.QtGui import QStaticText
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.explore.playback.story import Story, story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.explore.tracing import Tracing
from gui.selection.recording import Recording
from gui.shell.main_window import MainWindow
from gui.shell.pages import EXPLORE
from kernels.analysis import Playlist
from kernels.catalog import Kernel, catalog, find_kernel
from kernels.launch import Dim3
from kernels.trace import Trace
from kernels.tracing import trace_kernel
from tests.gui.windows import explore
from tests.sweeps import in_handful


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
    page = explore(window)
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
    page = explore(window)
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


MOST: Final = {Trace: 1, Stage: 1, Story: 1, Scene: 1, Playlist: 2, QStaticText: 8193}
"""Most objects of a type: those of the run that is shown, and the texts whose layout is cached."""


CACHED_BYTES: Final = 24_000_000
"""Most bytes in all caches of functions: 11 MB after the whole catalogue."""


SHARED: Final = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
"""Types of objects that a cache does not keep: they live anyway."""


EXPLORED: Final = [kernel for kernel in catalog() if kernel.file is not None]


@pytest.mark.parametrize(
    "kernels",
    [
        pytest.param([kernel for kernel in EXPLORED if in_handful(kernel)], id="one of each kind"),
        pytest.param(EXPLORED, id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_only_the_run_that_is_shown_is_kept(qtbot: QtBot, window: MainWindow, kernels: Sequence[Kernel]) -> None:
    window.resize(1280, 800)
    window.show()
    window.show_page(EXPLORE)
    page = explore(window)
    for cache in _caches():
        cache.cache_clear()  # of other tests, as are the objects before
    before = _kept()
    for kernel in kernels:
        window.session.select(kernel=kernel)
        qtbot.waitUntil(lambda: not page.busy, timeout=60_000)
        page.timeline.last()
        QApplication.processEvents()
        kept = _kept() - before
        assert {kind: kept[kind] for kind, most in MOST.items() if kept[kind] > most} == {}
    assert _cached_bytes() < CACHED_BYTES


def _kept() -> Counter[type]:
    gc.collect()
    return Counter(type(thing) for thing in gc.get_objects())


def _caches() -> "list[_lru_cache_wrapper[Any]]":
    """Return the caches of functions of this project."""
    modules = [module for name, module in sys.modules.items() if name.startswith(("gui.", "kernels."))]
    return [thing for module in modules for thing in vars(module).values() if isinstance(thing, _lru_cache_wrapper)]


def _cached_bytes() -> int:
    """Return the bytes of all that these caches lead to."""
    found, total = set[int](), 0
    waiting: list[object] = list(_caches())
    while waiting:
        thing = waiting.pop()
        if id(thing) not in found and not isinstance(thing, SHARED):
            found.add(id(thing))
            total += sys.getsizeof(thing)
            waiting += gc.get_referents(thing)
    return total
