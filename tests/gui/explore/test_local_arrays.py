"""Arrays that each thread has of its own: drawn for one thread, the one pointed at."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gui.explore.packing.boxes import Raster
from gui.explore.packing.layout import arrange, hit
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.paint_cells import cell_texts
from gui.explore.stage.stage import Stage
from gui.explore.values.facts import facts
from gui.explore.values.value_card import value_card
from kernels.analysis import Frame
from kernels.catalog import read_kernel
from kernels.tracing import trace_kernel
from tests.gui.explore.boxes import LINE, boxes, centre, overlap
from tests.gui.explore.conftest import step_on
from tests.kernels.analysis.traces import source, step_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gui.explore.page import ExplorePage
    from gui.explore.stage.scene import Cells, Scene
    from kernels.catalog import Kernel

REGISTER_TILE = """
__global__ void register_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[4][4];
    int row = (blockIdx.y * 2 + threadIdx.y) * 2, col = (blockIdx.x * 2 + threadIdx.x) * 2;
    float acc[2][2];
    for (int n = 0; n < 4; ++n)
        acc[n / 2][n % 2] = 0.0f;
    for (int t = 0; t < K; t += 4) {
        for (int n = 0; n < 4; ++n)
            As[threadIdx.y * 2 + n / 2][threadIdx.x * 2 + n % 2] = A[(row + n / 2) * K + t + threadIdx.x * 2 + n % 2];
        __syncthreads();
        for (int k = 0; k < 4; ++k)
            for (int n = 0; n < 4; ++n)
                acc[n / 2][n % 2] += As[threadIdx.y * 2 + n / 2][k] * B[(t + k) * N + col + n % 2];
        __syncthreads();
    }
    for (int n = 0; n < 4; ++n)
        C[(row + n / 2) * N + col + n % 2] = acc[n / 2][n % 2];
}
/* tilescope
title    = "Register tile"
teaches  = "Four results a thread."
workload = "matmul"
size     = [8, 8, 8]
block    = [2, 2]
blocks   = [[2, 2]]
grid     = ["N / 4", "M / 4"]
*/
"""


@pytest.fixture
def own(tmp_path: Path) -> Kernel:
    file = tmp_path / "register_tile.cu"
    file.write_text(REGISTER_TILE, encoding="utf-8")
    return read_kernel(file)


@pytest.fixture
def stage(own: Kernel) -> Stage:
    return Stage(trace_kernel(own, own.size, own.block), own.workload.panels)


def scene_at(stage: Stage, block: int = 0, nth: int = 3, focus: Focus = NOTHING) -> Scene:
    """The nth time that acc grows."""
    return build_scene(stage, Frame(block, step_on(stage, "acc[n / 2][n % 2] +=", block, nth=nth)), focus=focus)


def acc(scene: Scene) -> Cells:
    (found,) = (cells for cells in scene.cells if cells.view.place == "local")
    return found


@pytest.mark.parametrize(("focus", "lane"), [(NOTHING, 0), (Focus.on_thread(0), 0), (Focus.on_thread(3), 3)])
def test_the_array_of_one_thread_is_shown_with_what_it_holds(stage: Stage, focus: Focus, lane: int) -> None:
    scene = scene_at(stage, nth=3, focus=focus)
    a, b = (np.asarray(stage.trace.initial[n], np.float32) for n in range(2))
    row, column = 2 * (lane // 2), 2 * (lane % 2)
    expected = np.outer(a[row : row + 2, 0], b[0, column : column + 2])  # after k = 0
    assert acc(scene).owner == scene.lane == lane
    assert acc(scene).values.tolist() == expected.tolist()
    assert acc(scene).written.all()


def test_only_what_that_thread_reads_and_writes_is_marked(stage: Stage) -> None:
    for nth, at in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
        found = acc(scene_at(stage, nth=nth, focus=Focus.on_thread(2)))
        assert np.argwhere(found.read).tolist() == np.argwhere(found.wrote).tolist() == [list(at)]
    begin = build_scene(stage, Frame(0, step_on(stage, "acc[n / 2][n % 2] =")))
    assert acc(begin).written.tolist() == [[True, False], [False, False]]


def test_a_thread_of_another_block_is_not_mixed_up(stage: Stage) -> None:
    assert scene_at(stage, block=1, focus=Focus.on_thread(3)).lane == 4
    assert scene_at(stage, block=1, focus=Focus.on_thread(7)).lane == 7


@pytest.mark.parametrize(("width", "height"), [(800, 520), (1240, 850), (620, 420)])
def test_it_has_room_of_its_own(stage: Stage, width: int, height: int) -> None:
    scene = scene_at(stage)
    layout = arrange(scene, width, height, LINE)
    assert layout.own is not None
    inside = layout.rasters[[cells.view.place for cells in scene.cells].index("local")].box
    assert layout.own.contains(inside.x, inside.y)
    assert layout.own.contains(inside.x + inside.width, inside.y + inside.height)
    found = boxes(scene, width, height)
    assert not [(a, b) for a, b in itertools.combinations(found, 2) if overlap(a, b)]
    assert layout.corner is None or not overlap(layout.own, layout.corner)
    assert layout.block is None or not overlap(layout.own, layout.block)


def test_an_element_of_it_is_that_threads(stage: Stage) -> None:
    scene = scene_at(stage, nth=1, focus=Focus.on_thread(2))
    layout = arrange(scene, 820, 570, LINE)
    number = [cells.view.place for cells in scene.cells].index("local")
    pointed = hit(scene, layout, *centre(layout.rasters[number], 0, 1))
    assert pointed == Focus.on_element(acc(scene).view.array, 1, 2)
    again = scene_at(stage, nth=1, focus=pointed)
    assert again.lane == 2  # the array stays that of the thread while the pointer is on it
    assert again.threads.focus.tolist() == [False, False, True, False]
    told = facts(stage, again)
    assert told.heading == "acc[0][1]"
    assert dict(told.lines)["place"] == "element 1 of the thread's own copy"
    assert dict(told.lines)["whole run"] == "accessed 18 times"  # set, read and written for each k, stored


def test_the_thread_is_told_with_what_it_touches(stage: Stage) -> None:
    told = facts(stage, scene_at(stage, nth=2))
    assert ("reads", "acc[1][0]") in told.lines
    assert ("writes", "acc[1][0]") in told.lines
    assert "acc" not in dict(told.lines)["variables"]  # it is drawn


def test_on_the_page_it_follows_the_thread_that_is_clicked(open_page: Callable[..., ExplorePage], own: Kernel) -> None:
    page = open_page(own)
    assert page.story is not None
    page.show_block(0)
    page.canvas.clicked.emit(Focus.on_thread(3))
    assert page.scene is not None
    assert page.scene.lane == 3
    page.show_block(2)
    assert page.scene.lane == 2 * 4 + 3
    assert not page.grab().isNull()


def test_pointers_are_arrows_and_no_numbers() -> None:
    text = """__global__ void k(float *A) {
    float *at[2];
    for (int i = 0; i < 2; ++i) at[i] = A + i * 4;
    *at[threadIdx.x] = 1.0f;
}"""
    stage = Stage(source(text, "1", "2", "A=f32[8]:zeros"), ())
    step = step_of(stage.trace, "*at[")
    plain = build_scene(stage, Frame(0, step))
    (cells,) = (cells for cells in plain.cells if cells.view.place == "local")
    assert cell_texts(cells, Raster(0, 0, 40, 1, 2))[0] == [["→"], ["→"]]
    focused = build_scene(stage, Frame(0, step), focus=Focus.on_element(cells.view.array, 0, 0))
    assert ("value", "a pointer") in facts(stage, focused).lines
    assert value_card(stage, focused)[0].text == "at[0] = a pointer"
    assert "at[" not in dict(facts(stage, plain).lines).get("variables", "")
