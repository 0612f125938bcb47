"""What garbage collection leaves out, and when."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from gui.explore.widgets.tracing import Tracing
from gui.shell import garbage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtCore import QCoreApplication
    from pytestqt.qtbot import QtBot


class Knot:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def started(qapp: QCoreApplication) -> Iterator[None]:
    garbage.begin(qapp)
    yield
    qapp.setProperty(garbage._STARTED, None)
    gc.unfreeze()


@pytest.mark.usefixtures("qapp")
def test_tests_see_all_that_is_left_behind() -> None:
    before = gc.get_freeze_count()
    garbage.leave_out()
    garbage.collect()
    assert gc.get_freeze_count() == before


@pytest.mark.usefixtures("started")
def test_cycles_are_freed_and_the_rest_is_left_out() -> None:
    before, kept, knot = gc.get_freeze_count(), [[n] for n in range(5_000)], weakref.ref(Knot())
    garbage.collect()
    assert knot() is None
    assert gc.get_freeze_count() >= before + len(kept)


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
