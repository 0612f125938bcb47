"""Paint a race: rings around an element and two threads, arrows between them, and a label at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.arcs import arc
from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import (
    COVERS_ALL,
    COVERS_MARK,
    COVERS_PART,
    HIDDEN_SHARE,
    LABEL_FAR,
    LABEL_LEVELS,
    LABEL_SHIFTS,
    OTHER_THREAD,
    SEEN_SHARE,
    TIP,
)
from gui.explore.stage.paint_flows import cell_centre, paint_arc, thread_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_LABEL: Final = 0.86
"""Height of a label's text, in lines of the picture's text."""

_RING: Final = 3.0
"""Width of a ring, pixels."""


def paint_race_arrows(tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box]) -> list[QRectF]:
    """Paint the arrows of the race that the step shows, if any; return the places of their ends.

    They avoid numbers and titles where they can.
    """
    race = scene.race
    if race is None:
        return []
    element = cell_rect(layout.rasters[race.view], race.row, race.column)
    ends: list[QRectF] = []
    bends: list[float] = []
    threads = [_thread_cell(scene, layout, number) for number in race.threads]
    for thread, reads in zip(threads, race.reads, strict=True):
        if thread is not None:
            others = [_box(cell) for cell in threads if cell is not None and cell != thread] * OTHER_THREAD
            source, target = (element, thread) if reads else (thread, element)
            curve = arc(_box(source), _box(target), [*avoid, *others], area, bends)
            bends.append(curve.bend)
            paint_arc(tools, curve, QColor(tools.theme.hazard), 2.0)
            corner = QPointF(TIP, TIP)
            ends += [QRectF(QPointF(*end) - corner, QPointF(*end) + corner) for end in (curve.start, curve.end)]
    return ends


def paint_race(
    tools: Tools,
    scene: Scene,
    layout: Layout,
    area: Box,
    kept: list[QRectF],
    inks: Callable[[], NDArray[np.float64]],
) -> None:
    """Paint the rings and labels of the race that the step shows, if any, over everything else.

    `inks` returns the edges of all texts, which labels do not cover where they can, least of all `kept`: ends of arrows
    and titles.
    """
    race = scene.race
    if race is None:
        return
    marked = [(cell_rect(layout.rasters[race.view], race.row, race.column), race.element)]
    for number, label in zip(race.threads, race.labels, strict=True):
        if (thread := _thread_cell(scene, layout, number)) is not None:
            marked.append((thread, label))
    texts, within = inks(), QRectF(area.x, area.y, area.width, area.height)
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, pen_width in ((tools.theme.panel, 2 * _RING + 1), (tools.theme.hazard, _RING)):
        tools.painter.setPen(tools.pen(color, pen_width))
        tools.painter.drawRects([rect for rect, _ in marked])
    taken = [*(rect for rect, _ in marked), *kept]
    for rect, label in marked:
        taken.append(_paint_label(tools, rect, label, taken, texts, within))


def _box(rect: QRectF) -> Box:
    return Box(rect.x(), rect.y(), rect.width(), rect.height())


def cell_rect(raster: Raster, row: int, column: int) -> QRectF:
    """Return the rectangle of a cell."""
    centre = cell_centre(raster, (row, column))
    corner = QPointF(raster.across / 2, raster.cell / 2)
    return QRectF(centre - corner, centre + corner)


def _thread_cell(scene: Scene, layout: Layout, number: int) -> QRectF | None:
    """Return the cell of a thread in the magnified block, else on the result; None if it is not drawn."""
    raster, at = thread_place(scene, layout, number)
    if raster is layout.thread_raster and not scene.threads.visible[number]:
        return None
    return cell_rect(raster, *at)


def _paint_label(
    tools: Tools, rect: QRectF, text: str, taken: list[QRectF], texts: NDArray[np.float64], area: QRectF
) -> QRectF:
    """Paint a label near a cell, where it covers the least of what is marked and of other texts; return its place."""
    size = tools.line * _LABEL
    width, height, gap = tools.text_painter.width(text, size, True) + size * 0.8, size * 1.5, size * 0.35
    left, middle, right = rect.left() - gap - width, rect.center().x() - width / 2, rect.right() + gap
    above, level, below = rect.top() - gap - height, rect.center().y() - height / 2, rect.bottom() + gap
    levels = [level, *(below + away * (height + gap) for away in range(LABEL_LEVELS))]
    levels += [above - away * (height + gap) for away in range(LABEL_LEVELS)]
    columns = (middle, right, left, rect.left(), rect.right() - width)
    shifts = [share * height for share in LABEL_SHIFTS]
    corners = np.array(
        [
            (x + dx, y + dy)
            for y in levels
            for x in columns
            if y != level or x in (right, left)
            for dx in shifts
            for dy in shifts
        ]
    )
    corners = np.clip(corners, (area.left(), area.top()), (area.right() - width, area.bottom() - height))
    extent = np.array([width, height])
    apart = np.abs(corners + extent / 2 - (rect.center().x(), rect.center().y()))
    edges = np.hstack([corners, corners + extent])
    cost = height * LABEL_FAR * (apart[:, 0] / 2 + apart[:, 1])
    cost += COVERS_MARK * covered(edges, np.array([_edges(other) for other in taken])).sum(axis=1)
    sizes = (texts[:, 2] - texts[:, 0]) * (texts[:, 3] - texts[:, 1])
    share = covered(edges, texts) / sizes
    cost += ((share > SEEN_SHARE) * np.where(share < HIDDEN_SHARE, COVERS_PART, COVERS_ALL) * sizes).sum(axis=1)
    x, y = corners[int(cost.argmin())].tolist()
    plate = QRectF(x, y, width, height)
    tools.painter.setPen(tools.pen(tools.theme.hazard, 1.5))
    tools.painter.setBrush(QColor(tools.theme.panel))
    tools.painter.drawRoundedRect(plate, 4, 4)
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
    tools.text_painter.draw_centred(tools.painter, plate.center().x(), plate.center().y(), text, size, True)
    return plate


def _edges(rect: QRectF) -> tuple[float, float, float, float]:
    return rect.left(), rect.top(), rect.right(), rect.bottom()


def covered(plates: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the area, in pixels, that each plate covers of each other rectangle; both by their edges, [n, 4]."""
    wide = np.minimum(plates[:, None, 2], others[None, :, 2]) - np.maximum(plates[:, None, 0], others[None, :, 0])
    high = np.minimum(plates[:, None, 3], others[None, :, 3]) - np.maximum(plates[:, None, 1], others[None, :, 1])
    found: NDArray[np.float64] = np.maximum(wide, 0.0) * np.maximum(high, 0.0)
    return found
