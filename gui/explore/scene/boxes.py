"""Rectangles and rasters of square cells, in pixels. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FEW: Final = 6

_WIDER: Final = (3.0, 2.6, 2.3, 2.0, 1.8, 1.6, 1.4, 1.2)
_ENOUGH: Final = 110.0
"""Width in pixels beyond which a cell becomes no easier to read."""


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

    @property
    def across(self) -> float:
        """Width of a cell in pixels."""
        return self.cell * self.wide

    @property
    def box(self) -> Box:
        """All cells."""
        return Box(self.x, self.y, self.across * self.columns, self.cell * self.rows)

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column under a point."""
        if not self.box.contains(x, y):
            return None
        return int((y - self.y) // self.cell), int((x - self.x) // self.across)


class Shape(NamedTuple):
    """Extent of an array to place."""

    rows: int
    columns: int
    title: float = 0.0
    """Width of its title, pixels."""
    stretches: bool = False
    """True if its cells may be wider than high, where that makes no cell lower: those of structs."""
    wide: float = 1.0
    """Width of a cell, in heights of a cell."""

    @property
    def across(self) -> float:
        """Width, in heights of a cell."""
        return self.columns * self.wide

    def stretched(self, wide: float) -> Shape:
        """Return the shape with wider cells if it allows them."""
        return self._replace(wide=wide) if self.stretches else self


def title_width(name: str, detail: str, line: float) -> float:
    """Return the approximate width of a title in pixels: bold name, smaller detail; `line` as in `arrange`."""
    return line * (0.8 * len(name) + (0.5 * len(detail) + 0.5 if detail else 0.0))


def widest(cell_of: Callable[[float], float]) -> float:
    """Return the largest aspect ratio of cells that hold text, without making any cell lower."""
    plain = cell_of(1.0)
    return next((wide for wide in _WIDER if plain * wide <= _ENOUGH and cell_of(wide) >= plain), 1.0)


def place_in(items: list[Shape], box: Box, line: float, largest: float, titled: bool = True) -> list[Raster]:
    """Place rasters in lines, in their order; the number in each line is chosen for the largest cells."""
    if not items:
        return []
    head, gutter, gap = (line * 2.5, line * 1.4, line * 1.2) if titled else (line * 0.3, 0.0, 0.0)
    if not titled:
        items = [item._replace(title=0.0) for item in items]
    inner = Box(box.x + line * 0.6, box.y + line * 1.7, box.width - line * 1.2, box.height - line * 2.2)

    def across(lines: list[list[Shape]]) -> float:
        return min(_widest(part, inner.width - len(part) * gutter - (len(part) - 1) * gap) for part in lines)

    def fitting(lines: list[list[Shape]]) -> float:
        high = (inner.height - len(lines) * head) / sum(max(item.rows for item in part) for part in lines)
        return min(across(lines), high)

    def stretched(wide: float) -> list[list[Shape]]:
        return [[item.stretched(wide) for item in part] for part in lines]

    # A few arrays are divided into lines in every possible way: 5 arrays in 16 ways. Of equals the first wins, which
    # has the fewest lines.
    lines = max(_divisions(items), key=fitting)
    if across(lines) < -3 * line:  # too many titles: without them the cells fit
        items = [item._replace(title=0.0) for item in items]
        lines = max(_divisions(items), key=fitting)
    if any(item.stretches for item in items):
        lines = stretched(widest(lambda wide: min(fitting(stretched(wide)), largest)))
    cell = max(1.0, min(fitting(lines), largest))
    cell = float(int(cell)) if cell >= 6 else cell
    found, y = [], inner.y
    for part in lines:
        used = sum(max(item.across * cell, item.title) + gutter for item in part) + (len(part) - 1) * gap
        x = inner.x + max(0.0, (inner.width - used) / 2)
        for item in part:
            single = titled and item.rows == item.columns == 1
            up = line * 0.9 if single else 0.0  # a single element has no column number above it
            found.append(Raster(x + gutter, y + head - up, cell + up, item.rows, item.columns, item.wide))
            x += gutter + max(item.across * cell, item.title) + gap
        y += head + max(item.rows for item in part) * cell
    return found


def _widest(part: list[Shape], width: float) -> float:
    """Return the largest cell with which a line of items fits, each at least as wide as its title.

    An item narrower than its title takes the title's width, which leaves less for the others, whose cells become
    smaller; these may then be narrower than their titles in turn. Each round moves at least one item over.
    """
    titled: set[int] = set()
    while True:
        columns = sum(item.across for n, item in enumerate(part) if n not in titled)
        left = width - sum(part[n].title for n in titled)
        cell = left / columns if columns else min(item.title / item.across for item in part)
        more = {n for n, item in enumerate(part) if item.across * cell < item.title} - titled
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
