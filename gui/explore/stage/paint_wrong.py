"""Paint wrong results: an outline, and a badge with a cross on a corner; small cells hatched with crosses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath

from gui.explore.stage.paint_cells import cell_rects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.paint_cells import Tools

_BADGE: Final = 0.26
"""Side of a badge, in sides of its cell."""

_BADGES: Final = (7.0, 18.0)
"""Smallest and largest side of a badge, pixels."""

_LEAST_CELL: Final = 14.0
"""Smaller cells show no number: they are hatched with crosses, and outlined together."""


def paint_wrong(tools: Tools, mask: NDArray[np.bool_], raster: Raster) -> None:
    """Paint the cells of a mask as wrong, over everything that is drawn on them."""
    if not mask.any():
        return
    painter, color = tools.painter, QColor(tools.theme.hazard)
    if raster.cell < _LEAST_CELL:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(color, Qt.BrushStyle.DiagCrossPattern))
        painter.drawRects(_runs(mask, raster))
        painter.setPen(tools.pen(color, 1.5))
        painter.drawLines(_border(mask, raster))
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(color, 3.0 if raster.cell >= 30 else 1.5))
    at = list(zip(*(axis.tolist() for axis in np.nonzero(mask)), strict=True))
    rects = cell_rects(raster, at, 1.5 if raster.cell >= 30 else 0.75)
    painter.drawRects(rects)
    for rect in rects:
        badge = QPainterPath()
        badge.addRect(paint_wrong_badge(tools, rect))
        tools.over_texts.append(badge)


def _runs(mask: NDArray[np.bool_], raster: Raster) -> list[QRectF]:
    """Return the cells of a mask, those next to each other in a row as one rectangle."""
    found = []
    for row in np.flatnonzero(mask.any(axis=1)).tolist():
        ends = np.flatnonzero(np.diff(mask[row].astype(np.int8), prepend=0, append=0)).tolist()
        for first, last in zip(ends[::2], ends[1::2], strict=True):
            x, y = raster.x + first * raster.across, raster.y + row * raster.cell
            found.append(QRectF(x, y, (last - first) * raster.across, raster.cell))
    return found


def _border(mask: NDArray[np.bool_], raster: Raster) -> list[QLineF]:
    """Return the edges between the cells of a mask and all others."""
    inside = np.pad(mask, 1).astype(np.int8)
    rows, columns = np.nonzero(np.diff(inside, axis=0)[:, 1:-1])
    level = [
        (raster.x + c * raster.across, raster.y + r * raster.cell, 1, 0) for r, c in zip(rows, columns, strict=True)
    ]
    rows, columns = np.nonzero(np.diff(inside, axis=1)[1:-1])
    upright = [
        (raster.x + c * raster.across, raster.y + r * raster.cell, 0, 1) for r, c in zip(rows, columns, strict=True)
    ]
    return [QLineF(x, y, x + dx * raster.across, y + dy * raster.cell) for x, y, dx, dy in level + upright]


def paint_wrong_badge(tools: Tools, cell: QRectF) -> QRectF:
    """Paint a square with a cross on the lower left corner of a cell, and return its place."""
    least, most = _BADGES
    side = min(most, max(least, min(cell.width(), cell.height()) * _BADGE))
    # It reaches over the edges of its cell, to leave the number in it free.
    corner = cell.bottomLeft() + QPointF(-side * 0.2, side * 0.2)
    badge = QRectF(corner.x(), corner.y() - side, side, side)
    tools.painter.save()
    tools.painter.setPen(Qt.PenStyle.NoPen)
    tools.painter.setBrush(QColor(tools.theme.hazard))
    tools.painter.drawRect(badge)
    tools.painter.setPen(tools.pen(tools.theme.panel, max(1.5, side * 0.14)))
    inset = QPointF(side * 0.24, side * 0.24)
    tools.painter.drawLine(badge.topLeft() + inset, badge.bottomRight() - inset)
    across = QPointF(inset.x(), -inset.y())
    tools.painter.drawLine(badge.bottomLeft() + across, badge.topRight() - across)
    tools.painter.restore()
    return badge
