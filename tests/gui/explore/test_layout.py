from __future__ import annotations

import itertools

import pytest

from gui.explore.packing.boxes import Box, Shape, title_width
from gui.explore.packing.engine import Group, Slot, plan_frames
from gui.explore.packing.layout import arrange, block_at, hit
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.stage import Stage
from kernels.analysis import Frame
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_source
from kernels.workload import Panel
from tests.gui.explore.boxes import LINE, boxes, centre, overlap
from tests.gui.explore.conftest import scene_on, stage
from tests.kernels.analysis.traces import source

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


def test_a_lies_left_of_c_and_b_above() -> None:
    scene = scene_on(stage("matmul_tiled", "3", "2,2"), "As[")
    a, b, c = arrange(scene, 820, 570, LINE).rasters[:3]
    assert a.y == c.y
    assert b.x == c.x
    assert a.cell == b.cell == c.cell
    assert a.cell >= 48  # big enough for the back of the room


def test_the_element_under_the_pointer() -> None:
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


def test_a_transposed_matrix_is_pointed_at_where_it_is_drawn() -> None:
    scene = scene_on(stage("mmt_symmetric", "4", "2,2"), "sum +=")
    layout = arrange(scene, 820, 570, LINE)
    assert hit(scene, layout, *centre(layout.rasters[1], 1, 3)) == Focus.on_element(0, 3 * 4 + 1)


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


def test_of_too_many_arrays_the_cells_are_inside_nonetheless() -> None:
    declared = " ".join(f"float a_rather_long_name_{n}[4];" for n in range(12))
    used = " ".join(f"a_rather_long_name_{n}[threadIdx.x] = 1;" for n in range(12))
    text = f"__global__ void k() {{ {declared} {used} }}"
    found = Stage(trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4)), {}), ())
    for raster in arrange(build_scene(found, Frame(0, 0)), 800, 560, LINE).rasters:
        assert raster.x >= 0
        assert raster.x + raster.box.width <= 800
        assert raster.y + raster.box.height <= 560


def test_tall_shared_arrays_stay_in_their_box_beside_many_local_ones() -> None:
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
