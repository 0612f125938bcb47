"""Paint an `mma.sync`: its matrices by the lanes that hold them, the 32 lanes, and the registers of one lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.memory.paint_memory import paint_fitting, paint_lane, readable_size
from gui.explore.packing.constants import EDGE, FRAGMENT_LINE
from gui.explore.packing.matrix_layout import focused_element
from gui.explore.stage.hues import pale_hue
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text, rounded_text
from gui.theming.style import ink_on, mix
from kernels.analysis.divergence import RUNS
from kernels.launch import WARP_SIZE
from kernels.narration.matrices import elements_words, register_elements, use_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.matrix_layout import ProductLayout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from kernels.analysis.fragments import Fragment, Multiplication
    from kernels.analysis.matrix_products import Holders

_NAMES: Final = "ABC"

_TEXT: Final = 0.72
"""Height of numbers in cells, in lines of text, at most."""

_GROUP: Final = 4
"""Neighbouring lanes that have one colour: they hold a row of the sums."""

_LIST: Final = 0.74
"""Height of the list of registers, in lines of text."""

_COLUMNS: Final = (0.27, 0.33)
"""Widths of the columns of the list, in its width: the register's name, its elements; the rest is for values."""

_HALF: Final = 0.5


def paint_product(tools: Tools, scene: Scene, shown: Multiplication, lane: int, layout: ProductLayout) -> None:
    """Paint the matrices of an instruction; `lane` is the one whose registers are listed."""
    element = focused_element(scene.focus)
    for number, (fragment, raster) in enumerate(zip(shown.matrices, layout.matrices, strict=True)):
        rows, columns = fragment.values.shape
        title = f"{_NAMES[number]} {rows}×{columns}"
        what = f"{fragment.type}, after the step" if number == len(_NAMES) - 1 else fragment.type
        paint_heads(tools, title, what, raster)
        paint_held(tools, fragment, raster, lane)
    _paint_lanes(tools, layout.lanes, lane)
    _paint_element(tools, shown, layout, element)
    _paint_card(tools, scene, shown, lane, layout, element)


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


def paint_held(tools: Tools, fragment: Fragment, raster: Raster, lane: int) -> None:
    """Paint a matrix: a cell for each register, with the lane that holds it and the values that fit."""
    parts = register_rects(fragment.holders, raster)
    texts = [_values(fragment, elements) for _, _, elements in parts]
    paint_lane_cells(tools, [(holder, rect) for holder, rect, _ in parts], lane, texts)


