"""Scrubber: a slider with marks for blocks, phases, barriers and hazards."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from gui.theming.theme import Theme


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks on the timeline, as positions in the playlist."""

    turns: tuple[int, ...] = ()
    """First frame of each turn: of a block, and again where it continues after another one."""
    turn_blocks: tuple[int, ...] = ()
    """Position of each turn's block in `block_names`."""
    block_names: tuple[str, ...] = ()
    """Index of each block, such as `(1,0)`."""
    phases: tuple[int, ...] = ()
    """First frame of each phase."""
    barriers: tuple[int, ...] = ()
    """Frames in which threads wait at a barrier."""
    hazards: tuple[int, ...] = ()
    """Frames in which hazards were found."""


_TICK_PX = 4.0
"""Height of ticks above the bands."""


class Scrubber(QAbstractSlider):
    """A slider with painted marks. The value is a position in the playlist."""

    _MARGIN = 12.0

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marks = Marks()
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Timeline")
        self.setToolTip("Bands: blocks. Ticks up: a phase begins. Ticks down: barrier. Triangles: hazards.")

    def sizeHint(self) -> QSize:
        """Return the preferred size: high enough for the names of blocks above the bands."""
        return QSize(400, int(self._top) + 36)

    @property
    def _top(self) -> float:
        return max(18.0, self.fontMetrics().ascent() + self.fontMetrics().descent() + _TICK_PX + 1.0)

    def set_marks(self, marks: Marks) -> None:
        """Show other marks."""
        self._marks = marks
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def x_of(self, position: int) -> float:
        """Pixel of a playlist position."""
        return self._MARGIN + (self.width() - 2 * self._MARGIN) * position / max(1, self.maximum())

    def position_at(self, x: float) -> int:
        """Playlist position at a pixel."""
        share = (x - self._MARGIN) / max(1.0, self.width() - 2 * self._MARGIN)
        return round(min(1.0, max(0.0, share)) * self.maximum())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Jump to the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self.setValue(self.position_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End dragging."""
        self.setSliderDown(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint bands, ticks, triangles and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top, height = self._top, 16.0
        self._paint_bands(painter, top, height)
        self._paint_ticks(painter, top, height)
        if self.isEnabled():  # without frames there is no position
            self._paint_handle(painter, top, height)
        painter.end()

    def _paint_bands(self, painter: QPainter, top: float, height: float) -> None:
        starts = [*self._marks.turns, self.maximum() + 1]
        labelled = 0.0
        for number, (first, last) in enumerate(itertools.pairwise(starts)):
            left, right = self.x_of(first), self.x_of(min(last, self.maximum()))
            band = QColor(self._theme.accent)
            block = self._marks.turn_blocks[number]
            band.setAlphaF(0.30 if block % 2 == 0 else 0.14)
            painter.fillRect(QRectF(left, top, max(1.0, right - left), height), band)
            name = self._marks.block_names[block]
            width = painter.fontMetrics().horizontalAdvance(name)
            if labelled < left + 3 < self.width() - width:
                painter.setPen(QColor(self._theme.muted))
                painter.drawText(QPointF(left + 3, top - _TICK_PX - painter.fontMetrics().descent()), name)
                labelled = left + width + 13
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(self._MARGIN, top, self.width() - 2 * self._MARGIN, height))

    def _paint_ticks(self, painter: QPainter, top: float, height: float) -> None:
        painter.setPen(QPen(QColor(self._theme.text), 1.5))
        for x in self._pixels(self._marks.phases):
            painter.drawLine(QPointF(x, top - _TICK_PX), QPointF(x, top + height))
        painter.setPen(QPen(QColor(self._theme.warning), 1.5))
        crowded = len(self._marks.barriers) > self.width() / 8
        for position in () if crowded else self._marks.barriers:
            at = QPointF(self.x_of(position), top + height)
            painter.drawLine(at - QPointF(0, height * 0.5), at + QPointF(0, 5))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.hazard))
        for x in self._pixels(self._marks.hazards):
            at = QPointF(x, top + height + 3)
            painter.drawPolygon(QPolygonF([at, at + QPointF(6, 11), at + QPointF(-6, 11)]))

    def _pixels(self, positions: Sequence[int]) -> list[float]:
        """Return the pixels of positions, each once: a long run has more positions than pixels."""
        share = (self.width() - 2 * self._MARGIN) / max(1, self.maximum())
        found: list[float] = np.unique(np.rint(self._MARGIN + np.asarray(positions, float) * share)).tolist()
        return found

    def _paint_handle(self, painter: QPainter, top: float, height: float) -> None:
        x = self.x_of(self.value())
        painter.setPen(QPen(QColor(self._theme.panel), 2))
        painter.setBrush(QColor(self._theme.accent))
        painter.drawRoundedRect(QRectF(x - 6, top - 5, 12, height + 10), 4, 4)
