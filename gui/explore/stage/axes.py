"""Axes: directions in which the indices of threads and blocks grow in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gui.explore.packing.folding import block_arrangement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
