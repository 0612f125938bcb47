"""Drawer of a lesson: its text and question, and the way to the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.learn.cards import Links
from gui.learn.drawer import Drawer
from gui.learn.question import QuestionPanel
from gui.widgets.controls import add_parts, label, primary, push_button, show_text, tool
from gui.widgets.keys import KEYS, bind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.lessons import Lesson, StepWords


class LessonDrawer(Drawer):
    """Text of a lesson's step.

    Signals
    -------
    step_requested(int)
        The next step (1), the one before (-1), or the same one again (0).
    practice_requested(str)
        An exercise that follows the lesson was chosen: its id.
    lesson_requested(str)
        The next lesson was chosen: its id.
    """

    step_requested = Signal(int)
    practice_requested = Signal(str)
    lesson_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Lesson", parent)
        self._next_lesson = ""
        self.place = label(role="muted")
        self.caption = label(line=True)
        self.question = QuestionPanel()
        self.note = label(role="warning", line=True)
        self.end = label(role="heading", line=True)
        self.practice = Links("Practise: ")
        self.practice.linkActivated.connect(self.practice_requested)
        self.back = push_button("‹ Back", slot=lambda: self.step_requested.emit(-1))
        self.back.setToolTip(f"The step before ({KEYS['remote_back'].words})")
        self.next = primary("Next ›")
        self.next.setToolTip(f"The answer, or the next step ({KEYS['remote_forward'].words})")
        self.again = tool("Show this step again", "Put the picture back to what this step describes")
        self._arrange()
        self.next.clicked.connect(self.go_on)
        self.again.clicked.connect(lambda: self.step_requested.emit(0))
        self.question.settled.connect(self._go_on_from_question)
        self.question.said.connect(lambda: self.reveal_part(self.question.verdict))
        bind(self, {"remote_forward": self.next.click, "remote_back": self.back.click})

    def show_step(self, lesson: Lesson, number: int, words: StepWords, *, answered: bool = False) -> None:
        """Show the texts of a step (from 0), and its question, which may have been answered before."""
        last = number == len(lesson.steps) - 1
        self.title.setText(lesson.title)
        self.place.setText(f"Step {number + 1} of {len(lesson.steps)}")
        self.caption.setText(words.caption)
        self.question.ask(words.asked, answered=answered)
        self.end.setText(f"End of the lesson. {lesson.goal}")
        self.end.setVisible(last)
        self.practice.setVisible(last and bool(self.practice.text()))
        self.back.setEnabled(number > 0)
        self._name_next()
        self.setAccessibleDescription(words.caption)
        self.show_start()

    def show_note(self, text: str) -> None:
        """Say what is wrong with the picture; "" for nothing."""
        show_text(self.note, text)

    def offer_practice(self, exercises: Sequence[tuple[str, str]]) -> None:
        """Offer exercises at the end: id and title of each."""
        self.practice.offer((id, title, False) for id, title in exercises)

    def offer_next(self, lesson: str) -> None:
        """Offer the next lesson at the end, by its id; "" for none."""
        self._next_lesson = lesson

    def go_on(self) -> None:
        """Tell the answer to an open question, else go to the next step; after the last, to the next lesson."""
        if self.question.open:
            self.question.tell()
        elif self.end.isHidden():
            self.step_requested.emit(1)
        elif self._next_lesson:
            self.lesson_requested.emit(self._next_lesson)
        else:
            self.close_requested.emit()

    def _go_on_from_question(self) -> None:
        self._name_next()
        self.next.setFocus()

    def _name_next(self) -> None:
        end = "Next lesson ›" if self._next_lesson else "Finish"
        self.next.setText("Answer" if self.question.open else "Next ›" if self.end.isHidden() else end)

    def _arrange(self) -> None:
        add_parts(self.column, self.place, self.caption)
        for part in (self.question, self.note, self.end, self.practice):
            self.column.addWidget(part)
            part.hide()
        self.column.addStretch(1)
        self.caption.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        way = QHBoxLayout()
        way.addWidget(self.back)
        way.addWidget(self.next, 1)
        add_parts(self.foot, self.again, way)
        self.setTabOrder(self.next, self.back)
