"""Lens: the part of a magnified block around one thread, where the labels of all threads do not fit. No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from gui.explore.packing.boxes import NO_GAPS, Box, Raster
from gui.explore.packing.folding import block_arrangement, block_cells
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.corner import CornerLayout
    from gui.explore.stage.scene import Scene
    from kernels.launch import Dim3

LABEL_CELL: Final = 21.0
"""Height of a thread, pixels, that has a label; smaller ones are dots."""

_LONG_LABEL_CELL: Final = 29.0
"""The same for a label of several coordinates, such as (0,1)."""

TWO_LINES: Final = 34.0
"""Height of a thread, pixels, that has room for its index and a value."""

_Size = tuple[float, float]

_LEAST: Final[tuple[_Size, ...]] = ((TWO_LINES, 49.0), (24.0, 36.0))
"""Least height and width of a thread in the lens, pixels: with a value of seven digits and its index, or with
one of them: a value of five digits."""

_USUAL_LINE: Final = 18.0
"""Height of a line of text, pixels, for which these are; with larger text threads are larger."""

_HIGHEST: Final = 60.0
"""Largest height of a thread in the lens, pixels."""

_WIDE: Final = (1.2, 2.4)
"""Width of a thread in the lens, in its heights: at least, for an index and a value, and at most."""

_FEWEST: Final = 2
"""Fewest rows and columns of a lens."""

_WORDS: Final = 1.3
"""Room below the lens for its words, in lines of text."""


class Lens(NamedTuple):
    """Part of a magnified block, in cells of the block; for a block of one dimension a range of threads, in rows."""

    row: int
    column: int
    """Column of the upper left cell, or the first thread of a range."""
    rows: int
    columns: int
    is_range: bool = False

    @property
    def end(self) -> int:
        """First thread after a range."""
        return self.column + self.rows * self.columns

    def thread_at(self, block: Dim3, row: int, column: int) -> int | None:
        """Return the thread in a cell of the lens, or None."""
        if not self.is_range:
            return block_arrangement(block).index(row + self.row, column + self.column)
        number = self.column + row * self.columns + column
        return number if number < block.count else None


def find_lens(scene: Scene, filled: CornerLayout, line: float) -> tuple[Raster, Lens] | None:
    """Return the cells of the lens and what it shows; None if all threads have labels, or there is no room for it.

    Lenses are the tiles of a division of the block: while the pointer moves over the threads of one, it stays.
    """
    zoom, shape, block = filled.zoom, block_arrangement(scene.block_dim), scene.block_dim
    flat = is_flat(block)
    if zoom is None or zoom.cell >= _readable(scene, aligned=filled.is_strip):
        return None
    if not flat and (zoom.gaps is not NO_GAPS or shape.kind != "matrix"):
        return None
    room = _room(scene, filled, zoom, line)
    thread = scene.race.threads[0] if scene.race is not None else scene.lane - scene.threads.first_lane
    place = _range_of_threads if flat else _tile_of_threads
    scale = max(1.0, line / _USUAL_LINE)
    for high, wide in _LEAST:
        if found := place(scene, room, line, (high * scale, wide * scale), thread):
            break
    else:
        return None
    lens, height = found
    high = min(height / lens.rows, room.width / lens.columns / _WIDE[0], _HIGHEST)
    wide = min(room.width / lens.columns / high, _WIDE[1])
    x = room.x + (room.width - lens.columns * high * wide) / 2
    if not lens.is_range:
        lens = lens._replace(
            rows=min(lens.rows, shape.rows - lens.row), columns=min(lens.columns, shape.columns - lens.column)
        )
    return Raster(x, room.y, high, lens.rows, lens.columns, wide), lens


def widened(scene: Scene, filled: CornerLayout, line: float) -> Raster | None:
    """Return the cells of a magnified block as wide as a value of seven digits, or as there is room; None if they are.

    Threads that have room below each other only are square, and would show an ellipsis for a long value, or lower ones
    their index only.
    """
    zoom, least = filled.zoom, _LEAST[0][1] * max(1.0, line / _USUAL_LINE)
    if zoom is None or zoom.gaps is not NO_GAPS or filled.is_strip or not _LONG_LABEL_CELL <= zoom.cell < least:
        return None
    room = _room(scene, filled, zoom, line)
    across = min(least, room.width / zoom.columns)
    if not scene.threads.value_words or across <= zoom.across:
        return None
    x = min(zoom.x, room.x + room.width - zoom.columns * across)  # to the right: on the left may be the heading
    return replace(zoom, x=x, wide=across / zoom.cell)


def is_flat(block: Dim3) -> bool:
    """Return whether a block has one dimension."""
    return block.count == max(block)


def _readable(scene: Scene, *, aligned: bool) -> float:
    """Return the height from which threads of a block need no lens; `aligned` with the elements of strips, they stay.

    In a block of one dimension, an index must not give way to a value: nothing else says which thread is which.
    """
    if not is_flat(scene.block_dim):
        return _LONG_LABEL_CELL
    return TWO_LINES if scene.threads.value_words and not aligned else LABEL_CELL


def _tile_of_threads(
    scene: Scene, room: Box, line: float, least: tuple[float, float], thread: int
) -> tuple[Lens, float] | None:
    """Return the tile of a block that holds a thread, and the height for it, in threads of at least this height."""
    shape, height = block_arrangement(scene.block_dim), room.height - _WORDS * line
    rows, columns = min(shape.rows, int(height // least[0])), min(shape.columns, int(room.width // least[1]))
    if rows < min(_FEWEST, shape.rows) or columns < min(_FEWEST, shape.columns):
        return None
    row, column = (int(cells[thread]) for cells in block_cells(scene.block_dim))
    return Lens(row // rows * rows, column // columns * columns, rows, columns), height


def _range_of_threads(
    scene: Scene, room: Box, line: float, least: tuple[float, float], thread: int
) -> tuple[Lens, float] | None:
    """Return all threads of a block of one dimension in rows, or of one warp a range that holds a thread; the height.

    A row has a power of two of them if possible. A whole block needs no words below it. Several warps that do not fit
    stay dots, which say which of the warps run.
    """
    count, most = scene.block_dim.count, int(room.width // least[1])
    if most < _FEWEST:
        return None
    powers = [1 << n for n in range(most.bit_length())]
    for height in (room.height, room.height - _WORDS * line):
        rows = int(height // least[0])
        if whole := [columns for columns in (*powers, most) if -(-count // columns) <= rows]:
            return Lens(0, 0, -(-count // whole[0]), whole[0], is_range=True), height
    columns = powers[-1] if powers[-1] > 1 else most
    if rows < 1 or count > WARP_SIZE:
        return None
    return Lens(0, thread // (rows * columns) * rows * columns, rows, columns, is_range=True), height


def magnified_cells(block: Dim3, lens: Lens | None) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return row and column of every thread in the magnified block or in the lens, and whether it is shown."""
    if lens is not None and lens.is_range:
        number = np.arange(block.count)
        row, column = np.divmod(number - lens.column, lens.columns)
        return row, column, (number >= lens.column) & (number < lens.end)
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
        down = filled.corner.y + filled.corner.height - zoom.y - line * 0.3 if filled.corner is not None else 0.0
        return Box(zoom.x, zoom.y, max(width, zoom.box.width), max(down, zoom.box.height))
    side = line * 1.8  # for the axes, and the numbers of warps
    return Box(box.x + side, box.y + line * 1.9, box.width - 2 * side, box.height - line * 2.2)
