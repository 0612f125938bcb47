"""Results from a worker thread: kept, stopped, begun again, and errors as reasons."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from gui.measure.results.lookup import Lookup
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


class Work:
    """Doubles numbers; 13 is refused, and 7 waits until it may go on."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.go = threading.Event()

    def __call__(self, key: int) -> int:
        self.calls.append(key)
        if key == 13:
            raise InputError("13 is refused")
        if key == 7:
            self.go.wait(10)
        return 2 * key


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def lookup(qtbot: QtBot, work: Work) -> Iterator[Lookup]:
    made = Lookup(work)
    yield made
    work.go.set()
    made.close()


def test_results_come_later_and_are_computed_once(qtbot: QtBot, lookup: Lookup, work: Work) -> None:
    with qtbot.waitSignal(lookup.changed):
        lookup.request([1, 13])
        assert lookup.get(1) is None
    assert lookup.get(1) == 2
    assert str(lookup.get(13)) == "13 is refused"
    lookup.request([1, 13])
    assert (lookup.open, work.calls) == (0, [1, 13])


def test_a_new_request_drops_what_only_the_earlier_one_asked_for(qtbot: QtBot, lookup: Lookup, work: Work) -> None:
    lookup.request([7, 1, 2])
    lookup.request([7, 2])
    work.go.set()
    qtbot.waitUntil(lambda: lookup.open == 0)
    assert work.calls == [7, 2]


def test_a_pause_ends_the_work_and_resuming_begins_it_again(qtbot: QtBot, lookup: Lookup, work: Work) -> None:
    lookup.request([7, 1])
    qtbot.waitUntil(lambda: work.calls == [7])
    lookup.pause(True)
    work.go.set()
    assert (lookup.open, lookup.get(7)) == (2, None)
    lookup.pause(False)
    qtbot.waitUntil(lambda: lookup.open == 0)
    assert (lookup.get(7), lookup.get(1)) == (14, 2)
