"""Drawer of a lesson: its text, question and answer, and the way to the next step."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gui.learn.drawer import Drawer, primary
from gui.widgets.controls import label, tool
from gui.widgets.keys import KEYS, bind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.lessons import Lesson, StepWords


class Links(QLabel):
    """Text with links in the colours of the theme: Qt gives a text those of the time when it is set."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )

    def changeEvent(self, event: QEvent) -> None:
        """Set the text again in other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            text = self.text()
            self.clear()
            self.setText(text)


class LessonDrawer(Drawer):
    """Text of a lesson's step.

    Signals
    -------
    step_requested(int)
        The next step (1), the one before (-1), or the same one again (0).
    practice_requested(str)
        An exercise that follows the lesson was chosen: its id.
    """

    step_requested = Signal(int)
    practice_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Lesson", parent)
        self._words: StepWords | None = None
        self.place = label(role="muted")
        self.caption = label(line=True)
        self.question = label(role="heading", line=True)
        self.reveal = QPushButton("Show the answer")
        self.answer = label(line=True)
        self.note = label(role="warning", line=True)
        self.end = label(role="heading", line=True)
        self.practice = Links()
        self.practice.linkActivated.connect(self.practice_requested)
        self.back = QPushButton("‹ Back")
        self.back.setToolTip(f"The step before ({KEYS['remote_back'].words})")
        self.next = primary("Next ›")
        self.next.setToolTip(f"The answer, or the next step ({KEYS['remote_forward'].words})")
        self.again = tool("Show this step again", "Put the picture back to what this step describes")
        self._arrange()
        self.next.clicked.connect(self.go_on)
        self.back.clicked.connect(lambda: self.step_requested.emit(-1))
        self.again.clicked.connect(lambda: self.step_requested.emit(0))
        self.reveal.clicked.connect(self.show_answer)
        bind(self, {"remote_forward": self.next.click, "remote_back": self.back.click})

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
        self.practice.setVisible(last and bool(self.practice.text()))
        self.back.setEnabled(number > 0)
        self._name_next(last)
        self.setAccessibleDescription(words.caption)
        self.show_start()

    def show_note(self, text: str) -> None:
        """Say what is wrong with the picture; "" for nothing."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def offer_practice(self, exercises: Sequence[tuple[str, str]]) -> None:
        """Offer exercises at the end: id and title of each."""
        links = (f'Practise: <a href="{id}">{escape(title)}</a>' for id, title in exercises)
        self.practice.setText("<br>".join(links))

    def show_answer(self) -> None:
        """Show the answer to the question."""
        self.answer.show()
        self.reveal.hide()
        self._name_next(not self.end.isHidden())
        self.next.setFocus()
        self.reveal_part(self.answer)

    def go_on(self) -> None:
        """Show the answer to an open question, else go to the next step; after the last, leave the lesson."""
        if self.asks:
            self.show_answer()
        elif not self.end.isHidden():
            self.close_requested.emit()
        else:
            self.step_requested.emit(1)

    def _name_next(self, last: bool) -> None:
        self.next.setText("Answer" if self.asks else "Finish" if last else "Next ›")

    def _arrange(self) -> None:
        self.column.addWidget(self.place)
        self.column.addWidget(self.caption)
        for part in (self.question, self.reveal, self.answer, self.note, self.end, self.practice):
            self.column.addWidget(part)
            part.hide()
        self.column.addStretch(1)
        for words in (self.caption, self.answer, self.question):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        way = QHBoxLayout()
        way.addWidget(self.back)
        way.addWidget(self.next, 1)
        self.foot.addWidget(self.again)
        self.foot.addLayout(way)
        self.setTabOrder(self.next, self.back)
