"""Rectangles and rasters of square cells, in pixels. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

_FEW: Final = 6

_WIDER: Final = (3.0, 2.6, 2.3, 2.0, 1.8, 1.6, 1.4, 1.2)
_LEAST_WITH_GAPS: Final = 10.0
"""Cell in pixels under which rows of strips have no room between them."""

MEMBER_WIDTH: Final = 110.0
"""Width in pixels beyond which a cell of a struct becomes no easier to read: a value under the name of its member."""

VALUE_WIDTH: Final = 54.0
"""The same for other cells, which hold a value of seven digits."""


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

    def excess_of(self, other: Box) -> float:
        """Return the pixels by which another box exceeds the right or lower edge."""
        right = other.x + other.width - self.x - self.width
        return max(0.0, right // 1, (other.y + other.height - self.y - self.height) // 1)


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
    return line * (0.8 * len(name) + (0.5 * len(detail) + 0.5 if detail else 0.0))


def widest(cell_of: Callable[[float], float], readable: float) -> float:
    """Return the largest aspect ratio of cells up to a width in pixels, without making any cell lower."""
    plain = cell_of(1.0)
    return next((wide for wide in _WIDER if plain * wide <= readable and cell_of(wide) >= plain), 1.0)


AXES_LINES: Final = 2.0
"""Width of the names of the axes, left of threads, in heights of a line of text."""

HEADING_LINES: Final = 11
"""Width of a box that its heading fits into, in heights of a line of text."""

_CLEARLY: Final = 1.1
"""Factor by which cells must be larger for their arrays to be placed beside the heading."""


def place_in(items: list[Shape], box: Box, line: float, largest: float, titled: bool = True) -> list[Raster]:
    """Place rasters below the heading of a box, or beside it where that makes the cells clearly larger."""
    if not items:
        return []
    below = Box(box.x + line * 0.6, box.y + line * 1.7, box.width - line * 1.2, box.height - line * 2.2)
    taken = line * HEADING_LINES
    beside = Box(box.x + taken, box.y + line * 0.4, box.width - taken - line * 0.6, box.height - line * 0.9)
    found = _place(items, below, line, largest, titled)
    if beside.width < taken:
        return found
    other = _place(items, beside, line, largest, titled)
    return other if other[0].cell >= found[0].cell * _CLEARLY else found


def _place(items: list[Shape], inner: Box, line: float, largest: float, titled: bool) -> list[Raster]:
    """Place rasters in lines, in their order; the number in each line is chosen for the largest cells."""
    head, gutter, gap = (line * 2.5, line * 1.4, line * 1.2) if titled else (line * 0.3, _axes_room(inner, line), 0.0)
    if not titled:
        items = [item._replace(title=0.0) for item in items]

    def across(lines: list[list[Shape]]) -> float:
        return min(_widest(part, inner.width - len(part) * gutter - (len(part) - 1) * gap) for part in lines)

    def fitting(lines: list[list[Shape]]) -> float:
        return min(across(lines), _highest(lines, inner.height - len(lines) * head))

    def stretched(readable: float, wide: float) -> list[list[Shape]]:
        return [[item.stretched(wide) if item.readable == readable else item for item in part] for part in lines]

    # A few arrays are divided into lines in every possible way: 5 arrays in 16 ways. Of equals the first wins, which
    # has the fewest lines.
    lines = max(_divisions(items), key=fitting)
    if across(lines) < -3 * line:  # too many titles: without them the cells fit
        items = [item._replace(title=0.0) for item in items]
        lines = max(_divisions(items), key=fitting)
    if fitting(lines) < _LEAST_WITH_GAPS and any(item.gaps.rows == 1 for item in items):
        items = [item.joined() for item in items]
        lines = max(_divisions(items), key=fitting)
    for readable in sorted({item.readable for item in items} - {0.0}, reverse=True):

        def cell_of(wide: float, readable: float = readable) -> float:
            return min(fitting(stretched(readable, wide)), largest)

        lines = stretched(readable, widest(cell_of, readable))
    cell = max(1.0, min(fitting(lines), largest))
    cell = float(int(cell)) if cell >= 6 else cell
    found, y = [], inner.y
    for part in lines:
        used = sum(max(item.across * cell + item.gap_width, item.title) + gutter for item in part)
        used += (len(part) - 1) * gap
        x = inner.x + max(0.0, (inner.width - used) / 2)
        for item in part:
            single = titled and item.rows == item.columns == 1
            up = line * 0.9 if single else 0.0  # a single element has no column number above it
            found.append(
                Raster(
                    x + gutter + item.beside,
                    y + head + item.above - up,
                    cell + up,
                    item.rows,
                    item.columns,
                    item.wide,
                    item.gaps,
                    item.above,
                )
            )
            x += gutter + max(item.across * cell + item.gap_width, item.title) + gap
        y += head + max(item.rows * cell + item.gap_height for item in part)
    return found


def _axes_room(inner: Box, line: float) -> float:
    """Return the width left of threads: that of their axes, less where a box is so narrow that they are small."""
    return min(line * AXES_LINES, max(line * 1.2, inner.width * 0.15))


def _highest(lines: list[list[Shape]], height: float) -> float:
    """Return a cell with which lines of items fit into a height."""
    gaps = sum(max(item.gap_height for item in part) for part in lines)
    return (height - gaps) / sum(max(item.rows for item in part) for part in lines)


def _widest(part: list[Shape], width: float) -> float:
    """Return the largest cell with which a line of items fits, each at least as wide as its title.

    An item narrower than its title takes the title's width, which leaves less for the others, whose cells become
    smaller; these may then be narrower than their titles in turn. Each round moves at least one item over.
    """
    titled: set[int] = set()
    while True:
        columns = sum(item.across for n, item in enumerate(part) if n not in titled)
        left = width - sum(part[n].title for n in titled)
        left -= sum(item.gap_width for n, item in enumerate(part) if n not in titled)
        cell = left / columns if columns else min((item.title - item.gap_width) / item.across for item in part)
        more = {n for n, item in enumerate(part) if item.across * cell + item.gap_width < item.title} - titled
        if not more or left < 0:
            return min(cell, left)
        titled |= more


def _divisions(items: list[Shape]) -> Iterator[list[list[Shape]]]:
    """Return every way to break a few items into lines; for many items, only equal lines."""
    count = len(items)
    if count <= _FEW:
        for breaks in product((False, True), repeat=count - 1):
            ends = [n + 1 for n, broken in enumerate(breaks) if broken]
            yield [items[a:b] for a, b in pairwise([0, *ends, count])]
    else:
        for across in range(1, count + 1):
            yield [items[n : n + across] for n in range(0, count, across)]
