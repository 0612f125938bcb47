"""Exercises to choose from, with what was reached in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout

from gui.learn.cards import Card, CardsPage, Links
from gui.theming.fonts import fixed_pitch_font
from gui.widgets.controls import BulletList, hbox, label, primary, vbox
from kernels.catalog import FOOTER
from kernels.exercises.words import gate_title, time_title
from kernels.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.learn.progress import Progress
    from gui.theming.theme import Theme
    from kernels.exercises import Exercise
    from kernels.lessons import Lesson


class ExerciseList(CardsPage):
    """List of exercises at the left, the chosen one at the right.

    Signals
    -------
    exercise_chosen(str)
        An exercise is to be opened: its id.
    lesson_chosen(str)
        A lesson that leads to it is to be opened: its id.
    """

    exercise_chosen = Signal(str)
    lesson_chosen = Signal(str)

    def __init__(self, exercises: Sequence[Exercise], lessons: Sequence[Lesson], progress: Progress) -> None:
        super().__init__("Exercises")
        self._lessons = lessons
        self._exercises = {exercise.id: exercise for exercise in exercises}
        self._progress = progress
        self.total = label(role="muted", line=True)
        self.title = label(role="heading", line=True)
        self.goal = label(line=True)
        self.checks = BulletList()
        self.taught = Links("Taught in: ")
        self.taught.linkActivated.connect(self.lesson_chosen)
        self.reached = label(line=True)
        self.given = QPlainTextEdit(readOnly=True)
        self.given.setAccessibleName("Given source")
        self.start = primary("Open the exercise")
        self._arrange()
        self.list.card_chosen.connect(self._show)
        self.list.card_opened.connect(self.exercise_chosen)
        self.start.clicked.connect(lambda: self.exercise_chosen.emit(self.list.current))
        progress.changed.connect(self._offer)
        self._offer()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        super().set_theme(theme)
        self.given.setFont(fixed_pitch_font(self.font().pointSizeF()))

    def _offer(self) -> None:
        passed = sum(self._progress.passed(id) for id in self._exercises)
        self.total.setText(f"{passed} of {plural(len(self._exercises), 'exercise')} passed")
        self.list.offer(
            [
                Card(
                    exercise.id,
                    f"{number}  {exercise.title}",
                    exercise.goal,
                    f"{plural(len(exercise.cases), 'size')}, {plural(len(exercise.hints), 'hint')}",
                    self._reached(exercise.id),
                )
                for number, exercise in enumerate(self._exercises.values(), 1)
            ]
        )
        if self.list.current:
            self._show(self.list.current)

    def _reached(self, id: str) -> str:
        return "✓ Passed" if self._progress.passed(id) else "Tried" * bool(self._progress.judgement(id))

    def _show(self, id: str) -> None:
        """Show an exercise: its goal, what is checked, and the given source."""
        exercise = self._exercises[id]
        self.title.setText(exercise.title)
        self.goal.setText(exercise.goal)
        timed = [f"{time_title(exercise)}, if you ask for it"] if exercise.time is not None else []
        self.checks.show_sentences([*(gate_title(exercise, gate) for gate in exercise.gates), *timed])
        leads = (lesson for lesson in self._lessons if id in lesson.practice)
        self.taught.offer((lesson.id, lesson.title, self._progress.finished(lesson.id)) for lesson in leads)
        words = self._progress.judgement(id)
        self.reached.setText(f"Last answer: {words}" if words else "Not tried yet")
        self.given.setPlainText(exercise.text.partition(FOOTER)[0].rstrip())
        self.start.setText("Continue" if words else "Open the exercise")

    def _arrange(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self.total)
        left.addWidget(self.list, 1)
        right = vbox(spacing=10)
        for part in (self.title, self.goal, label("What is checked:", "muted"), self.checks, self.taught, self.reached):
            right.addWidget(part)
        row = QHBoxLayout()
        row.addWidget(self.start)
        row.addStretch(1)
        right.addLayout(row)
        right.addWidget(self.given, 1)
        both = hbox(self, (0, 8, 0, 0), spacing=18)
        both.addLayout(left)
        both.addLayout(right, 1)
