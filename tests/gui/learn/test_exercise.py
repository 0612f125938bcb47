"""An exercise as a student solves it: by typing, with hints, over a restart, and timed on a GPU."""

from collections.abc import Callable
from typing import Final

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gui.explore.code.draft import drafts_folder
from gui.learn.exercise_drawer import ExerciseDrawer
from gui.learn.exercise_timing import ExerciseTiming
from gui.selection.session import Selection, Session
from gui.shell.main_window import MainWindow
from gui.shell.pages import LEARN
from gui.theming.style import ThemeChoice
from gui.theming.theme import DARK, LIGHT, Theme
from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.exercises import Judgement, exercises, find_exercise, judge
from kernels.exercises.progress import read_progress
from tests.gui.windows import explore, learn, opened, settle
from tests.kernels.exercises.answers import solution
from tests.kernels.exercises.timing_worker import CRASHES, WAITS, WRONG, faster, worker

Key = Qt.Key


CHOICES: Final[tuple[tuple[ThemeChoice, Theme], ...]] = (("dark", DARK), ("light", LIGHT))


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return opened(qtbot)


def texts(window: MainWindow) -> str:
    """Return everything that the drawer says."""
    drawer = learn(window).practice.drawer
    return "\n".join(part.text() for part in drawer.findChildren(QLabel) if part.isVisible())


def test_an_exercise_is_solved_by_typing(qtbot: QtBot, window: MainWindow) -> None:
    page, exercise = learn(window), find_exercise("guard")
    page.tabs.setCurrentWidget(page.exercises)
    page.exercises.list.choose("guard")
    page.exercises.start.click()
    settle(qtbot, window)
    assert exercise.goal in texts(window)
    assert "✗ Hazards: 1" in texts(window)
    stage = explore(window)

    show = next(
        b for b in page.practice.drawer.findChildren(QPushButton) if b.isVisible() and b.text() == "Show this step"
    )
    show.click()
    settle(qtbot, window)
    assert stage.scene is not None
    assert stage.scene.threads.hazard.any()
    assert stage.story is not None
    assert stage.story.selection is not None
    assert stage.story.selection.fills == exercise.cases[0].fills  # the inputs that were judged

    area = stage.editing.panel.area
    line = next(n for n, text in enumerate(area.text.split("\n"), 1) if "out[i]" in text)
    area.go_to_line(line)
    with qtbot.waitSignal(page.practice.judged, timeout=20_000):
        QTest.keyClick(area, Key.Key_Home)
        QTest.keyClicks(area, "if (i < ")
    settle(qtbot, window)
    assert "Line" in texts(window)  # half of the line is an error, with its place
    with qtbot.waitSignal(page.practice.judged, timeout=20_000):
        QTest.keyClicks(area, "height * width) ")
    settle(qtbot, window)
    assert "✓ Passed" in texts(window)
    assert page.practice.drawer.next.isVisible()

    window.close()
    again = opened(qtbot)
    page = learn(again)
    page.tabs.setCurrentWidget(page.exercises)
    assert page.exercises.total.text().startswith("1 of ")
    page.practise("guard")
    settle(qtbot, again)
    assert "if (i < height * width)" in explore(again).editing.text
    assert "✓ Passed" in texts(again)
    page.practice.drawer.reset.click()
    settle(qtbot, again)
    assert "i < height * width)" not in explore(again).editing.text.partition("/* tilescope")[0]
    page.practice.drawer.close_button.click()
    assert again.header.page == LEARN
    assert page.progress.passed("guard")  # once passed, it stays so
    assert "if (i < height * width)" in read_progress().attempts["guard"].answer  # as `exercise submit` finds it


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_exercises_open_where_their_answers_begin(qtbot: QtBot, window: MainWindow, every: int) -> None:
    for exercise in exercises()[::every]:
        learn(window).practise(exercise.id)
        settle(qtbot, window)
        area = explore(window).editing.panel.area
        cursor = area.textCursor()
        assert exercise.begin in cursor.block().text()
        assert area.viewport().rect().contains(area.cursorRect(cursor)), exercise.id
        learn(window).practice.leave()


