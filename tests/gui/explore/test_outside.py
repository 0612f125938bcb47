"""Accesses outside a matrix: the element that the source names, and the one that has its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.explore.scene.build import build_scene
from gui.explore.scene.facts import facts
from gui.explore.scene.focus import Focus
from gui.explore.scene.stage import Stage
from kernels.analysis import Frame
from kernels.catalog import read_kernel
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import kernel, stage, step_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gui.explore.page import ExplorePage
    from gui.explore.scene.scene import Scene

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
    assert found.block_boxes.tolist() == [[0, 0, 2, 2], [0, 2, 2, 2], [2, 0, 2, 2], [2, 2, 2, 2]]
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


def test_padding_is_known_and_is_not_drawn_as_a_value() -> None:
    found = stage("matmul_tiled_padded", "3", "2,2")
    assert {v.name: n for v, n in zip(found.views, found.padding, strict=True) if n} == {"Bs": 1}


def test_unused_columns_without_a_sum_in_the_declaration_are_no_padding() -> None:
    found = stage("mmt_tiled_guard_inner", "3", "4,4")
    assert not any(found.padding)
