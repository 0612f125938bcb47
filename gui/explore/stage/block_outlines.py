"""Outlines of blocks: rectangles of the cells of each block, divided where a row of a strip or a slice ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.arrangement import Arrangement


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
