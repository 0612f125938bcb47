"""Accesses outside a matrix: the element that the source names, and the one that has its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.explore.packing.layout import arrange, hit
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.stage import Stage
from gui.explore.timeline.marks import marks_of
from gui.explore.values.facts import facts
from kernels.analysis import Frame
from kernels.arguments import parse_arguments
from kernels.catalog import read_kernel
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Panel
from tests.gui.explore.conftest import kernel, stage, step_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gui.explore.page import ExplorePage
    from gui.explore.stage.scene import Scene

    OpenPage = Callable[..., ExplorePage]


def cells_at(mask: np.ndarray) -> set[tuple[int, int]]:
    return {(int(r), int(c)) for r, c in np.argwhere(mask)}


def named(scene: Scene, name: str) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the cells beyond the edges that are marked on an array, and the elements marked as their landing."""
    cells = next(cells for cells in scene.cells if cells.view.name == name)
    return cells_at(cells.outside), cells_at(cells.landing)


def test_a_store_beyond_the_edge_shows_the_element_named_and_the_element_written() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)))
    assert named(scene, "C") == ({(0, 3), (1, 3)}, {(1, 0), (2, 0)})
    assert "write C[0][3] and C[1][3], outside the 3×3 matrix, at the addresses of C[1][0] and C[2][0]" in scene.caption


def test_reads_are_outside_by_their_coordinates_although_their_flat_index_exists() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "sum +=", 1)))
    assert named(scene, "B") == ({(0, 3)}, {(1, 0)})
    assert scene.caption.endswith(
        "careful: threads (1,0) and (1,1) both read B[0][3], outside the 3×3 matrix, at the address of B[1][0]"
    )


def test_every_thread_that_is_outside_is_marked() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "sum +=", 1)))
    assert scene.threads.hazard.tolist() == [False, True, False, True]


def test_the_caption_and_the_marks_agree_in_every_frame() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    outside = 0
    for block in range(4):
        for step in found.trace.block_steps(block).tolist():
            scene = build_scene(found, Frame(block, step))
            assert ("outside the 3×3 matrix" in scene.caption) == bool(scene.strays)
            assert all(stray.lanes.size and cells_at(scene.cells[stray.view].outside) for stray in scene.strays)
            outside += len(scene.strays)
    assert outside


def test_an_unguarded_kernel_has_its_grid_and_its_threads_beyond_the_edge() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    assert [list(box[1:]) for box in found.block_outlines] == [[0, 0, 2, 2], [0, 2, 2, 2], [2, 0, 2, 2], [2, 2, 2, 2]]
    assert found.result is not None
    assert found.overhang[found.result] == (1, 1)
    threads = build_scene(found, Frame(1, step_on(found, "C[", 1))).threads
    assert list(zip(threads.row.tolist(), threads.column.tolist(), strict=True)) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert threads.stored.tolist() == [True, False, True, False]
    assert threads.value_name == "sum"  # also where it is NaN, from an element that does not exist


def test_a_guard_on_the_flat_index_lets_threads_write_into_the_next_row(tmp_path: Path) -> None:
    file = tmp_path / "lesson_missing_guard.cu"
    store = "C[row * N + col] = sum;"
    text = kernel("lesson_missing_guard").text
    file.write_text(text.replace(store, f"if (row * N + col < M * N) {store}"), encoding="utf-8")
    wrong = read_kernel(file)
    found = Stage(trace_kernel(wrong, wrong.size, wrong.block), wrong.workload.panels)
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)))
    assert named(scene, "C")[1] == {(1, 0), (2, 0)}


def test_the_card_names_both_elements() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)), focus=Focus.on_thread(5))
    lines = facts(found, scene).lines
    assert ("writes", "C[0][3], outside the 3×3 matrix") in lines
    assert ("address", "that of C[1][0]: element 3, byte address C + 12") in lines
    cells = scene.cells[found.result or 0]
    assert cells_at(cells.focus) == {(0, 3), (1, 0)}


def test_an_address_past_the_end_lands_nowhere() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(2, step_on(found, "C[", 2)), focus=Focus.on_thread(10))
    assert named(scene, "C") == ({(3, 0), (3, 1)}, set())
    assert scene.caption.endswith("write C[3][0] and C[3][1], outside the 3×3 matrix, past the end of C")
    assert ("address", "past the end of C: element 9, byte address C + 36") in facts(found, scene).lines


def test_the_card_of_the_element_written_names_the_element_meant() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    result = next(view.array for view in found.views if view.name == "C")
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)), focus=Focus.on_element(result, 3))
    assert ("", "C[0][3] has this address, outside the 3×3 matrix: named by (1,0)") in facts(found, scene).lines


