"""Colours and size of the text, and that nothing is cut off by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, PAGES
from gui.shell.settings import Settings
from gui.theming import style
from gui.theming.theme import DARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.measure.page import BenchmarkPage
    from gui.occupancy.page import OccupancyPage

pytestmark = pytest.mark.usefixtures("usual_text")


@pytest.fixture
def usual_text(qapp: QApplication) -> Iterator[None]:
    before = qapp.font().pointSizeF()
    yield
    style.set_text(qapp, before)


def action(window: MainWindow, keys: str) -> QAction:
    wanted = QKeySequence(keys)
    return next(found for found in window.header.actions() if wanted in found.shortcuts())


def test_text_grows_step_by_step_up_to_the_largest_and_back(window: MainWindow) -> None:
    sizes = []
    for keys in ("Ctrl++", "Ctrl+=", "Ctrl+-", "Ctrl+0", *["Ctrl++"] * 9):
        action(window, keys).trigger()
        sizes.append(QApplication.font().pointSizeF())
    assert sizes[:4] == [*style.TEXT_PT[1:3], style.TEXT_PT[1], style.TEXT_PT[0]]
    assert sizes[-1] == style.TEXT_PT[-1]


def test_a_chosen_size_is_there_at_the_next_start(window: MainWindow, qtbot: QtBot) -> None:
    window.appearance.step_text(1)
    window._settings.flush()
    style.set_text(cast("QApplication", QApplication.instance()), style.TEXT_PT[0])
    qtbot.addWidget(MainWindow(Settings()))
    assert QApplication.font().pointSizeF() == style.TEXT_PT[1]


@pytest.mark.parametrize("text", ["", "huge", "3", "300", "nan"])
def test_a_size_that_makes_no_sense_is_the_usual_one(text: str) -> None:
    settings = Settings()
    settings.remember("text_pt", text)
    assert settings.text_pt is None


def test_rows_of_a_table_are_as_high_as_before_when_the_text_is_normal_again(window: MainWindow) -> None:
    window._started = True  # without the search for this machine's GPUs
    window.show()
    window.show_page(BENCHMARK)
    results = cast("BenchmarkPage", window.page(BENCHMARK)).results
    results.setCurrentIndex(results.count() - 1)
    rows = results.table.view.verticalHeader()
    heights = []
    for step in (0, 1, 1, 1, 0):
        window.appearance.step_text(step)
        QApplication.processEvents()
        heights.append(rows.defaultSectionSize())
    assert heights[0] == heights[-1] < heights[-2]


def test_widgets_with_a_font_size_of_their_own_follow(window: MainWindow) -> None:
    for number in (0, 2):
        window.show_page(number)
    explore, occupancy = cast("ExplorePage", window.page(0)), cast("OccupancyPage", window.page(2))
    for _ in style.TEXT_PT:
        window.appearance.step_text(1)
    window.show_page(0)  # a page takes what has changed when it is shown
    largest = style.TEXT_PT[-1]
    axis = occupancy.tabs.blocks.plot.getAxis("left").style["tickFont"]
    for font in (explore.code.font(), explore.inspector.text.font(), occupancy.headline.remedy.font(), axis):
        assert font.pointSizeF() >= largest


def test_a_page_that_is_built_after_a_step_has_the_size_of_the_others(window: MainWindow) -> None:
    window._started = True  # without the search for this machine's GPUs
    window.show()
    window.show_page(0)
    QApplication.processEvents()
    window.appearance.step_text(1)
    window.show_page(2)
    assert cast("OccupancyPage", window.page(2)).caption.font().pointSizeF() == style.TEXT_PT[1]


@pytest.mark.parametrize(("width", "height", "steps"), [(1024, 700, 0), (1280, 800, 1), (1920, 1080, 3)])
def test_no_button_is_cut_off(window: MainWindow, width: int, height: int, steps: int) -> None:
    for _ in range(steps):
        window.appearance.step_text(1)
    window.resize(width, height)
    window.show()
    for number, page in enumerate(PAGES):
        window.show_page(number)
        for _ in range(3):  # a page is laid out after it is shown
            QApplication.processEvents()
        buttons = [found for found in window.findChildren(QAbstractButton) if found.isVisible()]
        least = {button: button.minimumSizeHint() for button in buttons}
        cut = [button for button, size in least.items() if button.size().expandedTo(size) != button.size()]
        assert not [(page.title, button.text()) for button in cut]
        assert max(button.mapTo(window, button.rect().bottomRight()).x() for button in buttons) <= width, page.title


def around(widget: QWidget) -> QWidget:
    found = widget.parentWidget()
    assert found is not None
    return found


def test_only_what_is_in_sight_is_dressed_and_the_rest_when_it_is_shown(window: MainWindow) -> None:
    window.show_page(0)
    window.show_page(1)
    window.set_theme("light")
    page = cast("BenchmarkPage", window.page(1))
    results = page.results
    results.show_tab("Time")
    results.show_tab("Rate")
    shown = [window.header, page.setup, page.lines, around(results.gflops)]
    hidden = [window.page(0), page.runs, around(results.chart_tab("Time"))]
    before = {part.styleSheet() for part in hidden}
    window.set_theme("dark")
    window.appearance.step_text(1)
    assert {part.styleSheet() for part in shown} == {style.sheet(DARK)}
    assert {part.styleSheet() for part in hidden} == before
    for tabs in (page.left, results):
        assert tabs.palette().window().color().name() == DARK.window
        assert tabs.tabBar().font().pointSizeF() == QApplication.font().pointSizeF()
    results.show_tab("Time")
    page.left.setCurrentWidget(page.runs)
    window.show_page(0)
    assert {part.styleSheet() for part in hidden} == {style.sheet(DARK)}
    assert results.chart_tab("Time").plot._theme == DARK


def test_a_tab_that_is_built_later_is_dressed(window: MainWindow) -> None:
    window.show_page(1)
    window.set_theme("dark")
    results = cast("BenchmarkPage", window.page(1)).results
    results.show_tab("% of peak")
    tab = results.chart_tab("% of peak")
    assert tab.plot._theme == DARK
    assert around(tab).styleSheet() == style.sheet(DARK)
