"""Paint a barrier: the warps that have arrived stand at a line and wait, the late ones are on their way to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.constants import BASELINE, EDGE, ON_THE_WAY, PLATE_TEXT, TOKEN, TOKENS_APART
from gui.explore.stage.paint_flows import paint_arrow
from gui.explore.stage.plates import (
    lines_size,
    paint_lines,
    paint_plate,
    paint_token,
    place_words,
    taken_places,
    token_width,
)
from kernels.narration.barriers import late_words, waiting_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Box
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from kernels.analysis.order.barrier_arrivals import WarpArrival

_MOST: Final = 4
"""Warps on each side that are drawn; the others are counted."""

_LINE: Final = 4.0
"""Width of the line, pixels."""


def paint_barrier(
    tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box], texts: NDArray[np.float64]
) -> None:
    """Paint the warps at the barrier near the threads, where this covers nothing (parameters: `paint_queue_arrows`).

    Where there is no room for the words, the line and the warps alone are painted.
    """
    line = scene.barrier_line
    if line is None or scene.race is not None:
        return
    here = layout.zoom.box if layout.zoom is not None else layout.thread_raster.box
    taken = taken_places(layout, avoid, texts)
    late = [*line.those("runs"), *line.those("later")]
    waiting = line.those("waits")
    row = (
        _row_width(tools, late) + _row_width(tools, waiting) + (tools.line * PLATE_TEXT * ON_THE_WAY if late else _LINE)
    )
    words = [part for part in (waiting_words(line), late_words(line)) if part]
    found = place_words(here, words, lambda lines: lines_size(tools, lines, row), taken, area)
    if found is not None:
        place, lines = found
        paint_plate(tools, place, tools.theme.warning)
        _paint_warps(tools, place, paint_lines(tools, place, lines), late, waiting)


def _names(warps: Sequence[WarpArrival]) -> tuple[list[str], str]:
    rest = len(warps) - _MOST
    return [f"w{warp.warp}" for warp in warps[:_MOST]], f"+{rest}" if rest > 0 else ""


def _row_width(tools: Tools, warps: Sequence[WarpArrival]) -> float:
    """Return the width of some warps, with a gap after each."""
    text = tools.line * PLATE_TEXT
    names, rest = _names(warps)
    more = tools.text_painter.width(rest, text, True) + text * TOKENS_APART if rest else 0.0
    return sum(token_width(tools, name) + text * TOKENS_APART for name in names) + more


def _paint_warps(
    tools: Tools, plate: Box, top: float, late: Sequence[WarpArrival], waiting: Sequence[WarpArrival]
) -> None:
    """Paint the line on the right, the waiting warps at it, and the late ones on the left with an arrow to it."""
    text, painter, theme = tools.line * PLATE_TEXT, tools.painter, tools.theme
    right = plate.x + plate.width - text * EDGE
    painter.setPen(tools.pen(theme.warning, _LINE))
    begin_y = top + text * 0.1 + _LINE  # below the words, which may be as wide as the plate
    painter.drawLine(QPointF(right, begin_y), QPointF(right, top + text * (TOKEN + 0.1)))
    begin = right - _LINE - _row_width(tools, waiting)
    _paint_row(tools, begin, top, waiting)
    if late:
        left = plate.x + text * EDGE
        _paint_row(tools, left, top, late)
        middle = top + text * TOKEN / 2
        start, end = QPointF(left + _row_width(tools, late), middle), QPointF(begin - text * TOKENS_APART, middle)
        style = Qt.PenStyle.SolidLine if late[0].state == "runs" else Qt.PenStyle.DashLine
        paint_arrow(tools, start, end, QColor(theme.muted), 1.8, style, (0.0, 0.0))


def _paint_row(tools: Tools, left: float, top: float, warps: Sequence[WarpArrival]) -> None:
    text = tools.line * PLATE_TEXT
    names, rest = _names(warps)
    for name in names:
        token = QRectF(left, top, token_width(tools, name), text * TOKEN)
        paint_token(tools, token, name, None)
        left += token.width() + text * TOKENS_APART
    if rest:
        tools.text_painter.start(tools.painter, text, QColor(tools.theme.text), True)
        tools.text_painter.draw_from(tools.painter, left, top + text * (TOKEN / 2 + BASELINE), rest, text, True)
