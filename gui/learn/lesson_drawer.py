"""Drawer of a lesson: its text, question and answer, and the way to the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui.widgets.controls import label, tool
from gui.widgets.keys import KEYS, bind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.lessons import Lesson, StepWords

_LETTERS: Final = 27
"""Least width of the text, in letters."""

_GAP: Final = 10


class LessonDrawer(QFrame):
    """Panel beside a page, in the window and while presenting.

    Signals
    -------
    step_requested(int)
        The next step (1), the one before (-1), or the same one again (0).
    practice_requested(str)
        An exercise that follows the lesson was chosen: its id.
    close_requested()
        The lesson is to be left.
    """

    step_requested = Signal(int)
    practice_requested = Signal(str)
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drawer")
        self.setAccessibleName("Lesson")
        self._words: StepWords | None = None
        self._body = QWidget(self)
        self.title = label(role="muted", line=True)
        self.place = label(role="muted")
        self.caption = label(line=True)
        self.question = label(role="heading", line=True)
        self.reveal = QPushButton("Show the answer")
        self.answer = label(line=True)
        self.note = label(role="warning", line=True)
        self.end = label(role="heading", line=True)
        self.practice = QVBoxLayout()
        self.back = QPushButton("‹ Back")
        self.back.setToolTip(f"The step before ({KEYS['remote_back'].words})")
        self.next = QPushButton("Next ›")
        self.next.setProperty("primary", "true")
        self.next.setToolTip(f"The answer, or the next step ({KEYS['remote_forward'].words})")
        self.again = tool("Show this step again", "Put the picture back to what this step describes")
        self.close_button = tool("×", "Leave the lesson", self.close_requested.emit)
        self.close_button.setAccessibleName("Leave the lesson")
        self._arrange()
        self.next.clicked.connect(self.go_on)
        self.back.clicked.connect(lambda: self.step_requested.emit(-1))
        self.again.clicked.connect(lambda: self.step_requested.emit(0))
        self.reveal.clicked.connect(self.show_answer)
        bind(self, {"remote_forward": self.next.click, "remote_back": self.back.click})
        self.set_text_size(None)

    @property
    def asks(self) -> bool:
        """True while a question is shown without its answer."""
        return not self.reveal.isHidden()

    def show_step(self, lesson: Lesson, number: int, words: StepWords) -> None:
        """Show the texts of a step (from 0); an answer that is shown stays if the step is the same."""
        answered = self._words is not None and self._words.question == words.question and not self.asks
        self._words = words
        last = number == len(lesson.steps) - 1
        self.title.setText(lesson.title)
        self.place.setText(f"Step {number + 1} of {len(lesson.steps)}")
        self.caption.setText(words.caption)
        self.question.setText(words.question)
        self.question.setVisible(bool(words.question))
        self.answer.setText(words.answer)
        self.answer.setVisible(bool(words.answer) and answered)
        self.reveal.setVisible(bool(words.question) and not answered)
        self.end.setText(f"End of the lesson. {lesson.goal}")
        self.end.setVisible(last)
        self.back.setEnabled(number > 0)
        self._name_next(last)
        self.setAccessibleDescription(words.caption)

    def show_note(self, text: str) -> None:
        """Say what is wrong with the picture; "" for nothing."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def show_practice(self, exercises: Sequence[tuple[str, str]]) -> None:
        """Offer exercises at the end: id and title of each."""
        while self.practice.count():
            item = self.practice.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.deleteLater()
        for id, title in exercises:
            button = QPushButton(f"Practise: {title}")
            button.clicked.connect(lambda _=False, id=id: self.practice_requested.emit(id))
            self.practice.addWidget(button)

    def show_answer(self) -> None:
        """Show the answer to the question."""
        self.answer.show()
        self.reveal.hide()
        self._name_next(not self.end.isHidden())
        self.next.setFocus()

    def go_on(self) -> None:
        """Show the answer to an open question, else go to the next step; after the last, leave the lesson."""
        if self.asks:
            self.show_answer()
        elif not self.end.isHidden():
            self.close_requested.emit()
        else:
            self.step_requested.emit(1)

    def set_text_size(self, points: float | None) -> None:
        """Change the size of the text, as for a presentation; None for that of the application."""
        sheet = "" if points is None else f"QLabel, QPushButton, QToolButton {{ font-size: {points:.1f}pt; }}"
        self._body.setStyleSheet(sheet)
        font = QApplication.font()
        font.setPointSizeF(points or font.pointSizeF())
        self.setMinimumWidth(QFontMetrics(font).averageCharWidth() * _LETTERS)

    def _name_next(self, last: bool) -> None:
        self.next.setText("Answer" if self.asks else "Finish" if last else "Next ›")

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        text = QWidget()
        column = QVBoxLayout(text)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(_GAP)
        for part in (self.caption, self.question, self.reveal, self.answer, self.note, self.end):
            column.addWidget(part)
        column.addLayout(self.practice)
        column.addStretch(1)
        for part in (self.question, self.reveal, self.answer, self.note, self.end):
            part.hide()
        for words in (self.caption, self.answer, self.question):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(text)
        way = QHBoxLayout()
        way.addWidget(self.back)
        way.addWidget(self.next, 1)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._body)
        outer = QVBoxLayout(self._body)
        outer.setContentsMargins(_GAP, 6, _GAP, 6)
        outer.addLayout(head)
        outer.addWidget(self.place)
        outer.addWidget(scroll, 1)
        outer.addWidget(self.again)
        outer.addLayout(way)
        self.setTabOrder(self.next, self.back)
