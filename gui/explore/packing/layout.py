"""Layout of a scene in pixels. Pure geometry, no Qt.

The usual picture of a product: A left of C, B above C. Shared memory, a thread's own arrays, and the block's threads
magnified when the cells of C are too small to label, lie in the corner that A and B leave free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from gui.explore.packing.boxes import MEMBER_WIDTH, VALUE_WIDTH, Box, Gaps, Raster, Shape, title_width, widest
from gui.explore.packing.corner import LABELLED_CELL, CornerContents, CornerLayout
from gui.explore.packing.folding import block_arrangement
from gui.explore.packing.lens import LABEL_CELL, TWO_LINES, Lens, find_lens, is_flat, widened
from gui.explore.packing.points_layout import PLANE_SHARES, PointsLayout, arrange_points, in_rows
from gui.explore.packing.strip_layout import (
    NARROW,
    NUMBERS,
    boxes_strips,
    labels_threads,
    place_in_ways,
    place_strips,
    strips_only,
)
from gui.explore.packing.warp_layout import WarpLayout, arrange_warp
from gui.explore.stage.focus import NOTHING, Focus

if TYPE_CHECKING:
    from gui.explore.packing.arrangement import Arrangement
    from gui.explore.points.points import PlanePoints
    from gui.explore.stage.scene import Scene
    from gui.explore.stage.views import Place, View

_LARGEST_CELL = 150.0

_LEAST_LINE = 16.0
_LEAST_CROWDED = 13.0
"""Smallest heights of a line of text, in pixels, to which text is reduced to leave room for cells: in a small picture,
and in one whose arrays would not fit otherwise, or have cells too small to be seen."""

_LINES: Final = (36.0, 18.0)
"""Lines of text in the width and in the height of the picture, at least: larger text would leave no room for cells."""
_NUMBERED_ROWS = 4
"""A strip in shared memory with more rows than these has numbers above the first row only."""

_PARTED_ROWS = 12
"""A strip in shared memory with more rows than these has no room between them."""

_DIGIT: Final = 0.52
"""Width of a digit of the index with which a row of a strip begins, in lines of text."""

_GUTTER_DIGITS: Final = 2
"""Digits for which every array has room on its left."""

_SLICE_HEAD = 2.2
"""Room above slices for their titles and the numbers of columns, in lines of text."""

_SLICE_GAP = 0.8
"""Room between slices, in lines of text."""

_BOX_SHARES = (0.25, 0.32, 0.4, 0.48, 0.56)
"""Shares of the height that are tried for the block's box among strips."""

_READABLE_CELL: Final = 14.0
"""Side of a cell, pixels, for which text is not reduced further."""

_NUMBERED_CELL: Final = 16.0
"""Side of a cell, pixels, that has room for a number of two digits."""

_ROOMY_CELL: Final = 22.0
"""The same for three digits, for which text beside points is reduced, but the plane is not made narrower."""

_SEEN_CELL: Final = 6.0
"""Side of a cell, pixels, that can be told from its neighbours."""

_WORTH: Final = 1.2
"""Growth of the smallest cell for which smaller text is accepted."""

_BOX_WIDTH: Final = 0.42
_BOX_HEIGHT: Final = 0.45
"""Share of the picture that the block's box takes on the left of matrices, or above them."""

_CLEARLY_LARGER: Final = 1.25
"""Growth of the cells for which the input is placed above the result, and not on its left."""

_BOX_APART: Final = 0.4
"""Room between arrays in rows and the block's box below them, in lines of text."""

_MUCH_LARGER: Final = 1.5
"""Growth of the area of the block's box for which it is placed under the result."""

_LEAST_UNDER: Final = 6.0
"""Height and width of a box under the result, in lines of text, at least."""

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
    """Requests or lanes of the shown warp."""
    only_warp: bool = False
    """True if they are all of the picture: `rasters` is empty."""
    strips: bool = False
    """True if threads are drawn above the elements of the result, and not on them."""
    names_blocks: bool = True
    """True if there is room for the names of blocks above strips."""
    lens: Lens | None = None
    """Part of the block that `zoom` shows; None for the whole block."""
    points: PointsLayout | None = None
    """Objects and centres in the plane."""

    def shows_values(self, scene: Scene) -> bool:
        """Return whether threads of the magnified block show their values, which its heading names then."""
        least = TWO_LINES if is_flat(scene.block_dim) else LABEL_CELL
        return self.zoom is not None and self.zoom.cell >= least and bool(scene.threads.has_value.any())

    @property
    def labelled(self) -> bool:
        """True if threads are labelled on the result itself, or above it."""
        if self.strips:
            return labels_threads(self.thread_raster)
        return self.thread_raster.cell >= LABELLED_CELL