def paint_lane_cells(tools: Tools, cells: list[tuple[int, QRectF]], lane: int, texts: list[str]) -> None:
    """Paint cells in the colours of lanes with their numbers, below or after them values if all have room.

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
    small = readable_size(tools, widest, min(size, height * _HALF * 0.9), width - 4)
    below = bool(widest and small)
    beside = widest and not below and text.width(f"31 {widest}", size, bold=True) <= width - 6
    size = min(size, height * _HALF * 0.9) if below else size
    for (holder, rect), words in zip(cells, texts, strict=True):
        bold, ink = holder == lane, ink_on(lane_fill(tools, holder))
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


def paint_heads(tools: Tools, title: str, detail: str, raster: Raster, *, numbers: bool = True) -> None:
    """Write a title above a matrix, and the numbers of its rows and columns where they have room."""
    painter, text, line = tools.painter, tools.text_painter, tools.line
    size = line * _TEXT
    top = raster.y - line * (1.05 if numbers else 0.35)
    text.start(painter, line, QColor(tools.theme.text), True)
    text.draw_from(painter, raster.x, top, title, line, True)
    text.start(painter, size, QColor(tools.theme.muted))
    text.draw_from(painter, raster.x + text.width(title, line, True) + line * EDGE, top, detail, size)
    if not numbers:
        return
    for count, pitch, horizontal in ((raster.columns, raster.across, True), (raster.rows, raster.cell, False)):
        room = text.width("00", size) * 1.3 if horizontal else size * 1.1
        step = next(every for every in (1, 2, 4, 8, 16) if every * pitch >= room or every == 16)
        for number in range(0, count, step):
            if horizontal:
                x, y = raster.left(number) + pitch * min(step, count) * 0.0 + pitch / 2, raster.y - line * 0.42
            else:
                x, y = raster.x - line * 0.62, raster.top(number) + pitch / 2
            text.draw_centred(painter, x, y, str(number), size)


def _values(fragment: Fragment, elements: list[tuple[int, int]]) -> str:
    return " ".join(value_text(fragment, at) for at in elements)


def value_text(fragment: Fragment, at: tuple[int, int]) -> str:
    """Write the value of an element, a question mark if it is not known."""
    value = fragment.values[at].item()
    return (rounded_text(value) or number_text(value)) if fragment.known[at] else "?"


def _paint_lanes(tools: Tools, raster: Raster, lane: int) -> None:
    paint_heads(tools, "Lanes", "a colour for every four", raster, numbers=False)
    size = min(tools.line * _TEXT, raster.cell * 0.8)
    for number in range(WARP_SIZE):
        box = raster.rect(*divmod(number, raster.columns))
        rect = QRectF(box.x + 1.5, box.y + 1, box.width - 3, box.height - 2)
        paint_lane(tools, rect, number, RUNS, size, group=number // _GROUP, focused=number == lane)


def _paint_element(tools: Tools, shown: Multiplication, layout: ProductLayout, element: int) -> None:
    """Outline the element under the pointer, and what it is multiplied or added with."""
    found = element_at(shown, element)
    if found is None:
        return
    matrix, row, column = found
    a, b, c = layout.matrices
    bands = {
        0: [(c, row, 0, 1, c.columns)],
        1: [(c, 0, column, c.rows, 1)],
        2: [(a, row, 0, 1, a.columns), (b, 0, column, b.rows, 1)],
    }[matrix]
    for raster, *at in (*bands, (layout.matrices[matrix], row, column, 1, 1)):
        box = raster.rect(*at)
        rect = QRectF(box.x, box.y, box.width, box.height)
        for color, width in ((tools.theme.text, 5.0), (tools.theme.highlight, 2.5)):
            tools.painter.setPen(tools.pen(color, width))
            tools.painter.drawRect(rect)


def element_at(shown: Multiplication, element: int) -> tuple[int, int, int] | None:
    """Return matrix, row and column of an element by its number; None for -1."""
    for matrix, fragment in enumerate(shown.matrices):
        if 0 <= element < fragment.values.size:
            row, column = divmod(element, fragment.values.shape[1])
            return matrix, row, column
        element -= fragment.values.size
    return None


def _paint_card(
    tools: Tools, scene: Scene, shown: Multiplication, lane: int, layout: ProductLayout, element: int
) -> None:
    """List the registers of a lane with the elements and values in them."""
    painter, theme, line, box = tools.painter, tools.theme, tools.line, layout.card
    assert scene.warp is not None
    heading = QRectF(box.x, box.y, box.width, line * 1.2)
    painter.setPen(QColor(theme.text))
    paint_fitting(tools, (f"Lane {lane}",), heading, line * 1.1, bold=True)
    thread = QRectF(box.x + line * 4.2, box.y, box.width - line * 4.2, line * 1.2)
    painter.setPen(QColor(theme.muted))
    paint_fitting(tools, (f"thread {scene.index_text(scene.warp.index[lane])}",), thread, line * _LIST, bold=False)
    at, pitch = box.y + line * 1.6, line * FRAGMENT_LINE
    focused = element_at(shown, element)
    for matrix, (heads, rows) in enumerate(_lists(shown, lane)):
        painter.setPen(QColor(theme.muted))
        _paint_row(tools, heads, QRectF(box.x, at, box.width, pitch), bold=False)
        painter.setPen(tools.pen(theme.border, 1))
        painter.drawLine(QLineF(box.x, at + pitch, box.x + box.width, at + pitch))
        at += pitch
        for words, elements in rows:
            row = QRectF(box.x, at, box.width, pitch)
            here = focused is not None and focused[0] == matrix and focused[1:] in elements
            if here:
                painter.fillRect(row, mix(theme.panel, theme.highlight, 0.4))
            painter.setPen(QColor(theme.text))
            _paint_row(tools, words, row, bold=here)
            at += pitch
        at += pitch * 0.35
    if focused is not None:
        painter.setPen(QColor(theme.text))
        note = QRectF(box.x, at, box.width, box.y + box.height - at)
        painter.setFont(tools.text_painter.font(line * _LIST))
        painter.drawText(note, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, use_words(shown, *focused))


_Row = tuple[tuple[str, str, str], tuple[tuple[int, int], ...]]


def _lists(shown: Multiplication, lane: int) -> Iterator[tuple[tuple[str, str, str], list[_Row]]]:
    """Yield for each matrix the heads of its list, and the lines with their elements."""
    for name, fragment in zip(_NAMES, shown.matrices, strict=True):
        rows: list[_Row] = []
        for register, elements in register_elements(fragment, lane):
            values = " ".join(value_text(fragment, at) for at in elements)
            if fragment is shown.after:
                values = f"{' '.join(value_text(shown.before, at) for at in elements)} → {values}"
            rows.append(((register, elements_words(name, elements), values), elements))
        yield (fragment.type, "element", "before → after" if fragment is shown.after else "value"), rows


def _paint_row(tools: Tools, words: tuple[str, str, str], row: QRectF, *, bold: bool) -> None:
    first, second = (row.width() * share for share in _COLUMNS)
    lefts, widths = (0.0, first, first + second), (first, second, row.width() - first - second)
    for text, left, width in zip(words, lefts, widths, strict=True):
        place = QRectF(row.x() + left, row.y(), width - tools.line * 0.3, row.height())
        paint_fitting(tools, (text,), place, tools.line * _LIST, bold=bold)
