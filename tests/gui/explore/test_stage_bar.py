from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gui.explore.stage.stage_bar import ZOOM_TIPS, StageBar
from tests.gui.explore.conftest import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage

    OpenPage = Callable[..., ExplorePage]

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def bar(qtbot: QtBot) -> StageBar:
    parent = QWidget()
    qtbot.addWidget(parent)
    found = StageBar(parent)
    parent.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    parent.resize(900, 60)
    parent.show()
    return found


def test_buttons_choose_the_zoom(bar: StageBar) -> None:
    changes: list[str] = []
    bar.options_changed.connect(lambda: changes.append(bar.options.zoom))
    for button in bar._zoom.buttons():
        button.click()
    assert bar.options.zoom == changes[-1] == list(ZOOM_TIPS)[-1]
    assert changes[0] == "grid"


def test_zooming_ends_at_the_first_and_the_last_level(bar: StageBar) -> None:
    for _ in ZOOM_TIPS:
        bar.zoom(-1)
    assert bar.options.zoom == "grid"
    for _ in ZOOM_TIPS:
        bar.zoom(1)
    assert bar.options.zoom == list(ZOOM_TIPS)[-1]
    assert [button.isChecked() for button in bar._zoom.buttons()] == [False] * (len(ZOOM_TIPS) - 1) + [True]


def test_a_key_changes_the_colouring_in_turn(bar: StageBar) -> None:
    found = []
    for _ in range(3):
        bar.next_colouring()
        found.append((bar.options.colouring, [button.isChecked() for button in bar._colouring.buttons()].index(True)))
    assert found == [("warp", 1), ("thread", 2), ("block", 0)]


def test_an_added_button_has_a_key_and_a_name(bar: StageBar, qtbot: QtBot) -> None:
    pressed: list[bool] = []
    button = bar.add_button("Mark", "Mark something", "M", pressed.append, checkable=True)
    assert button.toolTip() == "Mark something (M)"
    assert button.accessibleName() == "Mark"
    parent = bar.parentWidget()
    assert parent is not None
    with qtbot.waitActive(parent):
        parent.activateWindow()
    parent.setFocus()
    QTest.keyClick(parent, Key.Key_M)
    button.click()
    assert pressed == [True, False]


def test_a_narrow_bar_takes_more_rows(bar: StageBar) -> None:
    for number in range(6):
        bar.add_button(f"Button {number}", "Tip", f"Ctrl+{number}", lambda checked: None)
    QApplication.processEvents()  # shows the buttons
    layout = bar.layout()
    assert layout is not None
    assert layout.heightForWidth(300) >= 3 * layout.heightForWidth(2000) - 30
    assert layout.heightForWidth(2000) < 2 * bar._zoom.button(0).sizeHint().height()


def test_keys_and_the_wheel_zoom(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    with qtbot.waitActive(page):
        page.activateWindow()
    QTest.keyClick(page, Key.Key_Z, Modifier.ShiftModifier)
    shown = [page.scene]
    for angle in (120, -120):
        turn(page, angle, Modifier.ControlModifier)
        shown.append(page.scene)
    assert [scene.zoom for scene in shown if scene is not None] == ["grid", "block", "grid"]


def turn(page: ExplorePage, angle: int, modifier: Qt.KeyboardModifier) -> None:
    """Turn the wheel over the picture."""
    at = QPointF(page.canvas.rect().center())
    event = QWheelEvent(
        at,
        page.canvas.mapToGlobal(at),
        QPoint(),
        QPoint(0, angle),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(page.canvas, event)


def test_reads_are_counted_only_where_arrays_are_drawn(open_page: Callable[..., ExplorePage], qtbot: QtBot) -> None:
    page = open_page(kernel("hello_grid"))
    assert not page.stage_bar.reads.isEnabled()
    page._session.select(kernel=kernel("matmul_naive"))
    qtbot.waitUntil(lambda: not page.busy)
    assert page.stage_bar.reads.isEnabled()