def arrange(scene: Scene, width: float, height: float, line: float) -> Layout:
    """Place everything in width × height; margins follow from `line`, the height of a line of text.

    Text that is large for the picture, or leaves no room for cells, becomes smaller.
    """
    line = min(line, max(_LEAST_LINE, min(width / _LINES[0], height / _LINES[1])))
    best = layout = _arrange_at(scene, width, height, line)
    enough = _READABLE_CELL if scene.points is None else _ROOMY_CELL
    while not (layout.fits and _smallest(scene, layout) >= enough):
        seen = layout.fits and _smallest(scene, layout) >= _SEEN_CELL
        least = _LEAST_LINE if seen else _LEAST_CROWDED
        if layout.line <= least:
            break
        layout = _arrange_at(scene, width, height, max(least, layout.line * 0.85))
        if not best.fits or _smallest(scene, layout) >= _smallest(scene, best) * _WORTH:
            best = layout
    return best


def _smallest(scene: Scene, layout: Layout) -> float:
    """Return the smallest cell of what belongs to the block, which takes what titles and global arrays leave."""
    pairs = zip(scene.cells, layout.rasters, strict=True) if not layout.only_warp else ()
    every = scene.points is not None  # arrays beside points have less room than others
    found = [raster.cell for cells, raster in pairs if every or cells.view.place in ("shared", "local")]
    if layout.zoom is not None:  # threads beside points need labels, for which their cells must be larger
        found.append(layout.zoom.cell * (_NUMBERED_CELL / LABEL_CELL if every else 1.0))
    return min(found, default=_READABLE_CELL)


def _arrange_at(scene: Scene, width: float, height: float, line: float) -> Layout:
    """Place everything with lines of text of this height."""
    legend = Box(line * 0.8, height - line * 1.7, width - line * 1.6, line * 1.4)
    area = Box(line * 0.8, line * 0.5, width - line * 1.6, legend.y - line * 1.0)
    if scene.points is not None:
        return _arrange_with_points(scene, scene.points, area, legend, line)
    if scene.warp is None:
        return _arrange_arrays(scene, area, legend, line)
    nothing, warp = Raster(area.x, area.y, 1.0, 0, 0), arrange_warp(scene, area, line)
    return Layout((), nothing, None, None, None, None, None, legend, line, warp=warp, only_warp=True)


def _arrange_with_points(scene: Scene, points: PlanePoints, area: Box, legend: Box, line: float) -> Layout:
    """Place the points, and the arrays beside them: a narrower plane where numbers have no room otherwise."""
    best, size = None, 0.0
    for share in PLANE_SHARES:
        placed, beside = arrange_points(points, area, line, share)
        layout = replace(_arrange_arrays(scene, beside, legend, line), points=placed)
        smallest = _smallest(scene, layout)
        if best is None or layout.fits > best.fits or (layout.fits == best.fits and smallest >= size * _WORTH):
            best, size = layout, smallest
        if best.fits and size >= _NUMBERED_CELL:
            break
    return cast("Layout", best)


def _arrange_arrays(scene: Scene, area: Box, legend: Box, line: float) -> Layout:
    """Place the arrays, the threads and what is printed."""
    output = None
    if scene.prints:
        taken = min(area.width * 0.46, line * 30)
        output = Box(area.x + area.width - taken, area.y + line * 1.6, taken, area.height - line * 1.6)
        area = Box(area.x, area.y, area.width - taken - line * 1.5, area.height)
    placed = _arrange_strips if strips_only(scene) else _arrange_matrices
    if (scene.points is not None and scene.result is not None) or _share_places(scene):
        placed = _arrange_in_rows
    matrices, thread_raster, filled, fits, named = placed(scene, area, line)
    inside = {"shared": iter(filled.shared), "local": iter(filled.local)}
    rasters = tuple(
        next(inside[cells.view.place]) if cells.view.place in inside else matrices[number]
        for number, cells in enumerate(scene.cells)
    )
    above = strips_only(scene) and scene.result is not None and scene.points is None
    zoom, lens = find_lens(scene, filled, line) or (widened(scene, filled, line) or filled.zoom, None)
    return Layout(
        rasters,
        thread_raster,
        zoom,
        filled.corner,
        filled.own,
        filled.below,
        output,
        legend,
        line,
        fits,
        strips=above,
        names_blocks=named,
        lens=lens,
    )


