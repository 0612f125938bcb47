"""Paint an `mma.sync`: its matrices by the lanes that hold them, the 32 lanes, and the registers of one lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.memory.paint_memory import paint_fitting, paint_lane, paint_titled, readable_size
from gui.explore.packing.constants import FRAGMENT_LINE
from gui.explore.packing.matrix_layout import focused_element
from gui.explore.stage.hues import pale_hue
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text, rounded_text
from gui.theming.style import ink_on, mix
from kernels.analysis.order.divergence import RUNS
from kernels.launch import WARP_SIZE
from kernels.narration.matrices import elements_words, use_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.packing.boxes import Box, Raster
    from gui.explore.packing.matrix_layout import ProductLayout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from kernels.analysis.values.fragments import Fragment, Multiplication
    from kernels.analysis.values.matrix_products import Holders

_NAMES: Final = "ABC"

_TEXT: Final = 0.72
"""Height of numbers in cells, in lines of text, at most."""

_GROUP: Final = 4
"""Neighbouring lanes that have one colour: they hold a row of the sums."""

_LIST: Final = 0.84
"""Height of the list of registers, in lines of text."""

_LEAST_LIST: Final = 11.0
"""Least height of the list, pixels; longer texts are elided."""

_APART: Final = 0.6
"""Between columns of the list, in lines of text."""

_NOTE: Final = 0.78
"""Height of the note below the list, in lines of text."""

_HINT: Final = ("Point at an element:", "its lane and register.", "Point at a lane: its elements.")

_BOTH: Final = "lane and value"
"""Contents of a cell that has room for two lines."""

_HALF: Final = 0.45
"""Height of each of these lines, in heights of the cell."""


def paint_product(tools: Tools, scene: Scene, shown: Multiplication, lane: int, layout: ProductLayout) -> None:
    """Paint the matrices of an instruction; `lane` is the one whose registers are listed."""
    focused = element_at(shown, focused_element(scene.focus), lane)
    for number, (fragment, raster) in enumerate(zip(shown.matrices, layout.matrices, strict=True)):
        rows, columns = fragment.values.shape
        both = _paint_held(tools, fragment, raster, lane)
        what = f"{fragment.type} after the step" if fragment is shown.after else fragment.type
        detail = f"{fragment.type}, {_BOTH}" if both else what
        _paint_head(tools, f"{_NAMES[number]} {rows}×{columns}", (detail, fragment.type), raster, 1.95)
        _paint_numbers(tools, fragment, raster)
    _paint_lanes(tools, layout.lanes, lane)
    if focused is not None:
        _paint_element(tools, shown, layout, *focused)
    _paint_card(tools, scene, shown, lane, layout, focused)


def lane_fill(tools: Tools, lane: int) -> QColor:
    """Return the colour of a lane: four neighbours share it."""
    return pale_hue(tools.theme, lane // _GROUP)


def register_rects(holders: Holders, raster: Raster) -> list[tuple[int, QRectF, list[tuple[int, int]]]]:
    """Return the lane, the rectangle and the elements of each register: those in one register are neighbours."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for at in np.ndindex(holders.lane.shape):
        found.setdefault((int(holders.lane[at]), int(holders.register[at])), []).append((at[0], at[1]))
    parts = []
    for (lane, _), elements in found.items():
        (row, column), (last_row, last_column) = elements[0], elements[-1]
        box = raster.rect(row, column, last_row - row + 1, last_column - column + 1)
        parts.append((lane, QRectF(box.x, box.y, box.width, box.height), elements))
    return parts


def _paint_held(tools: Tools, fragment: Fragment, raster: Raster, lane: int) -> bool:
    """Paint a matrix: a cell for each register, with the lane that holds it, and values if they fit; return whether."""
    parts = register_rects(fragment.holders, raster)
    texts = [_values(fragment, elements) for _, _, elements in parts]
    return paint_lane_cells(tools, [(holder, rect) for holder, rect, _ in parts], lane, texts)


