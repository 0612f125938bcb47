"""Caption under the picture."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from kernels.control_characters import escape_lines

_INDENT_PX = 12
_LINES = 2.2


class Caption(QLabel):
    """Sentence in the largest text that fits a constant height, so that the picture does not move."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = 14.0
        self.setWordWrap(True)
        self.setIndent(_INDENT_PX)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_text_size(self, points: float) -> None:
        """Change the largest text size and the reserved height."""
        self._points = points
        font = self.font()
        font.setPointSizeF(points)
        self.setFixedHeight(int(QFontMetrics(font).lineSpacing() * _LINES))
        self.say(self.text())

    def say(self, text: str) -> None:
        """Show a sentence, at least at the application's text size."""
        text = escape_lines(text)
        parent = self.parentWidget()
        least = parent.font().pointSizeF() if parent is not None else self._points
        font, room = self.font(), self.contentsRect().adjusted(2 * _INDENT_PX, 0, 0, 0)
        points = self._points
        while True:
            font.setPointSizeF(points)
            needed = QFontMetrics(font).boundingRect(room, int(Qt.TextFlag.TextWordWrap), text)
            if needed.height() <= room.height() or points <= least:
                break
            points -= 0.5
        self.setFont(font)
        self.setText(text)
