"""Commands of the Learn page: each lesson and exercise can be opened by its name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from gui.shell.pages import Command
from kernels.exercises import exercises
from kernels.lessons import lessons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QWidget

    from gui.learn.page import LearnPage


def commands(open_page: Callable[[], QWidget]) -> Iterator[Command]:
    """Yield a command for each lesson and exercise."""

    def begin(lesson: str) -> None:
        cast("LearnPage", open_page()).begin(lesson)

    def practise(exercise: str) -> None:
        cast("LearnPage", open_page()).practise(exercise)

    for lesson in lessons():
        yield Command(lesson.title, "Lesson", partial(begin, lesson.id), words=f"{lesson.id} {lesson.goal}")
    for exercise in exercises():
        yield Command(
            exercise.title, "Exercise", partial(practise, exercise.id), words=f"{exercise.id} {exercise.goal}"
        )
