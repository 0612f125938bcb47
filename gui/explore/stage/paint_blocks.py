"""Paint blocks on the result or the launch: outlines, names, and the axes along which x and y grow."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.boxes import NO_GAPS
from gui.explore.stage.block_wash import has_washes, paint_wash, washed
from gui.explore.stage.paint_cells import paint_frame, part_rects
from gui.explore.stage.paint_strip_marks import paint_strip_marks
from gui.explore.stage.text_painter import SMALLEST_TEXT, fitting_size, text_width
from gui.theming.style import mix

if TYPE_CHECKING:
    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.block_places import Axes
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import BlockBox, Cells, Scene
    from kernels.launch import Dim3

_Cells = tuple[int, int, int, int]
"""Row, column, rows and columns of some cells."""

_LEAST_NAME: Final = 11.0
"""Smallest name of a block, pixels."""

_LINE: Final = 1.25
"""Height of a line of a name, in sizes of its text."""

_OUTLINE: Final = (4.0, 7.0)
_THIN_OUTLINE: Final = (2.0, 3.0)
"""Width of the outline of the shown block and of its margin, pixels; of a small one."""

_SMALL_BLOCK: Final = 26.0
"""Side in pixels of a block that a bold outline would hide."""


def paint_blocks(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Outline every block, the shown one in bold; name those whose cells hold no text."""
    painter, theme, raster = tools.painter, tools.theme, layout.thread_raster
    inside = [box for box in scene.blocks if box.row < raster.rows and box.column < raster.columns]
    # Blocks with the same result, as in a histogram, have one outline: that of the shown block, else of the last one.
    drawn = list({(box.row, box.column): box for box in sorted(inside, key=lambda box: box.current)}.values())
    first = {(box.row, box.column): box.index for box in reversed(inside)}
    if layout.strips:
        paint_strip_marks(tools, scene, layout, drawn)
        return
    readable = fitting_size(raster.cell, "0", raster.across) > 0
    coloured = has_washes(scene, len(drawn))
    for box in drawn:
        if coloured:
            paint_wash(tools, _rect(box, raster), box.number)
        valued = readable and _holds_values(scene, box)
        empty = not (box.done or valued) or (scene.zoom == "grid" and not readable)
        if not box.current and (empty or scene.result is None):
            names = _names(scene, first[box.row, box.column], box.index)
            _paint_name(tools, scene, box, raster, names, coloured=coloured)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(mix(theme.text, theme.panel, 0.35), 1.5))
    painter.drawRects([_rect(box, raster) for box in drawn if not box.current])
    # The shown block last, over its neighbours' outlines, with a margin in the colour of the background.
    for box in drawn:
        if box.current:
            rect = _rect(box, raster)
            width, margin = _OUTLINE if min(rect.width(), rect.height()) >= _SMALL_BLOCK else _THIN_OUTLINE
            painter.setPen(tools.pen(theme.panel, margin))
            painter.drawRect(rect)
            painter.setPen(tools.pen(theme.warning if scene.barrier else theme.accent, width))
            painter.drawRect(rect)


def _holds_values(scene: Scene, box: BlockBox) -> bool:
    """Return whether an element of a block's results has a value, which the block's name would cover."""
    if scene.result is None:
        return False
    written = scene.cells[scene.result].written[box.row : box.row + box.rows, box.column : box.column + box.columns]
    return bool(written.any())


def paint_axes(tools: Tools, axes: Axes, raster: Raster, *, beside: bool = False) -> None:
    """Paint "x→" and "y↓", as indices grow: above the upper left corner of threads, or beside it."""
    if raster.gaps is not NO_GAPS:
        return  # rows of a strip and slices have titles
    size = min(tools.line * 0.68, max(SMALLEST_TEXT + 1, raster.cell * 0.5))
    arrows = {"columns": "→", "rows": "↓"}
    texts = [f"{name}{arrows[along]}" for name, along in (("x", axes.x), ("y", axes.y)) if along]
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.accent), True)
    for up, text in enumerate(texts):
        x = raster.x - size * 0.3 - tools.text_painter.width(text, size, True) / 2
        y = raster.y + size * (0.6 + 1.05 * up if beside else 1.05 * (up + 1 - len(texts)) - 0.7)
        tools.text_painter.draw_centred(tools.painter, x, y, text, size, True)


def _rect(box: BlockBox, raster: Raster) -> QRectF:
    rows, columns = min(box.rows, raster.rows - box.row), min(box.columns, raster.columns - box.column)
    return _cells(raster, box.row, box.column, rows, columns)


def _cells(raster: Raster, row: int, column: int, rows: int, columns: int) -> QRectF:
    found = raster.rect(row, column, rows, columns)
    return QRectF(found.x, found.y, found.width, found.height)


def _names(scene: Scene, first: Dim3, last: Dim3) -> tuple[str, ...]:
    """Return the names of a block, or of the first to the last of several with one outline; the longest first.

    The number of a block alone, in a cell, would look like the value of an element, and its index like a thread's.
    """
    pairs = zip(
        scene.index_text(first).strip("()").split(","), scene.index_text(last).strip("()").split(","), strict=True
    )
    index = ",".join(one if one == other else f"{one}..{other}" for one, other in pairs)
    return (f"block ({index})", f"block\n({index})", f"({index})") if "," in index else (f"block {index}",)


