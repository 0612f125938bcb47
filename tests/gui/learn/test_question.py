"""Questions in the drawer of a lesson: answered, judged at once, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.explore.stage.focus import Focus
from kernels.lessons import Choices, Lesson, Number, Place, find_lesson, lessons
from tests.gui.learn.windows import explore, learn, opened, settle

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from gui.learn.question import QuestionPanel
    from gui.shell.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return opened(qtbot)


def first(kind: str) -> tuple[Lesson, int]:
    """Return a lesson and its first step with a question of a kind: right, number or click."""
    return next(
        (lesson, number)
        for lesson in lessons()
        for number, step in enumerate(lesson.steps)
        if step.page == "explore" and step.ask is not None and getattr(step.ask, kind)
    )


def ask(qtbot: QtBot, window: MainWindow, kind: str) -> tuple[Lesson, int, QuestionPanel]:
    lesson, number = first(kind)
    learn(window).begin(lesson.id, number)
    settle(qtbot, window)
    question = learn(window).runner.drawer.question
    assert question.open
    assert question.isVisible()
    return lesson, number, question


def test_a_wrong_choice_keeps_its_reason_and_can_be_corrected(qtbot: QtBot, window: MainWindow) -> None:
    lesson, number, question = ask(qtbot, window, "right")
    by = question._asked.by if question._asked is not None else None
    assert isinstance(by, Choices)
    for button in list(question.choices):
        if button.choice != by.right:
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            assert question.verdict.text() == f"✗ {by.wrong[button.choice]}"
            assert not button.isEnabled()
            assert question.open
    assert learn(window).progress.answered(lesson.id) == frozenset()
    right = next(button for button in question.choices if button.choice == by.right)
    right.setFocus()
    QTest.keyClick(right, Qt.Key.Key_Space)
    assert question.verdict.text().startswith("✓ ")
    assert not question.open
    assert learn(window).progress.answered(lesson.id) == {number}


def test_a_number_is_checked_by_enter_and_nonsense_is_no_answer(qtbot: QtBot, window: MainWindow) -> None:
    lesson, number, question = ask(qtbot, window, "number")
    by = question._asked.by if question._asked is not None else None
    assert isinstance(by, Number)
    for text, says in (("", "is not a number"), ("🙂", "is not a number"), (repr(by.right + 1), "✗")):
        question.number.setText(text)
        QTest.keyClick(question.number, Qt.Key.Key_Return)
        assert says in question.verdict.text()
        assert question.open
    question.number.setText(f" {by.right:,} ")
    QTest.keyClick(question.number, Qt.Key.Key_Return)
    assert not question.open
    assert question.number.isHidden() or not question.number.isVisible()
    assert learn(window).progress.answered(lesson.id) == {number}


def test_a_click_on_the_picture_is_the_answer(qtbot: QtBot, window: MainWindow) -> None:
    lesson, number, question = ask(qtbot, window, "click")
    by = question._asked.by if question._asked is not None else None
    assert isinstance(by, Place)
    page = explore(window)
    wrong = next(target for target in by.told if target not in by.right)
    for target in (wrong, *by.right):
        focus = Focus.on_thread(target.lane) if by.wants == "thread" else Focus.on_element(target.array, target.index)
        page.canvas.clicked.emit(focus)
        assert question.open == (target == wrong)
        if target == wrong:
            assert question.verdict.text() == f"✗ {by.told[wrong]}"
    assert learn(window).progress.answered(lesson.id) == {number}
    page.canvas.clicked.emit(Focus.on_thread(0))  # afterwards a click is a click
    assert question.verdict.text().startswith("✓")


def test_an_answer_survives_a_restart_and_the_list_counts_it(qtbot: QtBot, window: MainWindow) -> None:
    lesson, number, question = ask(qtbot, window, "right")
    by = question._asked.by if question._asked is not None else None
    assert isinstance(by, Choices)
    question.answer(by.right)
    window.close()
    again = opened(qtbot)
    page = learn(again)
    page.lessons.list.choose(lesson.id)
    assert "1 of" in page.lessons.reached_words.text()
    page.begin(lesson.id, number)
    settle(qtbot, again)
    shown = page.runner.drawer.question
    assert not shown.open
    assert shown.verdict.text().startswith("✓")


def test_a_told_answer_is_not_counted(qtbot: QtBot, window: MainWindow) -> None:
    lesson, number, question = ask(qtbot, window, "right")
    drawer = learn(window).runner.drawer
    assert drawer.next.text() == "Answer"
    drawer.next.click()
    assert question.verdict.isVisible()
    assert learn(window).progress.answered(lesson.id) == frozenset()
    assert learn(window).runner.number == number
    drawer.next.click()
    settle(qtbot, window)
    assert learn(window).runner.number == number + 1


def test_the_end_leads_to_the_next_lesson(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    one, two = lessons()[:2]
    page.begin(one.id, len(one.steps) - 1)
    settle(qtbot, window)
    drawer = page.runner.drawer
    drawer.go_on() if drawer.question.open else None
    assert drawer.next.text() == "Next lesson ›"
    drawer.next.click()
    settle(qtbot, window)
    assert (page.runner.lesson, page.runner.number) == (find_lesson(two.id), 0)
    last = lessons()[-1]
    page.begin(last.id, len(last.steps) - 1)
    settle(qtbot, window)
    drawer.go_on() if drawer.question.open else None
    assert drawer.next.text() == "Finish"
