"""Caption: the title of the picture, above it; and places where no sentence must be broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.theming.style import TEXT_PT
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

JOINER: Final = "\u2060"
"""Qt breaks no line here; the character has no width."""

_PAIRS: Final = ("][", "++", "--")

_INDENT_PX = 12
_LINES = 2.2
"""Reserved height, in lines of the largest text."""

_ROUNDING_PX = 3
"""Qt rounds the height of each line of wrapped text up."""

_LEAST_LINES = 3
"""Reserved lines of the least text size."""

_SMALLEST_PT = 9.0
"""Least size of a sentence that would not fit otherwise, points."""

_SMALLER = 0.62
"""Share of the least text size to which a sentence that needs more lines is reduced."""


class Caption(QLabel):
    """Sentence in the largest text that fits a constant height, so that the picture does not move.

    Its size lies between the application's text size and the one that `set_text_size` sets; a sentence that is longer
    than the reserved lines is smaller rather than elided, as long as it can be read.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = 14.0
        self._least: float | None = None
        self._whole = ""
        self.setWordWrap(True)
        self.setIndent(_INDENT_PX)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_text_size(self, points: float, least: float | None = None, lines: int = _LEAST_LINES) -> None:
        """Change the largest text size, the least one (by default the application's), and the reserved height."""
        self._points, self._least = points, least
        font = self.font()
        font.setPointSizeF(points)
        largest = QFontMetrics(font).lineSpacing() * _LINES
        font.setPointSizeF(self._least_points)
        height = QFontMetrics(font).size(0, "\n".join("X" * lines)).height()
        self.setFixedHeight(max(int(largest) if lines == _LEAST_LINES else 0, height + _ROUNDING_PX))
        self.say(self._whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the sentence into the new width."""
        super().resizeEvent(event)
        self.say(self._whole)

    def say(self, text: str) -> None:
        """Show a sentence."""
        self._whole = escape_lines(text)
        shown = without_breaks(self._whole)
        font, points = self.font(), self._points
        font.setPointSizeF(points)
        font.setBold(True)
        smallest = min(self._least_points, max(_SMALLEST_PT, self._least_points * _SMALLER))
        while points > smallest and not self._fits(shown, font):
            points = max(smallest, points - 0.5)
            font.setPointSizeF(points)
            font.setBold(points >= max(self._least_points, TEXT_PT[0]))  # a long sentence is narrower in regular type
        words = shown.split(" ")
        while len(words) > 1 and not self._fits(shown, font):
            words.pop()
            shown = " ".join(words) + " …"
        self.setFont(font)
        self.setText(shown)
        self.setToolTip(self._whole if self.elided else "")

    @property
    def elided(self) -> bool:
        """True if the sentence is not shown whole."""
        return self.text().replace(JOINER, "") != self._whole

    @property
    def whole(self) -> str:
        """Sentence without elision."""
        return self._whole

    @property
    def _least_points(self) -> float:
        if self._least is not None:
            return self._least
        parent = self.parentWidget()
        return parent.font().pointSizeF() if parent is not None else self._points

    def _fits(self, text: str, font: QFont) -> bool:
        room = self.contentsRect().adjusted(2 * _INDENT_PX, 0, 0, 0)
        return QFontMetrics(font).boundingRect(room, int(Qt.TextFlag.TextWordWrap), text).height() <= room.height()


def without_breaks(text: str) -> str:
    """Keep the indices of an element, and ++ and --, on one line."""
    for first, second in _PAIRS:
        text = text.replace(first + second, first + JOINER + second)
    return text
