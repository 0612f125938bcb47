"""Scrubber: a slider with marks for blocks, phases, barriers and hazards."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from gui.explore.timeline.marks import Loop, Marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from gui.theming.theme import Theme


_TICK_PX = 4.0
"""Height of ticks above the bands."""

_TICK_GAP_PX = 4.0
"""Distance below which ticks are painted as one bar."""

_BAR_ALPHA = 0.45
"""Opacity of such a bar: it says that there are marks, and draws no more attention than a few of them."""

_TRIANGLE_PX = 12.0
"""Width of a triangle."""

_TRIANGLE_GAP_PX = 6.0
"""Space between triangles below which they are painted as one shape."""

_BRACKET_PX = 7.0
"""Length of the feet of the brackets around a loop."""

_NAME_GAP_PX = 10.0
"""Least space between names of blocks."""

_BAND_PX = 3.0
"""Width below which neighbouring bands are painted as one."""


class Scrubber(QAbstractSlider):
    """A slider with painted marks. The value is a position in the playlist."""

    _MARGIN = 12.0

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marks = Marks()
        self._loop = Loop()
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Timeline")
        self.setToolTip(
            "Bands: blocks. Ticks up: a phase begins. Ticks down: barrier. Triangles: hazards. "
            "Marks too close to be told apart are drawn as one bar. Brackets: the loop; what is outside it is hatched."
        )

    def sizeHint(self) -> QSize:
        """Return the preferred size: high enough for the names of blocks above the bands."""
        return QSize(400, int(self._top) + 28)

    @property
    def _top(self) -> float:
        return max(18.0, self.fontMetrics().ascent() + self.fontMetrics().descent() + _TICK_PX + 3.0)

    def set_marks(self, marks: Marks) -> None:
        """Show other marks."""
        self._marks = marks
        self.update()

    def set_loop(self, loop: Loop) -> None:
        """Show a range that is played again and again."""
        self._loop = loop
        first, last = loop.limits(self.maximum())
        self.setAccessibleDescription(f"Loop from step {first + 1:,} to step {last + 1:,}" if loop else "")
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def x_of(self, position: int) -> float:
        """Pixel of a playlist position: the middle of its part of the width."""
        return self._left_of(position + 0.5)

    def _left_of(self, position: float) -> float:
        """Pixel at which the part of a position begins. Each position, also the last, has an equal part."""
        return self._MARGIN + (self.width() - 2 * self._MARGIN) * position / (self.maximum() + 1)

    def position_at(self, x: float) -> int:
        """Playlist position at a pixel."""
        share = (x - self._MARGIN) / max(1.0, self.width() - 2 * self._MARGIN)
        return min(self.maximum(), int(min(1.0, max(0.0, share)) * (self.maximum() + 1)))

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
        top, height = self._top, 13.0
        self._paint_bands(painter, top, height)
        self._paint_ticks(painter, top, height)
        if self._loop:
            self._paint_loop(painter, top, height)
        if self.isEnabled():  # without frames there is no position
            self._paint_handle(painter, top, height)
        painter.end()

    def bands(self) -> list[tuple[float, float, int]]:
        """Return left and right pixel of each band, and its number; -1 for one band in place of several narrow ones."""
        if not self._marks.turns:
            return []
        starts = np.append(np.asarray(self._marks.turns, np.int64), self.maximum() + 1)
        edges = self._left_of(0.0) + (self._left_of(1.0) - self._left_of(0.0)) * starts
        narrow = np.diff(edges) < _BAND_PX
        # Narrow bands join those before them, so that each run of them is painted once.
        joins = np.append(False, narrow[1:] & narrow[:-1])
        firsts = np.flatnonzero(~joins[: len(narrow)])
        lasts = np.append(firsts[1:], len(narrow)) - 1
        return [
            (float(edges[first]), float(edges[last + 1]), int(first) if first == last else -1)
            for first, last in zip(firsts, lasts, strict=True)
        ]

    def labels(self) -> list[tuple[float, str]]:
        """Return left pixel and text of names of blocks, centred at their bands, as far as there is room."""
        found: list[tuple[float, str]] = []
        end = 0.0
        metrics = self.fontMetrics()
        starts = (*self._marks.turns, self.maximum() + 1)
        for number, (first, after) in enumerate(pairwise(starts)):
            middle = self._left_of((first + after) / 2)
            if middle < end:
                continue
            name = self._marks.block_names[self._marks.turn_blocks[number]]
            name = f"block {name}" if name.isdigit() else name
            width = metrics.horizontalAdvance(name)
            x = min(max(0.0, middle - width / 2), self.width() - width)
            if x >= end:
                found.append((x, name))
                end = x + width + _NAME_GAP_PX
        return found

    def _paint_bands(self, painter: QPainter, top: float, height: float) -> None:
        for left, right, number in self.bands():
            band = QColor(self._theme.accent)
            band.setAlphaF(0.22 if number < 0 else 0.30 if number % 2 == 0 else 0.14)
            painter.fillRect(QRectF(left, top, right - left, height), band)
        painter.setPen(QColor(self._theme.muted))
        for x, name in self.labels():
            painter.drawText(QPointF(x, top - _TICK_PX - 2.0 - painter.fontMetrics().descent()), name)
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(self._MARGIN, top, self.width() - 2 * self._MARGIN, height))

    def _paint_ticks(self, painter: QPainter, top: float, height: float) -> None:
        self._paint_lines(
            painter, self._marks.phases, 0.0, QColor(self._theme.text), (top - _TICK_PX, top + height, top)
        )
        bottom = top + height
        barrier = (bottom - height * 0.5, bottom + 5, bottom)
        self._paint_lines(painter, self._marks.barriers, 0.5, QColor(self._theme.warning), barrier)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.hazard))
        for first, last in self.clusters(self._marks.hazards, 0.5, _TRIANGLE_PX + _TRIANGLE_GAP_PX):
            y, side = bottom + 5, _TRIANGLE_PX / 2
            corners = (first, y), (last, y), (last + side, y + 11), (first - side, y + 11)
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    def _paint_lines(
        self, painter: QPainter, positions: Sequence[int], part: float, color: QColor, y: tuple[float, float, float]
    ) -> None:
        """Paint a line from `y[0]` to `y[1]` for each mark; close ones as a bar at the end beyond `y[2]`."""
        upper, lower, edge = y
        painter.setPen(QPen(color, 1.5))
        for first, last in self.clusters(positions, part, _TICK_GAP_PX):
            if first == last:
                painter.drawLine(QPointF(first, upper), QPointF(first, lower))
            else:
                outside = (upper, edge) if edge - upper < lower - edge else (edge, lower)
                bar = QColor(color)
                bar.setAlphaF(_BAR_ALPHA)
                painter.fillRect(QRectF(first, outside[0], last - first, outside[1] - outside[0]), bar)

    def clusters(self, positions: Sequence[int], part: float, gap: float) -> list[tuple[float, float]]:
        """Return the first and last pixel of each group of marks that are closer to each other than a gap.

        `part` is the place of a mark in the part of its position: 0 at its beginning, 0.5 in the middle.
        """
        share = self._left_of(1.0) - self._left_of(0.0)
        x = self._left_of(0.0) + (np.asarray(positions, float) + part) * share
        if not len(x):
            return []
        begins = np.flatnonzero(np.append(True, np.diff(x) >= gap))
        return list(zip(x[begins].tolist(), x[np.append(begins[1:], len(x)) - 1].tolist(), strict=True))

    def _paint_loop(self, painter: QPainter, top: float, height: float) -> None:
        """Paint brackets around the loop, and hatch what is outside it."""
        first, last = self._loop.limits(self.maximum())
        left, right = self._left_of(first), self._left_of(last + 1)
        hatch = QBrush(QColor(self._theme.muted), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(QRectF(self._MARGIN, top, left - self._MARGIN, height), hatch)
        painter.fillRect(QRectF(right, top, self.width() - self._MARGIN - right, height), hatch)
        painter.setPen(QPen(QColor(self._theme.text), 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        upper, lower = top - _TICK_PX, top + height + _TICK_PX
        for x, foot in ((left, left + _BRACKET_PX), (right, right - _BRACKET_PX)):
            painter.drawPolyline(
                QPolygonF([QPointF(foot, upper), QPointF(x, upper), QPointF(x, lower), QPointF(foot, lower)])
            )

    def _paint_handle(self, painter: QPainter, top: float, height: float) -> None:
        x = self.x_of(self.value())
        painter.setPen(QPen(QColor(self._theme.panel), 2))
        painter.setBrush(QColor(self._theme.accent))
        painter.drawRoundedRect(QRectF(x - 6, top - 5, 12, height + 10), 4, 4)
