"""Layout of a scene in pixels. Pure geometry, no Qt.

The usual picture of a product: A left of C, B above C. Shared memory, a thread's own arrays, and the block's threads
where the cells of C are too small for them, lie in frames around these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gui.explore.packing.boxes import Box, Gaps, Raster, Shape, title_width
from gui.explore.packing.constants import (
    COLUMN_GAP,
    DIGIT,
    EDGE,
    FRAME_HEAD,
    GUTTER_DIGITS,
    LABEL_CELL,
    LEAST_CROWDED_LINE,
    LEAST_LINE,
    LEGEND,
    LEGEND_MARGIN,
    LENS_LETTER,
    LINES,
    MEMBER_WIDTH,
    MIDDLE,
    NARROW,
    NUMBERED_CELL,
    NUMBERED_ROWS,
    NUMBERS,
    PARTED_ROWS,
    PLANE_SHARES,
    PRINTED_SHARE,
    PRINTED_WIDTH,
    READ_CELL,
    SEEN_CELL,
    SIDE_MARGIN,
    SLICE_GAP,
    SLICE_HEAD,
    SMALLER_LINE,
    TILE,
    VALUE_WIDTH,
    WARP_TITLE,
    WINDOW_WIDTH,
    WORTH,
)
from gui.explore.packing.engine import Group, Packed, pack
from gui.explore.packing.folding import block_arrangement
from gui.explore.packing.lens import is_flat, lens_around, lens_words, needed_cell, tiles
from gui.explore.packing.matrix_layout import matrix_at
from gui.explore.packing.points_layout import PointsLayout, arrange_points
from gui.explore.packing.strip_layout import (
    Strip,
    boxes_strips,
    labels_threads,
    place_strips,
    strip_template,
    strips_of,
    strips_only,
)
from gui.explore.packing.templates import LAUNCH, Arrays, matrix_templates, row_templates
from gui.explore.packing.warp_layout import WarpLayout, arrange_warp
from gui.explore.stage.focus import NOTHING, Focus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.packing.arrangement import Arrangement
    from gui.explore.packing.engine import Kind
    from gui.explore.packing.lens import Lens
    from gui.explore.points.points import PlanePoints
    from gui.explore.stage.scene import Scene
    from gui.explore.stage.views import View


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
    """Box with shared memory, and among strips with the magnified block."""
    own: Box | None
    """Box with the local arrays of one thread."""
    block: Box | None
    """Box with the magnified block."""
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
    labelled: bool = False
    """True if threads are labelled on the result itself, or above it."""
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
        least = TILE[0][0] if is_flat(scene.block_dim) else LABEL_CELL
        return self.zoom is not None and self.zoom.cell >= least and bool(scene.threads.has_value.any())


def arrange(scene: Scene, width: float, height: float, line: float, *, legend: bool = True) -> Layout:
    """Place everything in width × height; margins follow from `line`, the height of a line of text.

    Text that is large for the picture, or leaves no room for cells, becomes smaller. Without a `legend` it has no room.
    """
    line = min(line, max(LEAST_LINE, min(width / LINES[0], height / LINES[1])))
    best = layout = _arrange_at(scene, width, height, line, legend=legend)
    while not (layout.fits and _smallest(scene, layout) >= NUMBERED_CELL):
        least_seen = SEEN_CELL if scene.points is None else NUMBERED_CELL  # next to points everything is smaller
        seen = layout.fits and _smallest(scene, layout) >= least_seen
        least = LEAST_LINE if seen else LEAST_CROWDED_LINE
        if layout.line <= least:
            break
        layout = _arrange_at(scene, width, height, max(least, layout.line * SMALLER_LINE), legend=legend)
        if not best.fits or _smallest(scene, layout) >= _smallest(scene, best) * WORTH:
            best = layout
    return best


def _smallest(scene: Scene, layout: Layout) -> float:
    """Return the smallest cell of what belongs to the block, which takes what titles and global arrays leave."""
    pairs = zip(scene.cells, layout.rasters, strict=True) if not layout.only_warp else ()
    every = scene.points is not None  # arrays beside points have less room than others
    found = [raster.cell for cells, raster in pairs if every or cells.view.place in ("shared", "local")]
    if layout.zoom is not None:  # threads need room for a label
        found.append(layout.zoom.cell * NUMBERED_CELL / LABEL_CELL)
    return min(found, default=READ_CELL)


def _arrange_at(scene: Scene, width: float, height: float, line: float, *, legend: bool) -> Layout:
    """Place everything with lines of text of this height."""
    side = line * SIDE_MARGIN
    high = line * LEGEND if legend else 0.0
    signs = Box(side, height - line * LEGEND_MARGIN - high, width - 2 * side, high)
    area = Box(side, line * EDGE, width - 2 * side, signs.y - 2 * line * EDGE)
    if scene.points is not None:
        return _arrange_with_points(scene, scene.points, area, signs, line)
    if scene.warp is None:
        return _arrange_arrays(scene, area, signs, line)
    nothing, warp = Raster(area.x, area.y, 1.0, 0, 0), arrange_warp(scene, area, line)
    return Layout((), nothing, None, None, None, None, None, signs, line, warp=warp, only_warp=True)


def _arrange_with_points(scene: Scene, points: PlanePoints, area: Box, legend: Box, line: float) -> Layout:
    """Place the points, and the arrays beside them: a narrower plane where numbers have no room otherwise."""
    found = []
    for share in PLANE_SHARES:
        placed, beside = arrange_points(points, area, line, share)
        found.append(replace(_arrange_arrays(scene, beside, legend, line), points=placed))
        if found[-1].fits and _smallest(scene, found[-1]) >= READ_CELL:
            break
    return max(found, key=lambda layout: (layout.fits, min(READ_CELL, _smallest(scene, layout))))


def _arrange_arrays(scene: Scene, area: Box, legend: Box, line: float) -> Layout:
    """Place the arrays, the threads and what is printed."""
    output = None
    if scene.prints:
        taken = min(area.width * PRINTED_SHARE, line * PRINTED_WIDTH)
        output = Box(area.x + area.width - taken, area.y + line * FRAME_HEAD, taken, area.height - line * FRAME_HEAD)
        area = Box(area.x, area.y, area.width - taken - line * COLUMN_GAP, area.height)
    strips = strips_only(scene) and scene.points is None
    framed = scene.zoom != "grid"
    if strips and (not framed or boxes_strips(scene)):
        return _in_one_box(scene, area, legend, line, output)
    packed = _packed(
        strips_of(scene, line, magnified=False) if strips else (),
        _arrays(scene, area, line, framed=framed),
        tuple(_groups(scene, line)) if framed else (),
        tuple(_threads(scene, line)) if framed and scene.warp is None else (),
        in_rows=scene.points is not None and scene.result is not None,
    )
    found = {number: raster for number, raster in packed.base.rasters.items() if number != LAUNCH}
    frames = {one.group.kind: one for one in packed.frames}
    for kind in ("shared", "local"):
        numbers = (number for number, cells in enumerate(scene.cells) if cells.view.place == kind)
        found |= dict(zip(numbers, frames[kind].rasters, strict=True)) if kind in frames else {}
    zoom, lens = None, None
    if (threads := frames.get("threads")) is not None:
        (zoom,) = threads.rasters
        whole = block_arrangement(scene.block_dim)
        if (zoom.rows, zoom.columns) != (whole.rows, whole.columns):
            zoom, lens = lens_around(scene, zoom)
    shared, own, block = (frames[k].box if k in frames else None for k in ("shared", "local", "threads"))
    return Layout(
        tuple(found[number] for number in range(len(scene.cells))),
        packed.base.threads,
        zoom,
        shared,
        own,
        block,
        output,
        legend,
        line,
        packed.fits,
        labelled=packed.base.labelled,
        strips=strips and scene.result is not None,
        names_blocks=packed.base.names_blocks,
        lens=lens,
    )


def _in_one_box(scene: Scene, area: Box, legend: Box, line: float, output: Box | None) -> Layout:
    """Place strips one below the other, those of the block and its threads in a box between them."""
    placed = place_strips(scene, area, line, scene.zoom != "grid")
    rasters = tuple(placed.rasters[number] for number in range(len(scene.cells)))
    shared = any(cells.view.place == "shared" for cells in scene.cells)
    return Layout(
        rasters,
        placed.threads,
        placed.zoom,
        placed.box if shared else None,
        None,
        placed.box if not shared else None,
        output,
        legend,
        line,
        placed.fits,
        labelled=labels_threads(placed.threads),
        strips=scene.result is not None,
        names_blocks=placed.names_blocks,
    )


@lru_cache(maxsize=512)  # all steps of a run have the same shapes
def _packed(
    strips: tuple[Strip, ...],
    arrays: Arrays,
    contents: tuple[tuple[Kind, tuple[Shape, ...]], ...],
    threads: tuple[tuple[Shape, float, bool], ...],
    *,
    in_rows: bool,
) -> Packed:
    """Place everything, and move it to the middle of the area."""
    area, line = arrays.area, arrays.line
    groups = [Group(kind, items, line) for kind, items in contents]
    forms = [Group("threads", (shape,), line, least=least, words=words) for shape, least, words in threads]
    if strips:
        templates = [strip_template(strips, area, line, all_placed=arrays.all_placed, boxed=arrays.framed)]
    else:
        templates = row_templates(arrays)[:1] if in_rows else matrix_templates(arrays)  # points leave no width
    found = pack(templates, groups, forms, one_scale=arrays.all_placed and not strips)
    boxes = [found.base.extent, *(one.box for one in found.frames)]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    spare = area.width - right + left, area.height - bottom + top
    return found.moved(area.x - left + spare[0] / 2, area.y - top + spare[1] * MIDDLE)


def _arrays(scene: Scene, area: Box, line: float, *, framed: bool) -> Arrays:
    """Return the arrays in global memory, or the launch where no result is written."""
    found = [
        (number, cells.view.place, _shape(scene, number, line))
        for place in ("left", "top", "result")
        for number, cells in enumerate(scene.cells)
        if cells.view.place == place
    ]
    if scene.result is None:
        found.append((LAUNCH, "result", _launch_shape(scene, line)))
    number = LAUNCH if scene.result is None else scene.result
    views = {cells.view.place: cells.view for cells in scene.cells}
    aligned = len(found) == 3 and {"left", "top", "result"} <= set(views)
    aligned = aligned and views["left"].rows == views["result"].rows and views["top"].columns == views["result"].columns
    return Arrays(tuple(found), number, area, line, scene.all_placed, framed, aligned)


def _groups(scene: Scene, line: float) -> Iterator[tuple[Kind, tuple[Shape, ...]]]:
    """Yield the arrays in shared memory and those of one thread."""
    kinds: tuple[Kind, ...] = ("shared", "local")
    for kind in kinds:
        numbers = (number for number, cells in enumerate(scene.cells) if cells.view.place == kind)
        if shapes := tuple(_shape(scene, number, line) for number in numbers):
            yield kind, shapes


def _threads(scene: Scene, line: float) -> Iterator[tuple[Shape, float, bool]]:
    """Yield the forms of the block's threads: all, then lenses; with the least cell, and whether words are needed."""
    block = block_arrangement(scene.block_dim)
    shape = _shape_of(block, line)
    if block.kind == "strip":
        shape = shape._replace(above=WARP_TITLE * line)  # warps are named above their rows
    readable = VALUE_WIDTH if scene.threads.value_words and not shape.gap_height else 0.0
    yield shape._replace(readable=readable), needed_cell(scene, aligned=False), False
    last = scene.index_text(scene.threads.index[-1])
    words = len(lens_words(last, last, scene.block_dim)) * LENS_LETTER * line
    for tile in tiles(scene.block_dim, line):
        width = 0.0 if tile.whole else words
        yield Shape(tile.rows, tile.columns, title=width, wide=tile.wide), tile.least, not tile.whole
    yield shape, 0.0, False


