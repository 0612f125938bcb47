"""Layout of one-dimensional arrays: strips one below the other, with the threads above the elements of the result.

All strips begin at one left edge and have cells of one size: an index has the same place in all of them. The block's
shared memory lies between the inputs and the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gui.explore.scene.boxes import Box, Gaps, Raster

if TYPE_CHECKING:
    from gui.explore.scene.scene import Scene

_LARGEST_CELL: Final = 72.0
_WIDEST: Final = 1.8
"""Width of a cell in heights, at most."""

LABELLED_THREAD: Final = 21.0
"""Side of a cell in pixels from which on threads above it are labelled, and numbers of two digits can be read."""

_HEAD: Final = 2.5
"""Room above a strip for its title and the numbers of the first row, in lines of text."""

NUMBERS: Final = 1.05
"""Room above a row of a strip for the indices of its elements, in lines of text."""

NARROW: Final = 0.3
"""Room between rows whose elements have no numbers, in lines of text."""

MARKS: Final = 1.15
"""Room above a row of threads for the names of blocks and warps, in lines of text."""

_LEFT: Final = 2.6
"""Room on the left for the index with which a row begins, in lines of text."""

_RIGHT: Final = 1.0
"""Room on the right for the mark of a row that is continued, in lines of text."""

_LEAST_CELL: Final = 10.0
"""Height of cells, pixels, under which labels of threads are left out."""

_APART: Final = 0.5
"""Room above and below the block's box, in lines of text."""

_HOLDING_NUMBERS: Final = 1.8
"""Height of threads that hold a number, in cells."""

_TALLEST_THREAD: Final = 56.0


@dataclass(frozen=True, slots=True)
class Strips:
    """Positions of strips."""

    rasters: dict[int, Raster]
    """Cells of each global array, by position in `scene.cells`."""
    threads: Raster
    """Threads above the result, or the launch itself."""
    box: Box | None
    """Rectangle for the block's shared memory and threads."""
    cell: float
    """Height of a cell, pixels."""
    names_blocks: bool
    """True if there is room for names above the threads."""

    @property
    def labels_threads(self) -> bool:
        """True if threads are large enough to be labelled where they are."""
        return min(self.threads.cell, self.threads.across) >= LABELLED_THREAD


def strips_only(scene: Scene) -> bool:
    """Return whether all arrays in global memory are strips, and there are any."""
    places = [cells.view for cells in scene.cells if cells.view.place not in ("shared", "local")]
    return bool(places) and all(view.arrangement.kind == "strip" for view in places)


def place_strips(scene: Scene, area: Box, line: float, share: float) -> Strips:
    """Place the strips in an area, and leave a share of its height to a box; none if it is 0.

    If cells would become too small, threads become as low as their elements. Then rows other than the first lose the
    numbers above their elements: the index with which each of them begins is on its left. Then the threads lose their
    labels, and at last the blocks their names.
    """
    tall = _HOLDING_NUMBERS if scene.threads.accumulates else 1.0
    ways = (
        (NUMBERS, tall, MARKS, LABELLED_THREAD),
        (NUMBERS, 1.0, MARKS, LABELLED_THREAD),
        (NARROW, 0.0, MARKS, _LEAST_CELL),
        (NARROW, 1.0, MARKS, _LEAST_CELL / 2),
        (0.0, 1.0, 0.0, 0.0),
    )
    for numbers, height, marks, least in ways:
        strips = _Placing(scene, area, line, share, numbers, height, marks).place()
        if strips.cell >= least:
            break
    return strips


