from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QApplication, QComboBox, QLineEdit, QWidget

from gui.explore.panes import FIRST
from gui.explore.playback.stage_state import PANES, Pane
from gui.explore.stage.focus import Focus
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from tests.gui.explore.conftest import kernel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage

    OpenPage = Callable[..., ExplorePage]

MOST_CONTROLS = 28
"""Controls on the page at the first start: a person finds Play, and the picture, at once."""


@pytest.fixture
def first_start(qtbot: QtBot, window: MainWindow) -> MainWindow:
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    page = cast("ExplorePage", window.page(0))
    qtbot.waitUntil(lambda: page.story is not None)
    return window


def parts(page: ExplorePage) -> dict[Pane, QWidget]:
    return {
        "code": page.listing,
        "thread": page.inspector,
        "memory": page.memory.area,
        "totals": page.memory.totals,
    }


def test_the_first_start_shows_the_code_alone_and_few_controls(first_start: MainWindow) -> None:
    page = cast("ExplorePage", first_start.page(0))
    assert {pane for pane, part in parts(page).items() if part.isVisible()} == FIRST
    kinds = (QAbstractButton, QAbstractSlider, QComboBox)
    controls = [part for part in first_start.findChildren(QWidget) if isinstance(part, kinds) and part.isVisible()]
    fields = [part for part in first_start.findChildren(QLineEdit) if part.isVisible()]
    alone = [field for field in fields if not isinstance(field.parentWidget(), QComboBox)]
    bars = [part for part in controls if type(part).__name__ != "QScrollBar"]
    assert len(bars) + len(alone) <= MOST_CONTROLS


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 800, 0.58), (1366, 768, 0.58), (1920, 1080, 0.62)])
def test_the_stage_has_most_of_the_window(first_start: MainWindow, width: int, height: int, least: float) -> None:
    first_start.resize(width, height)
    QApplication.processEvents()
    stage = cast("ExplorePage", first_start.page(0)).stage_column
    assert stage.width() * stage.height() >= least * width * height


@pytest.mark.parametrize("pane", PANES)
def test_each_pane_has_a_toggle_of_its_own(open_page: OpenPage, pane: Pane) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.panes.buttons[pane].click()
    assert {name for name, part in parts(page).items() if not part.isVisible()} == {pane}
    page.panes.buttons[pane].click()
    assert all(part.isVisible() for part in parts(page).values())


def test_without_panes_the_stage_is_as_wide_as_the_page(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.panes.show_only(())
    QApplication.processEvents()
    assert page.stage_column.width() == page.width()


def test_hazards_are_listed_whatever_panes_are_shown(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_barrier"))
    page.panes.show_only(())
    assert page.side.hazards.isVisible()


def test_a_click_opens_the_card_of_what_was_clicked(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.panes.show_only(("code",))
    page.canvas.clicked.emit(Focus.on_thread(0))
    assert page.inspector.isVisible()
    assert "Thread (0,0)" in page.inspector.text.text()


def test_what_the_user_opened_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    for expected in (FIRST, FIRST | {"memory"}):
        window = MainWindow(Settings(file=tmp_path / "settings.ini"))
        qtbot.addWidget(window)
        window.show_page(0)
        page = cast("ExplorePage", window.page(0))
        assert page.panes.shown == expected
        page.panes.show_only(PANES)  # by a lesson: not remembered
        page.panes.show_only(FIRST)
        page.panes.buttons["memory"].click()
        window.close()