def test_what_is_found_is_said_once(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    page.practise("guard")
    settle(qtbot, window)
    stage = explore(window)
    assert stage.story is not None
    assert stage.story.stage.trace.hazards
    assert "✗ Hazards: 1" in texts(window)
    assert stage.side.badge.isHidden()
    page.practice.leave()
    window.session.select(kernel=find_kernel("lesson_missing_guard"))
    settle(qtbot, window)
    assert not stage.side.badge.isHidden()


def test_an_error_of_the_text_is_explained_once(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    page.practise("guard")
    settle(qtbot, window)
    area = explore(window).editing.panel.area
    with qtbot.waitSignal(page.practice.judged, timeout=20_000):
        area.replace_text(area.text.replace("out[i] = i;", "if (i < out[i] = i;"))
    settle(qtbot, window)
    assert "Line 10 has an error" in texts(window)
    shown = [part.text() for part in window.findChildren(QLabel) if part.isVisible()]
    assert sum("syntax error" in text for text in shown) == 1  # below the text


def test_an_answer_of_an_earlier_version_stays_valid(qtbot: QtBot, window: MainWindow) -> None:
    answer = find_exercise("guard").text.replace('"index_line"', '"index"')
    file = drafts_folder() / "guard.cu"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(answer.replace("out[i]", "if (i < height * width) out[i]"), encoding="utf-8")
    learn(window).practise("guard")
    settle(qtbot, window)
    assert "✓ Passed" in texts(window)
    assert str(window.session.selection.size) == "3×5×1"


def wait_until_in_sight(qtbot: QtBot, part: QLabel) -> None:
    qtbot.waitUntil(lambda: not part.visibleRegion().isEmpty())


def test_hints_come_one_by_one_and_the_last_one_is_a_picture(qtbot: QtBot, window: MainWindow) -> None:
    page, exercise = learn(window), find_exercise("coalesce")
    page.practise("coalesce")
    settle(qtbot, window)
    window.resize(1280, 640)
    drawer = page.practice.drawer
    for number, hint in enumerate(exercise.hints):
        assert hint.text not in texts(window)
        drawer.hint.click()
        assert hint.text in texts(window)
        shown = next(part for part in drawer.findChildren(QLabel) if hint.text in part.text())
        wait_until_in_sight(qtbot, shown)  # however long the text above it is
        assert drawer.picture.isVisible() == (number == len(exercise.hints) - 1)
    assert not drawer.hint.isEnabled()
    drawer.picture.click()
    settle(qtbot, window)
    picture = exercise.hints[-1].picture
    assert picture is not None
    assert window.session.selection.kernel.id == picture.kernel
    drawer.back.click()
    settle(qtbot, window)
    assert explore(window).editing.active
    assert window.session.selection.block == exercise.kernel.block
    assert drawer.back.isHidden()
    explore(window).editing.finish()  # as by “Done”
    assert drawer.back.isVisible()


def test_a_lesson_leads_to_its_exercises(qtbot: QtBot, window: MainWindow) -> None:
    page = learn(window)
    page.begin("thread_per_element", 5)
    settle(qtbot, window)
    drawer = page.runner.drawer
    assert drawer.practice.isVisible()
    assert find_exercise("grid_too_small").title in drawer.practice.text()
    for name, theme in CHOICES:
        window.appearance.set_theme(name)
        settle(qtbot, window)
        colours = drawer.practice.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        pixels = {colours.pixel(x, y) for x in range(colours.width()) for y in range(colours.height())}
        assert QColor(theme.accent).rgb() in pixels
    drawer.practice.setFocus()
    QTest.keyClick(drawer.practice, Key.Key_Tab)
    QTest.keyClick(drawer.practice, Key.Key_Return)
    settle(qtbot, window)
    assert page.practice.exercise == find_exercise("naive_product")
    assert page.runner.lesson is None
    assert page.runner.drawer.isHidden()
    assert page.practice.drawer.isVisible()


Make = Callable[[str], tuple[ExerciseTiming, ExerciseDrawer, Session]]


H200 = find_device("h200")


COALESCE = find_exercise("coalesce")


@pytest.fixture(scope="module")
def passed() -> Judgement:
    return judge(COALESCE, solution("coalesce"))


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    """Return a drawer with its timing, on a machine with a GPU; the argument is what the worker does at the answer."""

    def build(answer: str) -> tuple[ExerciseTiming, ExerciseDrawer, Session]:
        session = Session(Selection(COALESCE.kernel, COALESCE.kernel.size, COALESCE.kernel.block, H200))
        session.set_devices((H200,), "")
        drawer = ExerciseDrawer()
        timing = ExerciseTiming(session, drawer, command=worker(answer))
        qtbot.addWidget(drawer, before_close_func=lambda _: timing.close())
        timing.changed.connect(drawer.show_timing)
        drawer.timing_requested.connect(timing.start)
        drawer.timing_cancelled.connect(timing.cancel)
        drawer.show_exercise(COALESCE, has_next=True)
        drawer.show()
        return timing, drawer, session

    return build


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (faster(1.9), "✓ Time on NVIDIA Test, at 2048×2048×2048 in blocks of 16×16: 1.9× as fast as the given kernel"),
        (faster(0.5), "✗ Time on NVIDIA Test"),
        (WRONG, "should be 2"),
        (CRASHES, "not measured: ended the measuring process"),
    ],
    ids=["faster", "slower", "wrong", "crash"],
)
def test_the_button_measures_and_the_line_says_the_result(
    qtbot: QtBot, make: Make, passed: Judgement, answer: str, told: str
) -> None:
    timing, drawer, session = make(answer)
    assert drawer.time.isHidden()
    timing.show_judgement(passed)
    assert drawer.time.text().startswith(f"– Time on {H200.name}, at 2048×2048×2048")
    assert not timing.busy  # the GPU is used when the button is pressed
    drawer.time_start.click()
    assert session.measuring == "Learn"
    assert drawer.time_start.isHidden()
    assert drawer.time_cancel.isVisible()
    qtbot.waitUntil(lambda: not timing.busy, timeout=20_000)
    assert told in drawer.time.text()
    assert not session.measuring
    assert drawer.time_cancel.isHidden()
    assert drawer.time_start.isVisible()
    line = drawer.time.text()
    timing.show_judgement(passed)  # the same text again: the result stays
    assert drawer.time.text() == line


