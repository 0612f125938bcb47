"""Keys of the page: each acts wherever the focus is, and takes none from a text field.

The plain command presses one key in three on every part of the page, the exhaustive command all of them.
"""

from collections.abc import Callable
from html import escape
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.explore.timeline.marks import STRIDES
from gui.shell.help import HelpWindow
from gui.theming.theme import LIGHT
from gui.widgets.keys import KEYS, TIME, tip
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel
from tests.sweeps import one_in

OpenPage = Callable[..., ExplorePage]


Key, Modifier = Qt.Key, Qt.KeyboardModifier


PRESSES = {
    "play": (Key.Key_Space, Modifier.NoModifier),
    "back": (Key.Key_Left, Modifier.NoModifier),
    "forward": (Key.Key_Right, Modifier.NoModifier),
    "phase_back": (Key.Key_Left, Modifier.ShiftModifier),
    "phase_forward": (Key.Key_Right, Modifier.ShiftModifier),
    "barrier_back": (Key.Key_Left, Modifier.ControlModifier),
    "barrier_forward": (Key.Key_Right, Modifier.ControlModifier),
    "first": (Key.Key_Home, Modifier.NoModifier),
    "last": (Key.Key_End, Modifier.NoModifier),
    "line": (Key.Key_N, Modifier.NoModifier),
    "tenths": (Key.Key_7, Modifier.NoModifier),
    "remote_back": (Key.Key_PageUp, Modifier.NoModifier),
    "remote_forward": (Key.Key_PageDown, Modifier.NoModifier),
    "stride": (Key.Key_P, Modifier.NoModifier),
    "faster": (Key.Key_Plus, Modifier.NoModifier),
    "slower": (Key.Key_Minus, Modifier.NoModifier),
    "loop_start": (Key.Key_I, Modifier.NoModifier),
    "loop_end": (Key.Key_O, Modifier.NoModifier),
    "loop_clear": (Key.Key_X, Modifier.NoModifier),
}


@pytest.fixture
def page(open_page: OpenPage, qtbot: QtBot) -> ExplorePage:
    made = open_page(kernel("lesson_missing_guard"))  # with hazards, so that their list is there
    with qtbot.waitActive(made):
        made.activateWindow()
    return made


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Modifier.NoModifier) -> None:
    """Press a key where the focus is."""
    part = QApplication.focusWidget()
    assert part is not None
    QTest.keyClick(part, key, modifier)


def state(page: ExplorePage) -> tuple[object, ...]:
    line = page.timeline
    return line.position, line.playing, line.loop, line.speed, line.stride


def test_every_key_in_time_is_pressed_here() -> None:
    assert PRESSES.keys() == TIME.keys() - {"wheel"}


@pytest.mark.parametrize("name", one_in(3, (name for name in PRESSES if not name.startswith("barrier")), str))
def test_no_key_is_swallowed_by_a_part_that_has_the_focus(page: ExplorePage, name: str) -> None:
    parts = [part for part in page.findChildren(QWidget) if part.isVisible() and part.focusPolicy()]
    assert {"Source of the kernel", "Hazards found in this run", "Layers"} <= {part.accessibleName() for part in parts}
    for part in (page, *parts):
        page.timeline.pause()
        page.timeline.clear_loop()
        page.timeline.go(4)
        if name == "loop_clear":
            page.timeline.start_loop()
        page.timeline.set_speed(1.0)
        part.setFocus()
        before = state(page)
        key, modifier = PRESSES[name]
        press(key, modifier)
        assert state(page) != before, part.accessibleName()
    page.timeline.pause()