_Placed = tuple[dict[int, Raster], Raster, CornerLayout, bool, bool]
"""Cells of global arrays, threads, the contents of the corner, and whether everything fits, and blocks have names."""


def _arrange_matrices(scene: Scene, area: Box, line: float) -> _Placed:
    """Place matrices as in the usual picture of a product, and the corner that they leave free."""
    places = {cells.view.place for cells in scene.cells}
    magnified = scene.zoom != "grid"
    in_corner = magnified and (bool({"shared", "local"} & places) or {"left", "top"} <= places)
    matrices, thread_raster = _matrices(scene, area, line, in_corner)
    hidden = thread_raster.cell < LABELLED_CELL or not scene.all_placed
    if magnified and hidden and not in_corner and scene.result is not None:
        in_corner = True
        matrices, thread_raster = _matrices(scene, area, line, in_corner)
    stacked = _stacked(scene, area, line, in_corner, thread_raster.cell * _CLEARLY_LARGER)
    matrices, thread_raster = stacked or (matrices, thread_raster)
    if not in_corner:
        return matrices, thread_raster, CornerLayout(), True, True
    contents = _contents(scene, thread_raster.cell if scene.all_placed else 0.0, line)
    if stacked:
        corner, below = _beside_or_above(matrices, area, line), None
    else:
        corner, below = _corner(scene, matrices, thread_raster, area, line), _below(scene, matrices, area, line)
        beside = _beside(scene, matrices, area, line)
        if beside is not None and min(corner.width, corner.height) < _LINES_IN_BOX * line:
            corner, below = beside, None
        under = _under(scene, matrices, area, line)
        if under is not None and under.width * under.height > _MUCH_LARGER * corner.width * corner.height:
            corner, below = under, None
    filled = contents.fill(corner, below)
    return matrices, thread_raster, filled, not contents.beyond(filled), True


def _arrange_strips(scene: Scene, area: Box, line: float) -> _Placed:
    """Place strips one below the other, and the block's shared memory and threads between them if there are any."""
    magnified = scene.zoom != "grid"
    if not magnified or boxes_strips(scene):
        strips = place_strips(scene, area, line, magnified)
        shared = tuple(strips.rasters[n] for n, cells in enumerate(scene.cells) if cells.view.place == "shared")
        filled = CornerLayout(shared, zoom=strips.zoom, corner=strips.box, is_strip=True)
        return strips.rasters, strips.threads, filled, strips.fits, strips.names_blocks
    found: list[tuple[float, _Placed]] = []
    for share in _BOX_SHARES:
        strips = place_in_ways(scene, area, line, False, zoomed=False, share=share)
        shown = scene.all_placed and labels_threads(strips.threads)
        contents = _contents(scene, _LARGEST_CELL if shown else 0.0, line)
        filled = contents.fill(strips.box, None) if strips.box is not None else CornerLayout()
        if filled.zoom is not None and filled.zoom.cell < LABEL_CELL and not find_lens(scene, filled, line):
            # Dots would only repeat those above the result.
            filled = replace(contents, thread_cell=_LARGEST_CELL).fill(cast("Box", strips.box), None)
        fits = strips.fits and not contents.beyond(filled)
        score = min(strips.cell, LABELLED_CELL) * filled.readable
        found.append((score if fits else -1.0, (strips.rasters, strips.threads, filled, fits, strips.names_blocks)))
    return max(found, key=lambda pair: pair[0])[1]


def _share_places(scene: Scene) -> bool:
    """Return whether several global arrays have one place, such as the sums and counts that a kernel updates."""
    places = [cells.view.place for cells in scene.cells if cells.view.place not in ("shared", "local")]
    return len(set(places)) < len(places)


