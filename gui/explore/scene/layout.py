"""Layout of a scene in pixels. Pure geometry, no Qt.

The usual picture of a product: A left of C, B above C. Shared memory, a thread's own arrays, and the block's threads
magnified when the cells of C are too small to label, lie in the corner that A and B leave free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gui.explore.scene.boxes import Box, Raster, Shape, title_width, widest
from gui.explore.scene.corner import LABELLED_CELL, CornerContents, CornerLayout
from gui.explore.scene.focus import NOTHING, Focus
from gui.explore.scene.folding import block_shape
from gui.explore.scene.warp_layout import WarpLayout, arrange_warp

if TYPE_CHECKING:
    from gui.explore.scene.scene import Scene
    from gui.explore.scene.views import Place

_LARGEST_CELL = 150.0

_LEAST_LINE = 16.0
"""Smallest height of a line of text, in pixels, to which text is reduced to leave room for cells."""

_LINES: Final = (36.0, 18.0)
"""Lines of text in the width and in the height of the picture, at least: larger text would leave no room for cells."""

_LINES_IN_BOX = 8
"""Height or width, in lines of text, under which a corner is too small to hold anything."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of everything in a picture."""

    rasters: tuple[Raster, ...]
    """Cells of each of `scene.cells`."""
    thread_raster: Raster
    """Cells of the result, on which threads are drawn, or of the launch if no result is written."""
    zoom: Raster | None
    """Cells of the magnified block."""
    corner: Box | None
    """Box with shared memory, and with the magnified block unless that lies in `below`."""
    own: Box | None
    """Box with the local arrays of one thread."""
    below: Box | None
    """Box left of A with the magnified block."""
    output: Box | None
    """Box with printed lines."""
    legend: Box
    line: float
    """Height of a line of text, pixels."""
    fits: bool = True
    """False if arrays exceed their boxes."""
    warp: WarpLayout | None = None
    """Table of the shown warp."""
    only_warp: bool = False
    """True if there is room for that table only: `rasters` is empty."""

    @property
    def labelled(self) -> bool:
        """True if threads are labelled on the result itself."""
        return self.thread_raster.cell >= LABELLED_CELL


def arrange(scene: Scene, width: float, height: float, line: float) -> Layout:
    """Place everything in width × height; margins follow from `line`, the height of a line of text.

    Text that is large for the picture, or leaves no room for cells, becomes smaller.
    """
    line = min(line, max(_LEAST_LINE, min(width / _LINES[0], height / _LINES[1])))
    layout = _arrange_at(scene, width, height, line)
    while not layout.fits and layout.line > _LEAST_LINE:
        layout = _arrange_at(scene, width, height, max(_LEAST_LINE, layout.line * 0.85))
    return layout


def _arrange_at(scene: Scene, width: float, height: float, line: float) -> Layout:
    """Place everything with lines of text of this height."""
    legend = Box(line * 0.8, height - line * 1.7, width - line * 1.6, line * 1.4)
    area = Box(line * 0.8, line * 0.5, width - line * 1.6, legend.y - line * 1.0)
    if scene.warp is None:
        return _arrange_matrices(scene, area, legend, line)
    table, rest = arrange_warp(scene, area, line)
    if rest is None:
        nothing = Raster(area.x, area.y, 1.0, 0, 0)
        return Layout((), nothing, None, None, None, None, None, legend, line, warp=table, only_warp=True)
    return replace(_arrange_matrices(scene, rest, legend, line), warp=table)


def _arrange_matrices(scene: Scene, area: Box, legend: Box, line: float) -> Layout:
    """Place the arrays, the threads and what is printed."""
    output = None
    if scene.prints:
        taken = min(area.width * 0.46, line * 30)
        output = Box(area.x + area.width - taken, area.y + line * 1.6, taken, area.height - line * 1.6)
        area = Box(area.x, area.y, area.width - taken - line * 1.5, area.height)
    places = {cells.view.place for cells in scene.cells}
    magnified = scene.zoom != "grid"
    in_corner = magnified and (bool({"shared", "local"} & places) or {"left", "top"} <= places)
    matrices, thread_raster = _matrices(scene, area, line, in_corner)
    if magnified and thread_raster.cell < LABELLED_CELL and not in_corner and scene.result is not None:
        in_corner = True
        matrices, thread_raster = _matrices(scene, area, line, in_corner)
    filled, fits = CornerLayout(), True
    if in_corner:
        contents = CornerContents(
            _shapes(scene, "shared", line),
            _shapes(scene, "local", line),
            Shape(*block_shape(scene.block_dim), title_width("Threads", scene.threads_detail, line)),
            thread_raster.cell,
            line,
            scene.result is None,
            scene.warp is None,
        )
        corner, below = _corner(scene, matrices, thread_raster, area, line), _below(scene, matrices, area, line)
        beside = _beside(scene, matrices, area, line)
        if beside is not None and min(corner.width, corner.height) < _LINES_IN_BOX * line:
            corner, below = beside, None
        filled = contents.fill(corner, below)
        fits = not contents.beyond(filled)
    inside = {"shared": iter(filled.shared), "local": iter(filled.local)}
    rasters = tuple(
        next(inside[cells.view.place]) if cells.view.place in inside else matrices[number]
        for number, cells in enumerate(scene.cells)
    )
    return Layout(
        rasters, thread_raster, filled.zoom, filled.corner, filled.own, filled.below, output, legend, line, fits
    )


