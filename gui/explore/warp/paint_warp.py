"""Paint one warp: its requests to memory, or its lanes as a table and the sides of the branches that separate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPolygonF

from gui.explore.memory.paint_memory import paint_fitting, paint_lane, paint_titled
from gui.explore.packing.matrix_layout import LoadLayout, ProductLayout
from gui.explore.packing.warp_layout import SPLIT_ROWS
from gui.explore.stage.colouring import thread_groups
from gui.explore.stage.text_painter import SMALLEST_TEXT
from gui.explore.warp.paint_fragments import paint_product
from gui.explore.warp.paint_matrix_load import paint_load
from gui.explore.warp.paint_requests import Lanes, lane_facts, paint_requests
from gui.theming.style import ink_on, mix
from kernels.analysis.order.divergence import MASKED, RETURNED, RUNS, WAITS
from kernels.analysis.values.fragments import Multiplication
from kernels.analysis.values.matrix_loads import MatrixLoad
from kernels.launch import WARP_SIZE
from kernels.narration.divergence import side_words, split_words

if TYPE_CHECKING:
    from gui.explore.packing.boxes import Box
    from gui.explore.packing.matrix_layout import MatrixLayout
    from gui.explore.packing.warp_layout import WarpLayout, WarpTable
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from gui.explore.warp.paint_requests import Fact
    from gui.explore.warp.warp_lanes import WarpLanes
    from kernels.analysis.order.divergence import Turn

_GAP: Final = 1.0
"""Space between neighbouring cells, pixels."""

_APART: Final = 4.0
"""Least space between neighbouring texts, pixels."""


def paint_warp(tools: Tools, scene: Scene, layout: WarpLayout) -> None:
    """Paint the requests of the shown warp, or the table of its lanes."""
    warp = scene.warp
    if warp is None:
        return
    _paint_title(tools, scene, warp, layout.box)
    groups = thread_groups(scene)
    first = warp.state.first_lane - scene.threads.first_lane
    here = slice(first, first + warp.count)
    focused = frozenset(np.flatnonzero(scene.threads.focus[here]).tolist())
    lanes = Lanes(warp, None if groups is None else groups[here], focused)
    if layout.matrices is not None:
        _paint_instruction(tools, scene, warp, layout.matrices)
    elif layout.table is None:
        paint_requests(tools, lanes, lane_facts(scene, warp, joint=False), layout)
    else:
        told = not len(scene.shuffles.threads)
        _paint_table(tools, lanes, lane_facts(scene, warp, joint=layout.table.joint), layout.table, told=told)


def _paint_instruction(tools: Tools, scene: Scene, warp: WarpLanes, layout: MatrixLayout) -> None:
    """Paint a matrix instruction, for the lane in focus or the first."""
    lane = scene.lane - warp.state.first_lane
    if isinstance(layout, ProductLayout) and isinstance(warp.instruction, Multiplication):
        paint_product(tools, scene, warp.instruction, lane, layout)
    elif isinstance(layout, LoadLayout) and isinstance(warp.instruction, MatrixLoad):
        paint_load(tools, scene, warp.instruction, lane, layout)


def _paint_table(tools: Tools, lanes: Lanes, facts: list[Fact], layout: WarpTable, *, told: bool) -> None:
    warp, states = lanes.warp, lanes.warp.state.state.tolist()
    for lane, state in enumerate(states):
        paint_lane(tools, _rect(layout.cell(lane, 0)), lane, state, layout.text, group=lanes.group(lane))
        for row, (_, texts) in enumerate(facts, 1):
            if texts is None:
                paint_state(tools, _rect(layout.cell(lane, row)), state)
            else:
                _paint_fact(tools, _rect(layout.cell(lane, row)), *texts[lane], layout.text)
    for lane in range(0, warp.count, layout.per_band):
        for row, label in enumerate(("lane", *(label for label, _ in facts))):
            _paint_label(tools, layout, lane, row, label)
        _paint_splits(tools, warp, layout, lane, told=told)
    _paint_focus(tools, lanes, layout)


def paint_state(tools: Tools, cell: QRectF, state: int, ink: QColor | None = None) -> None:
    """Paint the symbol of a lane's state: a triangle, a dash, two bars, a cross, or nothing."""
    color = ink or QColor({RUNS: tools.theme.text, WAITS: tools.theme.warning}.get(state, tools.theme.muted))
    painter, side = tools.painter, min(cell.width(), cell.height()) * 0.5
    centre = cell.center()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    if state == RUNS:
        left, right = centre.x() - side * 0.4, centre.x() + side * 0.5
        corners = (left, centre.y() - side / 2), (right, centre.y()), (left, centre.y() + side / 2)
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
    elif state == MASKED:
        painter.drawRect(QRectF(centre.x() - side / 2, centre.y() - side * 0.1, side, side * 0.2))
    elif state == WAITS:
        for x in (-0.38, 0.12):
            painter.drawRect(QRectF(centre.x() + side * x, centre.y() - side / 2, side * 0.26, side))
    elif state == RETURNED:
        painter.setPen(tools.pen(color, max(1.5, side * 0.16)))
        corner = QPointF(side, side) * 0.4
        other = QPointF(side, -side) * 0.4
        painter.drawLine(centre - corner, centre + corner)
        painter.drawLine(centre - other, centre + other)


