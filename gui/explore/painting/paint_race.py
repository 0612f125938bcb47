"""Paint a race: rings around an element and two threads, arrows between them, and a label at each."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath

from gui.explore.painting.paint_flows import cell_centre, paint_arrow
from gui.explore.scene.folding import block_cells

if TYPE_CHECKING:
    from gui.explore.painting.paint_cells import Tools
    from gui.explore.scene.boxes import Raster
    from gui.explore.scene.layout import Layout
    from gui.explore.scene.scene import Scene

_LABEL: Final = 0.86
"""Height of a label's text, in lines of the picture's text."""

_RING: Final = 3.0
"""Width of a ring, pixels."""

_BENDS: Final = (0.25, -0.25, 0.4, -0.4, 0.6, -0.6)
"""Distances of the control points from the middle of an arrow, in lengths of the arrow; the first is preferred."""

_SAMPLES: Final = 40
"""Points at which a curve is compared with the cells."""

_TIP: Final = 7.0
"""Space around the end of an arrow, pixels."""

_COVERED: Final = 8.0
"""Weight of what is marked, against other cells, when a label is placed."""


def paint_race(tools: Tools, scene: Scene, layout: Layout, width: float, height: float) -> None:
    """Paint the race that the step shows, if any, over everything else."""
    race = scene.race
    if race is None:
        return
    element = _cell(layout.rasters[race.view], race.row, race.column)
    marked = [(element, race.element)]
    tips: list[QRectF] = []
    rasters = [raster for raster in (*layout.rasters, layout.thread_raster, layout.zoom) if raster is not None]
    boxes = [layout.legend, *(raster.box for raster in rasters)]
    cells = [QRectF(box.x, box.y, box.width, box.height) for box in boxes]
    bends = list(_BENDS)
    for number, label, reads in zip(race.threads, race.labels, race.reads, strict=True):
        thread = _thread_cell(scene, layout, number)
        if thread is not None:
            marked.append((thread, label))
            source, target = (element, thread) if reads else (thread, element)
            arcs = {bend: _arc(source, target, bend) for bend in bends}
            bend = min(arcs, key=lambda bend: _crossed(arcs[bend][0], cells))
            bends.remove(bend)
            tips += _paint_arc(tools, *arcs[bend])
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, pen_width in ((tools.theme.panel, 2 * _RING + 1), (tools.theme.hazard, _RING)):
        tools.painter.setPen(tools.pen(color, pen_width))
        tools.painter.drawRects([rect for rect, _ in marked])
    taken = [*(rect for rect, _ in marked), *tips]
    for rect, label in marked:
        taken.append(_paint_label(tools, rect, label, taken, cells, QRectF(0, 0, width, height)))


def _arc(source: QRectF, target: QRectF, bend: float) -> tuple[QPainterPath, QPointF]:
    """Return a curve from cell to cell, and its control point, at a distance of `bend` lengths from the middle."""
    start, end = source.center(), target.center()
    along = end - start
    # A positive bend bows downwards, whichever way the curve goes.
    aside = QPointF(-along.y(), along.x()) * (bend if along.x() >= 0 else -bend)
    control = (start + end) / 2 + aside
    path = QPainterPath(_edge(source, control))
    path.quadTo(control, _edge(target, control))
    return path, control


def _crossed(path: QPainterPath, cells: list[QRectF]) -> int:
    """Return the number of samples of a curve that lie on cells."""
    points = [path.pointAtPercent(n / _SAMPLES) for n in range(_SAMPLES + 1)]
    return sum(any(box.contains(point) for box in cells) for point in points)


def _paint_arc(tools: Tools, path: QPainterPath, control: QPointF) -> list[QRectF]:
    """Paint a curve with the head of an arrow; return squares around its ends, which labels leave free."""
    color = QColor(tools.theme.hazard)
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    tools.painter.setPen(tools.pen(color, 2.0))
    tools.painter.drawPath(path)
    start, end = path.pointAtPercent(0), path.pointAtPercent(1)
    into = end - control
    unit = into / max(1.0, hypot(into.x(), into.y()))
    paint_arrow(tools, end - unit, end, color, 2.0, Qt.PenStyle.SolidLine, (0.0, 0.0))
    corner = QPointF(_TIP, _TIP)
    return [QRectF(point - corner, point + corner) for point in (start, end)]


def _edge(rect: QRectF, towards: QPointF) -> QPointF:
    """Return the point just outside of a cell on the way to another point."""
    way = towards - rect.center()
    share = max(abs(way.x()) / max(1.0, rect.width()), abs(way.y()) / max(1.0, rect.height()), 1e-6)
    return rect.center() + way * min(1.0, 0.58 / share)


def _cell(raster: Raster, row: int, column: int) -> QRectF:
    centre = cell_centre(raster, (row, column))
    corner = QPointF(raster.across / 2, raster.cell / 2)
    return QRectF(centre - corner, centre + corner)


def _thread_cell(scene: Scene, layout: Layout, number: int) -> QRectF | None:
    """Return the cell of a thread in the magnified block, else on the result; None if it is not drawn."""
    if layout.zoom is not None:
        row, column = block_cells(scene.block_dim)
        return _cell(layout.zoom, int(row[number]), int(column[number]))
    if not scene.threads.visible[number]:
        return None
    return _cell(layout.thread_raster, int(scene.threads.row[number]), int(scene.threads.column[number]))


def _paint_label(
    tools: Tools, rect: QRectF, text: str, taken: list[QRectF], cells: list[QRectF], area: QRectF
) -> QRectF:
    """Paint a label near a cell, where it covers the least of what is marked and of other cells; return its place."""
    size = tools.line * _LABEL
    width, height, gap = tools.text_painter.width(text, size, True) + size * 0.8, size * 1.5, size * 0.35
    left, middle, right = rect.left() - gap - width, rect.center().x() - width / 2, rect.right() + gap
    above, level, below = rect.top() - gap - height, rect.center().y() - height / 2, rect.bottom() + gap
    lower = below + height + gap
    corners = (
        *((middle, below), (middle, above), (right, level), (left, level), (right, below), (left, below)),
        *((middle, lower), (left, lower), (right, lower)),
    )
    plates = (_moved_into(QRectF(*corner, width, height), area) for corner in corners)
    plate = min(plates, key=lambda place: _COVERED * _covered(place, taken) + _covered(place, cells))
    tools.painter.setPen(tools.pen(tools.theme.hazard, 1.5))
    tools.painter.setBrush(QColor(tools.theme.panel))
    tools.painter.drawRoundedRect(plate, 4, 4)
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
    tools.text_painter.draw_centred(tools.painter, plate.center().x(), plate.center().y(), text, size, True)
    return plate


def _moved_into(plate: QRectF, area: QRectF) -> QRectF:
    moved = QRectF(plate)
    moved.moveLeft(max(area.left(), min(plate.left(), area.right() - plate.width())))
    moved.moveTop(max(area.top(), min(plate.top(), area.bottom() - plate.height())))
    return moved


def _covered(plate: QRectF, taken: list[QRectF]) -> float:
    """Return the area, in pixels, that a plate covers of other rectangles."""
    parts = [plate.intersected(other) for other in taken]
    return sum(part.width() * part.height() for part in parts if part.isValid())
