"""Parts of the layout: rows, frames, folded blocks, and arcs around what is in the way."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPainter

from gui.explore.packing.arcs import Arc, arc, direction
from gui.explore.packing.boxes import Box, Gaps, Shape
from gui.explore.packing.constants import (
    BENDS,
    CELLS,
    FILLED,
    FRAME_PAD,
    INNER_GAP,
    INNER_GUTTER,
    LABELLED_CELL,
    LARGEST_INSIDE,
    NUMBERED_CELL,
    READ_CELL,
    TALL,
    VALUE_WIDTH,
    WIDER,
)
from gui.explore.packing.engine import Base, Framed, Group, Slot, pack, plan_frames
from gui.explore.packing.folding import block_arrangement, line_columns, slices_across, strip_wrap
from gui.explore.packing.templates import Arrays, matrix_templates, row_templates
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.explore.stage.views import Place
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.catalog import Kernel
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.gui.explore.boxes import LINE, overlap
from tests.gui.explore.conftest import stage, step_on

LEFT: Place = "left"


AREA = Box(100.0, 50.0, 600.0, 500.0)


def arrays(*shapes: Shape, area: Box = AREA, framed: bool = False) -> Arrays:
    numbered = tuple((number, LEFT, shape) for number, shape in enumerate(shapes))
    return Arrays(numbered, 0, area, LINE, all_placed=True, framed=framed, aligned=False)


def fill(groups: list[Group], slot: Slot) -> tuple[Framed, ...] | None:
    plan = plan_frames(groups, slot)
    return None if plan is None else tuple(plan.frames())


def product(framed: bool = True) -> Arrays:
    places: tuple[Place, ...] = ("left", "top", "result")
    shapes = tuple((n, place, Shape(4, 4, title=40.0)) for n, place in enumerate(places))
    return Arrays(shapes, 2, Box(0.0, 0.0, 850.0, 560.0), LINE, all_placed=True, framed=framed, aligned=True)


@pytest.mark.parametrize(
    "shapes",
    [
        (Shape(64, 64), Shape(64, 64)),
        (Shape(4, 64, title=90.0), Shape(64, 4, title=60.0), Shape(4, 16, gaps=Gaps(rows=1, down=24.0))),
        (Shape(9, 9), Shape(3, 3), Shape(3, 1), Shape(1, 3)),
    ],
)
def test_arrays_in_rows_are_as_large_as_the_area_allows(shapes: tuple[Shape, ...]) -> None:
    for template in row_templates(arrays(*shapes)):
        extent = template.place(template.largest).extent
        assert extent.x + extent.width <= AREA.x + AREA.width
        assert extent.y + extent.height <= AREA.y + AREA.height
        larger = template.place(CELLS[CELLS.index(template.largest) - 1]).extent
        assert larger.width > AREA.width or larger.height > AREA.height


def test_arrays_in_rows_use_the_width_and_the_height() -> None:
    square, *tall = row_templates(arrays(Shape(2, 16), Shape(1, 16)))
    packed = pack([square, *tall], [], [], one_scale=False)
    assert [packed.base.rasters[n].wide for n in range(2)] == [TALL] * 2
    assert packed.base.rasters[0].cell > square.largest
    assert packed.base.rasters[0].across >= square.largest * 0.97
    low = Box(0.0, 0.0, 600.0, 150.0)
    low_templates = row_templates(arrays(Shape(2, 16), Shape(1, 16), area=low))
    assert pack(low_templates, [], [], one_scale=False).base.rasters[0].wide == 1.0
    # Arrays that fit at no size have the smallest cells.
    assert row_templates(arrays(Shape(5000, 5000)))[0].largest == CELLS[-1]
    # A small array is in the first row if it has room.
    area = Box(0.0, 0.0, 600.0, 200.0)
    base = row_templates(arrays(Shape(1, 12), Shape(1, 3), Shape(2, 24), area=area))[0].place(20.0)
    first, small, wide = (base.rasters[n] for n in range(3))
    assert small.y == first.y < wide.y
    assert small.x > first.x + first.box.width


def test_shared_arrays_and_labelled_threads() -> None:
    groups = [Group("shared", (Shape(2, 2, title=40.0), Shape(2, 2, title=40.0)), LINE)]
    threads = [Group("threads", (Shape(2, 2),), LINE)]
    packed = pack(matrix_templates(product()), groups, threads, one_scale=True)
    (shared,) = packed.frames
    a, b, c = (packed.base.rasters[n] for n in range(3))
    assert {raster.cell for raster in (a, b, c, *shared.rasters)} == {c.cell}
    assert shared.box.x + shared.box.width <= b.x
    assert shared.box.y + shared.box.height <= a.y
    # Threads that are labelled on the result are not repeated.
    assert not pack(matrix_templates(product()), [], threads, one_scale=True).frames
    some = product()._replace(all_placed=False)
    assert pack(matrix_templates(some), [], threads, one_scale=False).frames
    # Moving a picture moves everything.
    groups = [Group("shared", (Shape(2, 2),), LINE)]
    packed = pack(matrix_templates(product()), groups, [], one_scale=True)
    moved = packed.moved(5.0, 7.0)
    before, after = packed.frames[0], moved.frames[0]
    assert (after.box.x - before.box.x, after.rasters[0].y - before.rasters[0].y) == (5.0, 7.0)
    assert isinstance(moved.base, Base)
    assert moved.base.threads == packed.base.threads.moved(5.0, 7.0)


@pytest.mark.parametrize("size", [(300.0, 200.0), (700.0, 120.0), (220.0, 500.0)])
def test_a_frame_is_as_large_as_its_contents_need(size: tuple[float, float]) -> None:
    groups = [Group("shared", (Shape(4, 4, title=40.0), Shape(4, 4, title=40.0)), LINE)]
    slot = Slot(Box(10.0, 20.0, *size))
    filled = fill(groups, slot)
    assert filled is not None
    (framed,) = filled
    for raster in framed.rasters:
        assert framed.box.contains(raster.x, raster.y)
        assert framed.box.contains(raster.x + raster.box.width, raster.y + raster.box.height)
    assert framed.cell == LARGEST_INSIDE or max(framed.box.width / size[0], framed.box.height / size[1]) > 0.9
    assert not overlap(framed.rasters[0].box, framed.rasters[1].box)


def test_frames_are_apart_and_their_cells_wide_enough_for_digits() -> None:
    groups = [Group("shared", (Shape(8, 8),), LINE), Group("local", (Shape(1, 4), Shape(4, 4)), LINE)]
    slot = Slot(Box(0.0, 0.0, 500.0, 260.0), right=True)
    filled = fill(groups, slot)
    assert filled is not None
    assert not [pair for pair in combinations([one.box for one in filled], 2) if overlap(*pair)]
    assert max(one.box.x + one.box.width for one in filled) == 500.0
    assert fill(groups, Slot(Box(0.0, 0.0, 60.0, 60.0))) is None
    # Cells of a thread grow wider where there is room and no lower.
    cells = []
    for shape in (Shape(4, 4), Shape(4, 4, readable=VALUE_WIDTH)):
        filled = fill([Group("local", (shape,), LINE)], Slot(Box(0.0, 0.0, 600.0, 200.0)))
        assert filled is not None
        cells.append(filled[0].rasters[0])
    square, wide = cells
    assert wide.cell == square.cell
    assert square.across < wide.across <= VALUE_WIDTH
    # A low frame is rather empty than without digits.
    low = Slot(Box(0.0, 0.0, 600.0, 90.0))
    plan = plan_frames([Group("local", (Shape(1, 2),), LINE)], low)
    assert plan is not None
    assert plan.may_be_sparse
    assert plan.cells[0] >= NUMBERED_CELL
    long = plan_frames([Group("local", (Shape(1, 24),), LINE)], low)
    assert long is not None
    assert not long.may_be_sparse


@pytest.mark.parametrize("size", [(300.0, 400.0), (250.0, 180.0)])
@pytest.mark.parametrize("shape", [Shape(1, 2), Shape(2, 3, title=70.0), Shape(8, 4)])
def test_contents_fill_a_frame_that_its_heading_makes_wide(size: tuple[float, float], shape: Shape) -> None:
    filled = fill([Group("local", (shape,), LINE)], Slot(Box(0.0, 0.0, *size)))
    assert filled is not None
    (frame,), (raster,) = filled, filled[0].rasters
    taken = raster.box.width + (INNER_GUTTER + INNER_GAP + 2 * FRAME_PAD) * LINE
    assert taken > FILLED * frame.box.width
    assert raster.wide <= WIDER[0]
    assert raster.x + raster.box.width <= frame.box.x + frame.box.width - FRAME_PAD * LINE


def test_cells_are_wider_than_high_where_threads_fit_into_the_result_only_so() -> None:
    eight = product()
    eight = eight._replace(shapes=tuple((n, place, Shape(8, 8)) for n, place, _ in eight.shapes))
    shared, threads = Group("shared", (Shape(4, 4), Shape(4, 4)), LINE), Group("threads", (Shape(4, 4),), LINE)
    packed = pack(matrix_templates(eight), [shared], [threads], one_scale=True)
    (frame,) = packed.frames
    every = [*packed.base.rasters.values(), *frame.rasters]
    assert {(raster.cell, raster.wide) for raster in every} == {(every[0].cell, every[0].wide)}
    assert READ_CELL <= every[0].cell < LABELLED_CELL <= every[0].across
    low = eight._replace(area=Box(0.0, 0.0, 850.0, 480.0))
    packed = pack(matrix_templates(low), [shared], [threads], one_scale=True)
    assert {raster.wide for raster in packed.base.rasters.values()} == {1.0}
    assert [one.group.kind for one in packed.frames] == ["shared", "threads"]


pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("block", "shape"),
    [
        (Dim3(4, 4), ("matrix", 4, 4)),
        (Dim3(2, 2, 2), ("slices", 2, 4)),
        (Dim3(32, 8), ("matrix", 8, 32)),
        (Dim3(64), ("strip", 2, 32)),
        (Dim3(48), ("strip", 2, 32)),
        (Dim3(1, 64), ("strip", 2, 32)),
        (Dim3(2, 32), ("strip", 2, 32)),
        (Dim3(1, 8), ("matrix", 8, 1)),
        (Dim3(16), ("matrix", 1, 16)),
    ],
)
def test_a_block_is_drawn_as_it_lies_or_a_warp_a_row(block: Dim3, shape: tuple[str, int, int]) -> None:
    found = block_arrangement(block)
    assert (found.kind, found.rows, found.columns) == shape


@pytest.mark.parametrize(
    ("grid", "block", "lengths", "wrap"),
    [
        (4, 16, [60, 60, 60], 32),
        (64, 1, [64], 16),
        (2, 16, [30, 30], 16),
        (4, 64, [250, 4], 32),
        (3, 24, [72, 72], 24),
        (5, 7, [35], 32),
    ],
)
def test_rows_of_strips_hold_whole_blocks_or_whole_warps(grid: int, block: int, lengths: list[int], wrap: int) -> None:
    assert strip_wrap(Launch(Dim3(grid), Dim3(block)), lengths, lengths[-1]) == wrap


def test_slices_and_folded_lines() -> None:
    assert slices_across(3, 4, 4) == 3
    assert slices_across(6, 6, 6) == 3
    assert slices_across(6, 6, 6, 0.5) == 2
    # Every block of a folded line has its box.
    found = stage("hello_grid", block="64")
    assert [(box.block, box.rows * box.columns) for box in found.block_outlines] == [
        (number, 64) for number in range(found.trace.launch.grid.count)
    ]


@pytest.mark.parametrize(
    ("grid", "block", "columns"),
    [(1, 8, 8), (4, 4, 16), (4, 32, 32), (1, 1024, 32), (16, 1024, 128), (100, 10, 40)],
)
def test_a_line_of_threads_is_folded_between_blocks_or_warps(grid: int, block: int, columns: int) -> None:
    launch = Launch(Dim3(grid), Dim3(block))
    assert line_columns(launch) == columns
    assert columns % block == 0 or block % columns == 0


def test_the_magnified_block_has_threads_that_live_nowhere_on_the_result(wild: Kernel) -> None:
    found = Stage(trace_kernel(wild, Size(3, 3, 3), Dim3(4, 4)), wild.workload.panels)
    scene = build_scene(found, Frame(2, step_on(found, "C[", 2)))
    lost = int(np.flatnonzero(~scene.threads.visible)[-1])  # too far beyond C to be drawn
    image = QImage(QSize(700, 480), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    layout = paint_scene(painter, scene, LIGHT, TextPainter("Sans"), 700, 480, 18.0)
    painter.end()
    assert layout.zoom is not None
    cell = layout.zoom.rect(lost // 4, lost % 4)
    inside = {
        image.pixelColor(int(cell.x + x), int(cell.y + y)).lightness()
        for x in range(int(cell.width))
        for y in range(int(cell.height))
    }
    assert min(inside) <= QColor(LIGHT.thread).lightness()


PICTURE = Box(0, 0, 800, 600)


UPPER, LOWER = Box(390, 100, 20, 20), Box(390, 400, 20, 20)


def crossed(curve: Arc, box: Box) -> int:
    """Return the number of 101 points of a curve in a box."""
    t = np.linspace(0, 1, 101)[:, None]
    start, control, end = (np.array(point) for point in curve[:3])
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return sum(box.contains(float(x), float(y)) for x, y in points)


def test_arcs_are_straight_where_nothing_is_in_the_way() -> None:
    curve = arc(UPPER, LOWER, (), PICTURE)
    assert curve.bend == 0
    assert direction(curve) == pytest.approx((0, 1))
    assert UPPER.y + UPPER.height <= curve.start[1] < curve.end[1] <= LOWER.y
    # It stays in the picture.
    narrow = Box(380, 0, 420, 600)
    curve = arc(UPPER, LOWER, [Box(300, 220, 200, 60)], narrow)
    assert curve.control[0] > 400
    # Two arrows between the same cells have different bends.
    first = arc(UPPER, LOWER, (), PICTURE)
    second = arc(LOWER, UPPER, (), PICTURE, [first.bend])
    assert second.bend != first.bend
    assert {first.bend, second.bend} <= set(BENDS)


@pytest.mark.parametrize(
    "avoid",
    [
        [Box(300, 220, 200, 60)],  # a title between the cells
        [Box(380, 200, 400, 100)],  # one that reaches to the right edge
        [Box(250, 150, 160, 240), Box(395, 90, 10, 340)],
    ],
)
def test_it_bows_around_what_is_in_the_way(avoid: Sequence[Box]) -> None:
    straight, curve = arc(UPPER, LOWER, (), PICTURE), arc(UPPER, LOWER, avoid, PICTURE)
    assert sum(crossed(curve, box) for box in avoid) < sum(crossed(straight, box) for box in avoid) / 2
