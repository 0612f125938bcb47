"""Templates: places of arrays in global memory, with the free rectangles around them. Pure geometry, no Qt.

The usual picture of a product has A left of C and B above C; their rows and columns line up. Other arrays are in rows.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from gui.explore.packing.boxes import Box, Raster, Shape
from gui.explore.packing.constants import (
    APART,
    CELLS,
    GAP,
    GUTTER,
    HEAD,
    LABELLED_CELL,
    LABELLED_WIDE,
    MEMBER_WIDTH,
    OTHER_SHAPE,
    READ_CELL,
    TALL,
    TALL_COST,
    WIDER,
)
from gui.explore.packing.engine import Base, Slot, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gui.explore.stage.views import Place

LAUNCH = -1
"""Number of the launch among arrays."""


class Arrays(NamedTuple):
    """Arrays to place, and where."""

    shapes: tuple[tuple[int, Place, Shape], ...]
    """Position in `Scene.cells` or LAUNCH, place and shape of each."""
    threads: int
    """Number of the one on which threads are drawn."""
    area: Box
    line: float
    all_placed: bool
    """True if every thread has a cell of its own."""
    framed: bool
    """True if there may be frames, for which room is to be named."""
    aligned: bool
    """True if rows of A line up with those of C, and columns of B with those of C: these are not placed in rows."""


def matrix_templates(arrays: Arrays) -> list[Template]:
    """Return the templates for arrays of which some are matrices."""
    places = [place for _, place, _ in arrays.shapes]
    if len(set(places)) < len(places):  # several arrays have one place, such as sums and counts
        return row_templates(arrays)
    found = [_template(arrays, _product)]
    if arrays.aligned:
        return found + list(_wide_products(arrays, found[0].largest))
    if set(places) == {"left", "result"}:
        found.append(_template(arrays, _stacked)._replace(cost=OTHER_SHAPE))
    if len(places) > 1:
        found += [template._replace(cost=OTHER_SHAPE * template.cost) for template in row_templates(arrays)]
    return found


def _wide_products(arrays: Arrays, largest: float) -> Iterator[Template]:
    """Yield templates with cells wider than high, where threads fit into the result only so; `largest` is for squares.

    Two matrices above each other leave cells of a broad picture less height than width.
    """
    if arrays.all_placed and largest >= READ_CELL:
        for found in _shaped(arrays, _product, LABELLED_WIDE):
            if found.largest >= READ_CELL:
                yield found._replace(largest=min(found.largest, LABELLED_CELL), cost=OTHER_SHAPE)


def row_templates(arrays: Arrays) -> list[Template]:
    """Return the templates for arrays in rows only: of squares, and of higher cells if rows leave height free."""
    square = _template(arrays, _rows)
    tall = (template._replace(cost=TALL_COST) for template in _shaped(arrays, _rows, (TALL,)))
    return [square, *(template for template in tall if template.largest > square.largest)]


def _shaped(arrays: Arrays, place: Callable[[Arrays, float], Base], shapes: Sequence[float]) -> Iterator[Template]:
    """Yield templates with cells of other shapes, of which the widths in heights are given."""
    if any(shape.readable for *_, shape in arrays.shapes):
        return
    for wide in shapes:
        stretched = tuple((n, at, shape._replace(wide=wide)) for n, at, shape in arrays.shapes)
        yield _template(arrays._replace(shapes=stretched), place)._replace(wide=wide)


def _template(arrays: Arrays, place: Callable[[Arrays, float], Base]) -> Template:
    """Return a template with its largest scale; cells of structs are as wide as names of members need."""
    plain = arrays

    def largest(arrays: Arrays) -> float:
        area = arrays.area

        def fits(cell: float) -> bool:
            extent = place(arrays, cell).extent
            return extent.width <= area.width and extent.height <= area.height

        return CELLS[bisect_left(CELLS, True, hi=len(CELLS) - 1, key=fits)]

    found = largest(plain)
    if most := max(shape.readable for *_, shape in arrays.shapes):
        for wide in WIDER:
            stretched = tuple((n, at, shape.stretched(wide)) for n, at, shape in plain.shapes)
            if found * wide <= max(most, MEMBER_WIDTH) and largest(plain._replace(shapes=stretched)) >= found:
                arrays = plain._replace(shapes=stretched)
                break
    return Template(lambda cell: place(arrays, cell), found)


def _rows(arrays: Arrays, cell: float) -> Base:
    """Place arrays from left to right, in several rows where they need them; frames are below or on the right."""
    area, line = arrays.area, arrays.line
    rasters: dict[int, Raster] = {}
    x, y, high, right = area.x, area.y, 0.0, area.x
    for number, _, shape in arrays.shapes:
        width = GUTTER * line + shape.beside + max(shape.across * cell + shape.gap_width, shape.title)
        if x > area.x and x + width > area.x + area.width:
            x, y, high = area.x, y + high + APART * line, 0.0
        rasters[number] = _raster(shape, x + GUTTER * line + shape.beside, y + HEAD * line + shape.above, cell)
        x += width + GAP * line
        right = max(right, x - GAP * line)
        high = max(high, HEAD * line + shape.gap_height + shape.rows * cell)
    extent = Box(area.x, area.y, right - area.x, y + high - area.y)
    top = y + high + APART * line
    slots = {
        "below": Slot(Box(area.x, top, area.width, area.y + area.height - top), top=top),
        "right": Slot(
            Box(right + GAP * line, area.y, area.x + area.width - right - GAP * line, area.height), top=area.y
        ),
    }
    return _base(arrays, rasters, slots, extent)


def _stacked(arrays: Arrays, cell: float) -> Base:
    """Place A above C: arrays of few rows and many columns."""
    places: dict[Place, Place] = {"left": "top"}
    return _product(arrays._replace(shapes=tuple((n, places.get(p, p), s) for n, p, s in arrays.shapes)), cell)


def _product(arrays: Arrays, cell: float) -> Base:
    """Place A left of C and B above C, in the lower right corner; frames are in the corners that they leave free.

    All have cells of one height, so that a row of A lines up with the row of C that it computes.
    """
    area, line = arrays.area, arrays.line
    by_place = {place: (number, shape) for number, place, shape in arrays.shapes}
    left, top, result = (by_place.get(place, (0, Shape(0, 0)))[1] for place in ("left", "top", "result"))
    head, gutter = HEAD * line, GUTTER * line
    across = max(shape.across * cell + shape.gap_width for shape in (top, result))
    across = max(across, top.title, result.title)
    down = max(shape.rows * cell + shape.gaps.height(shape.rows) for shape in (left, result))
    above = max(result.above, left.above)
    wide = gutter + max(left.across * cell + left.gap_width, left.title) + GAP * line if left.rows else 0.0
    high = head + top.rows * cell + top.gap_height + APART * line if top.rows else 0.0
    width, height = wide + gutter + across, high + head + above + down
    x, y = area.x + area.width - across, area.y + area.height - down
    corners = {
        "result": (x, y),
        "left": (x - gutter - wide + gutter, y),
        "top": (x, y - above - head - APART * line - top.rows * cell - top.gaps.height(top.rows)),
    }
    rasters = {number: _raster(shape, *corners[place], cell) for place, (number, shape) in by_place.items()}
    extent = Box(area.x + area.width - width, area.y + area.height - height, width, height)
    slots = dict(_slots(arrays, extent, (x - gutter, y - above - head), left, top, result, cell))
    return _base(arrays, rasters, slots, extent)


def _slots(
    arrays: Arrays, extent: Box, corner: tuple[float, float], left: Shape, top: Shape, result: Shape, cell: float
) -> Iterator[tuple[str, Slot]]:
    """Yield what is free: between A and B, left of A, under C, and left of all or above all."""
    area, line = arrays.area, arrays.line
    x, y = corner
    gap, apart = GAP * line, APART * line
    right, bottom = area.x + area.width, area.y + area.height
    if left.rows and top.rows:
        yield "corner", Slot(_box(area.x, area.y, x - apart, y - apart), right=True, top=extent.y)
        yield "left", Slot(_box(area.x, y, extent.x - gap, bottom), right=True, top=y, shared=False)
    else:
        yield "beside", Slot(_box(area.x, area.y, extent.x - gap, bottom), right=True, top=extent.y)
        yield "above", Slot(_box(area.x, area.y, right, extent.y - apart), right=True, top=extent.y)
    if left.rows > result.rows:
        under = bottom - (left.rows - result.rows) * cell + gap
        yield "under", Slot(_box(x, under, right, bottom), top=under, shared=False)


def _box(x: float, y: float, right: float, bottom: float) -> Box:
    return Box(x, y, max(0.0, right - x), max(0.0, bottom - y))


def _raster(shape: Shape, x: float, y: float, cell: float) -> Raster:
    return Raster(x, y, cell, shape.rows, shape.columns, shape.wide, shape.gaps, shape.above)


def _base(arrays: Arrays, rasters: dict[int, Raster], slots: dict[str, Slot], extent: Box) -> Base:
    threads = rasters[arrays.threads]
    labelled = arrays.all_placed and threads.cell >= READ_CELL and threads.across >= LABELLED_CELL
    return Base(rasters, threads, slots if arrays.framed else {}, extent, labelled)