def paint_lane_cells(tools: Tools, cells: list[tuple[int, QRectF]], lane: int, texts: list[str]) -> bool:
    """Paint cells in the colours of lanes with their numbers, and if all have room values; return whether.

    The cells of `lane` are outlined.
    """
    painter, theme, text = tools.painter, tools.theme, tools.text_painter
    width, height = cells[0][1].width(), cells[0][1].height()
    painter.setPen(tools.pen(theme.panel, 1))
    for holder, rect in cells:
        painter.setBrush(lane_fill(tools, holder))
        painter.drawRect(rect)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    size = readable_size(tools, "31", min(tools.line * _TEXT, height * 0.86), width - 2)
    widest = max(texts, key=lambda words: text.width(words, SMALLEST_TEXT), default="")
    small = readable_size(tools, widest, min(size, height * _HALF), width - 4)
    below = bool(widest and small)
    beside = bool(widest) and not below and text.width(f"31 {widest}", size, bold=True) <= width - 6
    size = min(size, height * _HALF) if below else size
    for (holder, rect), words in zip(cells, texts, strict=True) if size else ():
        bold, ink = holder == lane or below or beside, ink_on(lane_fill(tools, holder))
        x, y = rect.center().x(), rect.center().y()
        if below:
            text.start(painter, small, ink)
            text.draw_centred(painter, x, rect.top() + height * 0.73, words, small)
            y = rect.top() + height * 0.28
        elif beside:
            text.start(painter, size, ink)
            at = rect.right() - 3 - text.width(words, size)
            text.draw_from(painter, at, y + size * 0.36, words, size)
            x = rect.left() + 3 + text.width("31", size, bold=True) / 2
        text.start(painter, size, ink, bold)
        text.draw_centred(painter, x, y, str(holder), size, bold)
    painter.setPen(tools.pen(theme.text, 2.5))
    painter.drawRects([rect.adjusted(1, 1, -1, -1) for holder, rect in cells if holder == lane])
    return below or beside


def _paint_head(tools: Tools, title: str, details: tuple[str, ...], raster: Raster, lines_above: float) -> None:
    """Write a title and the first detail that fits above a matrix."""
    head = QRectF(raster.x, raster.y - tools.line * lines_above, raster.across * raster.columns, tools.line)
    paint_titled(tools, title, details, head, tools.line * 0.95, bold=False)


def _paint_numbers(tools: Tools, fragment: Fragment, raster: Raster) -> None:
    """Write the numbers of rows and columns: of a register that of its first element, of as many as have room."""
    text, line = tools.text_painter, tools.line
    size, elements = line * _TEXT, fragment.of_lane(0)[0]
    first, last = elements[0], elements[-1]
    high, wide = last[0] - first[0] + 1, last[1] - first[1] + 1
    text.start(tools.painter, size, QColor(tools.theme.muted))
    room = text.width("00", size) * 1.3
    for number in range(0, raster.columns, _every(wide, raster.across, room)):
        text.draw_centred(
            tools.painter, raster.left(number) + raster.across * wide / 2, raster.y - line * 0.42, str(number), size
        )
    for number in range(0, raster.rows, _every(high, raster.cell, size * 1.1)):
        text.draw_centred(
            tools.painter, raster.x - line * 0.62, raster.top(number) + raster.cell * high / 2, str(number), size
        )


def _every(packed: int, pitch: float, room: float) -> int:
    """Return the distance of numbers that have room: one, two, four or eight registers of some elements."""
    return next((packed * many for many in (1, 2, 4) if packed * many * pitch >= room), packed * 8)


def _values(fragment: Fragment, elements: list[tuple[int, int]]) -> str:
    return " ".join(value_text(fragment, at) for at in elements)


def value_text(fragment: Fragment, at: tuple[int, int]) -> str:
    """Write the value of an element, a question mark if it is not known."""
    value = fragment.values[at].item()
    return (rounded_text(value) or number_text(value)) if fragment.known[at] else "?"


