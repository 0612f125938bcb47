"""Paint copies from global to shared memory: bands from source tile to target tile, arrows for single copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPolygonF

from gui.explore.packing.arcs import arc, direction
from gui.explore.packing.lens import magnified_cells
from gui.explore.stage.paint_cells import tint_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.explore.packing.arcs import Arc
    from gui.explore.packing.boxes import Box, Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Flow, Scene

_ARROWS = 8
"""Up to this many copies are drawn as single arrows; more become one band."""

_NEAR = 3
"""Rows and columns around a thread whose threads an arrow to it avoids."""

_NEIGHBOUR_COST = 2
"""Weight of a thread that an arrow crosses, as `arc` counts it."""

_MOST_STRAYS = 4
"""Up to this many accesses outside an array have arrows to where they land; of more, only those in focus."""


def paint_bands(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Paint a translucent band from where a tile is read to where it is stored."""
    for flow in scene.flows:
        color = QColor(tint_of(tools.theme, scene.cells[flow.source_view].tint))
        color.setAlphaF(0.22)
        # One hull around both tiles: a line for each of 1,024 copies would be a grey area.
        source = _span(layout.rasters[flow.source_view], flow.source)
        target = _span(layout.rasters[flow.target_view], flow.target)
        tools.painter.setPen(Qt.PenStyle.NoPen)
        tools.painter.setBrush(color)
        tools.painter.drawPolygon(_hull(source, target))


def _span(raster: Raster, cells: NDArray[np.integer]) -> QRectF:
    top, left = (max(0, int(n)) for n in cells.min(axis=0))
    bottom, right = (int(n) + 1 for n in cells.max(axis=0))
    bottom, right = min(bottom, raster.rows), min(right, raster.columns)
    box = raster.rect(top, left, bottom - top, right - left)
    return QRectF(box.x, box.y, box.width, box.height)