@pytest.mark.parametrize("field", [QLineEdit, QSpinBox])
def test_no_key_is_taken_from_a_field_that_types_it(page: ExplorePage, field: type[QWidget]) -> None:
    made = field(page)
    made.show()
    made.setFocus()
    page.timeline.go(4)
    before = state(page)
    for name, keys in PRESSES.items():
        if not (name.startswith("remote") or (field is QSpinBox and name == "play")):
            QTest.keyClick(made, *keys)
    assert state(page) == before
    if isinstance(made, QLineEdit):
        assert sorted(made.text()) == sorted(" 7np+-iox")
    QTest.keyClick(made, Key.Key_PageDown)
    assert page.timeline.position == 5  # a presenter's remote acts anywhere in the window


def test_the_wheel_over_the_picture_scrubs_also_in_parts(page: ExplorePage) -> None:
    for angle, moved in [(-120, 1), (120, -1), (-360, 3), (-60, 0)]:
        page.timeline.go(4)
        turn_wheel(page, angle)
        assert page.timeline.position == 4 + moved
    # A touchpad turns the wheel in parts.
    page.timeline.go(4)
    for _ in range(4):
        turn_wheel(page, -40)
    assert page.timeline.position == 5


def turn_wheel(page: ExplorePage, angle: int) -> None:
    middle = QPointF(page.canvas.rect().center())
    buttons, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(middle, middle, QPoint(), QPoint(0, angle), buttons, Modifier.NoModifier, phase, False)
    QApplication.sendEvent(page.canvas, event)


def test_one_list_is_shown_by_help_panel_and_tooltips(page: ExplorePage, qtbot: QtBot) -> None:
    help_window = HelpWindow(page)
    qtbot.addWidget(help_window)
    help_window.open_at("", LIGHT)
    words = "".join(label.text() for label in page._keys.findChildren(QLabel))
    assert [key for key in KEYS.values() if f"<b>{key.words}</b></td><td>{escape(key.does)}<" not in words] == []
    lines = help_window.text.toPlainText().splitlines()
    assert {(key.words, key.does) for key in KEYS.values()} <= set(pairwise(lines))
    tips = {button.toolTip() for button in page.timeline.findChildren(QAbstractButton)}
    assert {tip(name) for name in ("play", "back", "first")} <= tips
    entries = " ".join(action.text() for action in page.timeline.menu.actions())
    assert all(f"\t{KEYS[name].words}" in entries for name in ("loop_start", "loop_end", "loop_clear"))


def test_a_question_mark_shows_the_keys_until_any_key(page: ExplorePage) -> None:
    page.setFocus()
    QTest.keyClick(page, Key.Key_Question, Modifier.ShiftModifier)
    assert page._keys.isVisible()
    before = state(page)
    press(Key.Key_Right)
    assert not page._keys.isVisible()
    assert state(page) == before
    assert QApplication.focusWidget() is page


def test_sixteen_by_sixteen_takes_less_than_two_minutes(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size(16, 16, 16), block=Dim3(4, 4))
    line = page.timeline
    for stride in STRIDES:
        line.set_stride(stride)
        assert line.seconds_left > 0
    line.set_stride("phase")
    assert line.seconds_left <= 120


def test_the_panel_of_keys_shows_all_of_them(page: ExplorePage) -> None:
    for width, height in [(936, 510), (1256, 690), (1896, 980)]:
        page.resize(width, height)
        page._keys.open(page, 11.0)
        QApplication.processEvents()
        assert page.rect().contains(page._keys.geometry())
        for column in page._keys.findChildren(QLabel):
            assert column.heightForWidth(column.width()) <= column.height()


def test_every_shortcut_of_the_page_is_in_the_list(page: ExplorePage) -> None:
    listed = {QKeySequence(sequence).toString() for key in KEYS.values() for sequence in key.sequences}
    assert {shortcut.key().toString() for shortcut in page.findChildren(QShortcut)} <= listed


def test_no_key_has_two_meanings() -> None:
    toggles = {"leave", "window"}  # in a presentation, whose own keys they are
    sequences = [QKeySequence(s).toString() for name, key in KEYS.items() if name not in toggles for s in key.sequences]
    assert len(sequences) == len(set(sequences))
