"""Paint blocks and warps above the strip of a result: boundaries, names, and the outline of the shown block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.constants import MARKS, TILE
from gui.explore.stage.block_wash import has_washes, paint_wash
from gui.explore.stage.text_painter import SMALLEST_TEXT
from gui.theming.style import mix
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import BlockBox, Scene
    from kernels.launch import Dim3


def paint_strip_marks(tools: Tools, scene: Scene, layout: Layout, blocks: Sequence[BlockBox]) -> None:
    """Outline the rows of blocks, threads and elements together, the shown block in bold, and name them above."""
    if scene.result is None:
        return
    painter, theme = tools.painter, tools.theme
    elements, named = layout.rasters[scene.result], set()
    current, other = theme.warning if scene.barrier else theme.accent, mix(theme.text, theme.panel, 0.35)
    if has_washes(scene, len(blocks)):
        for box in blocks:
            paint_wash(tools, _rect(box, layout.thread_raster, elements), box.number)
    _paint_inputs(tools, scene, layout, current, other)
    first = _shortest_used(tools, scene, blocks, layout.thread_raster)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for box in sorted(blocks, key=lambda box: box.current):
        rect = _rect(box, layout.thread_raster, elements)
        painter.setPen(tools.pen(current if box.current else other, 3.0 if box.current else 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        # Arrows between lanes need the room above the threads.
        if not layout.names_blocks or (layout.zoom is None and len(scene.shuffles.threads)):
            continue
        if box.current:
            _paint_warps(tools, scene, layout, box, rect)
        elif box.number not in named:
            texts = _names(scene, box.index)[first:]
            _paint_name(tools, texts, rect.left(), rect.right(), rect.top(), QColor(theme.muted))
        named.add(box.number)


def _paint_inputs(tools: Tools, scene: Scene, layout: Layout, current: str, other: QColor) -> None:
    """Outline the parts of other strips that one block alone reads, that of the shown block in bold."""
    for cells, raster in zip(scene.cells, layout.rasters, strict=True):
        coloured = has_washes(scene, len({part.block for part in cells.block_parts}))
        for part in sorted(cells.block_parts, key=lambda part: part.block == scene.block):
            box, shown = raster.rect(*part[1:]), part.block == scene.block
            rect = QRectF(box.x, box.y, box.width, box.height)
            if coloured:
                paint_wash(tools, rect, part.block)
            tools.painter.setBrush(Qt.BrushStyle.NoBrush)
            tools.painter.setPen(tools.pen(current if shown else other, 3.0 if shown else 1.5))
            tools.painter.drawRect(rect)


def _names(scene: Scene, index: Dim3) -> list[str]:
    """Return the names of a block, the longest first."""
    place = scene.index_text(index)
    return [f"block {place}", place]


def _shortest_used(tools: Tools, scene: Scene, blocks: Sequence[BlockBox], threads: Raster) -> int:
    """Return the number of the first name that fits above every whole block: names of one kind read more easily."""
    names = _names(scene, max((box.index for box in blocks), default=scene.grid))
    room = max((box.columns for box in blocks), default=1) * threads.across - 4
    size = _text_size(tools)
    return next(
        (n for n, name in enumerate(names) if tools.text_painter.width(name, size, bold=True) <= room), len(names) - 1
    )


def _text_size(tools: Tools) -> float:
    return max(SMALLEST_TEXT + 1, tools.line * 0.72)


def _rect(box: BlockBox, threads: Raster, elements: Raster) -> QRectF:
    """Return the rectangle of a block's threads and elements in one row."""
    columns = min(box.columns, elements.columns - box.column)
    left, right = elements.left(box.column), elements.left(box.column + columns - 1) + elements.across
    bottom = elements.top(box.row + min(box.rows, elements.rows - box.row) - 1) + elements.cell
    return QRectF(left, threads.top(box.row) - 2, right - left, bottom - threads.top(box.row) + 2)


def _paint_warps(tools: Tools, scene: Scene, layout: Layout, box: BlockBox, rect: QRectF) -> None:
    """Name the shown block and its warps above a row, with a line where a warp begins."""
    threads, raster, theme = scene.threads, layout.thread_raster, tools.theme
    here = np.flatnonzero(threads.visible & (threads.row == box.row))
    here = here[np.argsort(threads.column[here], kind="stable")]
    apart = len(np.unique(threads.column[here])) == len(here)  # else several threads have one result
    several = scene.block_dim.count > WARP_SIZE and not scene.on_cpu and apart
    warps = (here // WARP_SIZE).tolist() if several and len(here) else [0]
    starts = [n for n, warp in enumerate(warps) if n == 0 or warp != warps[n - 1]]
    block = _names(scene, scene.block_index)
    for start, end in zip(starts, [*starts[1:], len(warps)], strict=True):
        inside = several and len(here)
        left = raster.left(int(threads.column[here[start]])) if inside else rect.left()
        right = raster.left(int(threads.column[here[end - 1]])) + raster.across if inside else rect.right()
        texts = block
        if several:
            warp = f"warp {warps[start]}"
            texts = [f"{text} · {warp}" for text in texts] + [warp] if start == 0 else [warp]
        if start == 0 and threads.register_name and raster.cell >= TILE[0][0]:  # the threads show their values
            texts = [f"{texts[0]}: threads and {threads.value_words}", *texts]
        if start:
            tools.painter.setPen(tools.pen(theme.accent, 1.5, Qt.PenStyle.DashLine))
            tools.painter.drawLine(QPointF(left, rect.top()), QPointF(left, rect.bottom()))
        _paint_name(tools, texts, left, right, rect.top(), QColor(theme.text), bold=True)


def _paint_name(
    tools: Tools, texts: Sequence[str], left: float, right: float, bottom: float, color: QColor, *, bold: bool = False
) -> None:
    """Paint the first text that fits above a part of a row; none if none does."""
    size = _text_size(tools)
    text = next((t for t in texts if tools.text_painter.width(t, size, bold) <= right - left - 4), "")
    if not text:
        return
    width = tools.text_painter.width(text, size, bold)
    tools.text_painter.start(tools.painter, size, color, bold)
    y = bottom - tools.line * MARKS / 2
    tools.text_painter.draw_centred(tools.painter, left + 2 + width / 2, y, text, size, bold)