def _paint_name(
    tools: Tools, scene: Scene, box: BlockBox, raster: Raster, names: tuple[str, ...], *, coloured: bool
) -> None:
    """Paint the name of a block over whole cells, as in a merged cell of a table: no line of the grid is broken.

    The cells keep the colour of the block if it has one: they may be all of it.
    """
    view = scene.cells[scene.result].view if scene.result is not None else None
    cells, result = (box.row, box.column, box.rows, box.columns), (view.rows, view.columns) if view else None
    found = _place(tools.text_painter.family, tools.line, cells, result, raster, names)
    if found is None:
        return
    painter, (text, size, plate) = tools.painter, found
    done = box.done and scene.result is None  # the launch shows by colour which blocks are done
    ground = mix(tools.theme.panel, tools.theme.matrix_c, 0.20 if done else 0.0)
    if coloured:
        ground = washed(tools, ground, box.number)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRect(plate)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(tools.theme.border, 1))
    painter.drawRect(plate)
    if scene.result is not None:
        _paint_edge(tools, scene.cells[scene.result], raster, plate, ground, (text, size))
    tools.text_painter.start(painter, size, QColor(tools.theme.muted))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        y = plate.center().y() + (number - (len(lines) - 1) / 2) * size * _LINE
        tools.text_painter.draw_centred(painter, plate.center().x(), y, line, size)


def _paint_edge(
    tools: Tools, result: Cells, raster: Raster, plate: QRectF, color: QColor, label: tuple[str, float]
) -> None:
    """Paint the edge of the result, which merged cells cover, up to the text and its size."""
    painter, (text, size) = tools.painter, label
    if not any(rect.adjusted(2, 2, -2, -2).contains(plate) for _, rect in part_rects(result, raster)):
        painter.save()
        painter.setClipRect(plate)
        paint_frame(tools, result, raster)
        painter.restore()
    ground = QRectF(QPointF(), QSizeF(*_size_of(tools.text_painter.family, text, size)))
    ground.moveCenter(plate.center())
    painter.fillRect(ground, color)


@lru_cache(maxsize=1024)  # the same in all steps of a run
def _place(
    family: str,
    line: float,
    cells: _Cells,
    result: tuple[int, int] | None,
    raster: Raster,
    names: tuple[str, ...],
) -> tuple[str, float, QRectF] | None:
    """Return the name of a block, its size and its cells; None if no name can be read.

    `result` has the rows and columns of the result, whose edge a name should not meet.
    """
    places = (_name_place(family, line, part, raster, names) for part in _parts(cells, result))
    return next((place for place in places if place is not None), None)


def _parts(cells: _Cells, result: tuple[int, int] | None) -> tuple[_Cells, ...]:
    """Return the parts of a block in which its name meets no edge of the result, then the whole block.

    They are the elements of the result, the cells below the result, and those on its right.
    """
    if result is None:
        return (cells,)
    row, column, high, wide = cells
    rows, columns = max(0, min(high, result[0] - row)), max(0, min(wide, result[1] - column))
    parts = (
        (row, column, rows, columns),
        (row + rows, column, high - rows, wide),
        (row, column + columns, high, wide - columns),
    )
    return (*(part for part in parts if part[2] and part[3]), cells)


def _name_place(
    family: str, line: float, cells: _Cells, raster: Raster, names: tuple[str, ...]
) -> tuple[str, float, QRectF] | None:
    """Return the name of some cells of a block, as `_place`.

    It is the largest one for which at most half of the cells are merged, or else the smallest: but a smaller "block
    (0,1)" is better than "(0,1)", which could be the index of a thread.
    """
    top, left, rows, columns = cells
    rows, columns = min(rows, raster.rows - top), min(columns, raster.columns - left)
    rect = _cells(raster, top, left, rows, columns)
    largest = min(line * 0.9, rect.height() * 0.7)  # the shown block's outline takes some of it
    sizes = {largest, max(_LEAST_NAME, largest * 0.8), _LEAST_NAME}
    found = None
    readable = sorted((size for size in sizes if size >= SMALLEST_TEXT), reverse=True)
    tried = [(text, size) for size in readable for text in names]
    for text, size in sorted(tried, key=lambda pair: pair[0].startswith("(")):
        width, height = _size_of(family, text, size)
        if size > largest or width > rect.width() or height > max(rect.height(), size * _LINE):
            continue
        wide, high = min(columns, ceil(width / raster.across)), min(rows, ceil(height / raster.cell))
        if (wide, high) != (1, 1):
            # An even number of cells in the middle of an odd one, or the reverse, would not be in the middle.
            wide, high = (n + 1 if (n - of) % 2 and n < of else n for n, of in ((wide, columns), (high, rows)))
        row, column = top + (rows - high) // 2, left + (columns - wide) // 2
        found = text, size, _cells(raster, row, column, high, wide)
        if wide * high == 1 or 2 * wide * high <= rows * columns:
            return found
    return found


def _size_of(family: str, text: str, size: float) -> tuple[float, float]:
    """Return the width and height of the lines of a name with a margin."""
    lines = text.split("\n")
    return max(text_width(family, max(1, round(size)), False, line) for line in lines) + 6, len(lines) * size * _LINE
