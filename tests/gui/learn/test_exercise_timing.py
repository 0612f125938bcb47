"""The gate on real time in the drawer of an exercise, with a worker process that reports times by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.learn.exercise_drawer import ExerciseDrawer
from gui.learn.exercise_timing import ExerciseTiming
from gui.selection.session import Selection, Session
from kernels.device import find_device
from kernels.exercises import find_exercise, judge
from tests.gui.learn.windows import explore, learn, opened, settle
from tests.kernels.exercises.answers import solution
from tests.kernels.exercises.timing_worker import CRASHES, WAITS, WRONG, faster, worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from kernels.exercises import Judgement

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
