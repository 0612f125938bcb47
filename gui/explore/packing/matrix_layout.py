"""Layout of a matrix instruction: the fragments of `mma.sync`, and the rows and banks of `ldmatrix`. No Qt.

A product has the usual places, A left of C and B above it, and the 32 lanes in the free corner; the registers of one
lane are listed on the right. A load has its matrices on the left, each row with the lane that gives its address, and
on the right the lines of shared memory in which the rows lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.packing.boxes import Box, Raster
from gui.explore.packing.constants import (
    COLUMN_GAP,
    CORNER_ROWS,
    EDGE,
    FRAGMENT_HEAD,
    FRAGMENT_LINE,
    FRAGMENT_NUMBERS,
    FRAGMENT_WIDE,
    LANE_CARD,
    LANE_CARD_SHARE,
    LOAD_CARD,
    LOAD_COLUMNS,
    LOAD_GIVERS,
    LOAD_LINE,
    LOAD_NAMES,
    LOAD_ROW,
    LOAD_SHARE,
)
from kernels.analysis.values.fragments import Multiplication
from kernels.analysis.values.matrix_loads import SIDE
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from gui.explore.stage.focus import Focus
    from kernels.analysis.values.matrix_loads import MatrixLoad


@dataclass(frozen=True, slots=True)
class ProductLayout:
    """Places of an `mma.sync`."""

    matrices: tuple[Raster, Raster, Raster]
    """Elements of A, B and the sums."""
    lanes: Raster
    """The 32 lanes, row by row."""
    card: Box
    """The registers of one lane."""

    def at(self, shown: Multiplication, x: float, y: float) -> tuple[int, int] | None:
        """Return the lane at a point, and the number of the element among those of all matrices, or -1."""
        if found := self.lanes.at(x, y):
            return found[0] * self.lanes.columns + found[1], -1
        first = 0
        for fragment, raster in zip(shown.matrices, self.matrices, strict=True):
            if found := raster.at(x, y):
                return int(fragment.holders.lane[found]), first + found[0] * raster.columns + found[1]
            first += raster.rows * raster.columns
        return None


@dataclass(frozen=True, slots=True)
class LoadLayout:
    """Places of an `ldmatrix`."""

    matrices: tuple[Raster, ...]
    """Elements of each matrix; the lanes that give the addresses of its rows are left of it."""
    givers: float
    """Width of those, pixels."""
    named: Raster | None
    """Lines of shared memory with the rows where the program names them, if a swizzle moves them."""
    banks: Raster
    """Lines of shared memory with the rows where they lie, 8 chunks of 4 banks each."""
    names: Box
    """Names of the lines."""
    card: Box
    """What one lane gives and gets."""

    def at(self, shown: MatrixLoad, x: float, y: float) -> tuple[int, int] | None:
        """Return the lane at a point, and -1: of an element the lane that gets it, of a row that which gives it."""
        for number, raster in enumerate(self.matrices):
            if found := raster.at(x, y):
                return int(shown.holders.lane[(number, *found)]), -1
            giver = Raster(raster.x - self.givers, raster.y, raster.cell, SIDE, 1, self.givers / raster.cell)
            if found := giver.at(x, y):
                return number * SIDE + found[0], -1
        for lies, chunks in ((self.banks, shown.chunks), (self.named, shown.named_chunks)):
            if lies is not None and chunks is not None and (found := lies.at(x, y)):
                here = (line_rows(shown) == found[0]) & (chunks.reshape(-1) == found[1])
                return (int(here.argmax()), -1) if here.any() else None
        return None


MatrixLayout = ProductLayout | LoadLayout


def matrix_at(shown: Multiplication | MatrixLoad, layout: MatrixLayout, x: float, y: float) -> tuple[int, int] | None:
    """Return the lane at a point, and the number of the element of a product or -1; None where there is no lane."""
    if isinstance(layout, ProductLayout):
        return layout.at(shown, x, y) if isinstance(shown, Multiplication) else None
    return layout.at(shown, x, y) if not isinstance(shown, Multiplication) else None


def line_rows(shown: MatrixLoad) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Return the position of each row's line among the touched lines, in the order of the lanes."""
    return np.unique(shown.lines.reshape(-1), return_inverse=True)[1].reshape(-1)


