"""Graphics item for all curves of a plot: points are mapped, thinned and painted together in a few calls.

One graphics item for each curve, its marks and its error bars costs Python some tenths of a millisecond per item and
paint, and Qt joins the segments of wide antialiased polylines slowly. Here the points of all curves lie in shared
arrays. A repaint maps them to pixels at once and draws, for each distinct stroke, its error bars, segments and
marks: at most three calls for each pair of colour and mark.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen, QPixmap, QPolygonF
from shiboken6 import wrapInstance

from gui.widgets.axes import BoxItem
from gui.widgets.plot_absent import paint_asterisks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    Floats = NDArray[np.float64]

SYMBOLS: Final = ("o", "s", "t1", "d", "star", "t", "p", "h", "t3", "+", "x", "t2", "crosshair")
"""pyqtgraph's names of marks. 13 marks and 8 colours have no common factor: 104 pairs until one repeats."""

DASHES: Final = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)
"""Styles of lines; marks on all but the first are hollow."""

LINE_PX: Final = 2
"""Width of a line while no curve is highlighted; the highlighted one is wider."""

_MARK_PEN_PX: Final = 1.5
_MOST_MARKS: Final = 1_000
"""Marks that all plots keep. A theme has 104 of a width; to draw those takes 10 ms."""

_RING_PX: Final = 11
_LARGEST: Final = 1e100
"""Largest magnitude of a coordinate: products of larger numbers in pyqtgraph overflow."""

_TRACK: Final = 22
"""Positions on each segment of a curve that a label keeps clear of; fewer on very many segments."""

_LONGEST_TRACK: Final = 10_000

_MARGIN_PX: Final = 16
"""Marks of points that lie this far outside still reach into the plot."""

_SMOOTH_BARS: Final = 2_000
"""Maximum number of error bars that are antialiased; more are one pixel wide and sharp, in a quarter of the time."""

_SMOOTH_LINES_PX: Final = 100_000
"""Greatest total width of the curves in the box with antialiased lines of two pixels: one pixel without takes a fifth
of the time, and that many curves cover each other anyway. 1,000 pixels wide, these are 100 curves."""

_SMOOTH_DASHES_PX: Final = 40_000
"""The same of curves with dashes, each of which takes 0.1 ms; hollow marks tell them from the others."""

_SMOOTH_DASHED: Final = 4_000
"""Most segments with dashes, each of which takes 2 to 3 µs however short it is."""

_FARTHEST_PX: Final = 1e6
"""Qt's painters compute with fixed-point numbers: coordinates far outside must not reach them."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One curve: points by growing x."""

    name: str
    place: int
    """Picks colour and mark."""
    x: Floats
    y: Floats
    low: Floats | None = None
    """Lower ends of the error bars; None for no bars."""
    high: Floats | None = None
    """Upper ends of the error bars."""
    published: bool = False
    """True for numbers of a publication: drawn dashed, with hollow marks."""
    dash: int = 0
    """Picks the style of the line, of `DASHES`."""
    absent: NDArray[np.int8] | None = None
    """For each point 0, or the kind of mark (`plot_absent`) at the lower edge of one without a figure."""
    tip: str = ""
    """Tooltip in the legend; the title if empty."""
    group: str = ""
    """Lines of one group are shown, hidden and highlighted together under this name; by default the line's own."""
    ticked: bool = True
    """Whether it is shown until the user decides."""
    disturbed: NDArray[np.bool_] | None = None
    """Points that have an asterisk beside their mark; None for none."""

    @property
    def title(self) -> str:
        """Name in the legend."""
        return self.group or self.name

    @property
    def symbol(self) -> str:
        """Mark of its points."""
        return SYMBOLS[self.place % len(SYMBOLS)]


