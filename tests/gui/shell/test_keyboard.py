"""The window without a mouse and for a screen reader, the command palette, and the help."""

from collections import Counter
from itertools import pairwise
from typing import get_args

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAccessible, QPixmap, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.explore.stage.legend import Mark
from gui.explore.stage.signs import SIGNS, signs
from gui.shell.help import HelpWindow, glossary
from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, PAGES, Command
from gui.shell.palette import CommandPalette, best
from gui.theming.theme import DARK, LIGHT
from gui.widgets.controls import Choice
from gui.widgets.keys import KEYS
from kernels.catalog import find_kernel
from kernels.exercises import exercises
from kernels.lessons import lessons
from tests.gui.windows import explore, learn

OCCUPANCY = next(number for number, page in enumerate(PAGES) if "device" in page.fields)


CONTROLS = (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QTextEdit,
    QPlainTextEdit,
    QGraphicsView,
)


PLAIN, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def spoken(widget: QWidget) -> str:
    """Return what a screen reader says; on Linux, Qt passes on the entry of a combo box in place of its name."""
    if isinstance(widget, QComboBox):
        return widget.accessibleName()
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


@pytest.fixture
def active(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def controls(root: QWidget) -> list[QWidget]:
    """Return the controls in sight, without the parts that Qt makes them of."""
    inner = (QScrollBar, QHeaderView, QTabBar)  # a bar of tabs has the name of its tab
    parts = (QAbstractSpinBox, QComboBox, QTabBar)  # a line edit, or buttons that scroll, belong to them
    found = [w for w in root.findChildren(QWidget) if isinstance(w, CONTROLS) and w.isVisible()]
    return [w for w in found if not isinstance(w, inner) and not isinstance(w.parentWidget(), parts)]


def check_names(root: QWidget) -> None:
    """Every control in sight has a name, and no other one has the same."""
    names = Counter(spoken(control) for control in controls(root))
    assert not [type(control).__name__ for control in controls(root) if not spoken(control)]
    assert not [name for name, count in names.items() if count > 1]


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_every_page_has_names_and_groups_and_is_left_by_tab(active: MainWindow, number: int) -> None:
    active.show_page(number)
    check_names(active)
    for tabs in active.page(number).findChildren(QTabWidget):
        for place in range(tabs.count()):
            if tabs.isVisible():
                tabs.setCurrentIndex(place)
                QApplication.processEvents()
                check_names(active)
    # Buttons of which one is checked are radio buttons of a named group.
    segments = [w for w in controls(active) if isinstance(w, QAbstractButton) and w.group() is not None]
    assert len(segments) >= len(PAGES)
    for button in segments:
        found = QAccessible.queryAccessibleInterface(button)
        assert found.role() == QAccessible.Role.RadioButton, spoken(button)
        assert found.parent().text(QAccessible.Text.Name), spoken(button)
        checked = [other for other in button.group().buttons() if other.isChecked()]
        assert len(checked) == 1
        assert found.state().checked == (button is checked[0])
    # Tab leaves every page forward.
    page = active.page(number)
    reached: list[QWidget] = []
    page.setFocus()
    for _ in range(120):
        focus = active.focusWidget()
        if focus not in reached[-1:]:  # else the next link of the same label
            reached.append(focus)
        if focus is not page and not page.isAncestorOf(focus):
            break
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert reached[-1] in active.header.findChildren(QAbstractButton)
    assert len(set(reached)) == len(reached)


def test_fields_are_reached_by_tab_and_described(active: MainWindow) -> None:
    active.show_page(OCCUPANCY)
    boxes = [control for control in controls(active) if isinstance(control, Choice)]
    assert {spoken(box) for box in boxes} >= {"Kernel", "Block", "Device"}
    for box in boxes:
        found = QAccessible.queryAccessibleInterface(box)
        assert spoken(box) in (found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Description))
    # Tab goes through all fields.
    active.show_page(OCCUPANCY)  # on which all fields act
    active.bar.kernel.setFocus()
    reached = []
    for _ in range(4):
        reached.append(active.focusWidget().accessibleName())
        QTest.keyClick(active.focusWidget(), Qt.Key.Key_Tab)
    assert reached == ["Kernel", "Size M×N×K", "Block", "Device"]


