"""Folding of one-dimensional launches and blocks into rows. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from kernels.launch import Dim3, Launch

_WIDE: Final = 1.4
"""Ratio of width to height of a picture."""

_TALL: Final = (16, 4)
"""A block with more rows than the first, and than the second times its columns, is folded."""


def block_shape(block: Dim3) -> tuple[int, int]:
    """Return rows and columns of a magnified block: as in threadIdx, or one warp a row if that is too long."""
    columns = min(block.x, WARP_SIZE)
    rows = -(-block.count // columns)
    if rows > _TALL[0] and rows > _TALL[1] * columns:
        columns = min(block.count, WARP_SIZE)
        rows = -(-block.count // columns)
    return rows, columns


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
        return min(_WIDE / columns, 1 / rows)

    return max(parts + whole, key=cell)
