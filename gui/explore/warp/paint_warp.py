"""Paint the lanes of one warp as a table, and the sides of the branches that separate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPolygonF

from gui.explore.packing.warp_layout import SPLIT_ROWS
from gui.explore.stage.colouring import thread_groups
from gui.explore.stage.hues import pale_hue
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text, rounded_text
from gui.theming.style import ink_on, mix
from kernels.analysis.divergence import MASKED, RETURNED, RUNS, WAITS
from kernels.analysis.registers import AXES
from kernels.narration.divergence import side_words, split_words

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from gui.explore.packing.boxes import Box
    from gui.explore.packing.warp_layout import WarpLayout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from gui.explore.warp.warp_lanes import WarpLanes
    from gui.theming.theme import Theme
    from kernels.analysis.divergence import Turn

_GAP: Final = 1.0
"""Space between neighbouring cells, pixels."""

_APART: Final = 4.0
"""Least space between neighbouring texts, pixels."""


def paint_warp(tools: Tools, scene: Scene, layout: WarpLayout) -> None:
    """Paint the table of the shown warp."""
    warp = scene.warp
    if warp is None:
        return
    _paint_title(tools, scene, warp, layout)
    facts, groups = _facts(scene, warp, joint=layout.joint), thread_groups(scene)
    first = warp.state.first_lane - scene.threads.first_lane
    for lane in range(warp.count):
        group = None if groups is None else int(groups[first + lane])
        _paint_lane(tools, _rect(layout.cell(lane, 0)), lane, int(warp.state.state[lane]), layout.text, group)
        for row, (_, texts) in enumerate(facts, 1):
            if texts is None:
                paint_state(tools, _rect(layout.cell(lane, row)), int(warp.state.state[lane]))
            else:
                _paint_fact(tools, _rect(layout.cell(lane, row)), *texts[lane], layout.text)
    for lane in range(0, warp.count, layout.per_band):
        for row, label in enumerate(("lane", *(label for label, _ in facts))):
            _paint_label(tools, layout, lane, row, label)
        _paint_splits(tools, warp, layout, lane)
    _paint_focus(tools, scene, warp, layout)


def paint_state(tools: Tools, cell: QRectF, state: int) -> None:
    """Paint the symbol of a lane's state: a triangle, a dash, two bars, a cross, or nothing."""
    painter, side = tools.painter, min(cell.width(), cell.height()) * 0.5
    centre = cell.center()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_state_color(tools.theme, state))
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
        painter.setPen(tools.pen(_state_color(tools.theme, state), max(1.5, side * 0.16)))
        corner = QPointF(side, side) * 0.4
        other = QPointF(side, -side) * 0.4
        painter.drawLine(centre - corner, centre + corner)
        painter.drawLine(centre - other, centre + other)


def _state_color(theme: Theme, state: int) -> QColor:
    return QColor({RUNS: theme.text, WAITS: theme.warning}.get(state, theme.muted))


def _rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height).adjusted(_GAP, _GAP, -_GAP, -_GAP)


def _paint_title(tools: Tools, scene: Scene, warp: WarpLanes, layout: WarpLayout) -> None:
    painter, theme, box, line = tools.painter, tools.theme, layout.box, tools.line
    block = f" of block {scene.index_text(scene.block_index)}"
    size = line * 0.95
    tools.text_painter.start(painter, size, QColor(theme.text), True)
    title = f"Warp {warp.state.warp}{block}"
    painter.drawText(QPointF(box.x, box.y + line), title)
    x = box.x + tools.text_painter.width(title, size, True) + line * 0.6
    running = len(warp.state.lanes(RUNS))
    some = f"{running} of {warp.count} lanes run" if running < warp.count else f"all {warp.count} lanes run"
    if running == 0:
        some = "no lane runs this"
    tools.text_painter.start(painter, line * 0.8, QColor(theme.muted))
    if x + tools.text_painter.width(some, line * 0.8) <= box.x + box.width:
        painter.drawText(QPointF(x, box.y + line), some)


def _facts(scene: Scene, warp: WarpLanes, *, joint: bool) -> list[tuple[str, list[tuple[str, str]] | None]]:
    """Return the rows below the numbers of the lanes: a label, and for each lane a text and a shorter one.

    The texts are None for the states.
    """
    facts: list[tuple[str, list[tuple[str, str]] | None]] = []
    if joint:
        facts.append(("threadIdx", [(scene.index_text(index), "") for index in warp.index]))
    for number, axis in enumerate(() if joint else AXES):
        if number == 0 or scene.block_dim[number] > 1:
            facts.append((f"threadIdx.{axis}", [(str(index[number]), "") for index in warp.index]))
    facts.append(("state", None))
    if warp.value_name:
        values = warp.values.tolist()
        texts = [
            (number_text(value), rounded_text(value)) if known else ("", "")
            for value, known in zip(values, warp.has_value, strict=True)
        ]
        facts.append((f"→ {warp.value_name}" if warp.stored else warp.value_name, texts))
    return facts


