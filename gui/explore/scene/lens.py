"""Lens: the part of a magnified block around one thread, where the labels of all threads do not fit. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gui.explore.scene.boxes import NO_GAPS, Box, Raster
from gui.explore.scene.folding import block_arrangement, block_cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.explore.scene.corner import CornerLayout
    from gui.explore.scene.scene import Scene
    from kernels.launch import Dim3

LABEL_CELL: Final = 21.0
"""Height of a thread, pixels, that has a label; smaller ones are dots."""

_LEAST: Final = (34.0, 24.0)
"""Least height of a thread in the lens, pixels: with its value, or where that has no room with its index only."""

_HIGHEST: Final = 60.0
"""Largest height of a thread in the lens, pixels."""

_WIDE: Final = (1.2, 2.4)
"""Width of a thread in the lens, in its heights: at least, for an index and a value, and at most."""

_FEWEST: Final = 2
"""Fewest rows and columns of a lens."""

_WORDS: Final = 1.3
"""Room below the lens for its words, in lines of text."""


class Lens(NamedTuple):
    """Part of a magnified block, in cells of the block."""

    row: int
    column: int
    rows: int
    columns: int


def find_lens(scene: Scene, filled: CornerLayout, line: float) -> tuple[Raster, Lens] | None:
    """Return the cells of the lens and what it shows; None if all threads have labels, or there is no room for it.

    Lenses are the tiles of a division of the block: while the pointer moves over the threads of one, it stays.
    """
    zoom, shape = filled.zoom, block_arrangement(scene.block_dim)
    if zoom is None or zoom.cell >= LABEL_CELL or zoom.gaps is not NO_GAPS or shape.kind != "matrix":
        return None
    room = _room(scene, filled, zoom, line)
    height = room.height - _WORDS * line
    for least in _LEAST:
        rows = min(shape.rows, int(height // least))
        columns = min(shape.columns, int(room.width // (least * _WIDE[0])))
        if rows >= min(_FEWEST, shape.rows) and columns >= min(_FEWEST, shape.columns):
            break
    else:
        return None
    high = min(height / rows, room.width / columns / _WIDE[0], _HIGHEST)
    wide = min(room.width / columns / high, _WIDE[1])
    thread = scene.race.threads[0] if scene.race is not None else scene.lane - scene.threads.first_lane
    row, column = (int(cells[thread]) for cells in block_cells(scene.block_dim))
    lens = Lens(row // rows * rows, column // columns * columns, rows, columns)
    lens = lens._replace(rows=min(rows, shape.rows - lens.row), columns=min(columns, shape.columns - lens.column))
    x = room.x + (room.width - columns * high * wide) / 2
    return Raster(x, room.y, high, lens.rows, lens.columns, wide), lens


def magnified_cells(block: Dim3, lens: Lens | None) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return row and column of every thread in the magnified block or in the lens, and whether it is shown."""
    row, column = block_cells(block)
    if lens is None:
        return row, column, row >= 0
    row, column = row - lens.row, column - lens.column
    return row, column, (row >= 0) & (row < lens.rows) & (column >= 0) & (column < lens.columns)


def _room(scene: Scene, filled: CornerLayout, zoom: Raster, line: float) -> Box:
    """Return the room of the lens: the box of the threads, or what they take beside shared memory."""
    box = filled.below or (filled.corner if not filled.shared else None)
    if box is None:
        width = filled.corner.x + filled.corner.width - zoom.x - line if filled.corner is not None else zoom.box.width
        return Box(zoom.x, zoom.y, max(width, zoom.box.width), zoom.box.height + _WORDS * line * 0.5)
    side = line * 1.8  # for the axes, and the numbers of warps
    return Box(box.x + side, box.y + line * 1.9, box.width - 2 * side, box.height - line * 2.2)
