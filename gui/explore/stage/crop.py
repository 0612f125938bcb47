"""Crop of a scene: the rows and columns of its matrices at which the step works, so that their digits can be large.

Of a product C = A·B, a window of C has some rows and columns of the shown block, that of A the same rows, that of B the
same columns, and those of A and B the part of the sum's index at which the step is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from gui.explore.packing.arrangement import Part
from gui.explore.packing.layout import arrange
from gui.explore.stage.paint_cells import mark_width
from gui.explore.stage.paint_threads import value_size
from gui.explore.stage.text_painter import fitting_size, number_text
from gui.explore.stage.zoom import of_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.interactions import Queue
    from gui.explore.stage.scene import Access, BlockBox, Cells, Flow, Scene, Stray


class Window(NamedTuple):
    """Most rows and columns of the result that are shown, and most elements of a row of A and of a column of B."""

    rows: int
    columns: int
    inner: int


WINDOWS: Final = tuple(
    Window(*lengths)
    for lengths in (
        (16, 16, 8),
        (8, 16, 8),
        (8, 8, 8),
        (8, 8, 4),
        (4, 8, 4),
        (4, 8, 2),
        (4, 4, 4),
        (4, 4, 2),
        (2, 4, 4),
        (2, 4, 2),
        (2, 2, 2),
        (2, 2, 1),
        (1, 2, 1),
    )
)
"""Windows that are tried, the largest first. Powers of two divide blocks and tiles, so that a page is inside of one."""


_SAMPLE: Final = 256
"""Values of which the digits are counted, about."""

_DECIMALS: Final = 3
"""Digits of a fraction that a cell shows."""


def can_crop(scene: Scene) -> bool:
    """Return whether all arrays are matrices of numbers, and whether the picture shows a block on its result."""
    views = [cells.view for cells in scene.cells]
    return (
        scene.zoom == "block"
        and scene.result is not None
        and scene.points is None
        and not scene.prints
        and all(v.arrangement.kind == "matrix" and v.members is None and not v.period for v in views)
        and all(v.before == (0, 0) and v.arrangement.count > 1 for v in views)
    )


def follow(scene: Scene, width: float, height: float, line: float, least: float) -> Scene:
    """Return the scene with digits of at least a height in the arrays that the step accesses, where a window has them.

    Parameters
    ----------
    scene : Scene
    width, height, line : float
        Those of the picture, which has no legend, and of a line of its text, pixels.
    least : float
        Height of the digits, pixels.

    Returns
    -------
    scene : Scene
        As it is if all of it has such digits. Else the arrays of the step and the result, each with the rows and
        columns of the largest window that has them; of the smallest one if none has.
    """
    if not can_crop(scene):
        return scene
    digits = max((_digits(cells) for cells in scene.cells if cells.view.place in ("left", "top")), default=1)
    if _height_of_digits(scene, arrange(scene, width, height, line, legend=False), digits) >= least:
        return scene
    scene, best, found = of_arrays(scene, _of_step(scene)), -1.0, scene
    for window in WINDOWS:
        part = crop(scene, window)
        high = _height_of_digits(part, arrange(part, width, height, line, legend=False), digits)
        if high > best:
            best, found = high, part
        if high >= least:
            break
    return found


def _of_step(scene: Scene) -> list[int]:
    """Return the positions of the result and of the arrays that a step accesses; without any, of those of the block."""
    numbers = range(len(scene.cells))
    touched = {access.view for access in scene.accesses} | {flow.target_view for flow in scene.flows}
    touched |= {number for number in numbers if scene.cells[number].zero.any()}
    if not touched:
        touched = {number for number in numbers if scene.cells[number].view.place == "shared"} or set(numbers)
    return [number for number in numbers if number in touched or number == scene.result]


def _digits(cells: Cells) -> int:
    """Return the digits of the longest value, or of the longest of a sample of many."""
    values = np.unique(cells.values[cells.written])
    sample = values[:: len(values) // _SAMPLE + 1].tolist() + values[-1:].tolist()
    return max((len(number_text(value, _DECIMALS)) for value in sample), default=1)


def _height_of_digits(scene: Scene, layout: Layout, digits: int) -> float:
    """Return the height in pixels of digits, of so many a value in arrays, and of the results that the step writes."""
    found = []
    for number, (cells, raster) in enumerate(zip(scene.cells, layout.rasters, strict=True)):
        if number != scene.result:
            found.append(_height_in_cells(raster, digits))
        elif cells.wrote.any() or len(scene.cells) == 1:
            size = value_size if layout.labelled else _height_in_cells
            found.append(size(raster, _digits(cells)))
    return min(found)


def _height_in_cells(raster: Raster, digits: int) -> float:
    return fitting_size(raster.cell, ["0" * digits], raster.across - 2 * mark_width(raster))


def crop(scene: Scene, window: Window) -> Scene:
    """Return the scene with at most the rows and columns of a window of each array; the scene itself if all fit."""
    parts = [_part(scene, number, window) for number in range(len(scene.cells))]
    if all((p.rows, p.columns) == cells.read.shape for p, cells in zip(parts, scene.cells, strict=True)):
        return scene
    result = parts[scene.result] if scene.result is not None else Part(0, 0, 0, 0)
    row, column = scene.threads.row - result.row, scene.threads.column - result.column
    shown = scene.threads.visible & _inside(np.column_stack((row, column)), result)
    race = scene.race
    if race is not None:
        at = np.array([[race.row, race.column]]) - parts[race.view][:2]
        kept = bool(_inside(at, parts[race.view])[0])
        race = replace(race, row=int(at[0, 0]), column=int(at[0, 1])) if kept else None
    return replace(
        scene,
        cells=tuple(_cells(cells, part) for cells, part in zip(scene.cells, parts, strict=True)),
        threads=replace(scene.threads, row=np.where(shown, row, 0), column=np.where(shown, column, 0), visible=shown),
        blocks=tuple(box for block in scene.blocks if (box := _block(block, result)) is not None),
        accesses=tuple(_access(access, parts[access.view]) for access in scene.accesses),
        flows=tuple(
            flow
            for every in scene.flows
            if len((flow := _flow(every, parts[every.source_view], parts[every.target_view])).lanes)
        ),
        strays=tuple(stray for every in scene.strays if len((stray := _stray(every, parts[every.view])).lanes)),
        queues=tuple(queue for every in scene.queues if (queue := _queue(every, parts[every.view])) is not None),
        race=race,
    )


def _part(scene: Scene, number: int, window: Window) -> Part:
    """Return the shown part of an array: the page with what the shown thread accesses, else with what the step does."""
    cells, most = scene.cells[number], (window.rows, window.columns)
    if cells.tint == "left":
        most = (window.rows, window.inner)
    elif cells.tint == "top":
        most = (window.inner, window.columns)
    first = _focus(scene, number)
    lengths = [min(length, limit) for length, limit in zip(cells.read.shape, most, strict=True)]
    starts = [
        min(at // size * size, all_ - size) for at, size, all_ in zip(first, lengths, cells.read.shape, strict=True)
    ]
    return Part(starts[0], starts[1], lengths[0], lengths[1])


def _focus(scene: Scene, number: int) -> tuple[int, int]:
    """Return a cell that the window of an array contains."""
    cells, thread = scene.cells[number], scene.lane - scene.threads.first_lane
    if number == scene.result and scene.threads.visible[thread]:
        return int(scene.threads.row[thread]), int(scene.threads.column[thread])
    accesses = [access for access in scene.accesses if access.view == number]
    of_thread = [access.cells[access.lanes == scene.lane] for access in accesses]
    outside = [stray.named[stray.named.min(axis=1) >= 0] for stray in scene.strays if stray.view == number]
    for found in (*outside, *of_thread, *(access.cells for access in accesses)):
        if len(found) and (found[0] < cells.read.shape).all():
            return int(found[0, 0]), int(found[0, 1])
    for mask in (cells.zero, cells.in_shared):
        if mask.any():
            row, column = np.argwhere(mask)[0].tolist()
            return row, column
    # An array at rest shows the rows or columns of the block.
    box = next((box for box in scene.blocks if box.current), None)
    if box is None or cells.view.place not in ("left", "top", "result"):
        return 0, 0
    return (0 if cells.tint == "top" else box.row, 0 if cells.tint == "left" else box.column)


def _inside(cells: NDArray[np.integer], part: Part) -> NDArray[np.bool_]:
    """Return which of some cells, counted from the part's first one, are in it."""
    row, column = cells[:, 0], cells[:, 1]
    found: NDArray[np.bool_] = (row >= 0) & (column >= 0) & (row < part.rows) & (column < part.columns)
    return found