def _rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height).adjusted(_GAP, _GAP, -_GAP, -_GAP)


def _paint_title(tools: Tools, scene: Scene, warp: WarpLanes, box: Box) -> None:
    title = f"Warp {warp.state.warp} of block {scene.index_text(scene.block_index)}"
    running = len(warp.state.lanes(RUNS))
    some = f"{running} of {warp.count}" if running < warp.count else f"all {warp.count}"
    words = f"{some} lanes run" if running else "no lane runs this"
    if warp.instruction is not None:
        words = warp.instruction.name
    if warp.count < WARP_SIZE:
        words = f"{warp.count} of its {WARP_SIZE} lanes have a thread: {words}"
    paint_titled(tools, title, (words, ""), QRectF(box.x, box.y, box.width, tools.line), tools.line * 0.95, bold=False)


def _paint_fact(tools: Tools, cell: QRectF, text: str, shorter: str, size: float) -> None:
    """Paint a text in a cell, or the shorter one where it would be too small to read from a distance.

    A text that does not fit is smaller; an ellipsis if it cannot be read then.
    """
    room = cell.width() - _APART
    if shorter and room * size < SMALLEST_TEXT * tools.text_painter.width(text, size):
        text = shorter
    wide = tools.text_painter.width(text, size)
    if wide > room:
        smaller = size * room / wide
        text, size = (text, smaller) if smaller >= SMALLEST_TEXT * 0.8 else ("…", size)
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text))
    tools.text_painter.draw_centred(tools.painter, cell.center().x(), cell.center().y(), text, size)


def _paint_label(
    tools: Tools, layout: WarpTable, lane: int, row: int, text: str, *, bold: bool = False, width: float = 0.0
) -> None:
    """Paint the label of a row, in front of its first lane, or a heading of some width."""
    cell, size = layout.cell(lane, row), min(layout.text, tools.line * 0.9)
    tools.painter.setPen(QColor(tools.theme.text if bold else tools.theme.muted))
    room = QRectF(layout.box.x, cell.y, width or layout.left - layout.box.x - tools.line * 0.4, cell.height)
    paint_fitting(tools, (text,), room, size, bold=bold)


def _paint_splits(tools: Tools, warp: WarpLanes, layout: WarpTable, first: int, *, told: bool) -> None:
    """Paint the innermost branches that have room, each with a heading and its sides, for one band of lanes.

    That there is none is `told` unless arrows between lanes take the room.
    """
    shown = warp.state.splits[-layout.splits :]
    if told and not shown and first == 0 and len(warp.state.lanes(RUNS)):
        words = "No branch separates the lanes of this warp now."
        _paint_label(tools, layout, first, layout.rows, words, width=layout.box.width)
    for number, split in enumerate(shown):
        row = layout.rows + number * SPLIT_ROWS
        _paint_label(tools, layout, first, row, split_words(split), width=layout.box.width)
        for below, side in enumerate(split.sides, 1):
            _paint_label(tools, layout, first, row + below, side_words(split, side), bold=side.turn == "now")
            for lane in range(first, min(first + layout.per_band, warp.count)):
                cell, runs = _rect(layout.cell(lane, row + below)), int(warp.state.state[lane]) == RUNS
                _paint_side(tools, cell, side.turn, member=lane in side.lanes, runs=runs)


def _paint_side(tools: Tools, cell: QRectF, turn: Turn, *, member: bool, runs: bool) -> None:
    """Paint whether a lane takes a side: filled while the side runs, hatched before its turn, pale after it.

    A triangle marks the lanes that run: of an outer branch, an inner one can mask some.
    """
    painter, theme = tools.painter, tools.theme
    if not member:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.border))
        painter.drawRect(QRectF(cell.x(), cell.center().y() - 0.5, cell.width(), 1))
        return
    fill = QColor(theme.matrix_c) if turn == "now" else mix(theme.panel, theme.matrix_c, 0.18)
    painter.setPen(tools.pen(theme.thread if turn == "now" else theme.muted, 2.0 if turn == "now" else 1.0))
    painter.setBrush(fill if turn != "none" else QColor(theme.panel))
    painter.drawRect(cell)
    if turn == "later":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(QColor(theme.muted), Qt.BrushStyle.BDiagPattern))
        painter.drawRect(cell)
    elif turn == "now" and runs:
        paint_state(tools, cell, RUNS, ink_on(fill))


def _paint_focus(tools: Tools, lanes: Lanes, layout: WarpTable) -> None:
    """Outline the columns of the lanes in focus."""
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for lane in sorted(lanes.focused):
        top, bottom = layout.cell(lane, 0), layout.cell(lane, layout.rows - 1)
        column = QRectF(top.x, top.y, top.width, bottom.y + bottom.height - top.y)
        for color, width in ((tools.theme.text, 5.0), (tools.theme.highlight, 2.5)):
            tools.painter.setPen(tools.pen(color, width))
            tools.painter.drawRoundedRect(column, 3, 3)
