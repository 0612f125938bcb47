"""The pages Benchmark, Occupancy and Learn with the largest text in a window of 1280x800: nothing is out of reach."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QStackedWidget, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, LEARN, OCCUPANCY
from gui.theming import style
from tests.gui.explore.painted_texts import widget_findings

SIZE: Final = (1280, 800)


NUMBERS: Final = (BENCHMARK, OCCUPANCY, LEARN)


@pytest.fixture
def large(window: MainWindow, qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    usual = qapp.font().pointSizeF()
    window.session.set_devices((), "this is a test")
    for _ in style.TEXT_PT:
        window.appearance.step_text(1)
    window.resize(*SIZE)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    yield window
    style.set_text(qapp, usual)


def settle() -> None:
    for _ in range(5):
        QApplication.processEvents()


def views(page: QWidget) -> Iterator[str]:
    """Show every tab of a page, and yield its name."""
    outer = [tabs for tabs in page.findChildren(QTabWidget) if tabs.isVisible()]
    for tabs in outer:
        for place in range(tabs.count()):
            if not tabs.isTabVisible(place):
                continue
            tabs.setCurrentIndex(place)
            settle()
            yield tabs.tabText(place)
            inner = [part for part in tabs.currentWidget().findChildren(QTabWidget) if part.isVisible()]
            for part in inner:
                for number in range(part.count()):
                    if part.isTabVisible(number):
                        part.setCurrentIndex(number)
                        settle()
                        yield f"{tabs.tabText(place)}, {part.tabText(number)}"


def overlaps(page: QWidget) -> Iterator[str]:
    """Say which parts that a layout places lie over each other."""
    for parent in (page, *page.findChildren(QWidget)):
        layout = parent.layout()
        if layout is None or not parent.isVisible() or isinstance(parent, QStackedWidget):
            continue
        placed = [part for part in parent.children() if isinstance(part, QWidget) and part.isVisible()]
        for one, other in combinations(placed, 2):
            shared = one.geometry().intersected(other.geometry())
            if shared.width() > 1 and shared.height() > 1:
                yield f"{one} lies over {other}"


def misses(window: MainWindow, page: QWidget) -> list[QWidget]:
    """Return the controls of a page that Tab does not reach on its way through the window."""
    start = window.header.findChildren(QAbstractButton)[0]
    start.setFocus()
    reached: list[QWidget] = []
    while (focus := window.focusWidget()) not in reached[:-1]:
        if focus not in reached:  # else the next link of the same label
            reached.append(focus)
        elif focus is start:
            break
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert focus is start
    controls = [part for part in page.findChildren(QWidget) if part.isVisible() and part.isEnabled()]
    wanted = [part for part in controls if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.focusProxy() is None]
    return [part for part in wanted if part not in reached]


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_cut_off_or_out_of_reach(large: MainWindow, number: int) -> None:
    large.show_page(number)
    settle()
    page, found = large.page(number), set()
    for view in views(page):
        assert page.minimumSizeHint().width() <= SIZE[0] - 24, view  # without the margins
        found |= {f"{view}: {finding}" for finding in (*widget_findings(page), *overlaps(page))}
        found |= {f"{view}: Tab misses {part}" for part in misses(large, page)}
    assert not {finding for finding in found if not finding.endswith("is elided")}  # its tooltip has the rest