def _shape(scene: Scene, number: int, line: float) -> Shape:
    cells = scene.cells[number]
    title = title_width(cells.view.title, cells.view.detail, line)
    return _shape_of(cells.view.arrangement, line)._replace(
        rows=cells.rows, columns=cells.columns, title=title, readable=_readable_width(cells.view)
    )


def _readable_width(view: View) -> float:
    """Return the width to which cells of a view may grow: with the names of members, or with a thread's own values."""
    if view.heads:
        return MEMBER_WIDTH
    if view.arrangement.window is not None and view.place != "shared":
        return WINDOW_WIDTH
    return VALUE_WIDTH if view.place == "local" else 0.0


def _shape_of(arrangement: Arrangement, line: float) -> Shape:
    """Return the extent of an arrangement, with the room for the numbers of rows of a strip, and titles of slices."""
    shape = Shape(arrangement.rows, arrangement.columns)
    if arrangement.kind == "strip" and arrangement.depth > 1:
        few = arrangement.depth <= NUMBERED_ROWS
        down = NUMBERS if few else NARROW if arrangement.depth <= PARTED_ROWS else 0.0
        longer = len(str((arrangement.depth - 1) * arrangement.width)) - GUTTER_DIGITS
        gaps = Gaps(rows=1, down=down * line, numbers=few)
        return shape._replace(gaps=gaps, beside=max(0, longer) * DIGIT * line)
    if arrangement.kind == "slices":
        gaps = Gaps(arrangement.height, arrangement.width, SLICE_HEAD * line, SLICE_GAP * line)
        return shape._replace(gaps=gaps, above=line)
    return shape


def _launch_shape(scene: Scene, line: float) -> Shape:
    """Return the extent of the launch; rows of a folded line need no room between them: threads have no index."""
    launch = scene.launch
    return Shape(launch.rows, launch.columns) if launch.kind == "strip" else _shape_of(launch, line)


def hit(scene: Scene, layout: Layout, x: float, y: float) -> Focus:
    """Return the focus under a point: a thread of the shown block before the element below it."""
    threads = scene.threads
    if layout.warp is not None and scene.warp is not None:
        if (matrices := layout.warp.matrices) is not None and scene.warp.instruction is not None:
            found = matrix_at(scene.warp.instruction, matrices, x, y)
            return NOTHING if found is None else Focus.on_thread(scene.warp.state.first_lane + found[0], found[1])
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