def test_progress_is_said_and_cancel_works_at_once(qtbot: QtBot, make: Make, passed: Judgement) -> None:
    timing, drawer, session = make(WAITS)
    timing.show_judgement(passed)
    drawer.time_start.click()
    qtbot.waitUntil(lambda: "(2 of 2)" in drawer.time.text(), timeout=20_000)
    drawer.time_cancel.click()
    assert "cancelled" in drawer.time.text()
    assert drawer.time_cancel.isHidden()
    qtbot.waitUntil(drawer.time_start.isVisible, timeout=5_000)
    assert not timing.busy
    assert not session.measuring


def test_another_text_has_no_result_and_ends_the_measurement(qtbot: QtBot, make: Make, passed: Judgement) -> None:
    timing, drawer, _ = make(WAITS)
    timing.show_judgement(passed)
    drawer.time_start.click()
    timing.show_judgement(judge(COALESCE, COALESCE.text))
    assert drawer.time.isHidden()
    assert drawer.time_cancel.isHidden()
    qtbot.waitUntil(lambda: not timing.busy, timeout=5_000)
    assert drawer.time.isHidden()


def test_two_measurements_do_not_run_at_once(make: Make, passed: Judgement) -> None:
    timing, drawer, session = make(WAITS)
    session.measuring = "Benchmark"
    timing.show_judgement(passed)
    drawer.time_start.click()
    assert "Benchmark is measuring: wait until it is done" in drawer.time.text()
    assert not timing.busy


def test_without_a_gpu_the_line_is_quiet_and_the_exercise_is_passed(qtbot: QtBot) -> None:
    window = opened(qtbot)
    page = learn(window)
    page.practise("padding")
    settle(qtbot, window)
    drawer = page.practice.drawer
    assert drawer.time.isHidden()
    with qtbot.waitSignal(page.practice.judged, timeout=20_000):
        explore(window).editing.panel.area.replace_text(solution("padding") + COMMENT)
        explore(window).editing.run()
    settle(qtbot, window)
    assert drawer.time.text() == "– Time on a GPU: needs an NVIDIA GPU"
    assert drawer.time.isVisible()
    assert drawer.time_start.isHidden()
    assert drawer.next.isVisible()
    assert page.progress.passed("padding")
    window.session.set_devices((H200,), "")
    assert drawer.time_start.isVisible()
    drawer.next.click()
    assert drawer.time.isHidden()


COMMENT = find_exercise("padding").text[find_exercise("padding").text.index("/* tilescope") :]
