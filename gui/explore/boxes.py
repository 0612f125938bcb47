"""Rectangles and rasters of square cells, in pixels. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW: Final = 6


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True, slots=True)
class Raster:
    """`rows` × `columns` square cells with the top left corner at (x, y); the overhang is counted."""

    x: float
    y: float
    cell: float
    rows: int
    columns: int

    @property
    def box(self) -> Box:
        """All cells."""
        return Box(self.x, self.y, self.cell * self.columns, self.cell * self.rows)

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column under a point."""
        if not self.box.contains(x, y):
            return None
        return int((y - self.y) // self.cell), int((x - self.x) // self.cell)


Shape = tuple[int, int]
"""Rows and columns."""


def place_in(items: list[Shape], box: Box, line: float, largest: float, titled: bool = True) -> list[Raster]:
    """Rasters in lines, in their order, as many to a line as gives the largest cells."""
    if not items:
        return []
    head, gutter, gap = (line * 2.5, line * 1.4, line * 1.2) if titled else (line * 0.3, 0.0, 0.0)
    inner = Box(box.x + line * 0.6, box.y + line * 1.7, box.width - line * 1.2, box.height - line * 2.2)

    def fitting(lines: list[list[Shape]]) -> float:
        wide = (
            (inner.width - len(part) * gutter - (len(part) - 1) * gap) / sum(c for _, c in part)
            for part in lines
        )
        high = (inner.height - len(lines) * head) / sum(max(r for r, _ in part) for part in lines)
        return min(*wide, high)

    lines = max(_divisions(items), key=fitting)
    cell = max(1.0, min(fitting(lines), largest))
    cell = float(int(cell)) if cell >= 6 else cell
    found, y = [], inner.y
    for part in lines:
        used = sum(c for _, c in part) * cell + len(part) * gutter + (len(part) - 1) * gap
        x = inner.x + max(0.0, (inner.width - used) / 2)
        for rows, columns in part:
            found.append(Raster(x + gutter, y + head, cell, rows, columns))
            x += gutter + columns * cell + gap
        y += head + max(r for r, _ in part) * cell
    return found


def _divisions(items: list[Shape]) -> Iterator[list[list[Shape]]]:
    """Every way to break a few items into lines; of many, those with as many to each line."""
    count = len(items)
    if count <= _FEW:
        for breaks in product((False, True), repeat=count - 1):
            ends = [n + 1 for n, broken in enumerate(breaks) if broken]
            yield [items[a:b] for a, b in pairwise([0, *ends, count])]
    else:
        for across in range(1, count + 1):
            yield [items[n : n + across] for n in range(0, count, across)]
