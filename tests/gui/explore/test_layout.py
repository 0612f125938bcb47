"""Layout of pictures: everything inside, nothing overlapping, and the lens of a large block."""

import itertools

import pytest

from gui.explore.packing.boxes import Box, Shape, title_width
from gui.explore.packing.constants import TILE
from gui.explore.packing.engine import Group, Slot, plan_frames
from gui.explore.packing.layout import Layout, arrange, block_at, hit
from gui.explore.packing.lens import magnified_cells
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.paint_flows import thread_place
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import fitting_size
from kernels.analysis import Frame
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_source
from kernels.workload import Panel
from tests.gui.explore.boxes import LINE, boxes, centre, overlap
from tests.gui.explore.conftest import scene_on, stage, step_on
from tests.kernels.analysis.traces import source, step_of

LAUNCHES = [
    ("matmul_tiled", "3", "2,2", "As["),
    ("matmul_tiled", "16", "4,4", "sum +="),
    ("matmul_tiled", "8,24,16", "8,8", "sum +="),
    ("matmul_naive", "4", "2,2", "sum +="),
    ("matmul_naive", "20", "4,4", "sum +="),
    ("mmt_symmetric", "4", "2,2", "sum +="),
    ("index_map", "6,8,1", "4,2", "out["),
    ("index_map", "6,8,1", "512,2", "out["),
    ("hello_grid", "", "", "printf"),
    ("matmul_naive", "64,1,1", "1,64", "sum +="),
    ("matmul_naive", "1,64,1", "64,1", "sum +="),
    ("matmul_tiled", "1,16,16", "4,4", "sum +="),
]


@pytest.mark.parametrize(("width", "height"), [(800, 520), (1240, 850), (560, 420)])
@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: "-".join(launch[:3]))
def test_everything_is_inside_and_nothing_overlaps(launch: tuple[str, str, str, str], width: int, height: int) -> None:
    kernel, size, block, text = launch
    found = boxes(scene_on(stage(kernel, size, block), text), width, height)
    for box in found:
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= width + 1
        assert box.y + box.height <= height + 1
    assert not [(a, b) for a, b in itertools.combinations(found, 2) if overlap(a, b)]


@pytest.mark.parametrize("size", ["32,32,1", "32,40,1", "40,36,1"])
def test_frames_beside_arrays_and_above_them_share_a_corner(size: str) -> None:
    scene = scene_on(stage("transpose_tiled", size, "32,8"), "tile[")
    for line in (LINE, 19.4):
        layout = arrange(scene, 873, 621, line)
        assert layout.corner is not None
        assert layout.block is not None
        assert not overlap(layout.corner, layout.block)


@pytest.mark.parametrize("size", ["64,1,2", "1,64,2", "64,1,64"])
def test_titles_of_narrow_matrices_have_room(size: str) -> None:
    scene = scene_on(stage("matmul_naive", size, "1,1"), "sum +=")
    a, b, c = arrange(scene, 820, 570, LINE).rasters
    title = 3.5 * LINE  # "A 1×64"
    assert a.x + title <= c.x
    assert max(b.x, c.x) + title <= 820


def test_matrices_lie_where_a_product_is_written() -> None:
    scene = scene_on(stage("matmul_tiled", "3", "2,2"), "As[")
    a, b, c = arrange(scene, 820, 570, LINE).rasters[:3]
    assert a.y == c.y
    assert b.x == c.x
    assert a.cell == b.cell == c.cell
    assert a.cell >= 48  # big enough for the back of the room
    # A transposed matrix is pointed at where it is drawn.
    scene = scene_on(stage("mmt_symmetric", "4", "2,2"), "sum +=")
    layout = arrange(scene, 820, 570, LINE)
    assert hit(scene, layout, *centre(layout.rasters[1], 1, 3)) == Focus.on_element(0, 3 * 4 + 1)
    # The element under the pointer.
    scene = scene_on(stage("matmul_tiled", "3", "2,2"), "As[", 3, 0)
    layout = arrange(scene, 820, 570, LINE)
    a, _, c, shared = layout.rasters[:4]
    assert hit(scene, layout, *centre(a, 2, 1)) == Focus.on_element(0, 7)
    assert hit(scene, layout, *centre(a, 2, 3)) == NOTHING  # beyond the edge of A
    assert hit(scene, layout, *centre(shared, 1, 0)) == Focus.on_element(3, 2)
    assert hit(scene, layout, *centre(c, 0, 0)) == Focus.on_element(2, 0)  # another block's
    assert hit(scene, layout, *centre(c, 2, 2)) == Focus.on_thread(12)
    assert hit(scene, layout, *centre(c, 3, 3)) == Focus.on_thread(15)  # beyond the edge of C
    assert hit(scene, layout, 0, 0) == NOTHING