def test_after_a_choice_the_keys_belong_to_the_page(active: MainWindow) -> None:
    box = active.bar.kernel
    box.setFocus()
    seen = {active.session.selection.kernel.id}
    for _ in range(3):
        QTest.keyClick(box, Qt.Key.Key_Down)
        seen.add(active.session.selection.kernel.id)
    assert len(seen) == 4
    assert QApplication.focusWidget() is box
    # Picking from an open list moves the focus to the page.
    box.setFocus()
    box.setCurrentIndex(box.currentIndex() + 1)
    box.activated.emit(box.currentIndex())
    assert QApplication.focusWidget() is active.page(0)
    # After enter the keys belong to the page.
    field = active.bar.lengths.lineEdit()
    assert field is not None
    field.setFocus()
    field.setText("4×5×6")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert active.session.selection.size.m == 4
    assert QApplication.focusWidget() is active.page(0)


@pytest.mark.parametrize("name", ["matmul_tiled", "lesson_missing_guard"])
def test_tab_leaves_the_page_forward_and_backward(active: MainWindow, qtbot: QtBot, name: str) -> None:
    page = active.page(0)
    assert isinstance(page, ExplorePage)
    active.session.select(kernel=find_kernel(name))
    qtbot.waitUntil(lambda: not page.busy)
    inside = [part for part in page.findChildren(QWidget) if part.isVisible() and part.focusPolicy()]
    for start in (page, *inside):
        for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            start.setFocus()
            for _ in range(40):
                focus = QApplication.focusWidget()
                assert focus is not None
                if focus is not page and not page.isAncestorOf(focus):
                    break  # it has left
                QTest.keyClick(focus, key, SHIFT if key == Qt.Key.Key_Backtab else PLAIN)
            else:
                pytest.fail(f"the focus goes round inside the page from {start.accessibleName() or start}")


Key, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ExplorePage:
    window.resize(1280, 800)
    window.show()
    window.show_page(EXPLORE)
    with qtbot.waitActive(window):
        window.activateWindow()
    made = explore(window)
    qtbot.waitUntil(lambda: made.story is not None)
    return made


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def opened(window: MainWindow) -> CommandPalette:
    QTest.keyClick(focused(), Key.Key_K, CONTROL)
    assert window._palette is not None
    assert window._palette.isVisible()
    return window._palette


def typed(window: MainWindow, text: str) -> Command:
    """Type into the palette, run the best command, and return it."""
    palette = opened(window)
    QTest.keyClicks(focused(), text)
    command = palette.shown[0]
    QTest.keyClick(focused(), Key.Key_Return)
    assert not palette.isVisible()
    return command


def test_every_kind_is_offered_with_its_keys(window: MainWindow, page: ExplorePage) -> None:
    shown = opened(window).shown
    by_kind = {kind: [c for c in shown if c.kind == kind] for kind in {c.kind for c in shown}}
    assert {c.title for c in by_kind["Kernel"]} >= {k.title for k in window.session.kernels if k.file is not None}
    assert [c.title for c in by_kind["Lesson"]] == [lesson.title for lesson in lessons()]
    assert [c.title for c in by_kind["Exercise"]] == [exercise.title for exercise in exercises()]
    assert [c.title for c in by_kind["Page"]] == [spec.title for spec in PAGES]
    assert [c.title for c in by_kind["Word"]] == [word.name for word in glossary()]
    assert {"View: Light", "View: Dark"} <= {c.title for c in by_kind["Setting"]}
    actions = {c.keys for c in by_kind["Action"]}
    named = {"play", "barrier_forward", "zoom_in", "reads", "compare", "colour", "edit", "present", "larger", "help"}
    assert {KEYS[name].words for name in (*named, "open", "quit", "save", "line")} <= actions
    # a key is one command, however many sequences and buttons it has
    assert len({(c.title, c.keys) for c in by_kind["Action"]}) == len(by_kind["Action"])


def test_words_are_found_in_any_order_and_the_best_is_first() -> None:
    found = [Command(title, "Action", lambda: None) for title in ("To the next barrier", "Barriers", "Next page")]
    found.append(Command("Why two barriers", "Lesson", lambda: None, words="the next tile"))
    assert [c.title for c in best(found, "barrier NEXT")] == ["To the next barrier", "Why two barriers"]
    assert [c.title for c in best(found, "barrs")] == ["Barriers", "Why two barriers"]
    assert best(found, "warp") == []
    assert best(found, "") == found


