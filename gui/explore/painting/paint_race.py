"""Paint a race: rings around an element and two threads, arrows between them, and a label at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.painting.paint_flows import cell_centre, paint_arrow

if TYPE_CHECKING:
    from gui.explore.painting.paint_cells import Tools
    from gui.explore.scene.boxes import Raster
    from gui.explore.scene.layout import Layout
    from gui.explore.scene.scene import Scene

_LABEL: Final = 0.86
"""Height of a label's text, in lines of the picture's text."""

_RING: Final = 3.0
"""Width of a ring, pixels."""


def paint_race(tools: Tools, scene: Scene, layout: Layout, width: float, height: float) -> None:
    """Paint the race that the step shows, if any, over everything else."""
    race = scene.race
    if race is None:
        return
    raster = layout.rasters[race.view]
    element = _cell(raster, race.row, race.column)
    marked = [(element, race.element)]
    for number, label, reads in zip(race.threads, race.labels, race.reads, strict=True):
        thread = _thread_cell(scene, layout, number)
        if thread is None:
            continue
        marked.append((thread, label))
        ends = (element.center(), thread.center()) if reads else (thread.center(), element.center())
        sides = (element.height(), thread.height()) if reads else (thread.height(), element.height())
        paint_arrow(
            tools, *ends, QColor(tools.theme.hazard), 2.0, Qt.PenStyle.SolidLine, (sides[0] * 0.55, sides[1] * 0.55)
        )
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, pen_width in ((tools.theme.panel, 2 * _RING + 1), (tools.theme.hazard, _RING)):
        tools.painter.setPen(tools.pen(color, pen_width))
        tools.painter.drawRects([rect for rect, _ in marked])
    taken = [rect for rect, _ in marked]
    for rect, label in marked:
        taken.append(_paint_label(tools, rect, label, taken, QRectF(0, 0, width, height)))


def _cell(raster: Raster, row: int, column: int) -> QRectF:
    centre = cell_centre(raster, (row, column))
    corner = QPointF(raster.across / 2, raster.cell / 2)
    return QRectF(centre - corner, centre + corner)


def _thread_cell(scene: Scene, layout: Layout, number: int) -> QRectF | None:
    """Return the cell of a thread in the magnified block, else on the result; None if it is not drawn."""
    if layout.zoom is not None:
        return _cell(layout.zoom, *divmod(number, layout.zoom.columns))
    if not scene.threads.visible[number]:
        return None
    return _cell(layout.thread_raster, int(scene.threads.row[number]), int(scene.threads.column[number]))


def _paint_label(tools: Tools, rect: QRectF, text: str, taken: list[QRectF], area: QRectF) -> QRectF:
    """Paint a label on the side of a cell where it covers the least of what is marked; return its rectangle."""
    size = tools.line * _LABEL
    width, height, gap = tools.text_painter.width(text, size, True) + size * 0.8, size * 1.5, size * 0.35
    centre = rect.center()
    places = (
        QRectF(centre.x() - width / 2, rect.top() - gap - height, width, height),
        QRectF(centre.x() - width / 2, rect.bottom() + gap, width, height),
        QRectF(rect.right() + gap, centre.y() - height / 2, width, height),
        QRectF(rect.left() - gap - width, centre.y() - height / 2, width, height),
    )
    plate = min((_moved_into(place, area) for place in places), key=lambda place: _covered(place, taken))
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
