"""Axes: directions in which the indices of threads and blocks grow in a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.explore.packing.folding import block_arrangement
from gui.explore.stage.scene import Axes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.explore.stage.scene import Direction
    from gui.explore.stage.stage import Stage
    from kernels.launch import Dim3


def find_axes(stage: Stage) -> Axes:
    """Return the axes of the result, or of the launch.

    They are those of the cells: a kernel that computes the row from threadIdx.x has its x axis downwards.
    """
    launch = stage.trace.launch
    if stage.result is None:
        row, column = stage.launch_cells
    elif stage.positions.affine and stage.positions.knows_whole_blocks(launch.block.count):
        row, column = stage.positions.row, stage.positions.column
    else:
        return Axes(None, None)
    block = launch.block.count
    across = 1 if launch.block.x > 1 else block if launch.grid.x > 1 else 0
    down = launch.block.x if launch.block.y > 1 else block * launch.grid.x if launch.grid.y > 1 else 0
    if stage.result is not None:
        known = stage.positions.known
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
