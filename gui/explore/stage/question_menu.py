"""Menu of the questions about what is drawn, or about a line of the listing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint

    from gui.explore.stage.questions import Answer, Question


class QuestionMenu(QMenu):
    """Questions; one without an answer is disabled.

    Signals
    -------
    chosen(Answer)
        The answer to a question.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._more: QMenu | None = None

    def ask(self, questions: Sequence[Question], place: QPoint, more: QMenu | None = None) -> None:
        """Open at a place of the screen, with the actions of another menu after the questions."""
        self.clear()
        if self._more is not None:
            self._more.deleteLater()
        self._more = more
        for question in questions:
            action = self.addAction(question.words.replace("&", "&&"), partial(self._choose, question.answer))
            action.setEnabled(question.answer is not None)
        if more is not None:
            self.addSeparator()
            self.addActions(more.actions())
        if self.actions():
            self.popup(place)

    def _choose(self, answer: Answer | None) -> None:
        self.chosen.emit(answer)
