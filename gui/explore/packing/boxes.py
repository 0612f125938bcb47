"""Rectangles and rasters of square cells, in pixels. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from gui.explore.packing.constants import DETAIL_LETTER, TITLE_LETTER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, x: float, y: float) -> bool:
        """Return whether a point lies inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def overlaps(self, other: Box) -> bool:
        """Return whether the two have more in common than an edge."""
        across = self.x < other.x + other.width and other.x < self.x + self.width
        return across and self.y < other.y + other.height and other.y < self.y + self.height

    def moved(self, x: float, y: float) -> Box:
        """Return the box moved by (x, y)."""
        return replace(self, x=self.x + x, y=self.y + y)


class Gaps(NamedTuple):
    """Room between groups of cells: the rows of a strip, or slices."""

    rows: int = 1 << 30
    """Rows of a group."""
    columns: int = 1 << 30
    """Columns of a group."""
    down: float = 0.0
    """Pixels between a group and the one below, and above the first one, for its numbers and titles."""
    across: float = 0.0
    """Pixels between a group and the one on its right."""
    numbers: bool = True
    """True if the elements of every row of a strip have numbers above them; else at most those of the first."""

    def height(self, rows: int) -> float:
        """Pixels of the gaps between this many rows."""
        return max(0, rows - 1) // self.rows * self.down

    def width(self, columns: int) -> float:
        """Pixels of the gaps between this many columns."""
        return max(0, columns - 1) // self.columns * self.across


NO_GAPS: Final = Gaps()


@dataclass(frozen=True, slots=True)
class Raster:
    """A grid of cells, in pixels."""

    x: float
    """Left edge."""
    y: float
    """Upper edge."""
    cell: float
    """Height of a cell."""
    rows: int
    """Rows with the overhang."""
    columns: int
    """Columns with the overhang."""
    wide: float = 1.0
    """Width of a cell, in heights of a cell."""
    gaps: Gaps = NO_GAPS
    """Room between the rows of a strip, or between slices."""
    above: float = 0.0
    """Room between the numbers of the columns and the title, pixels: for titles of slices, or for threads."""
    beside: float = 0.0
    """Pixels from the left edge of the title to that of the cells; 0 for a title above."""

    def moved(self, x: float, y: float) -> Raster:
        """Return the raster moved by (x, y)."""
        return replace(self, x=self.x + x, y=self.y + y)

    @property
    def across(self) -> float:
        """Width of a cell in pixels."""
        return self.cell * self.wide

    @property
    def box(self) -> Box:
        """All cells."""
        return self.rect(0, 0, self.rows, self.columns)

    def left(self, column: int) -> float:
        """Left edge of a column."""
        return self.x + column * self.across + column // self.gaps.columns * self.gaps.across

    def top(self, row: int) -> float:
        """Upper edge of a row."""
        return self.y + row * self.cell + row // self.gaps.rows * self.gaps.down

    def centres(self, row: NDArray[np.integer], column: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the centres (x, y) of many cells."""
        x = self.x + (column + 0.5) * self.across + column // self.gaps.columns * self.gaps.across
        y = self.y + (row + 0.5) * self.cell + row // self.gaps.rows * self.gaps.down
        return np.column_stack([x, y])

    def rect(self, row: int, column: int, rows: int = 1, columns: int = 1) -> Box:
        """Rectangle of cells, with the gaps between them."""
        x, y = self.left(column), self.top(row)
        right, bottom = self.left(column + columns - 1) + self.across, self.top(row + rows - 1) + self.cell
        return Box(x, y, right - x, bottom - y)

    def runs(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Divide the columns from `first` up to, not including, `last` where a gap is."""
        while first < last:
            end = min(last, (first // self.gaps.columns + 1) * self.gaps.columns)
            yield first, end
            first = end

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column under a point; None in a gap."""
        if not self.box.contains(x, y):
            return None
        group, rest = divmod(y - self.y, self.gaps.rows * self.cell + self.gaps.down)
        row = int(group) * self.gaps.rows + int(rest // self.cell)
        group, rest = divmod(x - self.x, self.gaps.columns * self.across + self.gaps.across)
        column = int(group) * self.gaps.columns + int(rest // self.across)
        return (row, column) if self.rect(row, column).contains(x, y) else None


class Shape(NamedTuple):
    """Extent of an array to place."""

    rows: int
    columns: int
    title: float = 0.0
    """Width of its title, pixels."""
    readable: float = 0.0
    """Width in pixels up to which its cells may be wider than high, where that makes no cell lower; 0 for squares."""
    wide: float = 1.0
    """Width of a cell, in heights of a cell."""
    gaps: Gaps = NO_GAPS
    """Room between groups of cells."""
    above: float = 0.0
    """Room above the cells in addition to that for a title and the columns' numbers, pixels."""
    beside: float = 0.0
    """Room left of the cells in addition to that for short numbers of rows, pixels."""

    @property
    def across(self) -> float:
        """Width of the cells, in heights of a cell."""
        return self.columns * self.wide

    @property
    def gap_width(self) -> float:
        """Pixels of all gaps between columns, and of the room beside them."""
        return self.gaps.width(self.columns) + self.beside

    @property
    def gap_height(self) -> float:
        """Pixels of all gaps between rows, and of the room above."""
        return self.gaps.height(self.rows) + self.above

    def joined(self) -> Shape:
        """Return the shape of a strip without room between its rows."""
        return self._replace(gaps=Gaps(rows=1, numbers=False), above=0.0) if self.gaps.rows == 1 else self

    def stretched(self, wide: float) -> Shape:
        """Return the shape with wider cells if it allows them."""
        return self._replace(wide=wide) if self.readable else self


def title_width(name: str, detail: str, line: float) -> float:
    """Return the approximate width of a title in pixels: bold name, smaller detail; `line` as in `arrange`."""
    return line * (TITLE_LETTER * len(name) + (DETAIL_LETTER * (len(detail) + 1) if detail else 0.0))
