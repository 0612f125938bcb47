"""Paint wrong results: an outline, and a badge with a cross on a corner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.painting.paint_cells import cell_rects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.painting.paint_cells import Tools
    from gui.explore.scene.boxes import Raster

_BADGE: Final = 0.26
"""Side of a badge, in sides of its cell."""

_BADGES: Final = (7.0, 18.0)
"""Smallest and largest side of a badge, pixels."""

_LEAST_CELL: Final = 14.0
"""Smaller cells show no number: a stroke runs across them."""


def paint_wrong(tools: Tools, mask: NDArray[np.bool_], raster: Raster) -> None:
    """Paint the cells of a mask as wrong, over everything that is drawn on them."""
    at = list(zip(*(axis.tolist() for axis in np.nonzero(mask)), strict=True))
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    tools.painter.setPen(tools.pen(tools.theme.hazard, 3.0 if raster.cell >= 30 else 1.5))
    rects = cell_rects(raster, at, 1.5 if raster.cell >= 30 else 0.75)
    tools.painter.drawRects(rects)
    for rect in rects:
        paint_wrong_badge(tools, rect)


def paint_wrong_badge(tools: Tools, cell: QRectF) -> None:
    """Paint a square with a cross on the lower left corner of a cell, or a stroke across a small cell."""
    least, most = _BADGES
    side = min(most, max(least, min(cell.width(), cell.height()) * _BADGE))
    if cell.height() < _LEAST_CELL - 2:
        tools.painter.drawLine(cell.bottomLeft(), cell.topRight())
        return
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
