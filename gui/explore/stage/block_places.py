"""Places of blocks in a picture: the rectangles of their cells, and the directions in which their indices grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from gui.explore.packing.folding import block_arrangement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.arrangement import Arrangement
    from kernels.launch import Dim3, Launch

Direction = Literal["columns", "rows"]
"""To the right, along the columns of a row, or down."""


@dataclass(frozen=True, slots=True)
class Axes:
    """Directions of a picture of threads in which their indices grow, first by threadIdx, then by blockIdx."""

    x: Direction | None
    """None if x is always 0, or grows in no direction of the picture."""
    y: Direction | None


def find_axes(
    launch: Launch, row: NDArray[np.int64], column: NDArray[np.int64], known: NDArray[np.bool_] | None = None
) -> Axes:
    """Return the axes of the cells of all lanes, of which only some may be `known`.

    A kernel that computes the row from threadIdx.x has its x axis downwards.
    """
    block = launch.block.count
    across = 1 if launch.block.x > 1 else block if launch.grid.x > 1 else 0
    down = launch.block.x if launch.block.y > 1 else block * launch.grid.x if launch.grid.y > 1 else 0
    if known is not None:
        across, down = (lane if known[0] and known[lane] else 0 for lane in (across, down))
    return Axes(_direction(row, column, across), _direction(row, column, down))


def magnified_axes(block: Dim3) -> Axes:
    """Return the axes of the magnified block; none where it is folded or in slices."""
    shape = block_arrangement(block)
    if shape.kind != "matrix":
        return Axes(None, None)
    return Axes("columns" if block.x > 1 else None, "rows" if block.y > 1 else None)


def _direction(row: NDArray[np.int64], column: NDArray[np.int64], lane: int) -> Direction | None:
    """Return the direction from the first thread to a lane; None if it is in neither."""
    down, across = int(row[lane] - row[0]), int(column[lane] - column[0])
    if across > 0 and down == 0:
        return "columns"
    return "rows" if down > 0 and across == 0 else None


class Outline(NamedTuple):
    """A rectangle of cells of one block."""

    block: int
    """Linear number of the block."""
    row: int
    column: int
    rows: int
    columns: int


def outlines(
    block: NDArray[np.integer], row: NDArray[np.integer], column: NDArray[np.integer], arrangement: Arrangement
) -> tuple[Outline, ...]:
    """Return the outlines of blocks from the cells of each; a block with gaps in a row of a part has none.

    For example block 1 of 16 threads, whose elements 16 to 31 of a strip lie in rows of 24, has the cells 16 to 23 of
    the first row and 0 to 7 of the second.
    """
    found: list[Outline] = []
    order = np.lexsort((column, row, block))
    cells = np.unique(np.stack([block[order], row[order], column[order]], axis=1), axis=0)
    first = np.flatnonzero(np.diff(cells[:, 0], prepend=-1))
    for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(cells)], strict=True):
        found += _of_block(int(cells[begin, 0]), cells[begin:end, 1], cells[begin:end, 2], arrangement)
    return tuple(found)


def _of_block(
    block: int, row: NDArray[np.integer], column: NDArray[np.integer], arrangement: Arrangement
) -> list[Outline]:
    """Return the outlines of one block, whose cells are sorted by row, then column."""
    # Beyond the edges of a matrix its blocks go on.
    part = np.zeros_like(row) if arrangement.kind == "matrix" else row // arrangement.height
    if arrangement.kind == "slices":
        part = part * arrangement.across + column // arrangement.width
    found = []
    for number in dict.fromkeys(part.tolist()):
        rows, columns = row[part == number], column[part == number]
        top, left = int(rows.min()), int(columns.min())
        height, width = int(rows.max()) - top + 1, int(columns.max()) - left + 1
        if height * width != len(rows):
            return []
        found.append(Outline(block, top, left, height, width))
    return found
