"""Layout of one-dimensional arrays: strips one below the other, with the threads above the elements of the result.

All strips begin at one left edge and have cells of one size: an index has the same place in all of them. The block's
shared memory lies between the inputs and the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gui.explore.packing.boxes import Box, Gaps, Raster, title_width
from gui.explore.packing.constants import (
    DIGIT,
    FEW_RESULTS,
    FRAME_HEAD,
    LABEL_CELL,
    LARGEST_STRIP_CELL,
    MARKS,
    MIDDLE,
    NARROW,
    NARROW_THREAD,
    NUMBERED_CELL,
    NUMBERS,
    PARTED_CELL,
    RESULT_WIDTH,
    SEEN_CELL,
    STRIP_APART,
    STRIP_MARGIN,
    STRIP_RIGHT,
    STRIP_TITLE,
    TALL_THREAD,
    THREE_DIGITS,
    TITLES_ASIDE,
    WIDE_RESULT,
    WIDEST_STRIP_CELL,
)
from gui.explore.packing.engine import Base, Slot, Template
from gui.explore.packing.folding import block_arrangement

if TYPE_CHECKING:
    from gui.explore.stage.scene import Scene


@dataclass(frozen=True, slots=True)
class Strips:
    """Positions of strips."""

    rasters: dict[int, Raster]
    """Cells of each array, by position in `scene.cells`."""
    threads: Raster
    """Threads above the result, or the launch itself."""
    zoom: Raster | None
    """Threads of the block, if those above the result are too small or not all there."""
    box: Box | None
    """Rectangle with the block's shared memory and threads."""
    cell: float
    """Height of a cell, pixels."""
    names_blocks: bool
    """True if there is room for names above the threads."""
    fits: bool
    """False if strips exceed the area."""


@dataclass(frozen=True, slots=True)
class Strip:
    """One array, the threads of the block, or the launch."""

    number: int | None
    """Position in `scene.cells`; None for threads."""
    title: float
    """Width of its title, pixels."""
    rows: int
    columns: int
    before: int = 0
    """Columns in front of the first element."""
    boxed: bool = False
    threads: bool = False
    """True if threads lie above its elements."""
    accumulates: bool = False
    """True if threads hold values."""


def strips_only(scene: Scene) -> bool:
    """Return whether all arrays in global memory are strips, and there are any."""
    places = [cells.view for cells in scene.cells if cells.view.place not in ("shared", "local")]
    return bool(places) and all(view.arrangement.kind == "strip" for view in places)


def boxes_strips(scene: Scene) -> bool:
    """Return whether what belongs into the block's box are strips, too."""
    views = [cells.view for cells in scene.cells if cells.view.place in ("shared", "local")]
    shape = block_arrangement(scene.block_dim)
    flat = shape.kind == "strip" or shape.rows == 1
    return flat and all(view.place == "shared" and view.arrangement.kind == "strip" for view in views)


def place_strips(scene: Scene, area: Box, line: float, magnified: bool) -> Strips:
    """Place the arrays in global memory, and if `magnified` the block's shared memory and, if needed, its threads.

    Threads that leave too little room for the arrays are not magnified.
    """
    least = place_in_ways(strips_of(scene, line, magnified), area, line)
    seen = scene.all_placed and labels_threads(least.threads)
    if not magnified or seen or scene.warp is not None:
        return least
    zoomed = place_in_ways(strips_of(scene, line, magnified, zoomed=True), area, line)
    return zoomed if zoomed.fits else least


def strip_template(strips: tuple[Strip, ...], area: Box, line: float, *, all_placed: bool, boxed: bool) -> Template:
    """Return the template with room for a box between the inputs and the result if it is `boxed`."""

    def place(cell: float) -> Base:
        found = place_in_ways(strips, area, line, cell, boxed=boxed)
        labelled = all_placed and labels_threads(found.threads)
        slots = {"between": Slot(found.box, top=found.box.y)} if found.box is not None else {}
        return Base(found.rasters, found.threads, slots, area, labelled, found.names_blocks, found.fits)

    return Template(place, place_in_ways(strips, area, line).cell)


def labels_threads(threads: Raster) -> bool:
    """Return whether threads above their elements are large enough to be labelled."""
    return threads.cell >= LABEL_CELL and threads.across >= NARROW_THREAD