def _arrange_in_rows(scene: Scene, area: Box, line: float) -> _Placed:
    """Place the arrays in rows, and below them the block's shared memory and threads if there are any to show."""
    numbers = [n for place in ("left", "top", "result") for n, c in enumerate(scene.cells) if c.view.place == place]
    shapes = tuple(_shape(scene, number, line) for number in numbers)
    if scene.result is None:
        shapes = (*shapes, _launch_shape(scene, line))
    inside = {"shared", "local"} & {cells.view.place for cells in scene.cells}
    found: list[tuple[float, _Placed]] = []
    for share in (0.0, *_BOX_SHARES) if scene.zoom != "grid" else (0.0,):
        taken = area.height * share
        room = Box(area.x, area.y, area.width, area.height - taken - (_BOX_APART * line if share else 0.0))
        placed = in_rows(shapes, room, line)
        rasters = dict(zip(numbers, placed, strict=False))
        threads = rasters[scene.result] if scene.result is not None else placed[-1]
        fits = max(room.excess_of(raster.box) for raster in placed) <= 0
        labelled = scene.all_placed and threads.cell >= LABELLED_CELL
        if share == 0.0:
            if scene.zoom == "grid" or (labelled and not inside):
                return rasters, threads, CornerLayout(), fits, True
            continue
        contents = _contents(scene, threads.cell if scene.all_placed else 0.0, line)
        filled = contents.fill(Box(area.x, area.y + area.height - taken, area.width, taken), None)
        fits = fits and not contents.beyond(filled)
        in_box = [raster.cell for raster in (*filled.shared, *filled.local, filled.zoom) if raster is not None]
        score = min(threads.cell, *in_box, LABELLED_CELL) ** 3 * threads.cell * filled.readable  # the smallest counts
        found.append((score if fits else -1.0, (rasters, threads, filled, fits, True)))
    return max(found, key=lambda pair: pair[0])[1]


def _contents(scene: Scene, thread_cell: float, line: float) -> CornerContents:
    """Return what belongs into the corner; `thread_cell` is the size of threads on the result, 0 if some have none."""
    shape = block_arrangement(scene.block_dim)
    block = _shape_of(shape, line)
    if shape.kind == "strip":
        block = block._replace(above=0.75 * line)  # warps are named above their rows
    return CornerContents(
        _shapes(scene, "shared", line),
        _shapes(scene, "local", line),
        block._replace(title=title_width("Threads", scene.threads_detail, line)),
        thread_cell,
        line,
        scene.result is None,
        scene.warp is None,
    )


def _shapes(scene: Scene, place: Place, line: float) -> tuple[Shape, ...]:
    numbers = (number for number, cells in enumerate(scene.cells) if cells.view.place == place)
    return tuple(_shape(scene, number, line) for number in numbers)


def _shape(scene: Scene, number: int, line: float) -> Shape:
    cells = scene.cells[number]
    title = title_width(cells.view.title, cells.view.detail, line)
    return _shape_of(cells.view.arrangement, line)._replace(
        rows=cells.rows, columns=cells.columns, title=title, readable=_readable_width(cells.view)
    )


def _readable_width(view: View) -> float:
    """Return the width to which cells of a view may grow: with the names of members, or with a thread's own values."""
    return MEMBER_WIDTH if view.heads else VALUE_WIDTH if view.place == "local" else 0.0


def _shape_of(arrangement: Arrangement, line: float) -> Shape:
    """Return the extent of an arrangement, with the room for the numbers of rows of a strip, and titles of slices."""
    shape = Shape(arrangement.rows, arrangement.columns)
    if arrangement.kind == "strip" and arrangement.depth > 1:
        few = arrangement.depth <= _NUMBERED_ROWS
        down = NUMBERS if few else NARROW if arrangement.depth <= _PARTED_ROWS else 0.0
        longer = len(str((arrangement.depth - 1) * arrangement.width)) - _GUTTER_DIGITS
        gaps = Gaps(rows=1, down=down * line, numbers=few)
        return shape._replace(gaps=gaps, beside=max(0, longer) * _DIGIT * line)
    if arrangement.kind == "slices":
        gaps = Gaps(arrangement.height, arrangement.width, _SLICE_HEAD * line, _SLICE_GAP * line)
        return shape._replace(gaps=gaps, above=line)
    return shape


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
        lens, block = layout.lens, scene.block_dim
        number = block_arrangement(block).index(*at) if lens is None else lens.thread_at(block, *at)
        return NOTHING if number is None else Focus.on_thread(threads.first_lane + number)
    if at := layout.thread_raster.at(x, y):
        found = (threads.row == at[0]) & (threads.column == at[1]) & threads.visible
        if found.any():
            return Focus.on_thread(threads.first_lane + int(found.argmax()))
    if layout.points is not None and scene.points is not None:
        item = layout.points.at(scene.points.places, x, y)
        if item is not None:
            return Focus.on_element(scene.points.array, int(scene.points.first_elements[item]))
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