def focused_element(focus: Focus) -> int:
    """Return the number of the element of a product under the pointer, -1 if there is none."""
    return focus.index if focus.kind == "thread" else -1


def arrange_matrices(shown: Multiplication | MatrixLoad, area: Box, line: float) -> MatrixLayout:
    """Place a matrix instruction."""
    if isinstance(shown, Multiplication):
        return _arrange_product(shown, area, line)
    return _arrange_load(shown, area, line)


def _arrange_product(shown: Multiplication, area: Box, line: float) -> ProductLayout:
    # A register is a cell, whatever the number of elements in it: every shape has 8 or 4 of them in a row of A.
    depth, packed = shown.depth, int(shown.left.holders.part.max()) + 1
    across, side = depth // packed, line * FRAGMENT_NUMBERS
    head = line * FRAGMENT_HEAD
    card = min(area.width * LANE_CARD_SHARE, line * LANE_CARD)
    room = area.width - card - line * COLUMN_GAP
    high = (area.height - 2 * head - line * EDGE) / (across + 2 * SIDE)
    wide = min((room - 2 * side) / (across + SIDE), high * FRAGMENT_WIDE)
    left = area.x + side + (room - 2 * side - wide * (across + SIDE)) / 2
    right, below = left + across * wide + side, area.y + 2 * head + across * high
    corner = Box(left, area.y + head, across * wide, across * high)
    rows = min(CORNER_ROWS, across)
    columns = WARP_SIZE // rows
    return ProductLayout(
        (
            Raster(left, below, high, 2 * SIDE, depth, wide / packed / high),
            Raster(right, area.y + head, high / packed, depth, SIDE, wide * packed / high),
            Raster(right, below, high, 2 * SIDE, SIDE, wide / high),
        ),
        Raster(corner.x, corner.y, corner.height / rows, rows, columns, corner.width / columns * rows / corner.height),
        Box(area.x + area.width - card, area.y, card, area.height),
    )


def _arrange_load(shown: MatrixLoad, area: Box, line: float) -> LoadLayout:
    left, card, givers = area.width * LOAD_SHARE, line * LOAD_CARD, line * LOAD_GIVERS
    columns = LOAD_COLUMNS[shown.matrices]
    rows, head = shown.matrices // columns, line * FRAGMENT_HEAD
    pitch = left / columns
    wide = (pitch - givers - line * COLUMN_GAP) / SIDE
    high = min((area.height - card - rows * head) / (rows * SIDE), line * LOAD_ROW)
    wide = min(wide, high * FRAGMENT_WIDE)
    matrices = tuple(
        Raster(
            area.x + number % columns * pitch + givers,
            area.y + head + number // columns * (head + SIDE * high),
            high,
            SIDE,
            SIDE,
            wide / high,
        )
        for number in range(shown.matrices)
    )
    lines = len(np.unique(shown.lines))
    names = Box(area.x + left, area.y + head, line * LOAD_NAMES, area.height - head - line * EDGE)
    x, room = names.x + names.width, area.x + area.width - names.x - names.width
    row = min((names.height - line * FRAGMENT_LINE) / lines, line * LOAD_LINE)
    both = shown.named_chunks is not None
    each = (room - line * COLUMN_GAP) / 2 if both else room
    banks = Raster(x + (room - each), names.y, row, lines, SIDE, each / SIDE / row)
    bottom = matrices[-1].box.y + SIDE * high
    return LoadLayout(
        matrices,
        givers,
        Raster(x, names.y, row, lines, SIDE, each / SIDE / row) if both else None,
        banks,
        names,
        Box(area.x, bottom + line * EDGE, left - line * COLUMN_GAP, area.y + area.height - bottom - line * EDGE),
    )