@lru_cache(maxsize=512)  # all steps of a run have the same strips
def place_in_ways(
    strips: tuple[Strip, ...], area: Box, line: float, largest: float = LARGEST_STRIP_CELL, *, boxed: bool = False
) -> Strips:
    """Place strips in the first way in which their cells are large enough; `boxed` leaves the rest to an empty box.

    If cells would become too small, threads become as low as their elements. Then rows other than the first lose the
    numbers above their elements: the index with which each of them begins is on its left. Then the threads lose their
    labels, and at last the blocks their names. Titles are above the strips if only that leaves room for three digits.
    """
    tall = TALL_THREAD if any(strip.accumulates for strip in strips) else 1.0
    ways = (
        (NUMBERS, tall, MARKS, LABEL_CELL),
        (NUMBERS, 1.0, MARKS, LABEL_CELL),
        (NARROW, 0.0, MARKS, PARTED_CELL),
        (NARROW, 1.0, MARKS, PARTED_CELL / 2),
        (0.0, 1.0, 0.0, 0.0),
    )

    def place(*, above: bool) -> Strips:
        for numbers, height, marks, least in ways:
            placed = _Placing(area, line, strips, numbers, height, marks, largest, boxed, above).place()
            if placed.cell >= min(least, largest):
                break
        return placed

    beside, above = place(above=False), place(above=True)
    wider = _narrowest(beside) < THREE_DIGITS <= _narrowest(above) and above.cell >= NUMBERED_CELL
    return above if wider and above.fits and labels_threads(above.threads) >= labels_threads(beside.threads) else beside


def _narrowest(strips: Strips) -> float:
    """Return the width of the narrowest elements, pixels."""
    return min((raster.across for raster in strips.rasters.values()), default=0.0)