def _paint_lanes(tools: Tools, raster: Raster, lane: int) -> None:
    _paint_head(tools, "Lanes", ("a colour for every four", "by fours", ""), raster, 1.2)
    size = min(tools.line * _TEXT, raster.cell * 0.8)
    for number in range(WARP_SIZE):
        box = raster.rect(*divmod(number, raster.columns))
        rect = QRectF(box.x + 1.5, box.y + 1, box.width - 3, box.height - 2)
        paint_lane(tools, rect, number, RUNS, size, group=number // _GROUP, focused=number == lane)


def _paint_element(
    tools: Tools, shown: Multiplication, layout: ProductLayout, matrix: int, row: int, column: int
) -> None:
    """Outline the element under the pointer, and what it is multiplied or added with."""
    a, b, c = layout.matrices
    bands = {
        0: [(c, row, 0, 1, c.columns)],
        1: [(c, 0, column, c.rows, 1)],
        2: [(a, row, 0, 1, a.columns), (b, 0, column, b.rows, 1)],
    }[matrix]
    boxes = [raster.rect(*at) for raster, *at in bands]
    rects = [QRectF(box.x, box.y, box.width, box.height) for box in boxes]
    own = layout.matrices[matrix].rect(row, column)
    parts = register_rects(shown.matrices[matrix].holders, layout.matrices[matrix])
    rects += [rect for _, rect, elements in parts if (row, column) in elements]
    for color, width in ((tools.theme.text, 5.0), (tools.theme.highlight, 2.5)):
        tools.painter.setPen(tools.pen(color, width))
        tools.painter.drawRects(rects)
    if len(shown.matrices[matrix].of_lane(0)[0]) > 1:  # of several numbers in a register, a bar marks this one
        tools.painter.setPen(tools.pen(tools.theme.text, 5.0))
        edge = own.y + own.height
        if own.height < rects[-1].height() - 1:
            tools.painter.drawLines([QLineF(own.x + own.width, own.y, own.x + own.width, edge)])
        else:
            tools.painter.drawLines([QLineF(own.x, edge, own.x + own.width, edge)])


def element_at(shown: Multiplication, element: int, lane: int) -> tuple[int, int, int] | None:
    """Return matrix, row and column of an element by its number; None for -1, and for one that another lane holds.

    The element under the pointer of an earlier step can be in another lane of an instruction with another shape.
    """
    for matrix, fragment in enumerate(shown.matrices):
        if 0 <= element < fragment.values.size:
            row, column = divmod(element, fragment.values.shape[1])
            return (matrix, row, column) if fragment.holders.lane[row, column] == lane else None
        element -= fragment.values.size
    return None


def _paint_card(
    tools: Tools,
    scene: Scene,
    shown: Multiplication,
    lane: int,
    layout: ProductLayout,
    focused: tuple[int, int, int] | None,
) -> None:
    """List the registers of a lane with the elements and values in them."""
    painter, theme, line, box = tools.painter, tools.theme, tools.line, layout.card
    assert scene.warp is not None
    heading = QRectF(box.x, box.y, box.width, line * 1.2)
    thread = f"thread {scene.index_text(scene.warp.index[lane])}"
    paint_titled(tools, f"Lane {lane}", (thread, ""), heading, line * 1.1, bold=False)
    at, pitch = box.y + line * 1.6, line * FRAGMENT_LINE
    lists = list(_lists(shown, lane))
    table = _Table.of(tools, [words for heads, rows in lists for words in (heads, *(row for row, _ in rows))], box)
    for matrix, (heads, rows) in enumerate(lists):
        painter.setPen(QColor(theme.muted))
        table.paint(tools, heads, at, pitch, bold=False)
        painter.setPen(tools.pen(theme.border, 1))
        painter.drawLines([QLineF(box.x, at + pitch, box.x + box.width, at + pitch)])
        at += pitch
        for words, elements in rows:
            here = focused is not None and focused[0] == matrix and focused[1:] in elements
            if here:
                painter.fillRect(QRectF(box.x, at, box.width, pitch), mix(theme.panel, theme.highlight, 0.4))
            painter.setPen(QColor(theme.text))
            table.paint(tools, words, at, pitch, bold=here)
            at += pitch
        at += pitch * 0.35
    painter.setPen(QColor(theme.text if focused is not None else theme.muted))
    for note in use_words(shown, *focused) if focused is not None else _HINT:
        paint_fitting(tools, (note,), QRectF(box.x, at, box.width, line * 1.1), line * _NOTE, bold=False)
        at += line * 1.1


_Row = tuple[tuple[str, str, str], tuple[tuple[int, int], ...]]


def _lists(shown: Multiplication, lane: int) -> Iterator[tuple[tuple[str, str, str], list[_Row]]]:
    """Yield for each matrix the heads of its list, and the lines with their elements."""
    for name, fragment in zip(_NAMES, shown.matrices, strict=True):
        rows: list[_Row] = []
        for register, elements in zip(fragment.registers, fragment.of_lane(lane), strict=True):
            values = " ".join(value_text(fragment, at) for at in elements)
            if fragment is shown.after:
                values = f"{' '.join(value_text(shown.before, at) for at in elements)} → {values}"
            rows.append(((register, elements_words(name, elements), values), elements))
        yield (fragment.type, "element", "before → after" if fragment is shown.after else "value"), rows


@dataclass(frozen=True, slots=True)
class _Table:
    """A list in columns, whose texts all have one size; in a narrow picture without the values."""

    lefts: tuple[float, ...]
    """Left edges, and at the end the right edge of the last column."""
    size: float

    @classmethod
    def of(cls, tools: Tools, rows: list[tuple[str, str, str]], box: Box) -> _Table:
        """Return a list with columns as wide as their texts, in the largest text with which they fit."""
        apart, sizes = tools.line * _APART, np.arange(tools.line * _LIST, _LEAST_LIST, -0.5).tolist() or [_LEAST_LIST]
        for count in (len(rows[0]), len(rows[0]) - 1):
            for size in sizes:
                columns = list(zip(*rows, strict=True))[:count]
                widths = [max(tools.text_painter.width(text, size) for text in texts) + apart for texts in columns]
                if sum(widths) <= box.width + apart:
                    return cls((box.x, *(box.x + np.cumsum(widths[:-1])).tolist(), box.x + box.width), size)
        # The name of a register is the longest text; the listing has it, too.
        widths[0] = max(box.width + apart - sum(widths[1:]), box.width / count)
        return cls((box.x, box.x + widths[0], box.x + box.width), size)

    def paint(self, tools: Tools, words: tuple[str, str, str], y: float, height: float, *, bold: bool) -> None:
        """Paint a row."""
        for text, left, right in zip(words, self.lefts, self.lefts[1:], strict=False):
            paint_fitting(tools, (text,), QRectF(left, y, right - left, height), self.size, bold=bold)
