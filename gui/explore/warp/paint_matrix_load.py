"""Paint an `ldmatrix`: its matrices with the lanes that name and get them, and the banks in which the rows lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.memory.paint_memory import paint_fitting, paint_lane, paint_titled, readable_size
from gui.explore.packing.constants import EDGE
from gui.explore.packing.matrix_layout import line_rows
from gui.explore.stage.paint_cells import tint_of
from gui.explore.stage.text_painter import number_text
from gui.explore.warp.paint_fragments import paint_lane_cells, register_rects
from gui.theming.style import ink_on, mix
from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.metrics.requests import BANKS
from kernels.analysis.order.divergence import RUNS
from kernels.analysis.values.matrix_loads import SIDE
from kernels.analysis.values.matrix_products import Holders
from kernels.narration.matrices import gets_words, giver_words
from kernels.trace import element_name
from kernels.words import agree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.memory.row import Card
    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.matrix_layout import LoadLayout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from kernels.analysis.values.matrix_loads import MatrixLoad

_TEXT: Final = 0.72
"""Height of numbers, in lines of text, at most."""


def paint_load(tools: Tools, scene: Scene, shown: MatrixLoad, lane: int, layout: LoadLayout) -> None:
    """Paint the matrices that are loaded and the lines of shared memory; `lane` is the one that is followed."""
    assert scene.warp is not None
    card = next((card for card in scene.warp.cards if card.bank is not None), None)
    for number, raster in enumerate(layout.matrices):
        _paint_matrix(tools, shown, number, lane, layout, raster, _waves(card, number))
    title = f"{shown.array.name}, in 32 banks"
    cost = card.details if card is not None else ("",)
    _paint_lines(tools, shown, layout.banks, shown.chunks, lane, (title, "Banks"), card)
    if layout.named is not None and shown.named_chunks is not None:
        titles = (f"{shown.array.name}, as named", "As named")
        _paint_lines(tools, shown, layout.named, shown.named_chunks, lane, titles, card)
    _paint_names(tools, shown, layout)
    tools.painter.setPen(QColor(tools.theme.text))
    below = QRectF(layout.names.x, layout.banks.box.y + layout.banks.box.height + tools.line * 0.2, 0, tools.line * 1.2)
    below.setRight(layout.banks.box.x + layout.banks.box.width)
    paint_fitting(tools, cost, below, tools.line * 0.85, bold=True, least=tools.line * 0.72)
    _paint_card(tools, shown, lane, layout)


def _waves(card: Card | None, matrix: int) -> int:
    """Return the wavefronts of one matrix: each is served in a pass of its own."""
    if card is None or card.bank is None or matrix >= len(card.bank.use.ways):
        return 0
    return int(card.bank.use.ways[matrix].max())


def _paint_matrix(
    tools: Tools, shown: MatrixLoad, number: int, lane: int, layout: LoadLayout, raster: Raster, waves: int
) -> None:
    counts = (f"{waves} {agree(waves, 'wavefront', 'wavefronts')}", "") if waves else ("",)
    head = QRectF(raster.x - layout.givers, raster.y - tools.line * 1.25, raster.across * SIDE + layout.givers, 0)
    paint_titled(tools, f"{number} → {shown.registers[number]}", counts, head, tools.line * 0.9, bold=False)
    for row in range(SIDE):
        giver = number * SIDE + row
        rect = QRectF(raster.x - layout.givers, raster.top(row) + 1, layout.givers - tools.line * 0.3, raster.cell - 2)
        paint_lane(tools, rect, giver, RUNS, min(tools.line * _TEXT, raster.cell * 0.8), focused=giver == lane)
    held = Holders(shown.holders.lane[number], shown.holders.register[number], shown.holders.part[number])
    parts = register_rects(held, raster)
    texts = [" ".join(_value(shown, (number, *at)) for at in elements) for _, _, elements in parts]
    paint_lane_cells(tools, [(holder, rect) for holder, rect, _ in parts], lane, texts)


def _value(shown: MatrixLoad, at: tuple[int, ...]) -> str:
    return number_text(shown.values[at].item()) if shown.known[at] else "?"


def _paint_lines(
    tools: Tools,
    shown: MatrixLoad,
    raster: Raster,
    chunks: NDArray[np.int64],
    lane: int,
    titles: tuple[str, ...],
    card: Card | None,
) -> None:
    """Paint lines of shared memory, in chunks of four banks: a row of a matrix by the lane that names it.

    Rows of one matrix in the same banks and different lines conflict.
    """
    painter, theme, text = tools.painter, tools.theme, tools.text_painter
    head = QRectF(raster.x, raster.y - tools.line * 2.1, raster.across * SIDE, tools.line * 1.2)
    painter.setPen(QColor(theme.text))
    paint_fitting(tools, titles, head, tools.line, bold=True)
    size = readable_size(tools, "28", tools.line * _TEXT, raster.across - 2)
    if size:
        text.start(painter, size, QColor(theme.muted))
        every = 1 if raster.across >= text.width("28", size) * 1.4 else 2
        y, banks = raster.y - tools.line * 0.45, BANKS // SIDE
        for chunk in range(0, SIDE, every):
            text.draw_centred(painter, raster.left(chunk) + raster.across / 2, y, str(chunk * banks), size)
    painter.setPen(tools.pen(theme.border, 1))
    painter.setBrush(QColor(theme.panel))
    boxes = [raster.rect(row, chunk) for row in range(raster.rows) for chunk in range(SIDE)]
    painter.drawRects([QRectF(box.x, box.y, box.width, box.height) for box in boxes])
    tint = tint_of(theme, card.access.tint) if card is not None and card.access.tint else theme.shared
    rows, lines = line_rows(shown), shown.lines
    size = readable_size(tools, "31", min(tools.line * _TEXT, raster.cell * 0.86), raster.across - 3)
    for giver, (row, chunk) in enumerate(zip(rows.tolist(), chunks.reshape(-1).tolist(), strict=True)):
        matrix = giver // SIDE
        same = np.unique(lines[matrix][chunks[matrix] == chunk])
        fill = QColor(theme.warning) if len(same) > 1 else mix(theme.panel, tint, 0.8)
        box = raster.rect(row, chunk)
        rect = QRectF(box.x + 1, box.y + 1, box.width - 2, box.height - 2)
        painter.setPen(tools.pen(theme.text, 2.5) if giver == lane else Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRect(rect)
        if size:
            text.start(painter, size, ink_on(fill), giver == lane)
            text.draw_centred(painter, rect.center().x(), rect.center().y(), str(giver), size, giver == lane)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_names(tools: Tools, shown: MatrixLoad, layout: LoadLayout) -> None:
    """Name the first element of each line, as many as have room."""
    raster, size = layout.banks, tools.line * _TEXT
    tools.painter.setPen(QColor(tools.theme.muted))
    item, free = shown.array.dtype.itemsize, 0.0
    for row, number in enumerate(np.unique(shown.lines).tolist()):
        middle = raster.top(row) + raster.cell / 2
        if middle - size * 0.6 < free:
            continue
        first = (number * LINE_BYTES - shown.array.address) // item
        place = QRectF(layout.names.x, middle - size, layout.names.width - tools.line * 0.3, size * 2)
        paint_fitting(tools, (element_name(shown.array, first),), place, size, bold=False)
        free = middle + size * 0.6


def _paint_card(tools: Tools, shown: MatrixLoad, lane: int, layout: LoadLayout) -> None:
    """Say what a lane names, and what it gets of each matrix."""
    painter, theme, line, box = tools.painter, tools.theme, tools.line, layout.card
    y = box.y
    for number, words in enumerate(giver_words(shown, lane)):
        painter.setPen(QColor(theme.text))
        paint_fitting(tools, (words,), QRectF(box.x, y, box.width, line), line * 0.8, bold=number == 0)
        y += line * 1.05
    columns = min(2, shown.matrices)
    y += line * EDGE * 0.5
    painter.setPen(QColor(theme.text))
    paint_fitting(tools, gets_words(shown, lane), QRectF(box.x, y, box.width, line), line * 0.8, bold=True)
    y += line * 1.05
    for number in range(shown.matrices):
        mine = np.argwhere(shown.holders.lane[number] == lane).tolist()
        values = " ".join(_value(shown, (number, *at)) for at in mine)
        width = box.width / columns
        place = QRectF(box.x + number % columns * width, y + number // columns * line, width - line * 0.3, line)
        paint_fitting(tools, (f"{shown.registers[number]} = {values}",), place, line * 0.8, bold=False)
