"""Paint shuffles: an arrow from the lane that is read to the lane that reads it, above the lanes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainterPath

from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import SHUFFLE_ASIDE, SHUFFLE_GAP, SHUFFLE_HEAD, SHUFFLE_STEEP, SHUFFLES_APART
from gui.explore.stage.paint_flows import paint_arrow, thread_place
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.packing.warp_layout import WarpTable
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_MOST: Final = 64
"""Up to this many reads have arrows in one picture; of more, those of one warp."""

_WIDTH: Final = 2.0
"""Width of an arrow, pixels."""


_INSET: Final = 0.06
"""Space between the edge of a thread's cell and the thread, in heights of the cell."""


class _Lane(NamedTuple):
    """The place of a lane: a thread's cell, or a column of the table of a warp."""

    box: Box
    room: float
    """Height above it that arrows may take."""
    inset: float
    """Height inside of the box, at both edges, that the lane leaves free."""

    @property
    def x(self) -> float:
        """Middle of the lane."""
        return self.box.x + self.box.width / 2


class _Arrow(NamedTuple):
    """A read, or two lanes that read each other."""

    source: int
    thread: int
    both: bool
    undefined: bool


def paint_shuffles(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Paint the reads of the step between the threads of the block, where they are drawn one by one."""
    arrows = _arrows(scene, scene.lane - scene.threads.first_lane)
    lanes: dict[int, _Lane] = {}
    for number in {number for arrow in arrows for number in (arrow.source, arrow.thread)}:
        raster, (row, column) = thread_place(scene, layout, number)
        if raster is layout.zoom or scene.threads.visible[number]:
            above = raster.gaps.down if row else min(tools.line * 1.2, _under_heading(layout, raster))
            lanes[number] = _Lane(raster.rect(row, column), max(above, raster.cell * 0.35), _INSET * raster.cell)
    _paint(tools, [arrow for arrow in arrows if arrow.source in lanes and arrow.thread in lanes], lanes)


def _under_heading(layout: Layout, raster: Raster) -> float:
    """Return the height between the heading of the box around the threads and the first row."""
    boxes = [layout.corner] if layout.corner is not None and raster is layout.zoom else []
    return min((raster.y - box.y - layout.line * 1.5 for box in boxes if box.y < raster.y), default=layout.line * 1.2)


def paint_warp_shuffles(tools: Tools, scene: Scene, layout: WarpTable) -> None:
    """Paint the reads between the lanes of the shown warp, above its table."""
    if scene.warp is None:
        return
    first = scene.warp.state.first_lane - scene.threads.first_lane
    lanes: dict[int, _Lane] = {}
    for lane in range(scene.warp.count):
        top, last = layout.cell(lane, 0), layout.cell(lane, layout.rows - 1)
        column = Box(top.x, top.y, top.width, last.y + last.height - top.y)
        lanes[first + lane] = _Lane(column, layout.room, -SHUFFLE_GAP)
    _paint(tools, _arrows(scene, first), lanes)


def _arrows(scene: Scene, thread: int) -> list[_Arrow]:
    """Return the arrows of a step; of many, those of the warp of one thread."""
    reads = scene.shuffles
    shown = np.ones(len(reads.threads), bool)
    if len(shown) > _MOST or scene.warp is not None:
        shown = reads.threads // WARP_SIZE == thread // WARP_SIZE
    undefined = dict(
        zip(zip(reads.sources.tolist(), reads.threads.tolist(), strict=True), reads.undefined, strict=True)
    )
    found = []
    for source, target in zip(reads.sources[shown].tolist(), reads.threads[shown].tolist(), strict=True):
        back = (target, source) in undefined
        if not back or source > target:  # an exchange is one arrow with two heads
            found.append(_Arrow(source, target, back, bool(undefined[source, target])))
    return found


def _paint(tools: Tools, arrows: list[_Arrow], lanes: dict[int, _Lane]) -> None:
    for group in _alike(arrows, lanes):
        source, target = lanes[group[0].source], lanes[group[0].thread]
        same_row = source.box.y == target.box.y
        crossing = min(len(group), abs(target.x - source.x) / max(1.0, source.box.width))
        if same_row and source.room < SHUFFLES_APART * crossing:
            defined = [arrow for arrow in group if not arrow.undefined]
            _paint_area(tools, defined, lanes)
            kept = [*defined[:1], *defined[1:][-1:]]
            group = [*kept, *(arrow for arrow in group if arrow.undefined)]
        for arrow in group:
            _paint_arrow(tools, arrow, lanes)


def _alike(arrows: list[_Arrow], lanes: dict[int, _Lane]) -> list[list[_Arrow]]:
    """Return the arrows in groups of one length, from neighbouring lanes of a row."""
    groups: list[list[_Arrow]] = []
    last: dict[tuple[float, int, bool], list[_Arrow]] = {}
    for arrow in arrows:
        source = lanes[arrow.source]
        kind = source.box.y, arrow.source - arrow.thread, arrow.both
        if kind not in last or last[kind][-1].source + 1 != arrow.source:
            last[kind] = []
            groups.append(last[kind])
        last[kind].append(arrow)
    return groups


def _paint_area(tools: Tools, group: list[_Arrow], lanes: dict[int, _Lane]) -> None:
    """Fill the area that the arrows of one length cover."""
    if len(group) < 2:
        return
    color = QColor(tools.theme.accent)
    color.setAlphaF(0.2)
    area = QPainterPath()
    area.setFillRule(Qt.FillRule.WindingFill)
    for one, other in pairwise(group):
        first, second = _curve(one, lanes), _curve(other, lanes).toReversed()
        part = QPainterPath(first)
        part.connectPath(second)
        part.closeSubpath()
        area = area.united(part)
    tools.painter.setPen(Qt.PenStyle.NoPen)
    tools.painter.setBrush(color)
    tools.painter.drawPath(area)


def _paint_arrow(tools: Tools, arrow: _Arrow, lanes: dict[int, _Lane]) -> None:
    color = QColor(tools.theme.hazard if arrow.undefined else tools.theme.accent)
    style = Qt.PenStyle.DashLine if arrow.undefined else Qt.PenStyle.SolidLine
    path = _curve(arrow, lanes)
    painter = tools.painter
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(color, _WIDTH, style))
    painter.drawPath(path)
    tools.cross_texts(path, _WIDTH)
    ends = [(path.pointAtPercent(0.97), path.pointAtPercent(1.0))]
    if arrow.both:
        ends.append((path.pointAtPercent(0.03), path.pointAtPercent(0.0)))
    for before, end in ends:
        back = before - end
        start = end + back / max(0.01, float(np.hypot(back.x(), back.y()))) * SHUFFLE_HEAD
        paint_arrow(tools, start, end, color, _WIDTH * 0.8, Qt.PenStyle.SolidLine, (0.0, 0.0))


def _curve(arrow: _Arrow, lanes: dict[int, _Lane]) -> QPainterPath:
    """Return the way of an arrow: above the lanes of one row, or between two rows from edge to edge."""
    source, target = lanes[arrow.source], lanes[arrow.thread]
    along = target.x - source.x
    aside = SHUFFLE_ASIDE * source.box.width * (0.0 if arrow.both else 1.0 if along > 0 else -1.0)
    start, end = QPointF(source.x + aside, source.box.y), QPointF(target.x + aside, target.box.y - SHUFFLE_GAP)
    if arrow.both:
        start.setY(start.y() - SHUFFLE_GAP)
    if source.box.y == target.box.y:
        high = min(source.room - _WIDTH - SHUFFLE_GAP, max(SHUFFLE_STEEP * abs(along), 2.0 * _WIDTH))
        bend = QPointF(0.15 * along, -high * 4 / 3)
        path = QPainterPath(start)
        path.cubicTo(start + bend, end + QPointF(-bend.x(), bend.y()), end)
        return path
    up = -1.0 if target.box.y < source.box.y else 1.0
    inset = source.inset
    start.setY(source.box.y + source.box.height / 2 + up * (source.box.height / 2 - inset))
    end.setY(target.box.y + target.box.height / 2 - up * (target.box.height / 2 - inset))
    path = QPainterPath(start)
    if inset > 0 and abs(along) < 1.0 and up * (end.y() - start.y()) > source.box.height:  # between the columns
        left = source.box.x + (SHUFFLE_GAP if round(source.box.y / source.box.height) % 2 else -SHUFFLE_GAP) / 2
        turn = QPointF(left, end.y() - 2 * up * inset)
        path = QPainterPath(QPointF(left, start.y() + 4 * up * -inset))
        path.lineTo(turn)
        path.quadTo(QPointF(left, end.y() - up * inset), end - QPointF(SHUFFLE_ASIDE * source.box.width, 0.0))
        return path
    half = QPointF(0.0, max(abs(end.y() - start.y()) / 2, 2 * SHUFFLE_GAP) * up)
    path.cubicTo(start + half, end - half, end)
    return path
