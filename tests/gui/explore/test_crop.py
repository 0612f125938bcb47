"""Crops of scenes: a part of each matrix keeps its elements, and shows the work of the step in large digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.explore.stage.build import build_scene
from gui.explore.stage.crop import Window, can_crop, crop, follow
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.scene import Options
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT
from kernels.analysis import playlist
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.gui.explore.conftest import kernel
from tests.gui.explore.painted_texts import RecordingPainter
from tests.gui.explore.test_presentation import SCREENS, present
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gui.explore.page import ExplorePage
    from gui.explore.stage.canvas import Canvas
    from gui.explore.stage.scene import Scene

    OpenPage = Callable[..., ExplorePage]

KERNELS = (
    "matmul_tiled",
    "mmt_symmetric",
    "lesson_missing_guard",
    "lesson_uncleared_target",  # NaN
    "transpose_tiled",
    "index_map",
)
LAST_ROW = 0.03
"""Height of digits that the last row of a lecture hall reads, as a share of the screen's height."""

_INK = 0.73
"""Height of a digit's ink, in heights of its text."""


def scenes(name: str) -> Iterator[Scene]:
    """Build some scenes of a kernel that can be cropped."""
    found = find_kernel(name)
    trace = trace_kernel(found, found.size, found.block)
    stage, frames = Stage(trace, found.workload.panels), playlist(trace, "statement").frames
    for at in np.linspace(0, len(frames) - 1, 24).astype(int).tolist():
        focus = Focus.on_thread(frames[at].block * trace.launch.block.count + 1) if at % 2 else NOTHING
        scene = build_scene(stage, frames[at], Options(), focus)
        if can_crop(scene):
            yield scene


@pytest.mark.parametrize("name", KERNELS)
def test_a_part_keeps_elements_values_and_accesses(name: str) -> None:
    several = list(scenes(name))
    assert several
    for scene in several:
        part = crop(scene, Window(3, 2, 2))
        for whole, shown in zip(scene.cells, part.cells, strict=True):
            assert shown.rows <= 3
            rows, columns = shown.values.shape
            for row in range(rows):
                for column in range(columns):
                    element = shown.view.element(row, column)
                    assert element is not None
                    (at,), (across,) = whole.view.cells(np.array([element]))
                    (here,), (column_here,) = shown.view.cells(np.array([element]))
                    assert (here, column_here) == (row, column)
                    assert whole.read[at, across] == shown.read[row, column]
                    if whole.written[at, across]:
                        assert np.array_equal(whole.values[at, across], shown.values[row, column], equal_nan=True)
        for before, after in zip(scene.accesses, part.accesses, strict=True):
            views = scene.cells[before.view].view, part.cells[after.view].view
            wanted = {
                (lane, views[0].element(*at)) for lane, at in zip(before.lanes, before.cells.tolist(), strict=True)
            }
            assert {
                (lane, views[1].element(*at)) for lane, at in zip(after.lanes, after.cells.tolist(), strict=True)
            } <= wanted
        for box in part.blocks:
            assert box.row + box.rows <= 3


@pytest.mark.parametrize("name", KERNELS)
def test_the_followed_part_has_what_the_step_accesses(name: str) -> None:
    for scene in scenes(name):
        part = follow(scene, 632, 483, 20, 24.0)
        arrays = [cells.view.array for cells in part.cells]
        marked = [cells for cells in scene.cells if (cells.read | cells.wrote).any()]
        assert {cells.view.array for cells in marked} <= set(arrays)
        for cells in marked:
            shown = part.cells[arrays.index(cells.view.array)]
            assert (shown.read | shown.wrote).any()  # the window is where the work is


def least_digits(canvas: Canvas) -> float:
    """Return the height of the smallest digits in what the step accesses; they are all there."""
    image = QImage(canvas.size(), QImage.Format.Format_RGB32)
    painter, scene = RecordingPainter(image), canvas.painted_scene
    assert scene is not None
    text = TextPainter(canvas.font().family())
    try:
        layout = paint_scene(
            painter, scene, LIGHT, text, canvas.width(), canvas.height(), canvas.text_line, legend=False
        )
    finally:
        painter.end()
    found = []
    for cells, raster in zip(scene.cells, layout.rasters, strict=True):
        places = [(raster.at(t.ink.center().x(), t.ink.center().y()), t) for t in painter.texts]
        marked = set(map(tuple, np.argwhere(cells.read | cells.wrote).tolist()))
        inside = [(at, t.ink.height() / _INK) for at, t in places if at in marked and t.text.lstrip("-").isdigit()]
        assert {at for at, _ in inside} == marked
        found += [high for _, high in inside]
    return min(found, default=np.inf)


@pytest.mark.parametrize(("shape", "screen"), in_turn(["4:2", "8:4", "16:4", "16:8", "16:16"], SCREENS, str))
def test_a_presented_comparison_is_read_from_the_last_row(
    open_page: OpenPage, shape: str, screen: tuple[int, int]
) -> None:
    side, block = map(int, shape.split(":"))
    size, threads = Size(side, side, side), Dim3(block, block)
    page = open_page(kernel("matmul_naive"), size=size, block=threads)
    other = open_page(kernel("matmul_tiled"), size=size, block=threads)
    assert other.story is not None
    page.compare(other.story, "naive", "tiled")
    present(page, screen)
    for position in range(0, len(page.frames), max(1, len(page.frames) // 10)):
        page.timeline.go(position)
        for canvas in (page.canvas, page.other.canvas):
            assert least_digits(canvas) >= LAST_ROW * screen[1]
    page.presentation.leave()
    assert page.canvas.painted_scene is page.canvas.scene
