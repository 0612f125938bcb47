from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gui.explore.playback.playback import Playback
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
    found = StageBar(Playback(), parent)
    parent.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    parent.resize(900, 60)
    parent.show()
    return found


def test_buttons_choose_the_zoom(bar: StageBar) -> None:
    changes: list[str] = []
    bar.options_changed.connect(lambda: changes.append(bar.playback.options.zoom))
    for button in bar._zoom.buttons():
        button.click()
    assert bar.playback.options.zoom == changes[-1] == list(ZOOM_TIPS)[-1]
    assert changes[0] == "grid"


def test_zooming_ends_at_the_first_and_the_last_level(bar: StageBar) -> None:
    for _ in ZOOM_TIPS:
        bar.zoom(-1)
    assert bar.playback.options.zoom == "grid"
    for _ in ZOOM_TIPS:
        bar.zoom(1)
    assert bar.playback.options.zoom == list(ZOOM_TIPS)[-1]
    assert [button.isChecked() for button in bar._zoom.buttons()] == [False] * (len(ZOOM_TIPS) - 1) + [True]


def test_a_key_changes_the_colouring_in_turn(bar: StageBar) -> None:
    found = []
    for _ in range(3):
        bar.next_colouring()
        found.append(
            (bar.playback.options.colouring, [action.isChecked() for action in bar._colouring.actions()].index(True))
        )
    assert found == [("warp", 1), ("thread", 2), ("block", 0)]


def test_an_added_layer_has_a_key(bar: StageBar, qtbot: QtBot) -> None:
    pressed: list[bool] = []
    action = bar.add_layer("Motion", "Values move", "motion", pressed.append)
    assert action.text() == "Motion\tM"
    assert bar.menu.actions().index(action) < bar.menu.actions().index(bar.one_warp)
    parent = bar.parentWidget()
    assert parent is not None
    with qtbot.waitActive(parent):
        parent.activateWindow()
    parent.setFocus()
    QTest.keyClick(parent, Key.Key_M)
    action.trigger()
    assert pressed == [True, False]


def test_the_button_names_the_layers_that_differ_from_the_default(bar: StageBar) -> None:
    assert bar.layers.text() == "layers ▾"
    bar.set_colouring("warp")
    assert bar.layers.text() == "layers: warp colours ▾"
    bar.reads.trigger()
    assert bar.layers.text() == "layers: warp colours, heat map ▾"
    bar.set_schedule("reversed")
    assert bar.layers.text() == "layers: 3 changed ▾"


def test_of_a_cpu_baseline_no_layer_of_warps_counts(open_page: OpenPage) -> None:
    bar = open_page(kernel("cpu_parallel")).stage_bar
    bar.set_colouring("warp")
    bar.set_reads(True)
    assert bar.layers.text() == "layers: heat map ▾"


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
