"""Everything is found by typing, done by Enter, and the focus comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from gui.learn.page import LearnPage
from gui.shell.help import glossary
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, PAGES, Command
from gui.shell.palette import CommandPalette, best
from gui.widgets.keys import KEYS
from kernels.catalog import find_kernel
from kernels.exercises import exercises
from kernels.lessons import lessons

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.shell.main_window import MainWindow

Key, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def explore(window: MainWindow, qtbot: QtBot) -> ExplorePage:
    window._started = True  # without the search for this machine's GPUs
    window.resize(1280, 800)
    window.show()
    window.show_page(EXPLORE)
    with qtbot.waitActive(window):
        window.activateWindow()
    page = cast("ExplorePage", window.page(EXPLORE))
    qtbot.waitUntil(lambda: page.story is not None)
    return page


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


def test_every_kind_is_offered_with_its_keys(window: MainWindow, explore: ExplorePage) -> None:
    shown = opened(window).shown
    by_kind = {kind: [c for c in shown if c.kind == kind] for kind in {c.kind for c in shown}}
    assert {c.title for c in by_kind["Kernel"]} >= {k.title for k in window.session.kernels if k.file is not None}
    assert [c.title for c in by_kind["Lesson"]] == [lesson.title for lesson in lessons()]
    assert [c.title for c in by_kind["Exercise"]] == [exercise.title for exercise in exercises()]
    assert [c.title for c in by_kind["Page"]] == [page.title for page in PAGES]
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


def test_enter_does_it_and_the_focus_is_back(window: MainWindow, explore: ExplorePage) -> None:
    explore.setFocus()
    assert explore.position == 0
    typed(window, "one step forward")
    assert explore.position == 1
    assert QApplication.focusWidget() is explore


def test_escape_closes_and_gives_the_focus_back(window: MainWindow, explore: ExplorePage) -> None:
    window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
    field = window.bar.lengths
    field.setFocus()
    palette = opened(window)
    QTest.keyClick(focused(), Key.Key_Escape)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is field
    assert window.isFullScreen()  # the key has done nothing else


def test_a_click_elsewhere_closes_it(window: MainWindow, explore: ExplorePage) -> None:
    palette = opened(window)
    explore.setFocus()
    assert not palette.isVisible()


def test_it_opens_while_a_text_is_edited(window: MainWindow, explore: ExplorePage) -> None:
    explore.editing.begin()
    text = explore.listing.area
    text.setFocus()
    assert isinstance(text, QPlainTextEdit)
    before = text.toPlainText()
    opened(window)
    assert text.toPlainText() == before


def test_kernels_lessons_pages_and_settings_are_reached(window: MainWindow, explore: ExplorePage) -> None:
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
    page = window.page(LEARN)
    assert isinstance(page, LearnPage)
    assert page.runner.lesson is lessons()[0]
    typed(window, "lessons page")
    assert window.header.page == LEARN
    typed(window, "shared-memory tiles")
    assert window.header.page == EXPLORE


def test_a_word_opens_the_help_at_it(window: MainWindow, explore: ExplorePage) -> None:
    typed(window, "bank conflict")
    assert window._help is not None
    assert window._help.isVisible()
    assert "Lanes of a warp access different words of one bank" in window._help.text.toPlainText()
