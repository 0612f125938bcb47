"""Graphics item for the limits of a machine in a plot: lines with labels, below the curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import atan2, degrees, hypot
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication

from gui.widgets.axes import BoxItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    Floats = NDArray[np.float64]

_GAP_PX: Final = 3.0
_PEN_PX: Final = 1.6
_EDGE_PX: Final = 8.0
_CLEAR_PX: Final = 7.0
"""Distance of a label from the middle of a line or mark."""
_CELL_PX: Final = 4.0
"""Side of the cells in which one position of a curve stands for all."""

_PLACES: Final = 9
"""Places that are tried along a line."""
_ROWS_AT_THE_TOP: Final = 3
_LEVEL: Final = QTransform()


@dataclass(frozen=True, slots=True, eq=False)
class RoofLine:
    """A limit: a line through its points, or a horizontal one."""

    label: str
    x: NDArray[np.float64]
    """By rising x; empty for a limit that does not depend on x."""
    y: NDArray[np.float64]
    shorter: tuple[str, ...] = ()
    """Labels where the whole one has no room, by falling length."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label and the shorter ones."""
        return (self.label, *self.shorter)

    @property
    def top(self) -> float:
        """The largest y."""
        return float(self.y.max())

    def scaled(self, *, log_x: bool, log_y: bool) -> RoofLine:
        """Return the line in the coordinates of the axes."""
        x, y = np.log10(self.x) if log_x else self.x, np.log10(self.y) if log_y else self.y
        return RoofLine(self.label, x, y, self.shorter)


