"""The map of the course: its subjects in order, each with its lessons and exercises, and what is done."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gui.learn.links import Links
from gui.widgets.controls import label, scrolled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.learn.progress import Progress
    from kernels.exercises import Exercise
    from kernels.lessons import Lesson

_STRETCH: Final = (2, 4, 3)


class CourseMap(QWidget):
    """One row for each subject.

    Signals
    -------
    lesson_chosen(str)
        A lesson is to be opened: its id.
    exercise_chosen(str)
        An exercise is to be opened: its id.
    """

    lesson_chosen = Signal(str)
    exercise_chosen = Signal(str)

    def __init__(
        self,
        lessons: Sequence[Lesson],
        exercises: Sequence[Exercise],
        progress: Progress,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._progress = progress
        titles = {exercise.id: exercise.title for exercise in exercises}
        self._rows: list[tuple[Sequence[Lesson], dict[str, str], Links, Links]] = []
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(12)
        for column, (name, stretch) in enumerate(zip(("", "Lessons", "Exercises"), _STRETCH, strict=True)):
            self._grid.addWidget(label(name, "muted"), 0, column)
            self._grid.setColumnStretch(column, stretch)
        offered: set[str] = set()
        for subject, members in groupby(lessons, key=lambda lesson: lesson.subject):
            taught = list(members)
            ids = [id for lesson in taught for id in lesson.practice if id in titles and id not in offered]
            offered.update(ids)
            self._add_row(subject, taught, {id: titles[id] for id in ids})
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 8, 0, 0)
        outer.addWidget(scrolled(inside))
        progress.changed.connect(self._show)
        self._show()

    def _add_row(self, subject: str, lessons: Sequence[Lesson], exercises: dict[str, str]) -> None:
        row, to_lesson, to_exercise = self._grid.rowCount(), Links(), Links()
        to_lesson.linkActivated.connect(self.lesson_chosen)
        to_exercise.linkActivated.connect(self.exercise_chosen)
        for column, part in enumerate((label(subject, "heading", line=True), to_lesson, to_exercise)):
            self._grid.addWidget(part, row, column, Qt.AlignmentFlag.AlignTop)
        self._rows.append((lessons, exercises, to_lesson, to_exercise))

    def _show(self) -> None:
        """Tick what is done: lessons that were followed to their end, exercises that were passed."""
        done = self._progress
        for lessons, exercises, to_lesson, to_exercise in self._rows:
            to_lesson.offer((lesson.id, lesson.title, done.finished(lesson.id)) for lesson in lessons)
            to_exercise.offer((id, title, done.passed(id)) for id, title in exercises.items())
