"""A lesson as a student follows it: from the map, through every step and question, and back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.explore.stage.focus import Focus
from gui.learn.question import QuestionPanel
from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, OCCUPANCY
from kernels import RESOURCES
from kernels.exercises import exercises
from kernels.launch import Dim3
from kernels.lessons import Choices, Lesson, Narrator, Number, Place, Target, find_frame, find_lesson, lessons
from tests.gui.windows import explore, learn, opened, settle

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return opened(qtbot)


def check_agreement(window: MainWindow, number: int, narrator: Narrator | None = None) -> None:
    """Check that stage, zoom and text are those of a step."""
    runner, page = learn(window).runner, explore(window)
    lesson = runner.lesson
    assert lesson is not None
    assert runner.number == number
    step = lesson.steps[number]
    run = lesson.runs[step.run]
    assert page.story is not None, f"{lesson.id}: {page.canvas._message}"
    trace = page.story.stage.trace
    assert (trace.kernel, trace.launch.block) == (run.kernel.entry, run.block)
    assert page.frames[page.position] == find_frame(trace, step.at, run.kernel.workload)
    assert page.scene is not None
    assert page.scene.zoom == step.zoom
    assert (page.comparison is not None) == bool(step.compare)
    assert runner.drawer.caption.text() == (narrator or Narrator(lesson)).words(step).caption
    assert runner.drawer.place.text() == f"Step {number + 1} of {len(lesson.steps)}"


def test_a_lesson_is_followed_to_its_end_and_back_by_the_remote(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    page.lessons.list.choose("tiles")
    QTest.mouseClick(page.lessons.start, Qt.MouseButton.LeftButton)
    lesson, drawer = find_lesson("tiles"), page.runner.drawer
    for number, step in enumerate(lesson.steps):
        settle(qtbot, window)
        check_agreement(window, number)
        assert drawer.isVisible()
        if step.ask is not None:
            assert drawer.question.open
            QTest.keyClick(window, Key.Key_PageDown)
            assert not drawer.question.open
            assert drawer.question.verdict.isVisible()
            assert page.runner.number == number
        if number < len(lesson.steps) - 1:
            QTest.keyClick(window, Key.Key_PageDown)
    QTest.keyClick(window, Key.Key_PageUp)
    settle(qtbot, window)
    check_agreement(window, len(lesson.steps) - 2)
    QTest.mouseClick(drawer.close_button, Qt.MouseButton.LeftButton)
    assert window.header.page == LEARN
    assert drawer.isHidden()
    assert page.lessons.start.text() == f"Continue with step {len(lesson.steps) - 1}"
    window.show_page(EXPLORE)
    position = explore(window).position
    QTest.keyClick(window, Key.Key_PageUp)
    assert explore(window).position == position - 1  # the remote steps through the run again


def test_progress_survives_a_restart(qtbot: QtBot, window: MainWindow) -> None:
    learn(window).begin("tiles")
    settle(qtbot, window)
    learn(window).runner.go(3)
    settle(qtbot, window)
    window.close()
    again = opened(qtbot)
    page = learn(again)
    page.lessons.list.choose("tiles")
    assert page.lessons.reached_words.text().startswith(f"Step 4 of {len(find_lesson('tiles').steps)}, 0 of")
    page.lessons.start.click()
    settle(qtbot, again)
    check_agreement(again, 3)


def test_presentations_show_the_text_and_come_back(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    page.begin("tiles", 2)
    settle(qtbot, window)
    presentation, drawer = explore(window).presentation, page.runner.drawer
    explore(window).present()
    qtbot.waitExposed(presentation)
    presentation.activateWindow()
    qtbot.waitUntil(presentation.isActiveWindow)
    assert drawer.window() is presentation
    assert drawer.caption.isVisible()
    assert drawer.caption.fontMetrics().height() >= 0.035 * presentation.height()
    QTest.keyClick(presentation, Key.Key_PageDown)
    assert drawer.question.verdict.isVisible()  # first the answer
    QTest.keyClick(presentation, Key.Key_PageDown)
    settle(qtbot, window)
    check_agreement(window, 3)
    QTest.keyClick(presentation, Key.Key_Right)
    assert page.runner.number == 3  # the arrow steps through the run
    QTest.keyClick(presentation, Key.Key_Escape)
    assert drawer.window() is window
    assert drawer.isVisible()
    # A presentation is left for a step on another page and comes back.
    page.begin("ladder", 1)
    settle(qtbot, window)
    presentation = explore(window).presentation
    explore(window).present()
    page.runner.go(2)
    assert window.header.page == BENCHMARK
    assert not presentation.active
    assert page.runner.drawer.window() is window
    page.runner.go(1)
    settle(qtbot, window)
    assert presentation.active
    assert page.runner.drawer.window() is presentation
    page.runner.leave()
    assert not presentation.active
    assert window.header.page == LEARN


def test_another_launch_and_an_edit_change_the_step(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    page.begin("tiles", 4)
    settle(qtbot, window)
    window.session.select(block=Dim3(4, 4))
    settle(qtbot, window)
    assert "another launch" in page.runner.drawer.note.text()
    page.runner.drawer.again.click()
    settle(qtbot, window)
    assert page.runner.drawer.note.isHidden()
    check_agreement(window, 4)
    # An edit of the kernel changes the numbers.
    lesson = find_lesson("tiles")
    number = next(n for n, step in enumerate(lesson.steps) if "{register:sum}" in step.caption)
    page.begin("tiles", number)
    settle(qtbot, window)
    before = page.runner.drawer.caption.text()
    editing = explore(window).editing
    editing.begin()
    with qtbot.waitSignal(editing.ran, timeout=20_000):
        editing.panel.area.replace_text(editing.text.replace("float sum = 0.0f;", "float sum = 100.0f;"))
    settle(qtbot, window)
    assert before.replace("the sum 0", "the sum 100") == page.runner.drawer.caption.text() != before
    page.runner.go(number + 1)
    settle(qtbot, window)
    assert editing.active  # the next step is shown in the edited kernel
    # A source that comes with a lesson is edited as a copy.
    page, lesson = learn(window), find_lesson("boundaries")
    number = next(n for n, step in enumerate(lesson.steps) if lesson.runs[step.run].kernel.id == "stale_tile")
    page.begin("boundaries", number)
    settle(qtbot, window)
    check_agreement(window, number)
    editing = explore(window).editing
    editing.begin()
    settle(qtbot, window)
    assert editing.draft is not None
    assert RESOURCES not in editing.draft.file.parents
    assert page.runner.drawer.note.isHidden()  # the copy is still what the step is about


def test_a_step_shows_the_panes_that_it_names_until_the_lesson_is_left(qtbot: QtBot, window: MainWindow) -> None:
    window.show_page(EXPLORE)
    settle(qtbot, window)
    page = explore(window)
    before = page.panes.shown
    assert "thread" not in before
    number = next(n for n, step in enumerate(find_lesson("softmax").steps) if "thread" in step.panes)
    learn(window).begin("softmax", number)
    settle(qtbot, window)
    check_agreement(window, number)
    assert page.panes.shown == {"code", "thread"}
    learn(window).runner.leave()
    settle(qtbot, window)
    assert page.panes.shown == before


def answer_wrongly_and_then_rightly(question: QuestionPanel) -> None:
    """Try every wrong answer that has a reason of its own, and then the right one."""
    asked = question._asked
    if asked is None:
        return
    by = asked.by
    wrong: list[str | Target]
    right: list[str | Target]
    match by:
        case Choices():
            wrong, right = [*by.wrong], [by.right]
        case Number():
            wrong, right = [repr(value) for value, _ in by.wrong], [repr(by.right)]
        case Place():
            wrong, right = [target for target in by.told if target not in by.right], [*by.right]
    for reply in wrong:
        question.answer(reply)
        assert question.open
        assert question.verdict.text().startswith("✗ ")
        assert len(question.verdict.text()) > len("✗ ")
    question.answer(right[0])
    assert question.verdict.text() == f"✓ {asked.answer}"


@pytest.mark.exhaustive
def test_every_step_of_every_lesson_agrees_with_its_page(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    window.show_page(EXPLORE)
    settle(qtbot, window)
    window.hide()  # nothing more is painted
    pages = {"explore": EXPLORE, "benchmark": BENCHMARK, "occupancy": OCCUPANCY, "tables": LEARN}
    for lesson in lessons():
        page.begin(lesson.id)
        narrator = Narrator(lesson)
        for number, step in enumerate(lesson.steps):
            page.runner.go(number)
            if EXPLORE in window._pages:
                settle(qtbot, window)
            qtbot.waitUntil(lambda: not page.runner.busy)
            assert window.header.page == pages[step.page]
            assert page.runner.drawer.note.isHidden(), page.runner.drawer.note.text()
            assert page.runner.drawer.caption.text() == narrator.words(step).caption
            if step.page == "explore" and not step.refused:
                check_agreement(window, number, narrator)
            answer_wrongly_and_then_rightly(page.runner.drawer.question)
            if step.refused:
                assert explore(window).story is None
        page.runner.leave()


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


def test_answers_are_judged_and_kept(qtbot: QtBot, window: MainWindow) -> None:
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
    # A number is checked by enter and nonsense is no answer.
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
    assert number in learn(window).progress.answered(lesson.id)
    # A click on the picture is the answer.
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
    assert number in learn(window).progress.answered(lesson.id)
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


def test_the_map_has_everything_once_and_ticks_what_is_done(window: MainWindow) -> None:
    rows = learn(window).map._rows
    to_lessons, to_exercises = "".join(row[2].text() for row in rows), "".join(row[3].text() for row in rows)
    assert all(to_lessons.count(f'href="{lesson.id}"') == 1 for lesson in lessons())
    assert all(to_exercises.count(f'href="{exercise.id}"') == 1 for exercise in exercises())
    # What is done is ticked.
    page, lesson = learn(window), lessons()[0]
    link = page.map._rows[0][2]
    assert "✓" not in link.text()
    page.progress.reach(lesson.id, len(lesson.steps) - 1, len(lesson.steps))
    assert f'✓ <a href="{lesson.id}"' in link.text()


def test_a_lesson_leads_to_its_exercises_and_back(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    lesson = next(lesson for lesson in lessons() if lesson.practice)
    page.lessons.list.choose(lesson.id)
    assert f'href="{lesson.practice[0]}"' in page.lessons.practice.text()
    page.lessons.practice.linkActivated.emit(lesson.practice[0])
    settle(qtbot, window)
    exercise = page.practice.exercise
    assert exercise is not None
    assert exercise.id == lesson.practice[0]
    page.exercises.list.choose(exercise.id)
    assert f'href="{lesson.id}"' in page.exercises.taught.text()
    page.exercises.taught.linkActivated.emit(lesson.id)
    settle(qtbot, window)
    assert page.runner.lesson == lesson
    assert page.practice.exercise is None
