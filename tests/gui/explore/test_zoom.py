from __future__ import annotations

import pytest

from gui.explore.packing.layout import arrange
from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Options
from kernels.analysis import Frame
from tests.gui.explore.conftest import stage, step_on


@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_registers_2d", "lesson_missing_guard", "hello_grid"])
def test_the_grid_has_the_picture_to_itself(name: str) -> None:
    found = stage(name)
    frame = Frame(0, int(found.trace.block_steps(0)[-1]))
    block, grid = (build_scene(found, frame, Options(zoom=zoom)) for zoom in ("block", "grid"))
    assert {cells.view.place for cells in grid.cells} <= {"left", "top", "result"}
    assert grid.blocks == block.blocks
    assert [box.number for box in grid.blocks if box.current] == [0]
    layout, magnified = (arrange(scene, 820, 560, 18) for scene in (grid, block))
    assert (layout.zoom, layout.corner, layout.own) == (None, None, None)
    assert layout.thread_raster.cell >= magnified.thread_raster.cell


def test_the_marks_of_the_grid_are_those_of_the_block() -> None:
    found = stage("lesson_missing_guard")
    frame = Frame(1, step_on(found, "C[", 1))
    block, grid = (build_scene(found, frame, Options(zoom=zoom)) for zoom in ("block", "grid"))
    assert block.strays
    assert [grid.cells[stray.view].view for stray in grid.strays] == [
        block.cells[stray.view].view for stray in block.strays
    ]
    assert grid.result is not None
    assert grid.cells[grid.result].view.place == "result"


def test_copies_to_shared_memory_belong_to_the_block() -> None:
    found = stage("matmul_tiled")
    frame = Frame(0, step_on(found, "As"))
    assert build_scene(found, frame).flows
    assert not build_scene(found, frame, Options(zoom="grid")).flows


def test_blocks_whose_threads_have_several_results_are_where_they_write() -> None:
    found = stage("matmul_registers_2d")
    assert [list(box[1:]) for box in found.block_outlines] == [
        [0, 0, 16, 16],
        [0, 16, 16, 2],
        [16, 0, 2, 16],
        [16, 16, 2, 2],
    ]
