"""Arrays of structs in the picture: a cell for each member, with its value and its name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gui.explore.packing.boxes import Raster
from gui.explore.packing.layout import arrange, hit
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.paint_cells import cell_texts
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text
from gui.explore.values.facts import facts
from kernels.analysis import Frame, variables
from kernels.simt import Unwritten
from kernels.workload import Panel
from tests.gui.explore.conftest import scene_on, step_on
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


def test_every_member_is_a_cell_with_its_value() -> None:
    before, after, shared, own = scene_on(moving(), "p[i].cell").cells
    texts = [[number_text(value) for value in row] for row in before.values.tolist()]
    assert texts[3] == ["3.5", "1.5", "-3"]
    assert after.values[2].tolist() == [11, 0, -3]
    assert after.written.tolist() == [[True, False, True]] * 8
    assert after.wrote.tolist() == [[False, False, True]] * 8
    assert shared.values.tolist() == before.values.tolist()
    assert own.values.tolist() == [[0, 0, -3], [15, 0, 0]]
    assert own.written.tolist() == [[False, False, True], [True, False, False]]


def test_the_head_of_an_array_names_its_struct_and_members() -> None:
    view = moving().views[0]
    assert (view.title, view.detail, view.heads) == ("in", "Particle[8]", ("x", "y", "cell"))


@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 1), (7, 2)])
def test_a_cell_leads_to_its_member_and_back(row: int, column: int) -> None:
    view = moving().views[0]
    index = view.element(row, column)
    assert index is not None
    assert [int(part[0]) for part in view.cells(np.array([index]))] == [row, column]
    found = build_scene(moving(), Frame(0, 0), focus=Focus.on_element(0, index))
    assert np.argwhere(found.cells[0].focus).tolist() == [[row, column]]


def test_members_are_copied_to_their_likes() -> None:
    flows = scene_on(moving(), "s[i] =").flows
    copied = {
        (tuple(a), tuple(b)) for flow in flows for a, b in zip(flow.source.tolist(), flow.target.tolist(), strict=False)
    }
    assert copied == {((row, column), (row, column)) for row in range(8) for column in range(3)}


def test_facts_speak_of_members() -> None:
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


def test_captions_name_members() -> None:
    assert "all 8 threads copy in[0..7] to s" in scene_on(moving(), "s[i] =").caption
    assert "to p[0..7].cell" in scene_on(moving(), "p[i].cell").caption


def test_a_thread_s_own_structs_are_among_its_variables() -> None:
    own = [v for v in variables(moving().trace, moving().trace.steps - 1, 2) if v.kind == "local"]
    assert [(v.name, v.value) for v in own] == [("own[0].cell", -3), ("own[1].x", 11)]


def test_long_arrays_of_vectors_are_headed_too() -> None:
    source = "__global__ void k(float4 *a) { a[threadIdx.x].w = 1; }"
    found = trace(source, {"a": np.zeros((128, 4), np.float32)}, block=(128,))
    view = Stage(found, (Panel("a", "result"),)).views[0]
    assert (view.rows, view.columns, view.step, view.detail) == (16, 32, 8, "float4[128]")
    assert view.heads == ("x", "y", "z", "w") * 8


def test_cells_of_structs_are_wide_where_there_is_room() -> None:
    scene = scene_on(moving(), "s[i] =")
    layout = arrange(scene, 1000, 600, 18)
    before, after = layout.rasters[:2]
    assert before.wide == after.wide > 1
    index = scene.cells[0].view.element(5, 2)
    x, y = before.x + 2.5 * before.across, before.y + 5.5 * before.cell
    assert hit(scene, layout, x, y) == Focus.on_element(0, index or 0)


@pytest.mark.parametrize("size", [(820, 580), (1240, 850)])
def test_shared_memory_lies_beside_tall_arrays(size: tuple[int, int]) -> None:
    layout = arrange(scene_on(moving(), "s[i] ="), *size, 18)
    before, _, shared, _ = layout.rasters
    assert layout.corner is not None
    assert layout.corner.x + layout.corner.width < before.x
    assert layout.corner.contains(shared.x, shared.y)
    assert layout.corner.contains(shared.x + shared.box.width, shared.y + shared.box.height)
    assert shared.cell >= 12


def test_each_member_s_numbers_are_as_large_as_they_can_be() -> None:
    view = moving().views[0]
    values = np.array([[0.5, 1.5e-5 * (row == 3), 12.0] for row in range(8)])
    cells = replace(scene_on(moving(), "s[i] =").cells[0], values=values)
    texts, sizes = cell_texts(cells, Raster(0, 0, 30, view.rows, view.columns))
    assert texts == [["0.5"] * 8, ["0", "0", "0", "…", "0", "0", "0", "0"], ["12"] * 8]
    assert min(sizes) >= SMALLEST_TEXT
