"""A lesson or an exercise leaves the Explore page as it was found: a walk through them in random order.

The plain command walks a few of them, the exhaustive command all.
"""

import random
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.explore.saved_page import ViewState
from gui.shell.main_window import MainWindow
from gui.shell.pages import EXPLORE
from kernels.catalog import find_kernel
from kernels.exercises import exercises
from kernels.lessons import find_lesson, lessons
from kernels.workload import Size
from tests.gui.windows import explore, learn, opened, settle
from tests.sweeps import exhaustive

LESSONS, EXERCISES = [lesson.id for lesson in lessons()], [exercise.id for exercise in exercises()]


FEW = 4


def shown(page: ExplorePage) -> ViewState:
    """Return the view of the page; its order is compared for one kernel only."""
    view = ViewState.of(page, find_kernel("matmul_tiled"))
    return replace(view, ordered=(view.ordered[0], ""))


def rest(page: ExplorePage) -> tuple[object, ...]:
    """Return what else could be left behind."""
    return (
        page.motion.on,
        page.comparison,
        page.selected,
        page.presentation.companion,
        page.editing.active,
        page.presentation.active,
        page.inspector.pin.isChecked(),
        page.timeline.playing,
    )


def open_as_a_viewer(qtbot: QtBot) -> MainWindow:
    """Return a window whose page is shown in a way that no lesson asks for."""
    window = opened(qtbot)
    window.show_page(EXPLORE)
    window.session.select(kernel=find_kernel("matmul_tiled"), size=Size(4, 4, 4))
    page = explore(window)
    settle(qtbot, window)
    page.stage_bar.set_zoom("grid")
    page.stage_bar.set_colouring("warp")
    page.stage_bar.set_reads(True)
    page.stage_bar.choose_detail(True, proposed=False)
    page.panes.show_only({"totals", "thread"})
    page.timeline.set_speed(2.0)
    page.motion.set_on(False)
    return window


def walk_one(qtbot: QtBot, window: MainWindow, name: str, step: random.Random) -> None:
    """Open a lesson at one of its steps and go on to another, or open an exercise; leave it."""
    page = learn(window)
    if name in LESSONS:
        steps = len(lessons()[LESSONS.index(name)].steps)
        page.begin(name, step.randrange(steps))
        settle(qtbot, window)
        page.runner.go(step.randrange(steps))
        settle(qtbot, window)
        page.runner.leave()
    else:
        page.practise(name)
        settle(qtbot, window)
        page.practice.leave()
    settle(qtbot, window)


@pytest.mark.parametrize("count", [FEW, *exhaustive(len(LESSONS) + len(EXERCISES))])
def test_a_walk_leaves_the_page_as_it_was(qtbot: QtBot, count: int) -> None:
    window = open_as_a_viewer(qtbot)
    page = explore(window)
    before, others, device = shown(page), rest(page), window.session.selection.device
    order = random.Random(1)
    names = order.sample(LESSONS + EXERCISES, len(LESSONS) + len(EXERCISES))
    for name in names[:count]:
        walk_one(qtbot, window, name, order)
        kernel = window.session.selection.kernel
        assert (name, shown(page), rest(page)) == (name, before, others)
        assert window.session.selection.device == device, name
        assert page.stage_bar.schedule == kernel.schedule, name


def test_the_order_that_was_chosen_comes_back(qtbot: QtBot) -> None:
    window = open_as_a_viewer(qtbot)
    page = explore(window)
    page.stage_bar.set_schedule("reversed")
    page.stage_bar.schedule_changed.emit()
    settle(qtbot, window)
    lesson = find_lesson("tiles")
    kernels = [lesson.runs[step.run].kernel.id for step in lesson.steps]
    learn(window).begin(lesson.id, kernels.index("matmul_tiled"))  # the same kernel, in lockstep
    settle(qtbot, window)
    assert page.stage_bar.schedule == "lockstep"
    learn(window).runner.leave()
    settle(qtbot, window)
    assert page.stage_bar.schedule == "reversed"
    assert page.story is not None
    assert page.story.stage.trace.schedule == "reversed"


def test_lessons_that_follow_one_another_or_are_left_at_once_leave_nothing(qtbot: QtBot) -> None:
    window = open_as_a_viewer(qtbot)
    page = explore(window)
    before = shown(page)
    learn(window).begin("coalescing")
    learn(window).runner.leave()
    settle(qtbot, window)
    assert shown(page) == before
    # One lesson after another keeps what was found first.
    learn(window).begin(LESSONS[0])
    settle(qtbot, window)
    learn(window).begin(LESSONS[1])
    settle(qtbot, window)
    learn(window).practise(EXERCISES[0])
    settle(qtbot, window)
    learn(window).practice.leave()
    settle(qtbot, window)
    assert shown(page) == before
