"""Graphics item for the limits of a machine in a plot: lines with labels, below the curves."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, degrees, hypot
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QGraphicsItem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    from gui.theming.theme import Theme

    Floats = NDArray[np.float64]

_GAP_PX: Final = 3.0
_PEN_PX: Final = 1.6
_EDGE_PX: Final = 8.0
_ARROW_PX: Final = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class RoofLine:
    """A limit: a line through its points, or a horizontal one."""

    label: str
    x: NDArray[np.float64]
    """By rising x; empty for a limit that does not depend on x."""
    y: NDArray[np.float64]
    short: str = ""
    """Label where the whole one has no room."""

    @property
    def top(self) -> float:
        """The largest y."""
        return float(self.y.max())

    def scaled(self, *, log_x: bool, log_y: bool) -> RoofLine:
        """Return the line in the coordinates of the axes."""
        x, y = np.log10(self.x) if log_x else self.x, np.log10(self.y) if log_y else self.y
        return RoofLine(self.label, x, y, self.short)


class RoofsItem(QGraphicsItem):
    """Paints roofs inside a ViewBox; one above the picture has its label at the upper edge, with an arrow."""

    def __init__(self, box: Any, theme: Theme) -> None:
        super().__init__(box)
        self._box = box
        self.roofs: tuple[RoofLine, ...] = ()
        """In the coordinates of the axes."""
        self._theme = theme
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.obstacles: Callable[[], tuple[Floats, Floats]] = lambda: (np.empty(0), np.empty(0))
        """Returns positions in the box that the labels of level roofs keep clear of."""
        self.setZValue(-1)
        box.sigResized.connect(self._resized)

    def show_roofs(self, roofs: Sequence[RoofLine]) -> None:
        """Set the roofs."""
        self.roofs = tuple(roofs)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the inside of the box."""
        rect: QRectF = self._box.rect()
        return rect

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
        taken: list[QRectF] = []
        for roof, path in zip(self.roofs, paths, strict=True):
            self._write(painter, roof, path, taken)
        painter.restore()

    def _path(self, roof: RoofLine) -> list[QPointF]:
        place, width = self._box.childTransform(), float(self._box.width())
        y = roof.y * place.m22() + place.dy()
        x = roof.x * place.m11() + place.dx() if len(roof.x) else np.array([0.0, width])
        ys = y if len(roof.x) else np.repeat(y[:1], 2)
        return [QPointF(float(a), float(b)) for a, b in zip(x, ys, strict=True)]

    def _write(self, painter: QPainter, roof: RoofLine, path: list[QPointF], taken: list[QRectF]) -> None:
        """Write a label along its line, where the line is in the picture and no other label is."""
        metrics = QFontMetricsF(painter.font())
        box = self.boundingRect()
        words = _fitting(roof, metrics, box.width() - _ARROW_PX - 2 * _EDGE_PX)
        width, height = metrics.horizontalAdvance(words), metrics.height()
        start, end = path[0], path[-1]
        if max(start.y(), end.y()) <= 0:  # above the picture
            self._write_at(
                painter,
                f"↑ {words}",
                QRectF(box.right() - width - _ARROW_PX - _EDGE_PX, 2, width + _ARROW_PX, height),
                taken,
            )
            return
        if abs(start.y() - end.y()) < 1:
            above, below = start.y() - height - _GAP_PX, start.y() + _GAP_PX
            places = [
                QRectF(left, top, width, height)
                for top in ((above, below) if above >= 0 else (below,))
                for left in (box.right() - width - _EDGE_PX, box.left() + _EDGE_PX)
                if left > start.x()
            ]
            places = places or [QRectF(box.right() - width - _EDGE_PX, max(above, 0.0), width, height)]
            self._write_at(painter, words, self._free(places), taken)
            return
        slope = (end.y() - start.y()) / (end.x() - start.x())
        left, right = sorted((start.x() - start.y() / slope, start.x() + (box.height() - start.y()) / slope))
        left, right = max(left, start.x(), 0.0), min(right, end.x(), box.right())
        if right <= left:
            return
        words = _fitting(roof, metrics, hypot(right - left, slope * (right - left)))
        width = metrics.horizontalAdvance(words)
        x = (left + right) / 2
        painter.save()
        painter.translate(x, start.y() + slope * (x - start.x()))
        painter.rotate(degrees(atan2(slope, 1.0)))
        painter.drawText(QPointF(-width / 2, -_GAP_PX - metrics.descent()), words)
        painter.restore()

    def _free(self, places: Sequence[QRectF]) -> QRectF:
        """Return the first place that no curve crosses, else the first of all."""
        x, y = self.obstacles()
        for place in places:
            inside = (x >= place.left()) & (x <= place.right()) & (y >= place.top()) & (y <= place.bottom())
            if not inside.any():
                return place
        return places[0]

    def _write_at(self, painter: QPainter, words: str, place: QRectF, taken: list[QRectF]) -> None:
        while any(place.intersects(other) for other in taken):
            place = place.translated(0, place.height())
        taken.append(place)
        painter.fillRect(place.adjusted(-2, 0, 2, 0), QColor(self._theme.panel))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _resized(self) -> None:
        self.prepareGeometryChange()
        self.update()


def _fitting(roof: RoofLine, metrics: QFontMetricsF, room_px: float) -> str:
    """Return the label, or the short one where the whole one has no room."""
    words = roof.label if metrics.horizontalAdvance(roof.label) <= room_px or not roof.short else roof.short
    return metrics.elidedText(words, Qt.TextElideMode.ElideRight, room_px)
