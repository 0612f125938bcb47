"""Paint the numbers of rows and columns, the indices of strips, titles of slices, and names of members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPolygonF

from gui.explore.stage.text_painter import SMALLEST_TEXT

if TYPE_CHECKING:
    from gui.explore.packing.arrangement import Arrangement
    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Cells
    from gui.explore.stage.views import View

_PADDING: Final = "padding"


def paint_indices(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint the indices of cells that one needs to find an element.

    A matrix has the numbers of its rows and columns, a strip the flat index above its elements, a slice its z above
    the numbers of its columns. Columns of structs are headed by the names of their members, if there is room; a single
    struct has no number.
    """
    shape = cells.view.arrangement
    if shape.count == 1:
        return
    if shape.kind == "strip" and not cells.view.heads:
        _paint_strip_indices(tools, cells, raster)
        return
    if shape.kind == "slices":
        _paint_slice_indices(tools, shape, raster)
        return
    _paint_matrix_indices(tools, cells, raster)


def paint_slice_titles(tools: Tools, shape: Arrangement, raster: Raster, away: float = 0.55) -> None:
    """Title each slice with its z, this many lines of text above it."""
    if shape.kind != "slices":
        return
    size = min(tools.line * 0.8, shape.width * raster.across / 3)
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
    for z, part in enumerate(shape.parts):
        text = next((t for t in (f"z = {z}", str(z)) if _fits(tools, t, size, part.columns * raster.across)), "")
        box = raster.rect(*part)
        x, y = box.x + box.width / 2, box.y - tools.line * away
        tools.text_painter.draw_centred(tools.painter, x, y, text, size, True)


def _fits(tools: Tools, text: str, size: float, width: float) -> bool:
    return tools.text_painter.width(text, size, True) <= width + tools.line * 0.6


def _size(tools: Tools, raster: Raster) -> float:
    return min(tools.line * 0.78, max(11.0, raster.cell * 0.5))


def _every(tools: Tools, most: int, size: float, pitch: float) -> int:
    """Return the power of two of which the multiples are numbered, so that numbers up to `most` do not touch."""
    every, width = 1, tools.text_painter.width(str(most), size) + size * 0.5
    while every * pitch < width:
        every *= 2
    return every


