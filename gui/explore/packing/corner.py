"""Layout of the free corner of the picture: shared memory, magnified block, local arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from gui.explore.packing.boxes import HEADING_LINES, Box, Raster, Shape, place_in

if TYPE_CHECKING:
    from collections.abc import Iterator

LABELLED_CELL: Final = 46.0
"""Cells at least this wide label threads on the result itself; below, the threads are drawn magnified."""

_ROOMIER: Final = 1.5
"""Least ratio of the shorter sides of two boxes, of which the larger one is taken."""

_LARGEST_CELL: Final = 150.0
_SHARES: Final = (0.3, 0.4, 0.5, 0.6, 0.7)
"""Shares of a box that are tried for a thread's local arrays."""


@dataclass(frozen=True, slots=True)
class CornerLayout:
    """Positions of the contents of the corner."""

    shared: tuple[Raster, ...] = ()
    """Cells of the shared arrays."""
    local: tuple[Raster, ...] = ()
    """Cells of the local arrays of one thread."""
    zoom: Raster | None = None
    """Cells of the magnified block."""
    corner: Box | None = None
    """Box of the shared arrays, and of the magnified block unless that has the box `below`."""
    own: Box | None = None
    """Box of the local arrays."""
    below: Box | None = None
    """Box left of A, if the magnified block lies there."""
    is_strip: bool = False
    """True if the magnified block is a strip among others, aligned with them."""

    @property
    def readable(self) -> float:
        """Readability: product of the cells' sides, each capped at the size beyond which it is no easier to read.

        Local arrays count twice: they change in most steps, while shared memory is mostly a copy.
        """
        groups = (
            self.shared[:1],
            self.local[:1],
            self.local[:1],
            (self.zoom,) if self.zoom is not None else (),
        )
        return math.prod(min(raster.cell, LABELLED_CELL) for group in groups for raster in group)


@dataclass(frozen=True, slots=True)
class CornerContents:
    """Shapes to place in the corner."""

    shared: tuple[Shape, ...]
    """Shared arrays."""
    local: tuple[Shape, ...]
    """Local arrays of one thread."""
    zoom: Shape
    """Magnified block: placed if `thread_cell` is too small to label threads."""
    thread_cell: float
    """Height of the cells on which threads are drawn, pixels."""
    line: float
    """Height of a line of text, pixels."""
    launch: bool = False
    """True if threads are drawn on the launch: all are visible there, so the block is magnified only if larger."""
    magnified: bool = True
    """False if the block is not magnified at all."""

    def fill(self, corner: Box, below: Box | None) -> CornerLayout:
        """Place everything for the best readability."""
        return _filled(self, corner, below)

    def _fill(self, corner: Box, below: Box | None) -> CornerLayout:
        plain = self._without_local(corner, below)
        if not self.local:
            return plain
        if not plain.shared and (plain.zoom is None or plain.below is not None):
            return self._with_local(plain, corner)
        # Candidates: divide the corner; or give the local arrays the box left of A, or a part of it. Each is filled
        # completely, and the one with the largest cells is chosen: 10 to 20 layouts, each of a few rectangles.
        boxes = [(own, rest, below) for own, rest in _halves(corner, self.line)]
        if below is not None and plain.below is None:
            boxes.append((below, corner, None))
        elif below is not None:
            boxes += [(own, corner, rest) for own, rest in _halves(below, self.line)]
        wide = [box for box in boxes if min(part.width for part in box if part) >= HEADING_LINES * self.line]
        found = (self._with_local(self._without_local(rest, under), own) for own, rest, under in wide or boxes)
        return max(found, key=lambda filled: (-self.beyond(filled), filled.readable))

    def beyond(self, filled: CornerLayout) -> float:
        """Largest excess of arrays and titles over their boxes, in pixels: cells have a minimum size."""
        warps = filled.zoom is not None and filled.zoom.gaps.rows == 1  # other blocks are as small as their box
        zoom = (filled.zoom,) if filled.zoom is not None and warps else ()
        pairs = (
            (filled.corner, filled.shared, self.shared),
            (filled.own, filled.local, self.local),
            (filled.below or filled.corner, zoom, [self.zoom._replace(title=0.0)]),
        )
        return max(
            (
                box.excess_of(Box(raster.x, raster.y, max(raster.box.width, shape.title), raster.box.height))
                for box, rasters, shapes in pairs
                if box is not None
                for raster, shape in zip(rasters, shapes, strict=False)
            ),
            default=0.0,
        )

    def _with_local(self, rest: CornerLayout, own: Box) -> CornerLayout:
        local = place_in(list(self.local), own, self.line, _LARGEST_CELL)
        corner = rest.corner if rest.corner != own else None
        return CornerLayout(rest.shared, tuple(local), rest.zoom, corner, own, rest.below)

    def _without_local(self, corner: Box, below: Box | None) -> CornerLayout:
        """Place shared arrays and the magnified block: where its cells are larger, or not at all."""
        shared, line = self.shared, self.line
        alone = tuple(place_in(list(shared), corner, line, _LARGEST_CELL))
        if not self.magnified:
            return CornerLayout(alone, corner=corner if alone else None)
        together = place_in([*shared, self.zoom], corner, line, _LARGEST_CELL, titled=bool(shared))
        apart = place_in([self.zoom], below, line, _LARGEST_CELL, titled=False) if below else []
        wanted = self.thread_cell < LABELLED_CELL
        if (
            shared
            and apart
            and (apart[0].cell >= self.thread_cell * 1.15 or (wanted and apart[0].cell >= together[-1].cell))
        ):
            return CornerLayout(alone, zoom=apart[0], corner=corner, below=below)
        if apart and not shared and apart[0].cell >= max(together[0].cell, self.thread_cell) * 1.15:
            return CornerLayout(zoom=apart[0], below=below)
        # Threads without room for their values are shown through a lens, for which a higher box has more room.
        higher = below is not None and min(below.width, below.height) >= _ROOMIER * min(corner.width, corner.height)
        if apart and not shared and higher and together[0].cell * 0.75 <= apart[0].cell < LABELLED_CELL:
            return CornerLayout(zoom=apart[0], below=below)
        magnified = not shared and not self.local and together[0].cell >= self.thread_cell * 1.15
        if (wanted and not (self.launch and together[-1].cell <= self.thread_cell)) or magnified:
            return CornerLayout(tuple(together[:-1]), zoom=together[-1], corner=corner)
        return CornerLayout(alone, corner=corner if alone else None)


@lru_cache(maxsize=512)  # all steps of a run have the same contents, and to compare all ways to place them takes 20 ms
def _filled(contents: CornerContents, corner: Box, below: Box | None) -> CornerLayout:
    return contents._fill(corner, below)


def _halves(corner: Box, line: float) -> Iterator[tuple[Box, Box]]:
    """Divide a box in two, once horizontally and once vertically, with a gap; the second part comes first."""
    for share in _SHARES:
        width, height = (corner.width - line * 0.6) * share, (corner.height - line * 0.6) * share
        left = Box(corner.x, corner.y, corner.width - line * 0.6 - width, corner.height)
        yield Box(corner.x + corner.width - width, corner.y, width, corner.height), left
        top = Box(corner.x, corner.y, corner.width, corner.height - line * 0.6 - height)
        yield Box(corner.x, corner.y + corner.height - height, corner.width, height), top