def _shapes(scene: Scene, place: Place, line: float) -> list[Shape]:
    numbers = (number for number, cells in enumerate(scene.cells) if cells.view.place == place)
    return [_shape(scene, number, line) for number in numbers]


def _shape(scene: Scene, number: int, line: float) -> Shape:
    cells = scene.cells[number]
    title = title_width(cells.view.title, cells.view.detail, line)
    return Shape(cells.rows, cells.columns, title, bool(cells.view.heads))


def hit(scene: Scene, layout: Layout, x: float, y: float) -> Focus:
    """Return the focus under a point: a thread of the shown block before the element below it."""
    threads = scene.threads
    if layout.warp is not None and scene.warp is not None:
        lane = layout.warp.at(x, y, scene.warp.count)
        if lane is not None:
            return Focus.on_thread(scene.warp.state.first_lane + lane)
    if layout.only_warp:
        return NOTHING
    if layout.zoom is not None and (at := layout.zoom.at(x, y)):
        number = at[0] * layout.zoom.columns + at[1]
        return Focus.on_thread(threads.first_lane + number) if number < len(threads.row) else NOTHING
    if at := layout.thread_raster.at(x, y):
        found = (threads.row == at[0]) & (threads.column == at[1]) & threads.visible
        if found.any():
            return Focus.on_thread(threads.first_lane + int(found.argmax()))
    for number, (cells, raster) in enumerate(zip(scene.cells, layout.rasters, strict=True)):
        if at := raster.at(x, y):
            index = cells.view.element(*at)
            return (
                _stray_at(scene, number, at)
                if index is None
                else Focus.on_element(cells.view.array, index, cells.owner)
            )
    return NOTHING


def _stray_at(scene: Scene, view: int, at: tuple[int, int]) -> Focus:
    """Return the first thread that accesses an element beyond the edge of a view."""
    for stray in scene.strays:
        if stray.view == view and (stray.named == at).all(axis=1).any():
            return Focus.on_thread(int(stray.lanes[(stray.named == at).all(axis=1).argmax()]))
    return NOTHING


def block_at(scene: Scene, layout: Layout, x: float, y: float) -> int | None:
    """Linear number of the block whose outline lies under a point."""
    if at := layout.thread_raster.at(x, y):
        for box in scene.blocks:
            if box.row <= at[0] < box.row + box.rows and box.column <= at[1] < box.column + box.columns:
                return box.number
    return None


# --- inside --------------------------------------------------------------------------------------------


def _matrices(scene: Scene, area: Box, line: float, in_corner: bool) -> tuple[dict[int, Raster], Raster]:
    """Return the rasters of the matrices by position in `scene.cells`, and of the threads; structs have wide cells."""
    wide = 1.0
    if any(cells.view.heads for cells in scene.cells):
        wide = widest(lambda wide: _place_matrices(scene, area, line, in_corner, wide)[1].cell)
    return _place_matrices(scene, area, line, in_corner, wide)


