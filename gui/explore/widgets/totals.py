"""Totals of the memory row: as many of them as fit a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

from gui.explore.scene.memory_row import SEPARATOR, fitting_facts

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from gui.explore.scene.memory_row import Fact

_TALL_PX: Final = 10_000
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


class Totals(QLabel):
    """The most important totals that fit; lines are broken between them only."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[Fact, ...] = ()
        self._lines = 1
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def say(self, facts: tuple[Fact, ...]) -> None:
        """Show other totals."""
        self._facts = facts
        self._fit()

    @property
    def everything(self) -> str:
        """All totals in full."""
        return _sentence(SEPARATOR.join(fact.text for fact in self._facts))

    def set_lines(self, lines: int) -> None:
        """Change number of lines, and the height with it."""
        self._lines = lines
        self.setFixedHeight(self.height_of(lines))
        self._fit()

    def height_of(self, lines: int) -> int:
        """Return the height of some lines in pixels."""
        return self._extent("\n".join("X" * lines)).height() + 2  # Qt rounds the height of each line up

    def minimumSizeHint(self) -> QSize:
        """Return a small size: totals are left out where they do not fit."""
        return QSize(0, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the totals for the new width."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Choose the totals for the new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        if self._facts:
            self.setText(_unbroken(_sentence(fitting_facts(self._facts, self._fits))))

    def _fits(self, words: str) -> bool:
        extent = self._extent(_unbroken(_sentence(words)))
        return extent.width() <= self.contentsRect().width() and extent.height() <= self.height_of(self._lines)

    def _extent(self, text: str) -> QRect:
        room = QRect(0, 0, self.contentsRect().width(), _TALL_PX)
        return self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text)


def _sentence(words: str) -> str:
    return f"So far: {words}"


def _unbroken(words: str) -> str:
    """Return words whose lines are broken after separators only."""
    return f"{_NO_BREAK}· ".join(fact.replace(" ", _NO_BREAK) for fact in words.split(SEPARATOR))