def strips_of(scene: Scene, line: float, magnified: bool, *, zoomed: bool = False) -> tuple[Strip, ...]:
    """Return the strips from top to bottom."""
    found: list[Strip] = []
    sums = scene.threads.accumulates
    for place in ("left", "top", "shared", "result") if magnified else ("left", "top", "result"):
        if place == "shared" and zoomed:
            shape = block_arrangement(scene.block_dim)
            titled = any(cells.view.place == "shared" for cells in scene.cells)
            title = title_width("Threads", scene.threads.register_name, line) if titled else 0.0
            found.append(Strip(None, title, shape.rows, shape.columns, boxed=True))
        for number, cells in enumerate(scene.cells):
            view = cells.view
            if view.place == place:
                title = title_width(view.title, view.detail, line)
                boxed, threads = place == "shared", number == scene.result
                found.append(Strip(number, title, cells.rows, cells.columns, view.before[1], boxed, threads, sums))
    if scene.result is None:
        found.append(Strip(None, title_width("Grid", "", line), scene.launch.rows, scene.launch.columns))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Placing:
    """One way to place the strips."""

    area: Box
    line: float
    strips: tuple[Strip, ...]
    numbers: float
    """Room between rows, in lines of text."""
    tall: float
    """Height of threads, in cells; 0 for the least height with a label."""
    marks: float
    """Room for the names of blocks above rows of threads, in lines of text."""
    largest: float
    """Largest cell, pixels."""
    boxed: bool
    """True if a box takes the height that is left."""
    above: bool
    """True if titles are above the strips, however short they are."""

    def place(self) -> Strips:
        """Place strips of one cell size; those of one row are enlarged if their values could not be read."""
        placed = self._place(frozenset())
        if placed.cell >= LABEL_CELL:
            return placed
        short = [s for s in self.strips if s.rows == 1 and s.columns * LABEL_CELL <= self._room]
        return self._place(frozenset(short)) if len(short) < len(self.strips) else placed

    @property
    def _aside(self) -> bool:
        return not self.above and max(strip.title for strip in self.strips) <= self.area.width * TITLES_ASIDE

    @property
    def _left(self) -> float:
        """Room on the left for titles, and for the index with which a row begins."""
        titles = max(strip.title for strip in self.strips) if self._aside else 0.0
        longest = max((strip.rows - 1) * strip.columns for strip in self.strips)
        return titles + ((len(str(longest)) + 2) * DIGIT + STRIP_MARGIN) * self.line

    @property
    def _room(self) -> float:
        return self.area.width - self._left - STRIP_RIGHT * self.line

    def _head(self, strip: Strip) -> float:
        """Room above the first row of a strip, without threads, pixels."""
        above = STRIP_APART + (0.0 if self._aside or not strip.title else STRIP_TITLE)
        return (above + (self.numbers if strip.threads else self._between(strip, first=True))) * self.line

    def _between(self, strip: Strip, *, first: bool = False) -> float:
        """Room above a row of a strip, in lines of text."""
        if strip.number is None:
            return NUMBERS if strip.boxed and strip.rows > 1 else 0.0
        return max(NUMBERS, self.numbers) if first else self.numbers

    def _place(self, enlarged: frozenset[Strip]) -> Strips:
        area, line = self.area, self.line
        most = max(strip.before for strip in self.strips)
        wide_ones = [s for s in self.strips if s not in enlarged and not (s.boxed and s.number is None)]
        columns = max((s.columns + most - s.before for s in wide_ones), default=1)
        boxed = any(strip.boxed for strip in self.strips)
        fixed, cells = 3 * STRIP_APART * line if self.boxed else 0.0, 0.0
        fixed += (FRAME_HEAD + 4 * STRIP_APART) * line if boxed else 0.0
        for strip in self.strips:
            one, more = self._height(strip, 0.0), self._height(strip, 1.0)
            fixed += self._height(strip, LABEL_CELL) if strip in enlarged else one
            cells += 0.0 if strip in enlarged else more - one
        limit = (area.height - fixed) / max(cells, 1e-6)
        cell = max(0.2, min(limit, self.largest, self._room / columns))
        cell = float(int(cell)) if cell >= SEEN_CELL else cell
        widest = WIDEST_STRIP_CELL if cell >= PARTED_CELL else 4 * WIDEST_STRIP_CELL
        wide = max(1.0, min(widest, self._room / columns / cell))
        magnified = any(strip.boxed and strip.number is None for strip in self.strips)  # takes the whole width
        x = area.x + self._left + (0.0 if magnified else max(0.0, (self._room - columns * cell * wide) / 2))
        rest = max(0.0, area.height - fixed - cells * cell)
        y = area.y + (0.0 if self.boxed else rest * MIDDLE)
        return self._put(enlarged, x, y, cell, wide, most, rest if self.boxed else 0.0)

    def _height(self, strip: Strip, cell: float) -> float:
        """Height of a strip, pixels: linear in the cell."""
        high = self._head(strip) + strip.rows * cell + (strip.rows - 1) * self._between(strip) * self.line
        if strip.number is None and strip.boxed:
            return high - strip.rows * cell + strip.rows * LABEL_CELL
        if not strip.threads:
            return high
        return high + strip.rows * (self._thread(cell) + self.marks * self.line)

    def _thread(self, cell: float) -> float:
        return cell * self.tall if self.tall else LABEL_CELL

    def _put(
        self, enlarged: frozenset[Strip], x: float, y: float, cell: float, wide: float, most: int, empty: float
    ) -> Strips:
        """Return the strips from (x, y) down."""
        area, line = self.area, self.line
        found: dict[int, Raster] = {}
        threads: Raster | None = None
        zoom: Raster | None = None
        top = bottom = 0.0
        for number, strip in enumerate(self.strips):
            previous = self.strips[number - 1] if number else None
            if strip.boxed and (previous is None or not previous.boxed):
                top = y + STRIP_APART * line
                y = top + FRAME_HEAD * line
            if not strip.boxed and previous is not None and previous.boxed:
                bottom = y + 2 * STRIP_APART * line
                y = bottom + STRIP_APART * line
            if self.boxed and not top and (strip.threads or number == len(self.strips) - 1):
                top, bottom = y + STRIP_APART * line, y + STRIP_APART * line + empty
                y = bottom + STRIP_APART * line
            side, across = (LABEL_CELL, 1.0) if strip in enlarged else (cell, wide)
            if strip.threads and strip.columns <= FEW_RESULTS:
                across = max(across, min(RESULT_WIDTH / side, WIDE_RESULT * across))
            if strip.boxed and strip.number is None:
                limit = min(self._room / (strip.columns + most), LARGEST_STRIP_CELL)
                aligned = NARROW_THREAD <= cell * wide <= limit
                across, side = (cell * wide if aligned else limit) / LABEL_CELL, LABEL_CELL
            raster = self._raster(strip, x, y, side, across, (most - strip.before) * side * across)
            y = raster.y + raster.box.height
            if strip.number is not None:
                found[strip.number] = raster
            elif strip.boxed:
                zoom = raster
            else:
                threads = raster
            if strip.threads:
                threads = self._threads(raster)
        if threads is None:
            threads = next(iter(found.values()))
        if top and not bottom:
            bottom = y + 2 * STRIP_APART * line
        box = Box(area.x, top, area.width, bottom - top) if top else None
        fits = max(y, bottom) <= area.y + area.height + 1
        return Strips(found, threads, zoom, box, cell, bool(self.marks), fits)

    def _raster(self, strip: Strip, x: float, y: float, cell: float, wide: float, shift: float) -> Raster:
        """Return the cells of a strip below y, which begin at x + shift."""
        line = self.line
        beside = self._left - STRIP_MARGIN * line + shift if self._aside else 0.0
        between, numbered = self._between(strip) * line, self.numbers >= NUMBERS or strip.number is None
        top = y + self._head(strip)
        above = 0.0 if self._aside else self._head(strip) - (STRIP_APART + STRIP_TITLE + NUMBERS) * line
        if strip.threads:
            over = self._thread(cell) + self.marks * line
            top, above, between = top + over, max(1e-3, above + over), between + over
        gaps = Gaps(rows=1, down=between, numbers=numbered)
        return Raster(x + shift, top, cell, strip.rows, strip.columns, wide, gaps, above, beside)

    def _threads(self, elements: Raster) -> Raster:
        """Return the threads above the elements of a result."""
        thread, between = self._thread(elements.cell), self.numbers * self.line
        gaps = Gaps(rows=1, down=elements.cell + self.marks * self.line + between)
        top, wide = elements.y - between - thread, elements.across / thread
        return Raster(elements.x, top, thread, elements.rows, elements.columns, wide, gaps)
