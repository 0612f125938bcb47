"""Lessons to choose from, with what each is for and how far it was followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from gui.learn.cards import Card, CardsPage, Links
from gui.selection.kernel_browser import PICTURES
from gui.widgets.controls import BulletList, add_parts, hbox, label, primary, push_button, scrolled, vbox
from kernels.lessons import without_run
from kernels.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.learn.progress import Progress
    from kernels.exercises import Exercise
    from kernels.lessons import Lesson


class LessonList(CardsPage):
    """List of lessons at the left, the chosen one at the right.

    Signals
    -------
    lesson_chosen(str, int)
        A lesson is to be opened: its id, and the step from 0.
    exercise_chosen(str)
        An exercise that practises it is to be opened: its id.
    """

    lesson_chosen = Signal(str, int)
    exercise_chosen = Signal(str)

    def __init__(self, lessons: Sequence[Lesson], exercises: Sequence[Exercise], progress: Progress) -> None:
        super().__init__("Lessons")
        self._titles = {exercise.id: exercise.title for exercise in exercises}
        self._lessons = {lesson.id: lesson for lesson in lessons}
        self._progress = progress
        self.title = label(role="heading", line=True)
        self.goal = label(line=True)
        self.content = BulletList()
        self.questions = BulletList()
        self.practice = Links("Practise: ")
        self.practice.linkActivated.connect(self.exercise_chosen)
        self.picture = QLabel()
        self.reached = QProgressBar()
        self.reached.setTextVisible(False)
        self.reached.setFixedHeight(8)
        self.reached_words = label(role="muted", line=True)
        self.start = primary("")
        self.start.clicked.connect(lambda: self._open())
        self.over = push_button("Start from the beginning", slot=lambda: self.lesson_chosen.emit(self.list.current, 0))
        self._arrange()
        self.list.card_chosen.connect(self._show)
        self.list.card_opened.connect(lambda _: self._open())
        progress.changed.connect(self._offer)
        self._offer()

    def _offer(self) -> None:
        self.list.offer(
            [
                Card(
                    lesson.id,
                    f"{number}  {lesson.title}",
                    lesson.goal,
                    f"{plural(len(lesson.steps), 'step')}, {plural(lesson.minutes, 'minute')}",
                    self._reached(lesson),
                )
                for number, lesson in enumerate(self._lessons.values(), 1)
            ]
        )
        if self.list.current:
            self._show(self.list.current)

    def _reached(self, lesson: Lesson) -> str:
        questions = sum(step.ask is not None for step in lesson.steps)
        right = f"{len(self._progress.answered(lesson.id))} of {plural(questions, 'question')} answered"
        if self._progress.finished(lesson.id):
            return f"✓ Finished, {right}"
        step = f"Step {self._progress.step(lesson.id) + 1} of {len(lesson.steps)}, {right}"
        return step * self._progress.begun(lesson.id)

    def _show(self, id: str) -> None:
        """Show a lesson: its goal, what it shows, and how far it was followed."""
        lesson = self._lessons[id]
        self.title.setText(lesson.title)
        self.goal.setText(f"Afterwards: {lesson.goal[0].lower()}{lesson.goal[1:]}")
        runs = [f"{run.kernel.title}: size {run.size}, block {run.block}" for run in lesson.runs.values()]
        self.content.show_sentences(dict.fromkeys(runs))
        asked = [step.ask.text for step in lesson.steps if step.ask is not None]
        self.questions.show_sentences(filter(None, map(without_run, asked)))
        self.practice.offer((id, self._titles[id], self._progress.passed(id)) for id in lesson.practice)
        picture = QPixmap(str(PICTURES / f"{next(iter(lesson.runs.values())).kernel.base}.png"))
        self.picture.setPixmap(picture)
        begun, done = self._progress.begun(id), self._progress.finished(id)
        step = self._progress.step(id)
        middle = begun and 0 < step < len(lesson.steps) - 1
        self.reached.setRange(0, len(lesson.steps))
        self.reached.setValue(len(lesson.steps) if done else step + begun)
        self.reached_words.setText(self._reached(lesson) or "Not started")
        self.start.setText(f"Continue with step {step + 1}" if middle else "Start the lesson")
        self.over.setVisible(middle)

    def _open(self) -> None:
        lesson = self._lessons[self.list.current]
        step = self._progress.step(lesson.id)
        self.lesson_chosen.emit(lesson.id, step if step < len(lesson.steps) - 1 else 0)

    def _arrange(self) -> None:
        chosen = QWidget()
        right = vbox(chosen, spacing=10)
        add_parts(right, self.title, self.goal, self.reached, self.reached_words)
        buttons = QHBoxLayout()
        add_parts(buttons, self.start, self.over)
        buttons.addStretch(1)
        right.addLayout(buttons)
        for part in (
            self.practice,
            self.picture,
            label("What is shown:", "muted"),
            self.content,
            label("What is asked:", "muted"),
            self.questions,
        ):
            right.addWidget(part)
        right.addStretch(1)
        both = hbox(self, (0, 8, 0, 0), spacing=18)
        both.addWidget(self.list)
        both.addWidget(scrolled(chosen), 1)  # with large text in a low window