def _cells(cells: Cells, part: Part) -> Cells:
    at = np.s_[part.row : part.row + part.rows, part.column : part.column + part.columns]
    view, (rows, columns) = cells.view, cells.values[at].shape
    shown = Part(part.row, part.column, rows, columns)
    if view.transposed:
        shown = Part(part.column, part.row, columns, rows)
    reads = cells.reads
    return replace(
        cells,
        view=replace(view, arrangement=replace(view.arrangement, window=shown)),
        values=cells.values[at],
        written=cells.written[at],
        read=cells.read[at],
        wrote=cells.wrote[at],
        zero=cells.zero[at],
        in_shared=cells.in_shared[at],
        focus=cells.focus[at],
        cause=cells.cause[at],
        outside=cells.outside[at],
        landing=cells.landing[at],
        wrong=cells.wrong[at],
        reads=None if reads is None else reads[at],
        padding=max(0, cells.padding - (cells.values.shape[1] - part.column - columns)),
    )


def _access(access: Access, part: Part) -> Access:
    moved = access.cells - part[:2]
    return replace(access, cells=moved).only(_inside(moved, part))


def _flow(flow: Flow, source_part: Part, target_part: Part) -> Flow:
    source, target = flow.source - source_part[:2], flow.target - target_part[:2]
    kept = _inside(source, source_part) & _inside(target, target_part)
    return replace(
        flow,
        lanes=flow.lanes[kept],
        source=source[kept],
        target=target[kept],
        zero=flow.zero[kept],
        focus=flow.focus[kept],
    )


def _stray(stray: Stray, part: Part) -> Stray:
    """Return the accesses outside of the array of which the named cell or the one with its address is shown."""
    named, landing = stray.named - part[:2], stray.landing - part[:2]
    lands = stray.lands & _inside(landing, part)
    kept = _inside(named, part) | lands
    return replace(
        stray,
        lanes=stray.lanes[kept],
        named=named[kept],
        landing=np.where(lands[:, None], landing, -1)[kept],
        focus=stray.focus[kept],
    )


def _queue(queue: Queue, part: Part) -> Queue | None:
    row, column = queue.row - part.row, queue.column - part.column
    inside = 0 <= row < part.rows and 0 <= column < part.columns
    return replace(queue, row=row, column=column) if inside else None


def _block(box: BlockBox, part: Part) -> BlockBox | None:
    """Return the part of a block's rectangle that is shown; None for none."""
    top, left = max(box.row - part.row, 0), max(box.column - part.column, 0)
    bottom = min(box.row + box.rows - part.row, part.rows)
    right = min(box.column + box.columns - part.column, part.columns)
    if bottom <= top or right <= left:
        return None
    return replace(box, row=top, column=left, rows=bottom - top, columns=right - left)