def _place_matrices(
    scene: Scene, area: Box, line: float, in_corner: bool, wide: float
) -> tuple[dict[int, Raster], Raster]:
    """Place the matrices; cells of structs have the aspect ratio `wide`.

    All matrices have cells of one height, so that a row of A lines up with the row of C that it computes: the
    width limits it by the columns of A and C together, the height by the rows of B and C together. For A 6×7, B 7×5 and
    C 6×5 in an area of 700×600 with 200 pixels for titles and numbers each way, cell = min(500 / 12, 400 / 13) = 30.
    """
    inside = ("shared", "local")
    by_place = {c.view.place: n for n, c in enumerate(scene.cells) if c.view.place not in inside}
    shapes = {place: _shape(scene, n, line).stretched(wide) for place, n in by_place.items()}
    if scene.result is None and "result" not in shapes:
        shapes["result"] = Shape(scene.launch_rows, scene.launch_columns)
    left, top, result = (shapes.get(place, Shape(0, 0)) for place in ("left", "top", "result"))
    head, gutter = line * 2.5, line * 1.7
    # Side by side: A, a gap with C's row numbers, C. Above each other: B, a gap with C's title, C.
    fixed_width = gutter * (2 if left.across else 1) + (line if left.across else 0)
    fixed_height = head * (2 if top.rows else 1)
    if in_corner and not (left.across and top.rows):
        area = Box(area.x + area.width * 0.42, area.y, area.width * 0.58, area.height)
    columns, rows = left.across + max(result.across, top.across), top.rows + max(result.rows, left.rows)

    def cell_beside(extra: float) -> float:
        width, height = area.width - fixed_width - extra, area.height - fixed_height
        cell = min(width / max(1, columns), height / max(1, rows), _LARGEST_CELL)
        return max(1.0, int(cell) if cell >= 6 else cell)

    def beyond(cell: float) -> tuple[float, float]:
        """Pixels by which A's title overlaps C's, and C's or B's exceeds the edge."""
        over_a = left.title + line - gutter - line - left.across * cell if left.across else 0.0
        over_c = max(top.title, result.title) - max(result.across, top.across) * cell
        return max(0.0, over_a), max(0.0, over_c)

    # Titles wider than their matrices take width from the cells, and smaller cells make narrower matrices: one more
    # round is enough, because titles do not grow.
    cell = cell_beside(sum(beyond(cell_beside(0))))
    spare = max(0.0, area.width - fixed_width - columns * cell)  # if there is not enough, titles overlap
    extra_a, extra_c = beyond(cell)
    extra_c = min(extra_c, spare)
    extra_a = min(extra_a, spare - extra_c)
    fixed_width += extra_a
    across, down = max(result.across, top.across) * cell + extra_c, max(result.rows, left.rows) * cell
    spare_x = area.width - fixed_width - left.across * cell - across
    spare_y = area.height - fixed_height - rows * cell
    # With both A and B there is a free corner at the upper left: C moves to the lower right, to make it large.
    corner = in_corner and bool(left.across and top.rows)
    x = area.x + area.width - across - (0 if corner else spare_x / 2)
    y = area.y + area.height - down - spare_y * (0.35 if corner else 0.5)
    found = {}
    if "result" in by_place:
        found[by_place["result"]] = Raster(x, y, cell, result.rows, result.columns, result.wide)
    if "left" in by_place:
        found[by_place["left"]] = Raster(
            x - gutter - line - extra_a - left.across * cell, y, cell, left.rows, left.columns, left.wide
        )
    if "top" in by_place:
        found[by_place["top"]] = Raster(x, y - head - top.rows * cell, cell, top.rows, top.columns, top.wide)
    thread_raster = (
        found[scene.result]
        if scene.result is not None
        else Raster(x, y, cell, result.rows, result.columns, result.wide)
    )
    return found, thread_raster


def _corner(scene: Scene, matrices: dict[int, Raster], thread_raster: Raster, area: Box, line: float) -> Box:
    """Return the free rectangle left of B and above A, or above everything if that is less narrow."""
    by_place = {scene.cells[n].view.place: raster for n, raster in matrices.items()}
    right = min((r.x for p, r in by_place.items() if p != "left"), default=thread_raster.x) - line * 2.6
    bottom = by_place["left"].y - line * 2.6 if "left" in by_place else area.y + area.height
    beside = Box(area.x, area.y, right - area.x, bottom - area.y)
    head = min((r.y for r in by_place.values()), default=thread_raster.y) - line * 2.6
    above = Box(area.x, area.y, area.width, head - area.y)
    return max(beside, above, key=lambda box: min(box.width, box.height))


def _beside(scene: Scene, matrices: dict[int, Raster], area: Box, line: float) -> Box | None:
    """Return the free rectangle to the left of A if there is no B; None if there is no A either."""
    by_place = {scene.cells[n].view.place: raster for n, raster in matrices.items()}
    if "left" not in by_place or "top" in by_place:
        return None
    return Box(area.x, area.y, by_place["left"].x - line * 2.2 - area.x, area.height)


def _below(scene: Scene, matrices: dict[int, Raster], area: Box, line: float) -> Box | None:
    """Return the free rectangle to the left of A, or None."""
    left = next((r for n, r in matrices.items() if scene.cells[n].view.place == "left"), None)
    if left is None:
        return None
    y = left.y - line * 1.4
    return Box(area.x, y, left.x - line * 2.2 - area.x, area.y + area.height - y)
