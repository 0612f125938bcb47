from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPainter

from gui.explore.packing.folding import block_arrangement, line_columns, slices_across, strip_wrap
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.gui.explore.conftest import stage, step_on

if TYPE_CHECKING:
    from kernels.catalog import Kernel

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


def test_slices_lie_side_by_side_as_the_room_allows() -> None:
    assert slices_across(3, 4, 4) == 3
    assert slices_across(6, 6, 6) == 3
    assert slices_across(6, 6, 6, 0.5) == 2


@pytest.mark.parametrize(
    ("grid", "block", "columns"),
    [(1, 8, 8), (4, 4, 16), (4, 32, 32), (1, 1024, 32), (16, 1024, 128), (100, 10, 40)],
)
def test_a_line_of_threads_is_folded_between_blocks_or_warps(grid: int, block: int, columns: int) -> None:
    launch = Launch(Dim3(grid), Dim3(block))
    assert line_columns(launch) == columns
    assert columns % block == 0 or block % columns == 0


def test_every_block_of_a_folded_line_has_its_box() -> None:
    found = stage("hello_grid", block="64")
    assert [(box.block, box.rows * box.columns) for box in found.block_outlines] == [
        (number, 64) for number in range(found.trace.launch.grid.count)
    ]


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