@pytest.mark.parametrize(("cell", "block"), [((0, 0), 0), ((0, 3), 1), ((3, 1), 2), ((2, 2), 3)])
def test_blocks_are_found_on_the_result(cell: tuple[int, int], block: int) -> None:
    scene = scene_on(stage("matmul_tiled", "3", "2,2"), "As[")
    layout = arrange(scene, 820, 570, LINE)
    assert block_at(scene, layout, *centre(layout.thread_raster, *cell)) == block


SHARED = """__global__ void k() {
    __shared__ float blockMaximum; __shared__ float blockMinimum; __shared__ int numberOfWinners;
    __shared__ float partialSums[32];
    blockMaximum = blockMinimum = numberOfWinners = partialSums[threadIdx.x] = 0;
}"""


@pytest.mark.parametrize(("width", "height"), [(800, 520), (1240, 850), (560, 420)])
def test_titles_of_shared_arrays_are_apart(width: int, height: int) -> None:
    found = Stage(trace_source(SHARED, "k.cu", None, Launch(Dim3(1), Dim3(32)), {}), ())
    scene = build_scene(found, Frame(0, 0))
    layout = arrange(scene, width, height, LINE)
    rasters, line = layout.rasters, layout.line
    views = [cells.view for cells in scene.cells]
    titles = [
        Box(r.x, r.y - (2.4 if v.detail else 1.5) * line, title_width(v.title, v.detail, line), line)
        for v, r in zip(views, rasters, strict=True)
    ]
    boxes_there = titles + [raster.box for raster in rasters]
    assert not [(a, b) for a, b in itertools.combinations(boxes_there, 2) if overlap(a, b)]
    assert rasters[0].cell >= 0.9 * line  # the single elements are large enough for their values


def test_many_or_tall_arrays_stay_inside() -> None:
    declared = " ".join(f"float a_rather_long_name_{n}[4];" for n in range(12))
    used = " ".join(f"a_rather_long_name_{n}[threadIdx.x] = 1;" for n in range(12))
    text = f"__global__ void k() {{ {declared} {used} }}"
    found = Stage(trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4)), {}), ())
    for raster in arrange(build_scene(found, Frame(0, 0)), 800, 560, LINE).rasters:
        assert raster.x >= 0
        assert raster.x + raster.box.width <= 800
        assert raster.y + raster.box.height <= 560
    # Tall shared arrays stay in their box beside many local ones.
    shared = tuple(Shape(16, 128, title_width(name, "16×128", LINE)) for name in ("As", "Bs"))
    local = (Shape(8, 8, 110), Shape(2, 8, 110), Shape(2, 8, 110), Shape(1, 4, 160), Shape(1, 4, 160))
    groups = [Group("shared", shared, LINE), Group("local", local, LINE)]
    plan = plan_frames(groups, Slot(Box(14, 9, 800, 250)))
    assert plan is not None
    for framed in plan.frames():
        for raster in framed.rasters:
            assert raster.y + raster.box.height <= framed.box.y + framed.box.height


