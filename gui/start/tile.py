"""A tile of the start page: a question, and what its words mean, under a picture that moves while it is pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMovie, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from gui.theming.theme import LIGHT

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QPaintEvent

    from gui.theming.theme import Theme
    from kernels.start_tiles import Tile

_LEAST: Final = QSize(180, 132)
_ROUND: Final = 8.0
_GAP: Final = 10.0
_SIZES: Final = (1.15, 1.05, 0.95, 0.85, 0.75)
"""Sizes of the questions, of which the largest is used that fits into all tiles."""

_SAYS: Final = 0.82
"""Size of the sentence below the question."""


class QuestionTile(QAbstractButton):
    """Button with a picture and a question. It is painted here: Qt's buttons show no moving picture."""

    def __init__(self, tile: Tile) -> None:
        super().__init__()
        self.tile = tile
        self._theme = LIGHT
        self._movie = QMovie(self)
        self._movie.setCacheMode(QMovie.CacheMode.CacheAll)
        self._movie.frameChanged.connect(self.update)
        self.moves = True
        """False if the system asks for less motion."""
        self._lines, self._scale = 1, _SIZES[0]
        self.setAccessibleName(tile.question)
        self.setAccessibleDescription(tile.says)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_theme(self, theme: Theme) -> None:
        """Show the picture in a theme's colours."""
        self._theme = theme
        self._movie.stop()
        self._movie.setFileName(str(self.tile.picture("dark" if theme.dark else "light")))
        self._rest()
        self.update()

    def lines_in(self, width: int) -> int:
        """Return the lines of the sentence in a tile of a width, pixels."""
        metrics, room = QFontMetrics(self._small), QRect(0, 0, max(1, int(width - 2 * _GAP - 3)), 1)
        return (
            metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), self.tile.says).height() // metrics.lineSpacing()
        )

    def scale_in(self, width: int) -> float:
        """Return the largest size at which the question fits into a tile of a width, pixels; the least if none does."""
        room = int(width - 2 * _GAP - 3) - self._beside
        return next((s for s in _SIZES if _width(self._bold(s), self.tile.question) <= room), _SIZES[-1])

    def set_words(self, lines: int, scale: float) -> None:
        """Set lines of the sentence and size of the question: all tiles have theirs at one height, in one size."""
        self._lines, self._scale = lines, scale
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size at which the question is legible."""
        return _LEAST.expandedTo(QSize(0, self.fontMetrics().height() * 8))

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        """Play the picture while the pointer is on the tile."""
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self._play(event.type() == QEvent.Type.HoverEnter or self.hasFocus())
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Play it while the tile has the focus."""
        super().focusInEvent(event)
        self._play(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Stop."""
        super().focusOutEvent(event)
        self._play(self.underMouse())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the frame, the picture and the question."""
        painter, theme = QPainter(self), self._theme
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        lit = self.hasFocus() or self.underMouse()
        frame = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        path = QPainterPath()
        path.addRoundedRect(frame, _ROUND, _ROUND)
        painter.fillPath(path, QColor(theme.panel))
        painter.setPen(QPen(QColor(theme.accent if lit else theme.border), 2.5 if lit else 1.0))
        painter.drawPath(path)
        line = QFontMetrics(self._bold(1.0)).height()
        below = QFontMetrics(self._small).lineSpacing() * self._lines
        says = QRectF(frame.left() + _GAP, frame.bottom() - _GAP / 2 - below, frame.width() - 2 * _GAP, below)
        words = QRectF(says.left(), says.top() - line, says.width(), line)
        self._paint_words(painter, words)
        self._paint_sentence(painter, says)
        room = QRectF(frame.left() + _GAP, frame.top() + _GAP, words.width(), words.top() - frame.top() - 1.5 * _GAP)
        self._paint_picture(painter, room)
        painter.end()

    def _paint_words(self, painter: QPainter, place: QRectF) -> None:
        """Paint the question, and the minutes at its right where they have room."""
        whole, font = int(place.width()), self._bold(self._scale)
        minutes = self._minutes if _width(font, self.tile.question) <= whole - self._beside else ""
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | middle), minutes)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.text))
        text = painter.fontMetrics().elidedText(self.tile.question, Qt.TextElideMode.ElideRight, whole)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | middle), text)

    @property
    def _minutes(self) -> str:
        return f"{self.tile.minutes} min" * bool(self.tile.minutes)

    @property
    def _beside(self) -> int:
        """Width of the minutes and the gap before them."""
        return _width(self._small, f"{self._minutes}  ")

    def _paint_sentence(self, painter: QPainter, place: QRectF) -> None:
        """Paint what the question is about."""
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.muted))
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
        painter.drawText(place, flags, self.tile.says)

    @property
    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * _SAYS)
        return font

    def _bold(self, scale: float) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * scale)
        return font

    def _paint_picture(self, painter: QPainter, room: QRectF) -> None:
        picture = self._movie.currentPixmap()
        if picture.isNull():
            return
        size = picture.size().scaled(room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(room.center())
        painter.drawPixmap(place, picture, QRectF(picture.rect()))

    def _play(self, on: bool) -> None:
        if on and self.moves and self._movie.isValid():
            self._movie.start()
        elif self._movie.state() != QMovie.MovieState.NotRunning:
            self._movie.stop()
            self._rest()
        self.update()

    def _rest(self) -> None:
        """Show the first picture, which is the answer's."""
        self._movie.jumpToFrame(0)


def _width(font: QFont, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text)
