"""Controls around the picture: panes, zoom, layers and hints."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.explore.panes import FIRST
from gui.explore.playback.playback import Playback
from gui.explore.playback.stage_state import PANES, Pane
from gui.explore.stage.focus import Focus
from gui.explore.stage.hints import HINTS, Hints
from gui.explore.stage.stage_bar import ZOOM_TIPS, StageBar
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from tests.gui.explore.conftest import kernel
from tests.gui.windows import explore

OpenPage = Callable[..., ExplorePage]


MOST_CONTROLS = 28
"""Controls on the page at the first start: a person finds Play, and the picture, at once."""


@pytest.fixture
def first_start(qtbot: QtBot, window: MainWindow) -> MainWindow:
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    page = explore(window)
    qtbot.waitUntil(lambda: page.story is not None)
    return window


def parts(page: ExplorePage) -> dict[Pane, QWidget]:
    return {
        "code": page.listing,
        "thread": page.inspector,
        "memory": page.memory.area,
        "totals": page.memory.totals,
    }


def test_the_first_start_shows_the_code_alone_few_controls_and_a_large_stage(first_start: MainWindow) -> None:
    page = explore(first_start)
    assert {pane for pane, part in parts(page).items() if part.isVisible()} == FIRST
    kinds = (QAbstractButton, QAbstractSlider, QComboBox)
    controls = [part for part in first_start.findChildren(QWidget) if isinstance(part, kinds) and part.isVisible()]
    fields = [part for part in first_start.findChildren(QLineEdit) if part.isVisible()]
    alone = [field for field in fields if not isinstance(field.parentWidget(), QComboBox)]
    bars = [part for part in controls if type(part).__name__ != "QScrollBar"]
    assert len(bars) + len(alone) <= MOST_CONTROLS
    # The stage has most of the window.
    for width, height, least in [(1280, 800, 0.58), (1366, 768, 0.58), (1920, 1080, 0.62)]:
        first_start.resize(width, height)
        QApplication.processEvents()
        stage = explore(first_start).stage_column
        assert stage.width() * stage.height() >= least * width * height


def test_each_pane_has_a_toggle_of_its_own(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    for pane in PANES:
        page.panes.buttons[pane].click()
        assert {name for name, part in parts(page).items() if not part.isVisible()} == {pane}
        page.panes.buttons[pane].click()
        assert all(part.isVisible() for part in parts(page).values())


def test_panes_are_shown_one_by_one_and_hazards_always(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.panes.show_only(())
    QApplication.processEvents()
    assert page.stage_column.width() == page.width()
    # A click opens the card of what was clicked.
    page.panes.show_only(("code",))
    page.canvas.clicked.emit(Focus.on_thread(0))
    assert page.inspector.isVisible()
    assert "Thread (0,0)" in page.inspector.text.text()
    # Hazards are listed whatever panes are shown.
    page = open_page(kernel("lesson_missing_barrier"))
    page.panes.show_only(())
    assert page.side.hazards.isVisible()


def test_what_the_user_opened_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    for expected in (FIRST, FIRST | {"memory"}):
        window = MainWindow(Settings(file=tmp_path / "settings.ini"))
        qtbot.addWidget(window)
        window.show_page(0)
        page = explore(window)
        assert page.panes.shown == expected
        page.panes.show_only(PANES)  # by a lesson: not remembered
        page.panes.show_only(FIRST)
        page.panes.buttons["memory"].click()
        window.close()


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


def test_zoom_and_colouring_go_through_their_levels(bar: StageBar) -> None:
    changes: list[str] = []
    bar.options_changed.connect(lambda: changes.append(bar.playback.options.zoom))
    for button in bar._zoom.buttons():
        button.click()
    assert bar.playback.options.zoom == changes[-1] == list(ZOOM_TIPS)[-1]
    assert changes[0] == "grid"
    # Zooming ends at the first and the last level.
    for _ in ZOOM_TIPS:
        bar.zoom(-1)
    assert bar.playback.options.zoom == "grid"
    for _ in ZOOM_TIPS:
        bar.zoom(1)
    assert bar.playback.options.zoom == list(ZOOM_TIPS)[-1]
    assert [button.isChecked() for button in bar._zoom.buttons()] == [False] * (len(ZOOM_TIPS) - 1) + [True]
    # A key changes the colouring in turn.
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


def test_layers_of_a_cpu_baseline_and_of_a_kernel_without_arrays(open_page: OpenPage, qtbot: QtBot) -> None:
    bar = open_page(kernel("cpu_parallel")).stage_bar
    bar.set_colouring("warp")
    bar.set_reads(True)
    assert bar.layers.text() == "layers: heat map ▾"
    # Reads are counted only where arrays are drawn.
    page = open_page(kernel("hello_grid"))
    assert not page.stage_bar.reads.isEnabled()
    page._session.select(kernel=kernel("matmul_naive"))
    qtbot.waitUntil(lambda: not page.busy)
    assert page.stage_bar.reads.isEnabled()


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


def made(qtbot: QtBot, settings: Settings | None = None) -> Hints:
    hints = Hints()
    qtbot.addWidget(hints)
    if settings is not None:
        hints.remember_in(settings)
    return hints


def played(hints: Hints, steps: int) -> list[str]:
    """Return the hints in sight while steps are played."""
    seen = []
    for _ in range(steps):
        hints.step(playing=True)
        if not hints.isHidden():
            seen.append(hints.text())
    return list(dict.fromkeys(seen))


@pytest.fixture
def settings(qtbot: QtBot) -> Iterator[Settings]:
    found = Settings()
    yield found
    found.flush()


def test_each_is_shown_once_and_not_at_the_next_start(qtbot: QtBot, settings: Settings) -> None:
    hints = made(qtbot, settings)
    assert hints.isHidden()
    assert played(hints, 60) == list(HINTS.values())
    assert hints.isHidden()
    settings.flush()
    assert played(made(qtbot, Settings()), 60) == []


def test_one_that_was_interrupted_comes_again(qtbot: QtBot, settings: Settings) -> None:
    first = made(qtbot, settings)
    assert played(first, 8) == [HINTS["point"], HINTS["drag"]]
    assert first.left == ("drag", "keys")
    assert played(made(qtbot, settings), 60) == [HINTS["drag"], HINTS["keys"]]


def test_hints_heed_what_the_user_does(qtbot: QtBot, settings: Settings) -> None:
    hints = made(qtbot, settings)
    hints.step(playing=False)
    assert hints.isHidden()
    played(hints, 1)
    for _ in range(30):
        hints.step(playing=False)
    assert hints.text() == HINTS["point"]
    assert not hints.isHidden()
    # What the user does is not said.
    played(hints, 1)
    hints.heed("point")
    assert hints.isHidden()
    hints.heed("keys")
    hints.heed("keys")
    assert played(hints, 60) == [HINTS["drag"]]
    # Without settings there is none.
    assert played(made(qtbot), 60) == []


def left_of(page: ExplorePage) -> list[str]:
    return list(page.hints.left)


def test_a_click_a_drag_and_an_arrow_key_end_their_hints(
    open_page: Callable[..., ExplorePage], qtbot: QtBot, settings: Settings
) -> None:
    page = open_page(kernel("matmul_tiled"), new=True)
    page.remember_choices(settings)
    assert left_of(page) == ["point", "drag", "keys"]
    with qtbot.waitActive(page):
        page.activateWindow()
    page.setFocus()
    QTest.keyClick(page, Qt.Key.Key_Space)  # who plays does not know the arrows yet
    assert left_of(page) == ["point", "drag", "keys"]
    QTest.keyClick(page, Qt.Key.Key_Right)
    assert left_of(page) == ["point", "drag"]
    grip = page.block_drag.grip
    qtbot.waitUntil(grip.isVisible)
    QTest.mouseClick(grip, Qt.MouseButton.LeftButton)
    assert left_of(page) == ["point"]
    page.canvas.clicked.emit(Focus.on_thread(0))
    assert left_of(page) == []