@pytest.mark.parametrize(
    ("size", "normal", "large"), [((770, 372), 18, 27), ((710, 440), 18, 27), ((1230, 640), 21, 32)]
)
@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_registers_2d"])
def test_larger_text_leaves_the_cells_of_a_block_as_large(
    name: str, size: tuple[int, int], normal: float, large: float
) -> None:
    found = stage(name)
    scene = build_scene(found, Frame(0, int(found.trace.block_steps(0)[-1])))

    def smallest(line: float) -> float:
        layout = arrange(scene, *size, line)
        pairs = zip(scene.cells, layout.rasters, strict=True)
        return min(raster.cell for cells, raster in pairs if cells.view.place in ("shared", "local"))

    assert smallest(large) >= min(14.0, 0.8 * smallest(normal))


def test_the_threads_of_a_product_with_a_vector_lie_under_it() -> None:
    text = """
__global__ void product(const float *A, const float *x, float *y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < columns; j++) sum += A[row * columns + j] * x[j];
        y[row] = sum;
    }
}
"""
    arguments = "A=f32[64]:iota", "x=f32[8]:iota", "y=f32[8]:uninit", "rows=8", "columns=8"
    trace = source(text, "1", "32", *arguments)
    found = Stage(trace, (Panel("A", "left"), Panel("x", "top"), Panel("y", "result")))
    scene = build_scene(found, Frame(0, trace.steps - 1))
    layout = arrange(scene, 1180, 600, 18)
    assert layout.zoom is not None
    assert layout.block is not None
    result = layout.thread_raster.box
    assert layout.block.y > result.y + result.height
    assert layout.zoom.rows * layout.zoom.columns == 32


LENS_LINE = 18


SIZE = (820, 375, LENS_LINE)


def shown(name: str, size: str, block: str, focus: Focus = NOTHING) -> tuple[Scene, Layout]:
    found = stage(name, size, block)
    scene = build_scene(found, Frame(0, step_on(found, "sum +=")), focus=focus)
    return scene, arrange(scene, *SIZE)


@pytest.mark.parametrize(
    ("name", "size", "block"), [("matmul_naive", "32,32,32", "32,32"), ("matmul_tiled", "16", "8,8")]
)
def test_a_large_block_has_a_lens_with_labels(name: str, size: str, block: str) -> None:
    _, layout = shown(name, size, block)
    assert layout.lens is not None
    assert layout.zoom is not None
    assert layout.zoom.cell >= 24
    assert (layout.zoom.rows, layout.zoom.columns) == (layout.lens.rows, layout.lens.columns)
    box = layout.block
    assert box is not None
    assert layout.zoom.box.x >= box.x
    assert layout.zoom.box.x + layout.zoom.box.width <= box.x + box.width
    assert layout.zoom.box.y + layout.zoom.box.height <= box.y + box.height


def test_small_blocks_are_shown_whole_and_large_ones_as_dots_or_through_a_lens() -> None:
    assert shown("matmul_tiled", "3", "2,2")[1].lens is None
    # Without a lens every thread is shown.
    *_, inside = magnified_cells(Dim3(4, 4), None)
    assert inside.all()
    # Threads outside of the lens are on the result.
    scene, layout = shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(0))
    raster, at = thread_place(scene, layout, 1023)
    assert raster is layout.thread_raster
    assert at == (31, 31)
    # Several warps that do not fit stay dots.
    trace = source(ROW, "1", "512", "in=f32[512,8]:ones", "out=f32[512]:uninit")
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    assert arrange(build_scene(found, Frame(0, step_of(trace, "sum +="))), *SIZE).lens is None


def test_threads_of_a_low_box_are_as_wide_as_their_values() -> None:
    found = stage("matmul_naive", "16", "4,4")
    layout = arrange(build_scene(found, Frame(15, found.trace.steps - 1)), 627, 390, LENS_LINE)
    assert layout.zoom is not None
    assert layout.zoom.cell < TILE[0][0] * 1.3
    assert fitting_size(layout.zoom.cell, ["540040"], layout.zoom.across) > 0
    assert layout.block is not None
    assert layout.zoom.box.x + layout.zoom.box.width <= layout.block.x + layout.block.width


