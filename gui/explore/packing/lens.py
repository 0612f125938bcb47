"""Lens: the part of a magnified block around one thread, where the labels of all threads do not fit. No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gui.explore.packing.constants import LABEL_CELL, LONG_LABEL_CELL, TILE, USUAL_LINE
from gui.explore.packing.folding import block_arrangement, block_cells
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.scene import Scene
    from kernels.launch import Dim3


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


class Tile(NamedTuple):
    """Size of a lens."""

    rows: int
    columns: int
    least: float
    """Least height of a thread, pixels."""
    wide: float
    """Width of a thread, in its heights."""
    whole: bool
    """True if it holds all threads, and needs no words."""


def tiles(block: Dim3, line: float) -> Iterator[Tile]:
    """Yield sizes of lenses for a block, those with the most threads first; of a flat block, those with indices.

    Those of a block of one dimension have a power of two of threads in a row, all of its threads if possible, else a
    part of its only warp: several warps that do not fit stay dots, which say which of the warps run. Of other blocks,
    whose rows and columns are halved in turn, a lens is a tile of the division.
    """
    shape, scale = block_arrangement(block), max(1.0, line / USUAL_LINE)
    if is_flat(block):
        powers = [1 << n for n in range(1, min(block.count, WARP_SIZE).bit_length())]
        sizes = [(-(-block.count // columns), columns) for columns in reversed(powers)]
        if block.count <= WARP_SIZE:
            sizes += [
                (rows, columns) for columns in reversed(powers) for rows in (4, 2, 1) if rows * columns < block.count
            ]
    elif shape.kind == "matrix":
        halves = [(shape.rows, shape.columns)]
        while halves[-1] != (least := (min(2, shape.rows), min(2, shape.columns))):
            rows, columns = halves[-1]
            if rows >= columns:
                rows = max(least[0], -(-rows // 2))
            else:
                columns = max(least[1], -(-columns // 2))
            halves.append((rows, columns))
        sizes = halves
    else:
        return
    sizes.sort(key=lambda size: -size[0] * size[1])
    forms = [(size, tile) for size in sizes for tile in TILE]
    if is_flat(block):  # nothing but the index says which thread is which
        forms.sort(key=lambda form: TILE.index(form[1]))
    for (rows, columns), (high, wide) in forms:
        yield Tile(rows, columns, high * scale, wide / high, rows * columns >= block.count)


def lens_around(scene: Scene, raster: Raster) -> tuple[Raster, Lens]:
    """Return the lens of a size with the thread of a race, or the thread shown, and its cells.

    Lenses are the tiles of a division of the block: while the pointer moves over the threads of one, it stays.
    """
    thread = scene.race.threads[0] if scene.race is not None else scene.lane - scene.threads.first_lane
    rows, columns = raster.rows, raster.columns
    if is_flat(scene.block_dim):
        return raster, Lens(0, thread // (rows * columns) * rows * columns, rows, columns, is_range=True)
    shape = block_arrangement(scene.block_dim)
    row, column = (int(cells[thread]) for cells in block_cells(scene.block_dim))
    top, left = row // rows * rows, column // columns * columns
    rows, columns = min(rows, shape.rows - top), min(columns, shape.columns - left)
    return replace(raster, rows=rows, columns=columns), Lens(top, left, rows, columns)


def lens_words(first: str, last: str, block: Dim3) -> str:
    """Return the words below a lens, with the indices of its first and last thread."""
    return f"{first} … {last} of {block}"


def is_flat(block: Dim3) -> bool:
    """Return whether a block has one dimension."""
    return block.count == max(block)


def needed_cell(scene: Scene, *, aligned: bool) -> float:
    """Return the height from which threads of a block need no lens; `aligned` with the elements of strips, they stay.

    In a block of one dimension, an index must not give way to a value: nothing else says which thread is which.
    """
    if not is_flat(scene.block_dim):
        return LONG_LABEL_CELL
    return TILE[0][0] if scene.threads.value_words and not aligned else LABEL_CELL


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