def _hull(a: QRectF, b: QRectF) -> QPolygonF:
    """Return the convex hull of two rectangles (Andrew's monotone chain)."""
    corners = (f() for r in (a, b) for f in (r.topLeft, r.topRight, r.bottomLeft, r.bottomRight))
    points = sorted((p.x(), p.y()) for p in corners)

    def half(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for p in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return QPolygonF([QPointF(*p) for p in half(points) + half(points[::-1])])


def _turn(o: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def paint_arrows(tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box]) -> None:
    """Paint single copies if they are few or in focus, and the reads and writes of the thread in focus.

    Those of the thread are curves that avoid numbers and titles; a step with a race shows that instead.
    """
    for flow in scene.flows:
        pointed_at = flow.focus if scene.focus.kind in ("thread", "element") else np.zeros_like(flow.focus)
        single = np.ones_like(flow.focus) if len(flow.lanes) <= _ARROWS else pointed_at
        for n in np.flatnonzero(single):
            _paint_copy(tools, scene, layout, flow, int(n))
    _paint_strays(tools, scene, layout)
    threads = scene.threads
    if scene.focus.kind != "thread" or scene.flows or scene.race is not None:
        return
    for thread in np.flatnonzero(threads.focus & threads.visible).tolist():
        raster, at = thread_place(scene, layout, thread)
        around = [*avoid, *_neighbours(scene, layout, raster, at) * _NEIGHBOUR_COST]
        for number, cells in enumerate(scene.cells):
            for r, c in np.argwhere(cells.focus & cells.read):
                ends = layout.rasters[number].rect(int(r), int(c)), raster.rect(*at)
                paint_arc(tools, arc(*ends, around, area, touches=True), QColor(tools.theme.text), 2.5)


def _neighbours(scene: Scene, layout: Layout, raster: Raster, at: tuple[int, int]) -> list[Box]:
    """Return the cells of the threads around one: an arrow through them would seem to lead to them."""
    threads = scene.threads
    place = threads.row, threads.column, threads.visible
    row, column, shown = magnified_cells(scene.block_dim, layout.lens) if raster is layout.zoom else place
    near = shown & (np.abs(row - at[0]) <= _NEAR) & (np.abs(column - at[1]) <= _NEAR)
    cells = set(zip(row[near].tolist(), column[near].tolist(), strict=True)) - {at}
    return [raster.rect(*cell) for cell in sorted(cells)]


def _paint_strays(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Paint an arrow from an element that does not exist to the one with its address, if they are few or in focus."""
    color = QColor(tools.theme.hazard)
    for stray in scene.strays:
        raster = layout.rasters[stray.view]
        drawn = stray.lands & (stray.named >= 0).all(axis=1) & (stray.named < (raster.rows, raster.columns)).all(axis=1)
        if len(stray.lanes) > _MOST_STRAYS:
            drawn &= stray.focus & (scene.focus.kind == "thread")
        pairs = {(*stray.named[n].tolist(), *stray.landing[n].tolist()) for n in np.flatnonzero(drawn)}
        for row, column, to_row, to_column in sorted(pairs):
            _paint_wrapped(tools, raster, (row, column), (to_row, to_column), color)


def _paint_wrapped(tools: Tools, raster: Raster, at: tuple[int, int], to: tuple[int, int], color: QColor) -> None:
    """Paint an arrow along the edges of cells, not through their numbers: down or up, then along the row's top edge."""
    start, end = cell_centre(raster, at), cell_centre(raster, to)
    edge = raster.top(to[0])
    start.setY(start.y() + raster.cell * (0.4 if edge > start.y() else -0.4))
    tools.painter.setPen(tools.pen(color, 2.5))
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    way = QPainterPath()
    way.addPolygon(QPolygonF([start, QPointF(start.x(), edge), QPointF(end.x(), edge)]))
    tools.painter.drawPath(way)
    tools.cross_texts(way, 2.5)
    top = QPointF(end.x(), edge + raster.cell * 0.2)
    paint_arrow(tools, QPointF(end.x(), edge), top, color, min(2.5, raster.cell / 12), Qt.PenStyle.SolidLine, (0, 0))


def _paint_copy(tools: Tools, scene: Scene, layout: Layout, flow: Flow, n: int) -> None:
    source, target = layout.rasters[flow.source_view], layout.rasters[flow.target_view]
    zero = bool(flow.zero[n])
    color = QColor(tools.theme.warning if zero else tools.theme.text)
    color.setAlphaF(1.0 if flow.focus[n] or zero else 0.6)
    style = Qt.PenStyle.DashLine if zero else Qt.PenStyle.SolidLine
    if flow.source[n][0] >= source.rows or flow.source[n][1] >= source.columns:
        return
    ends = cell_centre(source, flow.source[n]), cell_centre(target, flow.target[n])
    paint_arrow(tools, *ends, color, 3.0 if flow.focus[n] else 1.6, style, (source.cell * 0.36, target.cell * 0.36))


def cell_centre(raster: Raster, at: Sequence[int] | NDArray[np.integer]) -> QPointF:
    """Return the centre of a cell (row, column)."""
    box = raster.rect(int(at[0]), int(at[1]))
    return QPointF(box.x + box.width / 2, box.y + box.height / 2)


def thread_place(scene: Scene, layout: Layout, number: int) -> tuple[Raster, tuple[int, int]]:
    """Return the cell of a thread: in the magnified block, where it has a label, if it is shown there."""
    if layout.zoom is not None:
        row, column, shown = magnified_cells(scene.block_dim, layout.lens)
        if shown[number]:
            return layout.zoom, (int(row[number]), int(column[number]))
    return layout.thread_raster, (int(scene.threads.row[number]), int(scene.threads.column[number]))


def paint_arc(tools: Tools, curve: Arc, color: QColor, width: float) -> None:
    """Paint a curve with the head of an arrow."""
    path, end, unit = QPainterPath(QPointF(*curve.start)), QPointF(*curve.end), QPointF(*direction(curve))
    path.quadTo(QPointF(*curve.control), end - unit * (3.0 + 1.5 * width))
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    tools.painter.setPen(tools.pen(color, width))
    tools.painter.drawPath(path)
    tools.cross_texts(path, width)
    paint_arrow(tools, end - unit, end, color, width, Qt.PenStyle.SolidLine, (0.0, 0.0))


def paint_arrow(
    tools: Tools,
    start: QPointF,
    end: QPointF,
    color: QColor,
    width: float,
    style: Qt.PenStyle,
    away: tuple[float, float],
) -> None:
    """Paint an arrow between two points, at distances from both."""
    along = end - start
    length = max(1.0, float(np.hypot(along.x(), along.y())))
    unit = along / length
    start, end = start + unit * away[0], end - unit * away[1]
    normal = QPointF(-unit.y(), unit.x())
    head = 4.0 + 2.2 * width
    tools.painter.setPen(tools.pen(color, width, style))
    tools.painter.drawLine(start, end - unit * head * 0.8)
    line = QPainterPath(start)
    line.lineTo(end)
    line.moveTo(end - unit * head)
    line.lineTo(end)
    tools.cross_texts(line, max(width, head * 0.9))
    tools.painter.setPen(Qt.PenStyle.NoPen)
    tools.painter.setBrush(color)
    tools.painter.drawPolygon(
        QPolygonF([end, end - unit * head + normal * head * 0.45, end - unit * head - normal * head * 0.45])
    )