class RoofsItem(BoxItem):
    """Paints roofs inside a ViewBox; one above the picture has its label at the upper edge, with an arrow."""

    def __init__(self, box: Any) -> None:
        super().__init__(box)
        self.roofs: tuple[RoofLine, ...] = ()
        """In the coordinates of the axes."""
        self.written: tuple[tuple[str, QRectF], ...] = ()
        """The labels that were painted last, with their places in the box."""
        self.obstacles: Callable[[], tuple[Floats, Floats]] = lambda: (np.empty(0), np.empty(0))
        """Returns positions in the box that the labels keep clear of."""
        self.setZValue(-1)

    def show_roofs(self, roofs: Sequence[RoofLine]) -> None:
        """Set the roofs."""
        self.roofs = tuple(roofs)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint lines, then labels."""
        if not self.roofs:
            return
        painter.save()
        painter.setClipRect(self.boundingRect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(QApplication.font())
        pen = QPen(QColor(self._theme.muted), _PEN_PX, Qt.PenStyle.DashDotLine)
        paths = [self._path(roof) for roof in self.roofs]
        painter.setPen(pen)
        for path in paths:
            painter.drawPolyline(QPolygonF(path))
        painter.setPen(QColor(self._theme.text))
        taken = _Taken(self.boundingRect(), *self.obstacles())
        self.written = ()
        for roof, path in zip(self.roofs, paths, strict=True):
            self._write(painter, roof, path, taken)
        painter.restore()

    def _path(self, roof: RoofLine) -> list[QPointF]:
        place, width = self._box.childTransform(), float(self._box.width())
        y = roof.y * place.m22() + place.dy()
        x = roof.x * place.m11() + place.dx() if len(roof.x) else np.array([0.0, width])
        ys = y if len(roof.x) else np.repeat(y[:1], 2)
        return [QPointF(float(a), float(b)) for a, b in zip(x, ys, strict=True)]

    def _write(self, painter: QPainter, roof: RoofLine, path: list[QPointF], taken: _Taken) -> None:
        """Write a label along its line, where the line is in the picture and no curve and no other label is."""
        start, end = path[0], path[-1]
        if max(start.y(), end.y()) <= 0:  # above the picture
            labels = tuple(f"↑ {words}" for words in roof.labels)
            self._write_level(painter, labels, self._places_at_the_top, taken)
        elif abs(start.y() - end.y()) < 1:
            self._write_level(painter, roof.labels, partial(self._places_along, start), taken)
        elif not self._write_sloping(painter, roof.labels, start, end, taken):
            middle = (start + end) / 2
            self._write_level(painter, roof.labels[-1:], partial(self._places_around, middle), taken)

    def _places_at_the_top(self, size: QSizeF) -> Iterator[QRectF]:
        """Yield places at the upper edge, from right to left, and then below them."""
        box = self.boundingRect()
        for row in range(_ROWS_AT_THE_TOP):
            for left in np.linspace(box.right() - size.width() - _EDGE_PX, box.left() + _EDGE_PX, _PLACES):
                yield QRectF(QPointF(float(left), 2 + row * size.height()), size)

    def _places_along(self, start: QPointF, size: QSizeF) -> Iterator[QRectF]:
        """Yield places above and below a level line, from right to left."""
        box = self.boundingRect()
        above, below = start.y() - size.height() - _GAP_PX, start.y() + _GAP_PX
        last = box.right() - size.width() - _EDGE_PX
        for top, first in ((above, start.x() - size.width() / 2), (below, start.x() + _EDGE_PX)):
            first = max(first, box.left() + _EDGE_PX)
            if top >= 0 and first <= last:
                for left in np.linspace(last, first, _PLACES):
                    yield QRectF(QPointF(float(left), top), size)
        yield QRectF(QPointF(last, max(above, 0.0)), size)

    def _places_around(self, middle: QPointF, size: QSizeF) -> Iterator[QRectF]:
        """Yield places at both sides of a point of a rising line."""
        box = self.boundingRect()
        x, y = middle.x(), min(max(middle.y(), size.height()), box.height() - size.height())
        for left, top in ((x + _EDGE_PX, y), (x - size.width() - _EDGE_PX, y - size.height())):
            yield QRectF(QPointF(min(max(left, 0.0), box.right() - size.width()), top), size)

    def _write_level(
        self,
        painter: QPainter,
        labels: Sequence[str],
        places: Callable[[QSizeF], Iterator[QRectF]],
        taken: _Taken,
    ) -> None:
        """Write the longest label that has a free place; without one the shortest, where it covers the least."""
        metrics, room = QFontMetricsF(painter.font()), self.boundingRect().width() - 2 * _EDGE_PX
        least: tuple[int, str, QRectF] | None = None
        for words in labels:
            size = QSizeF(metrics.horizontalAdvance(words), metrics.height())
            if size.width() > room and words != labels[-1]:
                continue
            covered, place = min(((taken.count(place), place) for place in places(size)), key=itemgetter(0))
            least = covered, words, place
            if not covered:
                break
        if least is not None:
            _, words, place = least
            taken.add(place)
            self.written += ((words, place),)
            painter.fillRect(place.adjusted(-2, 0, 2, 0), QColor(self._theme.panel))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, words)

    def _write_sloping(
        self, painter: QPainter, labels: Sequence[str], start: QPointF, end: QPointF, taken: _Taken
    ) -> bool:
        """Write the longest label that fits along a line and covers nothing; return whether one fits."""
        box, metrics = self.boundingRect(), QFontMetricsF(painter.font())
        slope = (end.y() - start.y()) / (end.x() - start.x())
        left, right = sorted((start.x() - start.y() / slope, start.x() + (box.height() - start.y()) / slope))
        left, right = max(left, start.x(), 0.0), min(right, end.x(), box.right())
        if right <= left:
            return True  # it is not in the picture
        shrink = hypot(1.0, slope)
        least: tuple[int, str, QTransform, QRectF] | None = None
        for words in labels:
            width = metrics.horizontalAdvance(words) + 2 * _GAP_PX
            if width > (right - left) * shrink:
                continue
            text = QRectF(-width / 2, -_GAP_PX - metrics.height(), width, metrics.height())
            half = width / shrink / 2
            for x in sorted(np.linspace(left + half, right - half, _PLACES), key=lambda x: abs(x - (left + right) / 2)):
                place = QTransform.fromTranslate(float(x), start.y() + slope * (float(x) - start.x()))
                place.rotate(degrees(atan2(slope, 1.0)))
                covered = taken.count(text, place)
                if least is None or covered < least[0] or (least[0] and words != least[1] and covered == least[0]):
                    least = covered, words, place, text
            if least is not None and not least[0]:
                break
        if least is None:
            return False
        _, words, place, text = least
        taken.add(text, place)
        self.written += ((words, place.mapRect(text)),)
        painter.save()
        painter.setTransform(place, combine=True)
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, words)
        painter.restore()
        return True


class _Taken:
    """Positions in the box that labels keep clear of: those of curves, and of the labels that are written already."""

    def __init__(self, box: QRectF, x: Floats, y: Floats) -> None:
        # Of several positions in a cell one is enough: 500 curves have 20,000.
        column, row = (x - box.left()) // _CELL_PX, (y - box.top()) // _CELL_PX
        columns, rows = (int(length // _CELL_PX) + 1 for length in (box.width(), box.height()))
        inside = np.flatnonzero((column >= 0) & (column < columns) & (row >= 0) & (row < rows))
        found = np.full(columns * rows, -1)
        found[(row[inside] * columns + column[inside]).astype(np.intp)] = inside
        chosen = found[found >= 0]
        self._x, self._y = x[chosen], y[chosen]

    def count(self, place: QRectF, transform: QTransform = _LEVEL) -> int:
        """Return the number of positions in a rectangle, or in the one that a transform makes of it."""
        back, _ = transform.inverted()
        x = self._x * back.m11() + self._y * back.m21() + back.dx()
        y = self._x * back.m12() + self._y * back.m22() + back.dy()
        inside = (x >= place.left() - _CLEAR_PX) & (x <= place.right() + _CLEAR_PX)
        inside &= (y >= place.top() - _CLEAR_PX) & (y <= place.bottom() + _CLEAR_PX)
        return int(np.count_nonzero(inside))

    def add(self, place: QRectF, transform: QTransform = _LEVEL) -> None:
        """Take the place of a label."""
        across = np.arange(place.left(), place.right() + _CLEAR_PX, _CLEAR_PX)
        down = np.linspace(place.top(), place.bottom(), 5)
        x, y = (values.ravel() for values in np.meshgrid(across, down))
        self._x = np.concatenate([self._x, x * transform.m11() + y * transform.m21() + transform.dx()])
        self._y = np.concatenate([self._y, x * transform.m12() + y * transform.m22() + transform.dy()])