class Stroke(NamedTuple):
    """Appearance of a curve. Curves with equal strokes are painted together."""

    color: str
    """Colour of lines and outlines, as #rrggbb."""
    fill: str
    """Colour inside the marks, as #rrggbb."""
    width: int
    """Width of the line, pixels."""
    dash: int
    """Picks the style of the line, of `DASHES`."""
    symbol: str
    """pyqtgraph's name of the mark."""
    symbol_px: int
    """Size of the mark, pixels."""

    def pen(self) -> QPen:
        """Return the pen of the line."""
        return _pen(self.color, self.width, DASHES[self.dash % len(DASHES)])

    def mark_pen(self) -> QPen:
        """Return the pen of marks."""
        return _pen(self.color, _MARK_PEN_PX)

    def paint_mark(self, painter: QPainter) -> None:
        """Paint a mark with its centre at the origin."""
        drawSymbol(painter, self.symbol, self.symbol_px, self.mark_pen(), QColor(self.fill))


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of several curves, one curve after another, in axis coordinates; numbers up to ±`_LARGEST`.

    All arrays have an entry for each point.
    """

    curve: NDArray[np.intp]
    """Position of the curve that the point belongs to; never decreases."""
    x: Floats
    y: Floats
    low: Floats
    """Lower end of the error bar; y where there is none."""
    high: Floats
    """Upper end of the error bar; y where there is none."""
    row: NDArray[np.intp]
    """Position of the point in its curve, with those that are omitted."""
    disturbed: NDArray[np.bool_]
    """Whether it has an asterisk."""

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Points:
        """Collect the points of lines; points that no axis can show are omitted."""
        curve = np.repeat(np.arange(len(lines)), [len(line.x) for line in lines])
        x = _joined([line.x for line in lines])
        y = _joined([line.y for line in lines])
        low = _joined([line.y if line.low is None else line.low for line in lines])
        high = _joined([line.y if line.high is None else line.high for line in lines])
        # Comparisons with NaN are false.
        bar = (low >= -_LARGEST) & (low <= y) & (y <= high) & (high <= _LARGEST)
        used = (np.abs(x) <= _LARGEST) & (np.abs(y) <= _LARGEST)
        row = np.concatenate([np.arange(len(line.x)) for line in lines], dtype=np.intp) if lines else curve
        disturbed = _joined([np.zeros(len(line.x)) if line.disturbed is None else line.disturbed for line in lines]) > 0
        return cls(curve, x, y, np.where(bar, low, y), np.where(bar, high, y), row, disturbed).take(used)

    def take(self, places: NDArray[np.bool_] | NDArray[np.intp]) -> Points:
        """Return some of the points, by a mask or by their positions."""
        x, y, low, high = (values[places] for values in (self.x, self.y, self.low, self.high))
        return Points(self.curve[places], x, y, low, high, self.row[places], self.disturbed[places])

    def scaled(self, *, log_x: bool, log_y: bool, zero: float) -> Points:
        """Return the logarithms, with `zero` for y ≤ 0; points with x ≤ 0 are omitted."""
        if not (log_x or log_y):
            return self
        found = self.take(self.x > 0) if log_x else self
        x = np.log10(found.x) if log_x else found.x
        if not log_y:
            return replace(found, x=x)
        y, low, high = (
            np.log10(np.where(values > 0, values, zero or 1.0)) for values in (found.y, found.low, found.high)
        )
        return replace(found, x=x, y=y, low=low, high=high)


def _joined(arrays: Sequence[NDArray[Any]]) -> Floats:
    return np.concatenate(arrays, dtype=np.float64) if arrays else np.empty(0)


class _Group(NamedTuple):
    """The points of all curves of one stroke: from `start` up to `stop` of the points sorted by group."""

    stroke: Stroke
    start: int
    stop: int
    line_pen: QPen
    bar_pen: QPen


class _Batch:
    """Rows of numbers in Qt's memory layout, painted by group without a copy."""

    def __init__(self, used: NDArray[np.bool_], table: Floats) -> None:
        self._table = np.ascontiguousarray(table)
        self._address = self._table.ctypes.data
        self._before = np.concatenate(([0], np.cumsum(used)))  # number of rows of the points before each point

    def draw(self, painter: QPainter, group: _Group) -> None:
        """Paint rows of (x1, y1, x2, y2)."""
        start, count = self._rows(group)
        if count:
            painter.drawLines(self._at(start, QLineF), count)

    def stamp(self, painter: QPainter, group: _Group, picture: QPixmap, ratio: float) -> None:
        """Paint a picture at each row, whose first numbers are x and y; the rest of the row is filled in."""
        start, count = self._rows(group)
        if count:
            # Part of the picture (left, top, width, height), scale in x and y, rotation, opacity.
            self._table[start : start + count, 2:] = (
                0,
                0,
                picture.width(),
                picture.height(),
                1 / ratio,
                1 / ratio,
                0,
                1,
            )
            painter.drawPixmapFragments(self._at(start, QPainter.PixmapFragment), count, picture)

    def paint_marks(self, painter: QPainter, group: _Group) -> None:
        """Paint a mark at each row, whose first numbers are x and y."""
        start, count = self._rows(group)
        for x, y in self._table[start : start + count, :2].tolist():
            painter.save()
            painter.translate(x, y)
            group.stroke.paint_mark(painter)
            painter.restore()

    def _rows(self, group: _Group) -> tuple[int, int]:
        start, stop = int(self._before[group.start]), int(self._before[group.stop])
        return start, stop - start

    def _at(self, row: int, kind: Any) -> Any:
        """Return the row as an object of Qt; the rows after it follow in memory.

        QLineF is four doubles and PixmapFragment ten, so a row of the table has the layout of either. The table must
        live until the painter has read it: the object that is returned does not own its memory.
        """
        return wrapInstance(self._address + row * self._table.strides[0], kind)