def _matrices(
    scene: Scene, area: Box, line: float, in_corner: bool, *, stacked: bool = False
) -> tuple[dict[int, Raster], Raster]:
    """Return the rasters of the matrices by position in `scene.cells`, and of the threads; structs have wide cells."""
    wide = 1.0
    if any(cells.view.heads for cells in scene.cells):
        wide = widest(lambda wide: _place_matrices(scene, area, line, in_corner, wide, stacked)[1].cell, MEMBER_WIDTH)
    return _place_matrices(scene, area, line, in_corner, wide, stacked)


def _stacked(
    scene: Scene, area: Box, line: float, in_corner: bool, least: float
) -> tuple[dict[int, Raster], Raster] | None:
    """Place an only input above the result, if cells get at least this large: arrays of few rows and many columns.

    A box for the block is on their left, or above them.
    """
    places = {cells.view.place for cells in scene.cells} & {"left", "top", "result"}
    if places != {"left", "result"}:
        return None
    rooms = [area]
    if in_corner:
        wide, high = area.width * (1 - _BOX_WIDTH), area.height * (1 - _BOX_HEIGHT)
        rooms = [
            Box(area.x + area.width - wide, area.y, wide, area.height),
            Box(area.x, area.y + area.height - high, area.width, high),
        ]
    found = max((_matrices(scene, room, line, False, stacked=True) for room in rooms), key=lambda pair: pair[1].cell)
    return found if found[1].cell >= least else None


def _beside_or_above(matrices: dict[int, Raster], area: Box, line: float) -> Box:
    """Return the larger of the rectangles that matrices leave free on their left and above them."""
    left = min(raster.x for raster in matrices.values()) - line * 2.2
    head = min(raster.y - raster.above for raster in matrices.values()) - line * 2.6
    boxes = (
        Box(area.x, area.y, left - area.x, area.height),
        Box(area.x, area.y, area.width, head - area.y),
    )
    return max(boxes, key=lambda box: min(box.width, box.height))


def _place_matrices(
    scene: Scene, area: Box, line: float, in_corner: bool, wide: float, stacked: bool
) -> tuple[dict[int, Raster], Raster]:
    """Place the matrices; cells of structs have the aspect ratio `wide`; `stacked`, A is where B would be.

    All matrices have cells of one height, so that a row of A lines up with the row of C that it computes: the
    width limits it by the columns of A and C together, the height by the rows of B and C together. For A 6×7, B 7×5 and
    C 6×5 in an area of 700×600 with 200 pixels for titles and numbers each way, cell = min(500 / 12, 400 / 13) = 30.
    """
    inside = ("shared", "local")
    by_place = {c.view.place: n for n, c in enumerate(scene.cells) if c.view.place not in inside}
    if stacked:
        by_place["top"] = by_place.pop("left")
    shapes = {place: _shape(scene, n, line).stretched(wide) for place, n in by_place.items()}
    if scene.result is None and "result" not in shapes:
        shapes["result"] = _launch_shape(scene, line)
    left, top, result = (shapes.get(place, Shape(0, 0)) for place in ("left", "top", "result"))
    head, gutter = line * 2.5, line * 1.7
    # Side by side: A, a gap with C's row numbers, C. Above each other: B, a gap with C's title, C.
    fixed_width = gutter * (2 if left.across else 1) + (line if left.across else 0)
    fixed_height = head * (2 if top.rows else 1)
    gap_c, above_c = max(result.gap_width, top.gap_width), max(result.above, left.above)
    gap_down = max(shape.gaps.height(shape.rows) for shape in (result, left))
    fixed_width += left.gap_width + gap_c
    fixed_height += above_c + gap_down + top.gap_height
    if in_corner and not (left.across and top.rows):
        area = Box(area.x + area.width * _BOX_WIDTH, area.y, area.width * (1 - _BOX_WIDTH), area.height)
    columns, rows = left.across + max(result.across, top.across), top.rows + max(result.rows, left.rows)

    def cell_beside(extra: float) -> float:
        width, height = area.width - fixed_width - extra, area.height - fixed_height
        cell = min(width / max(1, columns), height / max(1, rows), _LARGEST_CELL)
        return max(1.0, int(cell) if cell >= 6 else cell)

    def beyond(cell: float) -> tuple[float, float]:
        """Pixels by which A's title overlaps C's, and C's or B's exceeds the edge."""
        over_a = left.title + line - gutter - line - left.across * cell - left.gap_width if left.across else 0.0
        over_c = max(top.title, result.title) - max(result.across, top.across) * cell - gap_c
        return max(0.0, over_a), max(0.0, over_c)

    # Titles wider than their matrices take width from the cells, and smaller cells make narrower matrices: one more
    # round is enough, because titles do not grow.
    cell = cell_beside(sum(beyond(cell_beside(0))))
    spare = max(0.0, area.width - fixed_width - columns * cell)  # if there is not enough, titles overlap
    extra_a, extra_c = beyond(cell)
    extra_c = min(extra_c, spare)
    extra_a = min(extra_a, spare - extra_c)
    spare_x = area.width - fixed_width - columns * cell - extra_a - extra_c
    across = max(result.across, top.across) * cell + gap_c + extra_c
    down = max(result.rows, left.rows) * cell + gap_down
    spare_y = area.height - fixed_height - rows * cell
    # With both A and B there is a free corner at the upper left: C moves to the lower right, to make it large.
    corner = in_corner and bool(left.across and top.rows)
    x = area.x + area.width - across - (0 if corner else spare_x / 2)
    y = area.y + area.height - down - spare_y * (0.35 if corner else 0.5)
    left_x = x - gutter - line - extra_a - left.across * cell - left.gap_width
    top_y = y - above_c - head - top.rows * cell - top.gaps.height(top.rows)

    def raster(x: float, y: float, shape: Shape) -> Raster:
        return Raster(x, y, cell, shape.rows, shape.columns, shape.wide, shape.gaps, shape.above)

    corners = {"result": (x, y), "left": (left_x, y), "top": (x, top_y)}
    found = {n: raster(*corners[place], shapes[place]) for place, n in by_place.items()}
    thread_raster = found[scene.result] if scene.result is not None else raster(x, y, result)
    return found, thread_raster


