"""Paint the map of a matrix of which a part is shown: where in the whole it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.boxes import Box, title_width
from gui.explore.packing.constants import MAP, MAP_PART, TITLE_TOP
from gui.explore.stage.paint_cells import tint_of
from gui.theming.style import mix

if TYPE_CHECKING:
    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Cells


def map_box(cells: Cells, raster: Raster, line: float) -> Box | None:
    """Return the place of the map, right of the title; None where all is shown, or where there is no room."""
    shape, view = cells.view.arrangement, cells.view
    if shape.window is None or (shape.rows, shape.columns) == (shape.height, shape.width):
        return None
    rows, columns = (shape.width, shape.height) if view.transposed else (shape.height, shape.width)
    high, wide = (n * line for n in MAP)
    scale = min(high / rows, wide / columns)
    box = Box(
        raster.x + raster.box.width - columns * scale,
        raster.y - raster.above - TITLE_TOP * line,
        columns * scale,
        rows * scale,
    )
    return box if box.x >= raster.x + title_width(view.title, view.detail, line) else None


def paint_map(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint the outline of the whole matrix, and fill the part that is shown."""
    box = map_box(cells, raster, tools.line)
    if box is None:
        return
    view, theme, painter = cells.view, tools.theme, tools.painter
    whole = view.arrangement.width if not view.transposed else view.arrangement.height
    scale, (row, column) = box.width / whole, view.first
    wide, high = (max(MAP_PART, number * scale) for number in (view.columns, view.rows))
    x = min(box.x + column * scale, box.x + box.width - wide)
    y = min(box.y + row * scale, box.y + box.height - high)
    ink = mix(theme.text, tint_of(theme, cells.tint), 0.35)
    painter.setPen(tools.pen(ink, 1.5))
    painter.setBrush(QColor(theme.panel))
    painter.drawRect(QRectF(box.x, box.y, box.width, box.height))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawRect(QRectF(x, y, wide, high))