class CurvesItem(BoxItem):
    """Paints curves inside a ViewBox, without effect on its automatic ranges.

    Parameters
    ----------
    box : ViewBox
        It becomes the parent, so the item's coordinates are the pixels of the box.
    """

    def __init__(self, box: Any) -> None:
        super().__init__(box)
        self.points = Points.of(())
        """Points as they are shown: logarithms on a logarithmic axis."""
        self.strokes: tuple[Stroke, ...] = ()
        """Appearance of each curve."""
        self._groups: list[_Group] | None = None
        self._sorted = self.points
        self._marks: dict[tuple[Stroke, float], QPixmap] = {}
        self._ring: tuple[QPointF, str] | None = None

    def show_curves(self, points: Points, strokes: Sequence[Stroke]) -> None:
        """Set the points, with one stroke for each curve."""
        self.points = points
        self.set_strokes(strokes)

    def set_strokes(self, strokes: Sequence[Stroke]) -> None:
        """Set the strokes of the same curves."""
        self.strokes = tuple(strokes)
        self._groups = None
        self.update()

    def set_ring(self, place: QPointF | None, color: str = "") -> None:
        """Draw a ring around a position in the box, or none."""
        self._ring = None if place is None else (place, color)
        self.update()

    def nearest(self, at: QPointF, radius_px: float) -> tuple[float, int, int] | None:
        """Return distance, curve and row of the point nearest to a position in the box; None if none is near."""
        pixels = self.pixels()
        if not len(pixels.x):
            return None
        distance = np.hypot(pixels.x - at.x(), pixels.y - at.y())
        place = int(distance.argmin())
        if distance[place] > radius_px:
            return None
        return float(distance[place]), int(pixels.curve[place]), int(pixels.row[place])

    def place_of(self, curve: int, row: int) -> QPointF | None:
        """Return the position of a point in the box; None if it is not drawn."""
        pixels = self.pixels()
        found = np.flatnonzero((pixels.curve == curve) & (pixels.row == row))
        return QPointF(float(pixels.x[found[0]]), float(pixels.y[found[0]])) if len(found) else None

    def track(self) -> tuple[Floats, Floats]:
        """Return positions in the box along all curves, close to each other."""
        pixels = self.pixels()
        start = np.flatnonzero(pixels.curve[1:] == pixels.curve[:-1])
        between = max(1, min(_TRACK, _LONGEST_TRACK // (len(start) + 1)))
        shares = np.arange(1, between + 1)[:, None] / (between + 1)
        x, y = (
            np.concatenate((values, values[start] * (1 - shares) + values[start + 1] * shares), axis=None)
            for values in (pixels.x, pixels.y)
        )
        return x, y

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint all curves."""
        # By stroke, not by curve: 500 curves in 13 marks and 8 colours take 104 times three calls.
        groups, pixels = self._grouped(), self.pixels()
        bars, lines, fragments = self._bars(pixels), self._segments(pixels), self._fragments(pixels)
        solid_px, dashed_px, dashed = self._extent(pixels)
        smooth = solid_px + dashed_px <= _SMOOTH_LINES_PX
        dashes = smooth and dashed_px <= _SMOOTH_DASHES_PX and dashed <= _SMOOTH_DASHED
        ratio = painter.device().devicePixelRatioF()
        drawing = painter.paintEngine().type() == QPaintEngine.Type.SVG  # its lines and marks can be scaled
        painter.save()
        for group in groups:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._has_smooth_bars)
            painter.setPen(group.bar_pen)
            bars.draw(painter, group)
            fine = (dashes if group.stroke.dash else smooth) or group.stroke.width > LINE_PX
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, fine)
            painter.setPen(group.line_pen if fine else _hair(group.line_pen))
            if fine and (group.stroke.dash or drawing):
                self._polylines(painter, pixels, group)
            else:
                lines.draw(painter, group)
            if drawing:
                fragments.paint_marks(painter, group)
            else:
                fragments.stamp(painter, group, self._mark(group.stroke, ratio), ratio)
        seen = pixels.disturbed & (pixels.x >= 0) & (pixels.x <= self._box.width())
        paint_asterisks(painter, pixels.x[seen], pixels.y[seen], self._theme.text)
        if self._ring is not None:
            place, colour = self._ring
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colour), LINE_PX))
            painter.drawEllipse(place, _RING_PX, _RING_PX)
        painter.restore()

    def groups(self) -> list[tuple[Stroke, list[int]]]:
        """Return the strokes in the order of painting, wide ones last, each with the positions of its curves."""
        found: dict[Stroke, list[int]] = {}
        for number, stroke in enumerate(self.strokes):
            found.setdefault(stroke, []).append(number)
        return sorted(found.items(), key=lambda group: group[0].width)

    @property
    def _has_smooth_bars(self) -> bool:
        return len(self.points.x) <= _SMOOTH_BARS

    def _grouped(self) -> list[_Group]:
        """Return the groups with the ranges of their points, after sorting the points by group."""
        if self._groups is None:
            groups = self.groups()
            number = np.empty(len(self.strokes), np.intp)  # of the group of each curve
            for place, (_, curves) in enumerate(groups):
                number[curves] = place
            numbers = number[self.points.curve]
            self._sorted = self.points.take(np.argsort(numbers, kind="stable"))
            ends = np.cumsum(np.bincount(numbers, minlength=len(groups))).tolist()
            self._groups = []
            for (stroke, _), start, stop in zip(groups, (0, *ends), ends, strict=False):
                bar_pen = stroke.mark_pen() if self._has_smooth_bars else QPen(QColor(stroke.color))
                self._groups.append(_Group(stroke, start, stop, stroke.pen(), bar_pen))
        return self._groups

    def pixels(self) -> Points:
        """Return the points in pixels of the box, sorted by group."""
        self._grouped()
        # Axes are independent: the transform only scales (m11, m22) and shifts (dx, dy).
        place, points = self._box.childTransform(), self._sorted
        x = np.clip(points.x * place.m11() + place.dx(), -_FARTHEST_PX, _FARTHEST_PX)
        y, low, high = (
            np.clip(values * place.m22() + place.dy(), -_FARTHEST_PX, _FARTHEST_PX)
            for values in (points.y, points.low, points.high)
        )
        return replace(points, x=x, y=y, low=low, high=high)

    def _bars(self, pixels: Points) -> _Batch:
        x = pixels.x
        seen = (pixels.low != pixels.high) & (x >= 0) & (x <= self._box.width())
        return _Batch(seen, np.stack((x, pixels.low, x, pixels.high), axis=1)[seen])

    def _segments(self, pixels: Points) -> _Batch:
        """Return a segment from each point to the next one of its curve, as far as it crosses the box."""
        curve, x, y = pixels.curve, pixels.x, pixels.y
        seen = np.zeros(len(x), np.bool_)
        seen[:-1] = (curve[1:] == curve[:-1]) & (np.maximum(x[1:], x[:-1]) >= 0)
        seen[:-1] &= np.minimum(x[1:], x[:-1]) <= self._box.width()
        start = np.flatnonzero(seen)
        return _Batch(seen, np.stack((x[start], y[start], x[start + 1], y[start + 1]), axis=1))

    def _extent(self, pixels: Points) -> tuple[float, float, int]:
        """Return the total widths of the curves in the box, without and with dashes, and the segments with dashes."""
        x = np.clip(pixels.x, 0, self._box.width())
        inside = pixels.curve[1:] == pixels.curve[:-1]
        dashed = np.array([stroke.dash > 0 for stroke in self.strokes], np.bool_)[pixels.curve[1:]]
        solid, dashes = (float(np.diff(x).sum(where=inside & chosen)) for chosen in (~dashed, dashed))
        return solid, dashes, int(np.count_nonzero(inside & dashed))

    def _fragments(self, pixels: Points) -> _Batch:
        """Return the positions of marks: of several points of a curve on one pixel, only the first."""
        x, y = pixels.x, pixels.y
        inside = (x >= -_MARGIN_PX) & (x <= self._box.width() + _MARGIN_PX)
        inside &= (y >= -_MARGIN_PX) & (y <= self._box.height() + _MARGIN_PX)
        place = np.flatnonzero(inside)
        row, column = (np.rint(values[place]).astype(np.int64) + _MARGIN_PX for values in (y, x))
        # One integer for (curve, row, column): coordinates fit in 16 bits, since only points inside the box are left.
        _, first = np.unique((pixels.curve[place] << 32) + (row << 16) + column, return_index=True)
        used = np.zeros(len(x), np.bool_)
        used[place[first]] = True
        table = np.zeros((len(first), 10))
        table[:, 0], table[:, 1] = x[used], y[used]
        return _Batch(used, table)

    @staticmethod
    def _polylines(painter: QPainter, pixels: Points, group: _Group) -> None:
        """Paint each curve in one piece, so that its dashes continue from segment to segment."""
        part = slice(group.start, group.stop)
        curve, x, y = pixels.curve[part], pixels.x[part], pixels.y[part]
        breaks = np.flatnonzero(curve[1:] != curve[:-1]) + 1
        for places in np.split(np.arange(len(curve)), breaks):
            corners = zip(x[places].tolist(), y[places].tolist(), strict=True)
            painter.drawPolyline(QPolygonF([QPointF(*corner) for corner in corners]))

    def _mark(self, stroke: Stroke, ratio: float) -> QPixmap:
        key = (stroke, ratio)
        if key not in self._marks:
            self._marks[key] = QPixmap.fromImage(mark_picture(stroke, ratio))
        return self._marks[key]


def _pen(color: str, width_px: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    pen = QPen(QColor(color), width_px, style)
    pen.setCosmetic(True)
    return pen


def _hair(pen: QPen) -> QPen:
    """Return the pen without dashes, one pixel wide, for a great many lines, which cover each other.

    Dashes take 0.2 ms for each line, and Qt paints 10,000 segments of one pixel in half of the time of two.
    """
    return _pen(pen.color().name(), 1)


@lru_cache(maxsize=_MOST_MARKS)
def mark_picture(stroke: Stroke, ratio: float) -> QImage:
    """Return a mark on a transparent square, in device pixels: its device pixel ratio stays 1."""
    side = round((stroke.symbol_px + 2 * _MARK_PEN_PX + 1) * ratio)
    picture = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(side / 2, side / 2)
    painter.scale(ratio, ratio)
    stroke.paint_mark(painter)
    painter.end()
    return picture