def _launch_shape(scene: Scene, line: float) -> Shape:
    """Return the extent of the launch; rows of a folded line need no room between them: threads have no index."""
    launch = scene.launch
    return Shape(launch.rows, launch.columns) if launch.kind == "strip" else _shape_of(launch, line)


def _corner(scene: Scene, matrices: dict[int, Raster], thread_raster: Raster, area: Box, line: float) -> Box:
    """Return the free rectangle left of B and above A, or above everything if that is less narrow."""
    by_place = {scene.cells[n].view.place: raster for n, raster in matrices.items()}
    right = min((r.x for p, r in by_place.items() if p != "left"), default=thread_raster.x) - line * 2.6
    bottom = by_place["left"].y - by_place["left"].above - line * 2.6 if "left" in by_place else area.y + area.height
    beside = Box(area.x, area.y, right - area.x, bottom - area.y)
    head = min((r.y - r.above for r in by_place.values()), default=thread_raster.y - thread_raster.above) - line * 2.6
    above = Box(area.x, area.y, area.width, head - area.y)
    return max(beside, above, key=lambda box: min(box.width, box.height))


def _beside(scene: Scene, matrices: dict[int, Raster], area: Box, line: float) -> Box | None:
    """Return the free rectangle to the left of A if there is no B; None if there is no A either."""
    by_place = {scene.cells[n].view.place: raster for n, raster in matrices.items()}
    if "left" not in by_place or "top" in by_place:
        return None
    return Box(area.x, area.y, by_place["left"].x - line * 2.2 - area.x, area.height)


def _under(scene: Scene, matrices: dict[int, Raster], area: Box, line: float) -> Box | None:
    """Return the free rectangle under a result of fewer rows than A, as of a product with a vector; None if too low."""
    by_place = {scene.cells[n].view.place: raster for n, raster in matrices.items()}
    if not {"left", "result"} <= set(by_place):
        return None
    left, result = by_place["left"], by_place["result"]
    x, y = left.x + left.box.width + line, result.y + result.box.height + line
    box = Box(x, y, area.x + area.width - x, area.y + area.height - y)
    return box if min(box.width, box.height) >= _LEAST_UNDER * line else None


def _below(scene: Scene, matrices: dict[int, Raster], area: Box, line: float) -> Box | None:
    """Return the free rectangle to the left of A, or None."""
    left = next((r for n, r in matrices.items() if scene.cells[n].view.place == "left"), None)
    if left is None:
        return None
    y = left.y - left.above - line * 1.4
    return Box(area.x, y, left.x - line * 2.2 - area.x, area.y + area.height - y)
