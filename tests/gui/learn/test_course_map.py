"""The map of the course: lessons and exercises lead to each other, and what is done is ticked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.exercises import exercises
from kernels.lessons import lessons
from tests.gui.learn.windows import learn, opened, settle

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from gui.shell.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return opened(qtbot)


def test_the_map_has_every_lesson_and_exercise_once(window: MainWindow) -> None:
    rows = learn(window).map._rows
    to_lessons, to_exercises = "".join(row[2].text() for row in rows), "".join(row[3].text() for row in rows)
    assert all(to_lessons.count(f'href="{lesson.id}"') == 1 for lesson in lessons())
    assert all(to_exercises.count(f'href="{exercise.id}"') == 1 for exercise in exercises())


def test_what_is_done_is_ticked(window: MainWindow) -> None:
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
