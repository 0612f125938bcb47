"""A question of a lesson: its choices, the field for a number, or the request to click, and what is said of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gui.widgets.controls import add_parts, add_shown, empty, field, hbox, label, push_button, show_text, vbox
from kernels.errors import InputError
from kernels.lessons import Choices, Number, Place

if TYPE_CHECKING:
    from kernels.lessons import Asked, Target

_RIGHT, _WRONG = "✓", "✗"


class ChoiceButton(QPushButton):
    """Button whose text wraps at its width: Qt's own has one line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.choice = text
        self._label = QLabel(text)
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._inside = hbox(self, (10, 5, 10, 5))
        self._inside.addWidget(self._label)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(text)

    def mark(self, sign: str) -> None:
        """Mark it as answered, by a sign before its text."""
        self._label.setText(f"{sign} {self.choice}")
        self.setAccessibleName(self._label.text())
        self.setEnabled(False)

    def sizeHint(self) -> QSize:
        """Return the size of the text."""
        return self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size of the text."""
        return self._inside.minimumSize()

    def heightForWidth(self, width: int) -> int:
        """Return the height of the wrapped text."""
        return self._inside.heightForWidth(width)


class QuestionPanel(QWidget):
    """A question that is open, answered, or told.

    Signals
    -------
    settled(bool)
        It is no longer open: it was answered rightly (true), or its answer was asked for.
    said()
        Something new is said of an answer.
    """

    settled = Signal(bool)
    said = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._asked: Asked | None = None
        self.open = False
        """True while an answer is expected."""
        self.text = label(role="heading", line=True)
        self.choices: list[ChoiceButton] = []
        self._column_of_choices = QVBoxLayout()
        self.number = field("Your answer, a number")
        self.number.setPlaceholderText("a number")
        self.check = push_button("Check", slot=lambda: self.answer(self.number.text()))
        self.place = label(role="muted", line=True)
        self.verdict = label(line=True)
        self._number_row = QWidget()
        row = hbox(self._number_row)
        row.addWidget(self.number, 1)
        row.addWidget(self.check)
        column = vbox(self)
        add_parts(column, self.text, self._column_of_choices, self._number_row, self.place, self.verdict)
        for words in (self.text, self.verdict):
            words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.number.returnPressed.connect(self.check.click)
        self.hide()

    def ask(self, asked: Asked | None, *, answered: bool) -> None:
        """Ask a question, or show that it was answered before; None for no question.

        The same question again, as of the same step, stays as it is.
        """
        if asked == self._asked:
            return
        self._asked = asked
        self._remove_choices()
        self.open = asked is not None
        self.setVisible(self.open)
        if asked is None:
            return
        by = asked.by
        self.text.setText(asked.text)
        if isinstance(by, Choices):
            self._offer(by.shown)
        self._number_row.setVisible(isinstance(by, Number))
        self.number.clear()
        if isinstance(by, Place):
            self.place.setText(f"Click {'a thread' if by.wants == 'thread' else 'an element'} in the picture.")
        self.place.setVisible(isinstance(by, Place))
        self._say("")
        if answered:
            self._settle(f"{_RIGHT} {asked.answer}")

    def answer(self, reply: str | Target) -> None:
        """Judge an answer, if one is expected; a text, or what was clicked where the question asks for a click."""
        if self._asked is None or not self.open or isinstance(reply, str) == isinstance(self._asked.by, Place):
            return
        try:
            judged = self._asked.judge(reply)
        except InputError as error:
            self._say(error.titled)
            return
        for button in self.choices:
            if button.choice == reply and not judged.right:
                button.mark(_WRONG)
        if judged.right:
            self._settle(f"{_RIGHT} {judged.words}")
            self.settled.emit(True)
        else:
            self._say(f"{_WRONG} {judged.words}")

    def tell(self) -> None:
        """Tell the answer."""
        if self._asked is not None and self.open:
            self._settle(self._asked.answer)
            self.settled.emit(False)

    def _settle(self, words: str) -> None:
        self.open = False
        self._number_row.hide()
        self.place.hide()
        by = None if self._asked is None else self._asked.by
        for button in self.choices:
            if isinstance(by, Choices) and button.choice == by.right:
                button.mark(_RIGHT)
            button.setEnabled(False)
        self._say(words)

    def _say(self, words: str) -> None:
        show_text(self.verdict, words)
        if words:
            self.said.emit()

    def _offer(self, choices: tuple[str, ...]) -> None:
        for text in choices:
            button = ChoiceButton(text)
            button.clicked.connect(lambda _=False, text=text: self.answer(text))
            self.choices.append(button)
            add_shown(self._column_of_choices, button)

    def _remove_choices(self) -> None:
        empty(self._column_of_choices)
        self.choices = []
