"""Folding of one-dimensional arrays, launches and blocks into rows, and of slices into lines. No Qt."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.packing.arrangement import Arrangement
from gui.explore.packing.constants import (
    ENOUGH_CELL,
    FOLDED,
    HEAD,
    NARROW,
    STRIP_BOX,
    STRIP_PICTURE,
    STRIP_ROWS,
    TALL_BLOCK,
    USUAL_LINE,
)
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.launch import Dim3, Launch


@lru_cache(maxsize=64)
def block_arrangement(block: Dim3) -> Arrangement:
    """Return the arrangement of a magnified block: as in threadIdx, or one warp a row if that is too long."""
    if 1 not in block:
        across = slices_across(block.z, block.y, block.x)
        found = Arrangement.slices(block.z, block.y, block.x, across)
        if max(found.rows, found.columns) <= 2 * WARP_SIZE:
            return found
    columns = block.x if block.x > 1 else block.y
    rows = block.count // columns
    if columns > WARP_SIZE or (rows > TALL_BLOCK[0] and rows > TALL_BLOCK[1] * columns):
        return Arrangement.strip(block.count, WARP_SIZE)
    return Arrangement.matrix(rows, columns) if block.x > 1 else Arrangement.matrix(columns, rows)


@lru_cache(maxsize=64)
def block_cells(block: Dim3) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and column of every thread of a magnified block; not to be written to."""
    found = block_arrangement(block)
    row, column = found.place(found.axes(np.arange(block.count)))
    return row.astype(np.int64), column.astype(np.int64)


def launch_arrangement(launch: Launch) -> Arrangement:
    """Return the arrangement of all threads of a launch: rows and columns are y and x, slices are z."""
    lengths = [a * b for a, b in zip(launch.grid, launch.block, strict=True)]
    if lengths[2] > 1:
        return Arrangement.slices(lengths[2], lengths[1], lengths[0], slices_across(lengths[2], lengths[1], lengths[0]))
    if lengths[1] > 1:
        return Arrangement.matrix(lengths[1], lengths[0])
    return Arrangement.strip(lengths[0], line_columns(launch))


def line_columns(launch: Launch) -> int:
    """Return the columns at which a one-dimensional launch is folded: largest cells, each block a rectangle."""
    x, blocks = launch.block.x, launch.grid.x
    if x * blocks <= WARP_SIZE:
        return x * blocks  # one line is short enough
    whole = [x * side_by_side for side_by_side in range(1, blocks + 1)]
    parts = [columns for columns in range(WARP_SIZE, x, WARP_SIZE) if x % columns == 0]

    # Either several whole blocks side by side, or a part of a block that divides it: each block is a rectangle.
    def cell(columns: int) -> float:
        rows = -(-x * blocks // columns)
        return min(FOLDED / columns, 1 / rows)

    return max(parts + whole, key=cell)


def strip_wrap(launch: Launch, lengths: Sequence[int], result: int = 0, boxed: bool = False) -> int:
    """Return the number of elements in a row of strips of these lengths, which lie one below the other.

    All strips have it, so that an index has one column in all of them. A row holds whole blocks, or whole warps of one,
    and of rows with equally readable cells that of a warp is preferred, and else the longest. Threads lie above the
    `result`, which has this length; `boxed` says that shared memory takes a part of the height.
    """
    x = launch.block.x
    whole = list(range(x, STRIP_ROWS[-1] + 1, x)) if x >= STRIP_ROWS[0] else []
    parts = [count for count in STRIP_ROWS[2:] if x > count and x % count == 0]
    fitting = [*whole, *parts] or [count for count in STRIP_ROWS if count % x == 0] or [WARP_SIZE]
    high = STRIP_PICTURE[1] * (1 - STRIP_BOX if boxed else 1) - HEAD * USUAL_LINE * len(lengths)

    def readable(wrap: int) -> tuple[float, bool, int]:
        rows, threads = sum(-(-length // wrap) for length in lengths), -(-max(result, 1) // wrap)
        width = STRIP_PICTURE[0] / max(1, min(wrap, max(lengths, default=wrap)))
        height = (high - (rows * NARROW + threads) * USUAL_LINE) / (rows + threads)
        return min(width, height, ENOUGH_CELL), wrap == WARP_SIZE, wrap

    return max(fitting, key=readable)


def slices_across(depth: int, rows: int, columns: int, wide: float = FOLDED) -> int:
    """Return the number of slices side by side that gives the largest cells, with a gap of one cell around each.

    `wide` is the ratio of width to height of the room for all of them.
    """

    def cell(across: int) -> float:
        return min(wide / (across * (columns + 1)), 1 / (-(-depth // across) * (rows + 2)))

    whole = [across for across in range(1, depth + 1) if depth % across == 0]
    return max(whole, key=lambda across: (cell(across), across))
