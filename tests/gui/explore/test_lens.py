from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.explore.packing.constants import TILE
from gui.explore.packing.layout import arrange, hit
from gui.explore.packing.lens import magnified_cells
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.paint_flows import thread_place
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import fitting_size
from kernels.analysis import Frame
from kernels.launch import Dim3
from kernels.workload import Panel
from tests.gui.explore.conftest import stage, step_on
from tests.kernels.analysis.traces import source, step_of

if TYPE_CHECKING:
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.scene import Scene

LINE = 18
SIZE = (820, 375, LINE)


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


def test_a_small_block_is_shown_as_a_whole() -> None:
    assert shown("matmul_tiled", "3", "2,2")[1].lens is None


def test_threads_of_a_low_box_are_as_wide_as_their_values() -> None:
    found = stage("matmul_naive", "16", "4,4")
    layout = arrange(build_scene(found, Frame(15, found.trace.steps - 1)), 627, 390, LINE)
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


def test_threads_outside_of_the_lens_are_on_the_result() -> None:
    scene, layout = shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(0))
    raster, at = thread_place(scene, layout, 1023)
    assert raster is layout.thread_raster
    assert at == (31, 31)


def test_without_a_lens_every_thread_is_shown() -> None:
    *_, inside = magnified_cells(Dim3(4, 4), None)
    assert inside.all()


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


def test_several_warps_that_do_not_fit_stay_dots() -> None:
    trace = source(ROW, "1", "512", "in=f32[512,8]:ones", "out=f32[512]:uninit")
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    assert arrange(build_scene(found, Frame(0, step_of(trace, "sum +="))), *SIZE).lens is None


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
