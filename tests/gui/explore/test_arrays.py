"""Arrays of structs, and arrays that each thread has, in the picture."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gui.explore.packing.boxes import Raster
from gui.explore.packing.layout import arrange, hit
from gui.explore.page import ExplorePage
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.paint_cells import cell_texts
from gui.explore.stage.scene import Cells, Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text
from gui.explore.values.facts import facts
from gui.explore.values.value_card import value_card
from kernels.analysis import Frame, variables
from kernels.catalog import Kernel, read_kernel
from kernels.simt import Unwritten
from kernels.tracing import trace_kernel
from kernels.workload import Panel
from tests.gui.explore.boxes import LINE, boxes, centre, overlap
from tests.gui.explore.conftest import scene_on, step_on
from tests.kernels.analysis.traces import source, step_of
from tests.kernels.simt.programs import trace

MOVE = """struct Particle { float x, y; short cell; };
__global__ void move(const Particle *in, Particle *p) {
    __shared__ Particle s[8];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    Particle own[2];
    own[1].x = 2 * s[7 - i].x;
    own[0].cell = -3;
    p[i].x = own[1].x;
    p[i].cell = own[0].cell;
}"""


PARTICLE = np.dtype([("x", "f4"), ("y", "f4"), ("cell", "i2")], align=True)


@cache
def moving() -> Stage:
    particles = np.zeros(8, PARTICLE)
    particles["x"], particles["y"], particles["cell"] = np.arange(8) + 0.5, 1.5, -np.arange(8)
    words = particles.view(np.uint16).reshape(8, 6)
    found = trace(MOVE, {"in": words, "p": Unwritten(np.uint16, (8, 6))})
    return Stage(found, (Panel("in", "left"), Panel("p", "result")))


def test_every_member_is_a_cell_with_its_value_and_name() -> None:
    before, after, shared, own = scene_on(moving(), "p[i].cell").cells
    texts = [[number_text(value) for value in row] for row in before.values.tolist()]
    assert texts[3] == ["3.5", "1.5", "-3"]
    assert after.values[2].tolist() == [11, 0, -3]
    assert after.written.tolist() == [[True, False, True]] * 8
    assert after.wrote.tolist() == [[False, False, True]] * 8
    assert shared.values.tolist() == before.values.tolist()
    assert own.values.tolist() == [[0, 0, -3], [15, 0, 0]]
    assert own.written.tolist() == [[False, False, True], [True, False, False]]
    # The head of an array names its struct and members.
    view = moving().views[0]
    assert (view.title, view.detail, view.heads) == ("in", "Particle[8]", ("x", "y", "cell"))
    # Members are copied to their likes.
    flows = scene_on(moving(), "s[i] =").flows
    copied = {
        (tuple(a), tuple(b)) for flow in flows for a, b in zip(flow.source.tolist(), flow.target.tolist(), strict=False)
    }
    assert copied == {((row, column), (row, column)) for row in range(8) for column in range(3)}
    # Captions name members.
    assert "all 8 threads copy in[0..7] to s" in scene_on(moving(), "s[i] =").caption
    assert "to p[0..7].cell" in scene_on(moving(), "p[i].cell").caption


@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 1), (7, 2)])
def test_a_cell_leads_to_its_member_and_back(row: int, column: int) -> None:
    view = moving().views[0]
    index = view.element(row, column)
    assert index is not None
    assert [int(part[0]) for part in view.cells(np.array([index]))] == [row, column]
    found = build_scene(moving(), Frame(0, 0), focus=Focus.on_element(0, index))
    assert np.argwhere(found.cells[0].focus).tolist() == [[row, column]]


def test_facts_and_variables_speak_of_members() -> None:
    step = step_on(moving(), "p[i].x =")
    p = moving().trace.array_number("p")
    scene = build_scene(moving(), Frame(0, step), focus=Focus.on_element(p, 12))
    told = facts(moving(), scene)
    assert told.heading == "p[2].x"
    assert ("value", "11") in told.lines
    assert ("place", "element 2, byte address p + 24") in told.lines
    assert ("now", "accessed by thread 2") in told.lines
    of_thread = facts(moving(), build_scene(moving(), Frame(0, step), focus=Focus.on_thread(2)))
    assert ("writes", "p[2].x: element 2, byte address p + 24") in of_thread.lines
    assert ("", "i = 2") in of_thread.lines
    # A thread s own structs are among its variables.
    own = [v for v in variables(moving().trace, moving().trace.steps - 1, 2) if v.kind == "local"]
    assert [(v.name, v.value) for v in own] == [("own[0].cell", -3), ("own[1].x", 11)]


def test_cells_of_structs_are_as_wide_and_their_numbers_as_large_as_there_is_room() -> None:
    scene = scene_on(moving(), "s[i] =")
    layout = arrange(scene, 1000, 600, 18)
    before, after = layout.rasters[:2]
    assert before.wide == after.wide > 1
    index = scene.cells[0].view.element(5, 2)
    x, y = before.x + 2.5 * before.across, before.y + 5.5 * before.cell
    assert hit(scene, layout, x, y) == Focus.on_element(0, index or 0)
    # Each member s numbers are as large as they can be.
    view = moving().views[0]
    values = np.array([[0.5, 1.5e-5 * (row == 3), 12.0] for row in range(8)])
    cells = replace(scene_on(moving(), "s[i] =").cells[0], values=values)
    texts, sizes = cell_texts(cells, Raster(0, 0, 30, view.rows, view.columns))
    assert texts == [["0.5"] * 8, ["0", "0", "0", "…", "0", "0", "0", "0"], ["12"] * 8]
    assert min(sizes) >= SMALLEST_TEXT
    # Long arrays of vectors are headed too.
    source = "__global__ void k(float4 *a) { a[threadIdx.x].w = 1; }"
    found = trace(source, {"a": np.zeros((128, 4), np.float32)}, block=(128,))
    view = Stage(found, (Panel("a", "result"),)).views[0]
    assert (view.rows, view.columns, view.step, view.detail) == (16, 32, 8, "float4[128]")
    assert view.heads == ("x", "y", "z", "w") * 8


@pytest.mark.parametrize("size", [(820, 580), (1240, 850)])
def test_shared_memory_lies_beside_tall_arrays(size: tuple[int, int]) -> None:
    layout = arrange(scene_on(moving(), "s[i] ="), *size, 18)
    before, _, shared, _ = layout.rasters
    assert layout.corner is not None
    assert layout.corner.x + layout.corner.width < before.x
    assert layout.corner.contains(shared.x, shared.y)
    assert layout.corner.contains(shared.x + shared.box.width, shared.y + shared.box.height)
    assert shared.cell >= 12


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


def test_what_the_thread_touches_is_marked_and_told(stage: Stage) -> None:
    for nth, at in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
        found = acc(scene_at(stage, nth=nth, focus=Focus.on_thread(2)))
        assert np.argwhere(found.read).tolist() == np.argwhere(found.wrote).tolist() == [list(at)]
    begin = build_scene(stage, Frame(0, step_on(stage, "acc[n / 2][n % 2] =")))
    assert acc(begin).written.tolist() == [[True, False], [False, False]]
    # A thread of another block is not mixed up.
    assert scene_at(stage, block=1, focus=Focus.on_thread(3)).lane == 4
    assert scene_at(stage, block=1, focus=Focus.on_thread(7)).lane == 7
    # The thread is told with what it touches.
    told = facts(stage, scene_at(stage, nth=2))
    assert ("reads", "acc[1][0]") in told.lines
    assert ("writes", "acc[1][0]") in told.lines
    assert "acc" not in dict(told.lines)["variables"]  # it is drawn


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