def test_the_palette_opens_does_and_closes(window: MainWindow, page: ExplorePage) -> None:
    page.setFocus()
    assert page.position == 0
    typed(window, "one step forward")
    assert page.position == 1
    assert QApplication.focusWidget() is page
    # A click elsewhere closes it.
    palette = opened(window)
    page.setFocus()
    assert not palette.isVisible()
    # Escape closes and gives the focus back.
    window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
    field = window.bar.lengths
    field.setFocus()
    palette = opened(window)
    QTest.keyClick(focused(), Key.Key_Escape)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is field
    assert window.isFullScreen()  # the key has done nothing else
    # It opens while a text is edited.
    page.editing.begin()
    text = page.listing.area
    text.setFocus()
    assert isinstance(text, QPlainTextEdit)
    before = text.toPlainText()
    opened(window)
    assert text.toPlainText() == before


def test_kernels_lessons_pages_settings_and_words_are_reached(window: MainWindow, page: ExplorePage) -> None:
    typed(window, "benchmark")
    assert window.header.page == BENCHMARK
    kernel = find_kernel("matmul_naive")
    typed(window, "matmul_naive")
    assert window.session.selection.kernel == kernel
    assert window.header.page == BENCHMARK  # it follows the selection as well
    typed(window, "one step forward")  # of a page that is not in sight
    assert window.header.page == EXPLORE
    typed(window, "view dark")
    assert window.appearance.theme.dark
    typed(window, lessons()[0].title)
    assert learn(window).runner.lesson is lessons()[0]
    typed(window, "lessons page")
    assert window.header.page == LEARN
    typed(window, "shared-memory tiles")
    assert window.header.page == EXPLORE
    # A word opens the help at it.
    typed(window, "bank conflict")
    assert window._help is not None
    assert window._help.isVisible()
    assert "Lanes of a warp access different words of one bank" in window._help.text.toPlainText()


IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def shown(window: MainWindow) -> HelpWindow:
    window.set_theme("light")
    window.show()
    window.show_help()
    assert window._help is not None
    return window._help


def picture(found: HelpWindow, number: int) -> QPixmap:
    made = found.text.document().resource(IMAGE, QUrl(f"sign:{number}"))
    assert isinstance(made, QPixmap)
    return made


@pytest.mark.usefixtures("qapp")
def test_every_mark_of_the_legend_has_a_sign_of_its_own_look() -> None:
    assert set(SIGNS) == set(get_args(Mark))
    painted = [sign.picture.toImage() for sign in signs(LIGHT, 32, 1.0)]
    assert all(a != b for number, a in enumerate(painted) for b in painted[:number])


def test_the_help_has_everything_and_follows_the_colours(shown: HelpWindow, window: MainWindow) -> None:
    lines = shown.text.toPlainText().splitlines()
    assert {title for title, _ in SIGNS.values()} <= {line.replace("\ufffc", "") for line in lines}
    assert {(key.words, key.does) for key in KEYS.values()} <= set(pairwise(lines))
    assert {(word.name, word.meaning) for word in glossary()} <= set(pairwise(lines))
    QTest.keyClicks(shown.search, "barrier waits")
    assert [word for word in ("Lane waits", "Waits at", "bank conflict") if word in shown.text.toPlainText()] == [
        "Lane waits"
    ]
    shown.search.setText("no such thing")
    assert shown.text.toPlainText() == "Nothing in the help has “no such thing”."
    # A word comes first among those that name it.
    window.show_help("warp")
    words = shown.text.toPlainText().partition("Words\n")[2].splitlines()
    assert words[0] == "warp"
    assert "divergence" in words


def test_signs_follow_the_colours_of_the_window(shown: HelpWindow, window: MainWindow) -> None:
    before = picture(shown, 0).toImage()
    window.set_theme("dark")
    after = picture(shown, 0).toImage()
    assert after != before
    assert after.pixelColor(0, 0).name() == DARK.panel
    assert shown.text.toPlainText().startswith("Signs of the picture")
