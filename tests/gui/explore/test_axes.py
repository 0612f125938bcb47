from __future__ import annotations

import pytest

from gui.explore.packing.constants import AXES_LINES
from gui.explore.packing.layout import arrange
from gui.explore.stage.block_places import Axes, magnified_axes
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import _heading_room
from kernels.analysis import Frame
from kernels.launch import Dim3
from tests.gui.explore.conftest import stage


@pytest.mark.parametrize(
    ("name", "size", "block", "axes"),
    [
        ("matmul_naive", "6,6,6", "3,3", Axes("columns", "rows")),
        ("matmul_naive_row_x", "6,6,6", "3,3", Axes("rows", "columns")),  # x runs down
        ("matmul_naive_row_x", "3,3,3", "1,1", Axes("rows", "columns")),  # by blockIdx alone
        ("hello_grid", "", "", Axes("columns", "rows")),
        ("matmul_registers_2d", "", "", Axes(None, None)),  # a thread has several cells
    ],
)
def test_axes_are_those_of_the_cells(name: str, size: str, block: str, axes: Axes) -> None:
    assert stage(name, size, block).axes == axes


@pytest.mark.parametrize(
    ("block", "axes"),
    [
        (Dim3(8, 4), Axes("columns", "rows")),
        (Dim3(8), Axes("columns", None)),
        (Dim3(64), Axes(None, None)),  # folded: the second row goes on with x
        (Dim3(1, 8), Axes(None, "rows")),
    ],
)
def test_axes_of_the_magnified_block(block: Dim3, axes: Axes) -> None:
    assert magnified_axes(block) == axes


def test_the_heading_of_the_threads_leaves_room_for_their_axes() -> None:
    scene = build_scene(stage("matmul_naive", "5,6,4", "3,2"), Frame(0, 4))
    layout = arrange(scene, 771, 372, 17.6)
    assert layout.zoom is not None
    box = layout.block
    assert box is not None
    below = layout.zoom.y >= box.y + 1.5 * layout.line
    assert below or _heading_room(layout, box) <= layout.zoom.x - AXES_LINES * layout.line - box.x
