"""Veil over parts of the page that show the last text that ran, and not the one that is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtGui import QPaintEvent

    from gui.theming.theme import Theme

_OPACITY: Final = 0.55
_MARGIN_PX: Final = 10


class Veil(QWidget):
    """Covers a widget with the colour of the window, and says why; the pointer reaches what is below it."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._theme, self._words, self._over = theme, "", over
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        over.installEventFilter(self)
        self.hide()

    def dim(self, words: str = "") -> None:
        """Cover the widget, with words at its upper edge."""
        self._words = words
        self.setAccessibleName(words or "Of the last text that ran")
        self.setGeometry(self._over.rect())
        self.show()
        self.raise_()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the widget."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._over.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the veil and the words."""
        painter = QPainter(self)
        try:
            veil = QColor(self._theme.window)
            veil.setAlphaF(_OPACITY)
            painter.fillRect(self.rect(), veil)
            if self._words:
                self._paint_words(painter)
        finally:  # Qt ends the program if a painter of a widget is left open
            painter.end()

    def _paint_words(self, painter: QPainter) -> None:
        font = self.font()
        font.setBold(True)
        painter.setFont(font)
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignCenter
        room = self.rect().adjusted(4 * _MARGIN_PX, _MARGIN_PX, -4 * _MARGIN_PX, 0)
        words = QFontMetrics(font).boundingRect(room, int(flags), self._words)
        box = QRect(0, 0, words.width() + 2 * _MARGIN_PX, words.height() + _MARGIN_PX)
        box.moveCenter(self.rect().center())
        box.moveTop(_MARGIN_PX)
        painter.setPen(QColor(self._theme.hazard))
        painter.setBrush(QColor(self._theme.panel))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QColor(self._theme.text))
        painter.drawText(box, int(flags), self._words)
