"""Menus of the launches that a picture can be compared with, and of the questions about it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint

    from gui.explore.compare.comparison import Comparable
    from gui.explore.stage.questions import Answer, Question


class CompareMenu(QMenu):
    """Launches to compare with, by group.

    Signals
    -------
    chosen(Selection)
        The launch to compare with.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTipsVisible(True)

    def offer(self, launches: Sequence[Comparable], why_none: str) -> None:
        """Fill the menu; without a launch, with the reason."""
        self.clear()
        group = ""
        for launch in launches:
            if launch.group != group:
                group = launch.group
                self.addSection(group)
            action = self.addAction(launch.title.replace("&", "&&"))
            action.setToolTip(launch.selection.kernel.teaches)
            action.triggered.connect(lambda _=False, made=launch.selection: self.chosen.emit(made))
        if not launches:
            self.addAction(why_none).setEnabled(False)


class QuestionMenu(QMenu):
    """Questions about what is drawn, or about a line of the listing; one without an answer is disabled.

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
