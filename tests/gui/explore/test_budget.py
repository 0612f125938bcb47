"""Budget of what the Explore page keeps in memory, after one kernel after another was shown in the window.

The plain test command shows one kernel of each kind, and `-m exhaustive` all of the catalogue.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from functools import _lru_cache_wrapper
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Final, cast

import pytest
from PySide6.QtGui import QStaticText
from PySide6.QtWidgets import QApplication

from gui.explore.playback.story import Story
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.shell.pages import EXPLORE
from kernels.analysis import Playlist
from kernels.catalog import catalog
from kernels.trace import Trace
from tests.sweeps import in_handful

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.shell.main_window import MainWindow
    from kernels.catalog import Kernel

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
    window._started = True  # without the search for this machine's GPUs
    window.resize(1280, 800)
    window.show()
    window.show_page(EXPLORE)
    page = cast("ExplorePage", window.page(EXPLORE))
    before, cached_before = _kept(), _cached_bytes()  # other tests have their own
    for kernel in kernels:
        window.session.select(kernel=kernel)
        qtbot.waitUntil(lambda: not page.busy, timeout=60_000)
        page.timeline.last()
        QApplication.processEvents()
        kept = _kept() - before
        assert {kind: kept[kind] for kind, most in MOST.items() if kept[kind] > most} == {}
    assert _cached_bytes() - cached_before < CACHED_BYTES


def _kept() -> Counter[type]:
    gc.collect()
    return Counter(type(thing) for thing in gc.get_objects())


def _cached_bytes() -> int:
    """Return the bytes of all that caches of functions of this project lead to."""
    modules = [module for name, module in sys.modules.items() if name.startswith(("gui.", "kernels."))]
    caches = [thing for module in modules for thing in vars(module).values() if isinstance(thing, _lru_cache_wrapper)]
    found, total = set[int](), 0
    waiting: list[object] = list(caches)
    while waiting:
        thing = waiting.pop()
        if id(thing) not in found and not isinstance(thing, SHARED):
            found.add(id(thing))
            total += sys.getsizeof(thing)
            waiting += gc.get_referents(thing)
    return total