def _paint_lane(tools: Tools, cell: QRectF, lane: int, state: int, size: float, group: int | None) -> None:
    """Paint the number of a lane on a plate that shows whether it runs, in the colour of its group, if it has one."""
    painter, theme = tools.painter, tools.theme
    fill = QColor(theme.panel)
    if state == RUNS:
        fill = mix(theme.panel, theme.matrix_c, 0.30 if not theme.dark else 0.38)
        fill = fill if group is None else pale_hue(theme, group)
    style = Qt.PenStyle.SolidLine if state in (RUNS, WAITS) else Qt.PenStyle.DashLine
    edge = theme.warning if state == WAITS else theme.thread if state == RUNS else theme.muted
    painter.setPen(tools.pen(edge, 2.0 if state in (RUNS, WAITS) else 1.2, style))
    painter.setBrush(fill)
    radius = min(cell.width(), cell.height()) * 0.16
    painter.drawRoundedRect(cell, radius, radius)
    color = ink_on(fill) if state == RUNS else QColor(theme.muted)
    _paint_text(tools, cell, str(lane), size, color, bold=state == RUNS)


def _paint_fact(tools: Tools, cell: QRectF, text: str, shorter: str, size: float) -> None:
    """Paint a text in a cell, or the shorter one where it would be too small to read from a distance."""
    room = (cell.width() - _APART) * size
    if shorter and room < SMALLEST_TEXT * tools.text_painter.width(text, size):
        text = shorter
    _paint_text(tools, cell, text, size, QColor(tools.theme.text))


def _paint_text(tools: Tools, cell: QRectF, text: str, size: float, color: QColor, *, bold: bool = False) -> None:
    """Paint a text in the middle of a cell, smaller if it does not fit; an ellipsis if it cannot be read then."""
    wide, room = tools.text_painter.width(text, size, bold), cell.width() - _APART
    if wide > room:
        smaller = size * room / wide
        text, size = (text, smaller) if smaller >= SMALLEST_TEXT * 0.8 else ("…", size)
    tools.text_painter.start(tools.painter, size, color, bold)
    tools.text_painter.draw_centred(tools.painter, cell.center().x(), cell.center().y(), text, size, bold)


def _paint_label(tools: Tools, layout: WarpLayout, lane: int, row: int, text: str, *, bold: bool = False) -> None:
    """Paint the label of a row, in front of its first lane."""
    cell, size = layout.cell(lane, row), min(layout.text, tools.line * 0.9)
    room = layout.left - layout.box.x - tools.line * 0.4
    while size > SMALLEST_TEXT and tools.text_painter.width(text, size, bold) > room:
        size -= 0.5
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text if bold else tools.theme.muted), bold)
    tools.painter.drawText(QPointF(layout.box.x, cell.y + cell.height / 2 + size * 0.36), text)


def _paint_splits(tools: Tools, warp: WarpLanes, layout: WarpLayout, first: int) -> None:
    """Paint the innermost branches that have room, each with a heading and its sides, for one band of lanes."""
    shown = warp.state.splits[-layout.splits :]
    if not shown and first == 0 and len(warp.state.lanes(RUNS)):
        _paint_heading(tools, layout, first, layout.rows, "No branch separates the lanes of this warp now.")
    for number, split in enumerate(shown):
        row = layout.rows + number * SPLIT_ROWS
        _paint_heading(tools, layout, first, row, split_words(split))
        for below, side in enumerate(split.sides, 1):
            _paint_label(tools, layout, first, row + below, side_words(split, side), bold=side.turn == "now")
            for lane in range(first, min(first + layout.per_band, warp.count)):
                cell, runs = _rect(layout.cell(lane, row + below)), int(warp.state.state[lane]) == RUNS
                _paint_side(tools, cell, side.turn, member=lane in side.lanes, runs=runs)


def _paint_heading(tools: Tools, layout: WarpLayout, lane: int, row: int, text: str) -> None:
    cell, size = layout.cell(lane, row), min(layout.text, tools.line * 0.9)
    while size > SMALLEST_TEXT and tools.text_painter.width(text, size) > layout.box.width:
        size -= 0.5
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
    tools.painter.drawText(QPointF(layout.box.x, cell.y + cell.height - size * 0.3), text)


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
        _paint_triangle(painter, cell, ink_on(fill))


def _paint_triangle(painter: QPainter, cell: QRectF, color: QColor) -> None:
    side, centre = min(cell.width(), cell.height()) * 0.3, cell.center()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    corners = (QPointF(-side, -side), QPointF(side * 1.2, 0), QPointF(-side, side))
    painter.drawPolygon(QPolygonF([centre + corner * 0.8 for corner in corners]))


def _paint_focus(tools: Tools, scene: Scene, warp: WarpLanes, layout: WarpLayout) -> None:
    """Outline the columns of the lanes in focus."""
    first = warp.state.first_lane - scene.threads.first_lane
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for lane in np.flatnonzero(scene.threads.focus[first : first + warp.count]).tolist():
        top, bottom = layout.cell(lane, 0), layout.cell(lane, layout.rows - 1)
        column = QRectF(top.x, top.y, top.width, bottom.y + bottom.height - top.y)
        for color, width in ((tools.theme.text, 5.0), (tools.theme.highlight, 2.5)):
            tools.painter.setPen(tools.pen(color, width))
            tools.painter.drawRoundedRect(column, 3, 3)
