"""Paint a race: rings around an element and two threads, arrows between them, and a label at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.painting.paint_flows import cell_centre, paint_arc, thread_place
from gui.explore.scene.arcs import arc
from gui.explore.scene.boxes import Box

if TYPE_CHECKING:
    from gui.explore.painting.paint_cells import Tools
    from gui.explore.scene.boxes import Raster
    from gui.explore.scene.layout import Layout
    from gui.explore.scene.scene import Scene

_LABEL: Final = 0.86
"""Height of a label's text, in lines of the picture's text."""

_RING: Final = 3.0
"""Width of a ring, pixels."""

_OTHER: Final = 4
"""Weight of the other thread, against other cells, when an arrow is routed."""

_TIP: Final = 7.0
"""Space around the end of an arrow, pixels."""

_COVERED: Final = 8.0
"""Weight of what is marked, against other cells, when a label is placed."""


def paint_race_arrows(tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box]) -> list[QRectF]:
    """Paint the arrows of the race that the step shows, if any; return the places of their ends.

    They avoid numbers and titles where they can.
    """
    race = scene.race
    if race is None:
        return []
    element = _cell(layout.rasters[race.view], race.row, race.column)
    ends: list[QRectF] = []
    bends: list[float] = []
    threads = [_thread_cell(scene, layout, number) for number in race.threads]
    for thread, reads in zip(threads, race.reads, strict=True):
        if thread is not None:
            others = [_box(cell) for cell in threads if cell is not None and cell != thread] * _OTHER
            source, target = (element, thread) if reads else (thread, element)
            curve = arc(_box(source), _box(target), [*avoid, *others], area, bends)
            bends.append(curve.bend)
            paint_arc(tools, curve, QColor(tools.theme.hazard), 2.0)
            corner = QPointF(_TIP, _TIP)
            ends += [QRectF(QPointF(*end) - corner, QPointF(*end) + corner) for end in (curve.start, curve.end)]
    return ends


def paint_race(
    tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box], arrow_ends: list[QRectF]
) -> None:
    """Paint the rings and labels of the race that the step shows, if any, over everything else."""
    race = scene.race
    if race is None:
        return
    marked = [(_cell(layout.rasters[race.view], race.row, race.column), race.element)]
    for number, label in zip(race.threads, race.labels, strict=True):
        if (thread := _thread_cell(scene, layout, number)) is not None:
            marked.append((thread, label))
    cells = [QRectF(box.x, box.y, box.width, box.height) for box in avoid]
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, pen_width in ((tools.theme.panel, 2 * _RING + 1), (tools.theme.hazard, _RING)):
        tools.painter.setPen(tools.pen(color, pen_width))
        tools.painter.drawRects([rect for rect, _ in marked])
    taken = [*(rect for rect, _ in marked), *arrow_ends]
    for rect, label in marked:
        taken.append(_paint_label(tools, rect, label, taken, cells, QRectF(area.x, area.y, area.width, area.height)))


def _box(rect: QRectF) -> Box:
    return Box(rect.x(), rect.y(), rect.width(), rect.height())


def _cell(raster: Raster, row: int, column: int) -> QRectF:
    centre = cell_centre(raster, (row, column))
    corner = QPointF(raster.across / 2, raster.cell / 2)
    return QRectF(centre - corner, centre + corner)


def _thread_cell(scene: Scene, layout: Layout, number: int) -> QRectF | None:
    """Return the cell of a thread in the magnified block, else on the result; None if it is not drawn."""
    raster, at = thread_place(scene, layout, number)
    if raster is layout.thread_raster and not scene.threads.visible[number]:
        return None
    return _cell(raster, *at)


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