@pytest.mark.parametrize("thread", [0, 1023, 400, 31, 992])
def test_the_lens_shows_the_thread_in_focus_and_stays_while_its_threads_are_pointed_at(thread: int) -> None:
    scene, layout = shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(thread))
    assert layout.lens is not None
    row, column, inside = magnified_cells(scene.block_dim, layout.lens)
    assert inside[thread]
    assert inside.sum() == layout.lens.rows * layout.lens.columns
    for number in inside.nonzero()[0].tolist():
        raster, at = thread_place(scene, layout, number)
        assert raster is layout.zoom
        assert at == (row[number], column[number])
        cell = raster.rect(*at)
        found = hit(scene, layout, cell.x + cell.width / 2, cell.y + cell.height / 2)
        assert found == Focus.on_thread(number)
    for number in inside.nonzero()[0][[0, -1]].tolist():
        assert shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(number))[1].lens == layout.lens


ROW = """
__global__ void row_sums(const float *in, float *out) {
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += in[8 * threadIdx.x + k];
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(("block", "height", "whole"), [(24, 375, True), (32, 375, True), (32, 200, False)])
def test_a_block_of_one_dimension_is_in_rows_with_indices_and_values(block: int, height: int, whole: bool) -> None:
    trace = source(ROW, "1", str(block), f"in=f32[{block},8]:ones", f"out=f32[{block}]:uninit")
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    scene = build_scene(found, Frame(0, step_of(trace, "sum +=")), focus=Focus.on_thread(block - 1))
    layout = arrange(scene, 820, height, 18)
    assert layout.lens is not None
    assert layout.zoom is not None
    assert layout.zoom.cell >= TILE[0][0]
    assert layout.shows_values(scene)
    *_, inside = magnified_cells(scene.block_dim, layout.lens)
    assert inside[block - 1]
    assert inside.all() == whole
    for number in inside.nonzero()[0].tolist():
        raster, at = thread_place(scene, layout, number)
        cell = raster.rect(*at)
        assert hit(scene, layout, cell.x + 1, cell.y + cell.height - 1) == Focus.on_thread(number)


def test_a_heading_names_no_values_that_have_no_room() -> None:
    """In strips, threads are aligned with the elements, and as low as these."""
    trace = source(ROW.replace("8 *", "").replace("+ k", "* 1"), "1", "64", "in=f32[64]:ones", "out=f32[64]:uninit")
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    scene = build_scene(found, Frame(0, step_of(trace, "sum +=")))
    assert scene.threads.value_words
    assert not arrange(scene, *SIZE).shows_values(scene)


@pytest.mark.parametrize(("shape", "columns", "seen"), [("3,64", 64, True), ("8,8", 8, False)])
def test_a_flat_input_lies_above_the_result(shape: str, columns: int, seen: bool) -> None:
    text = "__global__ void copy(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }"
    trace = source(text, "1", str(columns), f"in=f32[{shape}]:ones", f"out=f32[{columns}]:uninit")
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    layout = arrange(build_scene(found, Frame(0, trace.steps - 1)), *SIZE)
    above, result = layout.rasters
    assert (above.box.y + above.box.height < result.y) == seen


def test_threads_are_in_the_box_with_room_for_their_values() -> None:
    """Above a tall matrix is a flat box, on its left a high one."""
    text = """
    __global__ void matvec(const float *a, const float *x, float *y) {
        int row = blockIdx.x * 32 + threadIdx.x;
        if (row >= 40)
            return;
        float sum = 0;
        for (int k = 0; k < 4; ++k)
            sum += a[row * 4 + k] * x[k];
        y[row] = sum;
    }
    """
    trace = source(text, "2", "32", "a=f32[40,4]:ones", "x=f32[4]:ones", "y=f32[40]:uninit")
    found = Stage(trace, (Panel("a", "left"), Panel("x", "top"), Panel("y", "result")))
    layout = arrange(build_scene(found, Frame(0, step_of(trace, "sum +="))), 1165, 610, 24)
    assert layout.zoom is not None
    assert layout.zoom.cell >= TILE[0][0]