def _paint_strip_indices(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint the index above elements, and at the left of each row that with which it begins; mark rows that go on."""
    shape, size = cells.view.arrangement, _size(tools, raster)
    every = _every(tools, shape.count - 1, size, raster.across)
    parts = shape.parts
    first_has = raster.gaps.numbers or not raster.above  # threads may be directly above
    lines = _every_row(size, raster)
    color = QColor(tools.theme.muted)
    for number, part in enumerate(parts):
        first, y = number * shape.width, raster.top(part.row) - size * 0.75
        tools.text_painter.start(tools.painter, size, color)
        columns = range(0, part.columns if (raster.gaps.numbers if number else first_has) else 0, every)
        centres = [(raster.left(part.column + column) + raster.across / 2, y) for column in columns]
        texts = [str(first + column) for column in columns]
        tools.text_painter.draw_all_centred(tools.painter, centres, texts, size, measured=True)
        if len(parts) == 1 or number % lines:
            continue
        middle, text = raster.top(part.row) + raster.cell / 2, str(first)
        away = size * 0.5 + tools.text_painter.width(text, size, True) / 2
        tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
        tools.text_painter.draw_centred(tools.painter, raster.left(0) - away, middle, text, size, True)
        if number + 1 < len(parts) and lines == 1:
            _paint_continuation(tools, raster.left(part.column + part.columns - 1) + raster.across, middle, color)
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.hazard), True)
    if not raster.gaps.numbers and raster.above:
        return  # threads are directly above
    for row, column in np.argwhere(cells.outside).tolist():
        index = row * (shape.width if len(parts) > 1 else 0) + column - shape.before[1]
        if not 0 <= index < shape.count and (index < 0 or (index - shape.count) % every == 0):
            x, y = raster.left(column) + raster.across / 2, raster.top(row) - size * 0.75
            tools.text_painter.draw_centred(tools.painter, x, y, str(index), size, True)


def _paint_continuation(tools: Tools, x: float, y: float, color: QColor) -> None:
    """Paint an arrow that turns down and back, at the end of a row that goes on in the next one."""
    step = tools.line * 0.26
    x += step
    tools.painter.setPen(tools.pen(color, 1.6))
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    path = [QPointF(x, y - step), QPointF(x + step * 1.6, y - step), QPointF(x + step * 1.6, y + step)]
    end = QPointF(x + step * 0.8, y + step)
    tools.painter.drawPolyline(QPolygonF([*path, end]))
    tools.painter.setPen(Qt.PenStyle.NoPen)
    tools.painter.setBrush(color)
    tip = end - QPointF(step, 0)
    tools.painter.drawPolygon(QPolygonF([tip, end + QPointF(0, step * 0.7), end - QPointF(0, step * 0.7)]))


def _paint_slice_indices(tools: Tools, shape: Arrangement, raster: Raster) -> None:
    """Paint the numbers of columns above each slice, and those of rows at the left of each line of slices."""
    paint_slice_titles(tools, shape, raster, 1.5)
    size = _size(tools, raster)
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
    for number, part in enumerate(shape.parts):
        for c in range(0, part.columns, _every(tools, part.columns - 1, size, raster.across)):
            x, y = raster.left(part.column + c) + raster.across / 2, raster.top(part.row) - size * 0.75
            tools.text_painter.draw_centred(tools.painter, x, y, str(c), size)
        for r in range(0, part.rows if number % shape.across == 0 else 0, _every_row(size, raster)):
            y, text = raster.top(part.row + r) + raster.cell / 2, str(r)
            away = max(size * 0.85, size * 0.3 + tools.text_painter.width(text, size) / 2)
            tools.text_painter.draw_centred(tools.painter, raster.x - away, y, text, size)


def _every_row(size: float, raster: Raster) -> int:
    every = 1
    while every * (raster.cell + (raster.gaps.down if raster.gaps.rows == 1 else 0.0)) < size * 1.2:
        every *= 2
    return every


def _paint_matrix_indices(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint row numbers on the left and column numbers above; every second, fourth, … where they would touch."""
    view, (above, left) = cells.view, cells.view.before
    shape = view.rows - above, view.columns - left
    size = _size(tools, raster)
    # Numbers of two digits and more are wider than high: along the columns they need more room than one size.
    every = 1
    while every * raster.cell < size * (2.0 if max(shape) > 10 else 1.3):
        every *= 2
    color = QColor(tools.theme.muted)
    if view.heads:
        _paint_heads(tools, view.heads, raster, size)
    tools.text_painter.start(tools.painter, size, color)
    room = _paint_padding_label(tools, cells, raster, size)
    for c, text in () if view.heads else _column_numbers(view, shape[1] - cells.padding, every):
        x = raster.left(c + left) + raster.across / 2
        if x + tools.text_painter.width(text, size) / 2 > room:
            break
        tools.text_painter.draw_centred(tools.painter, x, raster.top(0) - size * 0.75, text, size)
    alone = bool(view.heads) and shape[0] == view.step == 1
    _paint_outside_indices(tools, cells, raster, size, every)
    tools.text_painter.start(tools.painter, size, color)
    for r in range(0, 0 if alone else shape[0], every):
        y, text = raster.top(r + above) + raster.cell / 2, str((view.first[0] + r) * view.step)
        away = max(size * 0.85, size * 0.3 + tools.text_painter.width(text, size) / 2)
        tools.text_painter.draw_centred(tools.painter, raster.x - away, y, text, size)


def _column_numbers(view: View, count: int, every: int) -> list[tuple[int, str]]:
    """Return columns of the picture with their numbers; where rows are side by side, those of each row begin with 0."""
    if not view.period:
        return [(c, str(view.first[1] + c)) for c in range(0, count, every)]
    apart = view.period * -(-every // view.period)
    return [
        (first + c, str(c))
        for first in range(0, count, apart)
        for c in range(0, view.period if apart == view.period else 1, every)
    ]


def _paint_padding_label(tools: Tools, cells: Cells, raster: Raster, size: float) -> float:
    """Name the columns of padding above them, and return the right edge of the room for the other columns' numbers."""
    right = raster.x + cells.values.shape[1] * raster.across
    if not cells.padding:
        return float("inf")
    width, across = tools.text_painter.width(_PADDING, size), cells.padding * raster.across
    x = right - max(width, across) / 2  # where the columns are narrower, the label ends with them
    tools.text_painter.draw_centred(tools.painter, x, raster.y - size * 0.75, _PADDING, size)
    room: float = x - width / 2 - size * 0.4
    return room


def _paint_outside_indices(tools: Tools, cells: Cells, raster: Raster, size: float, every: int) -> None:
    """Paint the numbers of rows and columns beyond the edges whose elements are accessed."""
    (rows, columns), (above, left) = cells.values.shape, cells.view.before
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.hazard), True)
    for column in np.flatnonzero(cells.outside.any(axis=0)).tolist():
        number = column - left
        if not 0 <= number < columns - left and number % every == 0:
            x = raster.left(column) + raster.across / 2
            tools.text_painter.draw_centred(tools.painter, x, raster.top(0) - size * 0.75, str(number), size, True)
    for row in np.flatnonzero(cells.outside.any(axis=1)).tolist():
        number = row - above
        if not 0 <= number < rows - above and number % every == 0:
            y = raster.top(row) + raster.cell / 2
            away = max(size * 0.85, size * 0.3 + tools.text_painter.width(str(number), size, True) / 2)
            tools.text_painter.draw_centred(tools.painter, raster.x - away, y, str(number), size, True)


_ROUNDED = 1.05
"""Growth of a text's width where its size is rounded to whole pixels."""


def _paint_heads(tools: Tools, heads: tuple[str, ...], raster: Raster, size: float) -> None:
    """Paint names above columns, as large as they fit; names too long for readable text are omitted, or all of them."""
    room = raster.across * 0.92
    widest = max(tools.text_painter.width(head, size) for head in heads)
    size = max(SMALLEST_TEXT, min(size, size * room / widest))
    shown = {head for head in heads if tools.text_painter.width(head, size) <= room * _ROUNDED}
    if 2 * len(shown) < len(set(heads)):
        return
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text))
    for c, head in ((c, head) for c, head in enumerate(heads) if head in shown):
        tools.text_painter.draw_centred(
            tools.painter, raster.x + (c + 0.5) * raster.across, raster.y - size * 0.75, head, size
        )