@dataclass(frozen=True, slots=True)
class _Placing:
    """One way to place the strips."""

    scene: Scene
    area: Box
    line: float
    share: float
    numbers: float
    """Room between rows, in lines of text."""
    tall: float
    """Height of threads, in cells; 0 for the least height with a label."""
    marks: float
    """Room for the names of blocks above rows of threads, in lines of text."""

    def place(self) -> Strips:
        """Place strips of one cell size; those of one row are enlarged if their values could not be read."""
        strips = self._place(frozenset())
        if strips.cell >= LABELLED_THREAD:
            return strips
        room = (self.area.width - (_LEFT + _RIGHT) * self.line) / LABELLED_THREAD
        short = [n for n, r in strips.rasters.items() if r.rows == 1 and r.columns <= room]
        return self._place(frozenset(short)) if len(short) < len(strips.rasters) else strips

    def _place(self, enlarged: frozenset[int]) -> Strips:
        scene, area, line = self.scene, self.area, self.line
        order = [n for p in ("left", "top", "result") for n, c in enumerate(scene.cells) if c.view.place == p]
        boxed = area.height * self.share
        height = area.height - boxed - (2 * _APART * line if boxed else 0.0)
        before = {n: scene.cells[n].view.before[1] for n in order}
        most = max(before.values())
        rows = {n: scene.cells[n].rows for n in order}
        launch, result = scene.result is None, scene.result
        lengths = [scene.cells[n].columns + most - before[n] for n in order if n not in enlarged]
        columns = max([*lengths, *([scene.launch.columns] if launch else [])])
        # Every row has cells and numbers, one of the result also threads and their marks. All is linear in the cell.
        fixed = sum(_HEAD + (count - 1) * self.numbers for count in rows.values()) * line
        cells, large = 0.0, LABELLED_THREAD
        for n in order:
            own = rows[n] * (1 + self.tall if n == result else 1)
            fixed += own * large if n in enlarged else 0.0
            cells += own if n not in enlarged else 0.0
            fixed += rows[n] * LABELLED_THREAD if n == result and not self.tall else 0.0
        fixed += rows[result] * self.marks * line if result is not None else _HEAD * line
        cells += scene.launch.rows if launch else 0
        room = area.width - (_LEFT + _RIGHT) * line
        cell = max(0.2, min((height - fixed) / cells, _LARGEST_CELL, room / columns))
        cell = float(int(cell)) if cell >= 6 else cell
        wide = max(1.0, min(_WIDEST if cell >= _LEAST_CELL else 4 * _WIDEST, room / columns / cell))
        x = area.x + _LEFT * line + max(0.0, (room - columns * cell * wide) / 2)
        y = area.y + max(0.0, height - fixed - cells * cell) * 0.4
        found: dict[int, Raster] = {}
        box, threads = None, None
        for n in order:
            if boxed and box is None and (n == result or (n == order[-1] and launch)):
                box = Box(area.x, y + _APART * line, area.width, boxed)
                y += boxed + 2 * _APART * line
            side = large if n in enlarged else cell
            raster, host = self._raster(n, x, y + _HEAD * line, side, 1.0 if n in enlarged else wide)
            found[n] = replace(raster, x=raster.x + (most - before[n]) * raster.across)
            threads = replace(host, x=found[n].x) if host is not None else threads
            y = raster.y + raster.box.height
        if threads is None:
            threads = Raster(x, y + _HEAD * line, cell, scene.launch.rows, scene.launch.columns, wide)
        return Strips(found, threads, box, cell, bool(self.marks))

    def _raster(self, n: int, x: float, y: float, cell: float, wide: float) -> tuple[Raster, Raster | None]:
        """Return the cells of a strip whose title and numbers end at y, and for the result the threads above them."""
        cells, line, numbered = self.scene.cells[n], self.line, self.numbers >= NUMBERS
        down = self.numbers * line
        if n != self.scene.result:
            gaps = Gaps(rows=1, down=down, numbers=numbered)
            return Raster(x, y, cell, cells.rows, cells.columns, wide, gaps), None
        thread = min(cell * self.tall, max(cell, _TALLEST_THREAD)) or LABELLED_THREAD
        # Without numbers, threads are directly above their elements, also in the first row.
        above = thread + (self.marks + self.numbers - NUMBERS) * line
        gaps = Gaps(rows=1, down=thread + self.marks * line + down, numbers=numbered)
        raster = Raster(x, y + above, cell, cells.rows, cells.columns, wide, gaps, above)
        apart = Gaps(rows=1, down=cell + self.marks * line + down)
        top = raster.y - down - thread
        return raster, Raster(x, top, thread, cells.rows, cells.columns, raster.across / thread, apart)
