"""Marks at the lower edge of a plot for points without a figure, and asterisks beside points that were disturbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication
from shiboken6 import wrapInstance

from gui.widgets.axes import BoxItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    Floats = NDArray[np.float64]

FAILED: Final = 1
"""Marked with a cross."""
SKIPPED: Final = 2
"""Marked with a bar: refused or skipped, nothing ran."""

_ROW_PX: Final = 13
_MOST_ROWS: Final = 5
_ARM_PX: Final = 4.0
_PEN_PX: Final = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Absent:
    """Points without a figure, in the coordinates of the x axis; all arrays have an entry for each point."""

    curve: NDArray[np.intp]
    row: NDArray[np.intp]
    """Position of the point in its curve."""
    x: NDArray[np.float64]
    kind: NDArray[np.int8]
    """`FAILED` or `SKIPPED`."""


NONE: Final = Absent(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0), np.empty(0, np.int8))


class AbsentItem(BoxItem):
    """Paints the marks of absent points; those at one x lie in rows above each other, at most `_MOST_ROWS`."""

    def __init__(self, box: Any) -> None:
        super().__init__(box)
        self._colours: tuple[str, ...] = ()
        self.points = NONE
        self._levels = np.empty(0, np.intp)

    @property
    def height_px(self) -> int:
        """Height of the rows; 0 without points."""
        if not len(self.points.x):
            return 0
        return _ROW_PX * min(int(self._levels.max()) + 1, _MOST_ROWS) + 4

    def show_points(self, points: Absent, colours: Sequence[str]) -> None:
        """Set the points, with a colour for each curve."""
        self.points = points
        self.set_colours(colours)
        order = np.argsort(points.x, kind="stable")
        x = points.x[order]
        firsts = np.concatenate(([True], x[1:] != x[:-1])) if len(x) else np.empty(0, np.bool_)
        starts = np.maximum.accumulate(np.where(firsts, np.arange(len(x)), 0)) if len(x) else np.empty(0, np.intp)
        self._levels = np.empty(len(x), np.intp)
        self._levels[order] = np.arange(len(x)) - starts

    def set_colours(self, colours: Sequence[str]) -> None:
        """Set the colour of each curve."""
        self._colours = tuple(colours)
        self.update()

    def nearest(self, at: QPointF, radius_px: float) -> tuple[float, int, int] | None:
        """Return distance, curve and row of the mark nearest to a position in the box; None if none is near."""
        x, y = self.places()
        if not len(x):
            return None
        distance = np.hypot(x - at.x(), y - at.y())
        distance[~self.seen(x)] = np.inf
        place = int(distance.argmin())
        if distance[place] > radius_px:
            return None
        return float(distance[place]), int(self.points.curve[place]), int(self.points.row[place])

    def place_of(self, curve: int, row: int) -> QPointF | None:
        """Return the position of a point's mark in the box; None if it has none."""
        found = np.flatnonzero((self.points.curve == curve) & (self.points.row == row))
        x, y = self.places()
        return QPointF(float(x[found[0]]), float(y[found[0]])) if len(found) else None

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint a band with its name, and the marks."""
        if not len(self.points.x):
            return
        box = self.boundingRect()
        band = QRectF(0, box.height() - self.height_px, box.width(), self.height_px)
        painter.save()
        shade = QColor(self._theme.inactive)
        shade.setAlphaF(0.45)
        painter.fillRect(band, shade)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(QApplication.font())
        x, y = self.places()
        seen = self.seen(x)
        # Marks that lie on one pixel are painted once.
        keys = np.rint(x[seen]).astype(np.int64) * 64 + self._levels[seen]
        chosen = np.flatnonzero(seen)[np.unique(keys, return_index=True)[1]]
        for place in chosen.tolist():
            colour = self._colours[int(self.points.curve[place])]
            painter.setPen(QPen(QColor(colour), _PEN_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLines(_mark(float(x[place]), float(y[place]), int(self.points.kind[place])))
        painter.restore()

    def places(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the positions of the marks in the box."""
        place = self._box.childTransform()
        x = self.points.x * place.m11() + place.dx()
        return x, self._box.height() - 2 - _ROW_PX * (self._levels + 0.5)

    def seen(self, x: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which marks are painted, by their x in the box."""
        width = float(self._box.width())
        return (self._levels < _MOST_ROWS) & (x >= 0) & (x <= width)


def _mark(x: float, y: float, kind: int) -> list[QLineF]:
    """Return a cross for what failed, a bar for what never ran."""
    arm = _ARM_PX
    if kind == SKIPPED:
        return [QLineF(x - arm, y, x + arm, y)]
    return [QLineF(x - arm, y - arm, x + arm, y + arm), QLineF(x - arm, y + arm, x + arm, y - arm)]


_STROKE_PX: Final = 4.5
_OFFSET_PX: Final = (10.0, -9.0)
"""Centre of an asterisk, from that of the point's mark."""

_ANGLES: Final = (90.0, 30.0, 150.0)
"""Directions of its three strokes, degrees."""

_STROKE_PEN_PX: Final = 1.8


def paint_asterisks(painter: QPainter, x: Floats, y: Floats, colour: str) -> None:
    """Paint an asterisk for each point, which have their places in pixels; points on one pixel share it."""
    if not len(x):
        return
    places = np.unique(np.stack((np.rint(x), np.rint(y)), axis=1), axis=0) + _OFFSET_PX
    angles = np.deg2rad(_ANGLES)
    arms = _STROKE_PX * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    lines = np.concatenate([np.concatenate((places - arm, places + arm), axis=1) for arm in arms])
    table = np.ascontiguousarray(lines, np.float64)  # QLineF is four doubles
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), _STROKE_PEN_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    first: Any = wrapInstance(table.ctypes.data, QLineF)
    painter.drawLines(first, len(table))
