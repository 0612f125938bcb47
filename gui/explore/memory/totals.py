"""Totals of the memory row: as many of them as fit a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QSizePolicy

from gui.explore.memory.row import SEPARATOR, fitting_facts
from gui.widgets.fitted_label import FittedLabel

if TYPE_CHECKING:
    from gui.explore.memory.row import Fact

_TALL_PX: Final = 10_000
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


class Totals(FittedLabel):
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