def test_a_cell_beyond_the_edge_can_be_pointed_at() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "sum +=", 1)))
    layout = arrange(scene, 820, 640, 18.0)
    number = next(n for n, cells in enumerate(scene.cells) if cells.view.name == "B")
    raster = layout.rasters[number]
    point = raster.x + 3.5 * raster.across, raster.y + 0.5 * raster.cell
    assert hit(scene, layout, *point) == Focus.on_thread(5)


def test_a_line_goes_on_beyond_its_end() -> None:
    text = "__global__ void k(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = 2.0f * x[i]; }"
    arguments = parse_arguments(("x=f32[6]:iota",))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(2), Dim3(4)), arguments)
    found = Stage(trace, (Panel("x", "result"),))
    scene = build_scene(found, Frame(1, step_on(found, "x[i]", 1)))
    assert found.overhang == ((0, 2),)
    assert named(scene, "x") == ({(0, 6), (0, 7)}, set())
    assert [list(box[1:]) for box in found.block_outlines] == [[0, 0, 1, 4], [0, 4, 1, 4]]


def test_a_thread_of_many_results_is_beyond_the_edge_with_each_of_them() -> None:
    text = """__global__ void k(float *C, int N) {
        for (int row = threadIdx.y; row < 3; row += 2)
            C[row * N + threadIdx.x] = 1.0f;
    }"""
    arguments = parse_arguments(("C=f32[3,3]:uninit", "N=3"))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4, 2)), arguments)
    found = Stage(trace, (Panel("C", "result"),))
    scene = build_scene(found, Frame(0, step_on(found, "C[")))
    assert (int(scene.threads.row[3]), int(scene.threads.column[3])) == (0, 3)
    assert not scene.threads.stored[3]


def test_the_caption_of_a_branch_warns_too() -> None:
    text = "__global__ void k(float *x) { if (x[threadIdx.x] > 0.0f) x[0] = 1.0f; }"
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4)), parse_arguments(("x=f32[3]:iota",)))
    found = Stage(trace, (Panel("x", "result"),))
    scene = build_scene(found, Frame(0, step_on(found, "if (")))
    assert scene.caption.endswith("; careful: thread 3 reads x[3], outside the 3 elements of x")


def test_no_cell_beyond_an_edge_is_read_or_written() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    for block in range(4):
        for step in found.trace.block_steps(block).tolist():
            for lane in (0, 4 * block + 1):
                for cells in build_scene(found, Frame(block, step), focus=Focus.on_thread(lane)).cells:
                    rows, columns = cells.values.shape
                    real = np.zeros(cells.read.shape, bool)
                    real[:rows, :columns] = True
                    assert not ((cells.read | cells.wrote) & ~real).any()
                    assert not (cells.focus & ~real & ~cells.outside).any()


def test_a_guarded_kernel_has_no_such_marks() -> None:
    for name in ("matmul_tiled", "matmul_naive"):
        found = stage(name, "3", "2,2")
        assert not found.has_outside


def test_a_click_on_a_hazard_selects_its_thread(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_guard"))
    assert page.story is not None
    for hazard in page.story.stage.trace.hazards:
        page.show_hazard(hazard)
        access, scene = hazard.accesses[-1], page.scene
        assert scene is not None
        assert scene.focus.kind == "thread"
        lane = scene.focus.lane - scene.threads.first_lane
        assert (scene.block_index, scene.threads.index[lane]) == (access.block, access.thread)
        assert scene.threads.hazard[lane]


def test_the_timeline_marks_every_frame_with_an_access_outside(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_guard"))
    assert page.story is not None
    marked = set(marks_of(page.story.stage.trace, page.story.memory, page.story.stage.outside_frames).hazards)
    frames = page.story.memory.frames
    assert marked == {n for n in range(len(frames)) if build_scene(page.story.stage, frames[n]).strays}


def test_padding_is_known_and_is_not_drawn_as_a_value() -> None:
    found = stage("matmul_tiled_padded", "3", "2,2")
    assert {v.name: n for v, n in zip(found.views, found.padding, strict=True) if n} == {"Bs": 1}


def test_the_card_calls_padding_padding() -> None:
    found = stage("matmul_tiled_padded", "3", "2,2")
    array = next(view.array for view in found.views if view.name == "Bs")
    scene = build_scene(found, Frame(0, 3), focus=Focus.on_element(array, 2))
    card = facts(found, scene)
    assert card.heading == "Bs[0][2]"
    assert card.lines[0] == ("padding", "only makes the row longer: no thread accesses it")


def test_unused_columns_without_a_sum_in_the_declaration_are_no_padding() -> None:
    found = stage("mmt_tiled_guard_inner", "3", "4,4")
    assert not any(found.padding)
