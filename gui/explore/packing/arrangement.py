"""Arrangement: the cells of an array in a picture: a matrix, a strip in rows, or slices side by side. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Axes = tuple[NDArray[np.integer], ...]

Kind = Literal["matrix", "strip", "slices"]
"""A strip is a one-dimensional array, indexed flat. Slices are a three-dimensional one, a matrix for each z."""


class Part(NamedTuple):
    """A rectangle of cells without gaps: the matrix, a row of a strip, or a slice."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Position of every cell of an array.

    Each kind is a number of parts of `height` × `width` cells, `across` of them in a line of the picture. The last part
    of a strip may be shorter. For example x[60] in rows of 32 has two parts of 1×32 cells, of which the second ends
    after 28; v[4][2][3] with two slices in a line has four parts of 2×3 cells.
    """

    kind: Kind
    height: int
    width: int
    count: int
    """Cells in all."""
    across: int = 1
    before: tuple[int, int] = (0, 0)
    """Rows above and columns left of the first cell, for elements in front of the array that are accessed."""
    window: Part | None = None
    """Rows and columns of a matrix that are shown; None for all of them."""

    @classmethod
    def matrix(cls, rows: int, columns: int) -> Arrangement:
        """Return the arrangement of a matrix."""
        return cls("matrix", rows, columns, rows * columns)

    @classmethod
    def strip(cls, count: int, wrap: int) -> Arrangement:
        """Return the arrangement of a one-dimensional array, in rows of at most `wrap` cells."""
        return cls("strip", 1, min(count, wrap), count)

    @classmethod
    def slices(cls, depth: int, rows: int, columns: int, across: int) -> Arrangement:
        """Return the arrangement of a three-dimensional array, with `across` slices in a line."""
        return cls("slices", rows, columns, depth * rows * columns, min(across, depth))

    @property
    def depth(self) -> int:
        """Number of parts."""
        return -(-self.count // (self.height * self.width))

    @property
    def rows(self) -> int:
        """Rows of the picture."""
        if self.window is not None:
            return self.window.rows
        return -(-self.depth // self.across) * self.height + self.before[0]

    @property
    def columns(self) -> int:
        """Columns of the picture."""
        if self.window is not None:
            return self.window.columns
        return self.across * self.width + self.before[1]

    @property
    def parts(self) -> tuple[Part, ...]:
        """Rectangles of the cells that exist, in the order of the elements."""
        return _parts(self)

    @property
    def existing(self) -> NDArray[np.bool_]:
        """Mask of the cells of the picture that are cells of the array; not to be written to."""
        return _existing(self)

    @property
    def cells(self) -> Axes:
        """Row and column of every cell, in the order of the elements; not to be written to."""
        return _cells(self)

    def axes(self, index: NDArray[np.integer]) -> Axes:
        """Return the coordinates of flat indices: the index itself, row and column, or z, y and x."""
        if self.kind == "strip":
            return (index,)
        rest, column = index // self.width, index % self.width
        return (rest, column) if self.kind == "matrix" else (rest // self.height, rest % self.height, column)

    def place(self, axes: Axes) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return row and column of coordinates, also of those beyond the edges; -1 where the picture has no place."""
        if self.kind == "strip":
            row = np.maximum(axes[0], 0) // self.width if self.depth > 1 else axes[0] * 0
            column = axes[0] - row * self.width
        elif self.kind == "matrix":
            row, column = axes
        else:
            z, y, x = axes
            row, column = z // self.across * self.height + y, z % self.across * self.width + x
            inside = (y >= 0) & (y < self.height) & (x >= 0) & (x < self.width) & (z >= 0) & (z < self.depth)
            row, column = np.where(inside, row, -1), np.where(inside, column, -1)
            return row, column
        row, column = row + self.before[0], column + self.before[1]
        known = (row >= 0) & (column >= 0)
        if self.window is not None:
            row, column = row - self.window.row, column - self.window.column
            known = (row >= 0) & (column >= 0) & (row < self.rows) & (column < self.columns)
        return np.where(known, row, -1), np.where(known, column, -1)

    def index(self, row: int, column: int) -> int | None:
        """Return the flat index of a cell of the picture; None where there is none."""
        if self.window is not None:
            row, column = row + self.window.row, column + self.window.column
        row, column = row - self.before[0], column - self.before[1]
        if not (row >= 0 <= column < self.across * self.width):
            return None
        line, y = divmod(row, self.height)
        part, x = divmod(column, self.width)
        found = ((line * self.across + part) * self.height + y) * self.width + x
        return found if line * self.across + part < self.depth and found < self.count else None


@lru_cache(maxsize=256)
def _parts(arrangement: Arrangement) -> tuple[Part, ...]:
    if arrangement.window is not None:
        return (Part(0, 0, arrangement.rows, arrangement.columns),)
    height, width, across, count = arrangement.height, arrangement.width, arrangement.across, arrangement.count
    found = []
    for number in range(arrangement.depth):
        row, column = number // across * height, number % across * width
        columns = min(width, count - number * width) if arrangement.kind == "strip" else width
        found.append(Part(row + arrangement.before[0], column + arrangement.before[1], height, columns))
    return tuple(found)


@lru_cache(maxsize=256)
def _cells(arrangement: Arrangement) -> Axes:
    return arrangement.place(arrangement.axes(np.arange(arrangement.count)))


@lru_cache(maxsize=256)
def _existing(arrangement: Arrangement) -> NDArray[np.bool_]:
    mask = np.zeros((arrangement.rows, arrangement.columns), bool)
    for row, column, rows, columns in arrangement.parts:
        mask[row : row + rows, column : column + columns] = True
    mask.setflags(write=False)
    return mask
