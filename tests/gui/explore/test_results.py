"""The result line and the wrong cells of a picture."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.explore.playback.story import story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.stage import Stage
from gui.selection.recording import Recording
from kernels.analysis import playlist
from kernels.catalog import catalog
from kernels.simt import Options
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import kernel
from tests.sweeps import RIGHT_BY_LUCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.explore.page import ExplorePage
    from gui.explore.stage.scene import Scene

LESSONS = [listed.id for listed in catalog() if listed.flaw and listed.id not in RIGHT_BY_LUCK]


@cache
def lesson(name: str) -> Stage:
    found = kernel(name)
    trace = trace_kernel(found, found.size, found.block, options=Options(schedule=found.schedule))
    return Stage(trace, found.workload.panels, workload=found.workload)


def scene_at(found: Stage, position: int) -> Scene:
    return build_scene(found, playlist(found.trace, "memory", found.order).frames[position])


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_ends_with_its_wrong_elements_marked_and_named(name: str) -> None:
    found, scene = lesson(name), scene_at(lesson(name), -1)
    assert scene.result_line is not None
    assert scene.result_line.mark == "✗"
    (a, b) = ("M", "M") if "M" in [array.name for array in found.trace.arrays] else ("A", "B")
    left, top = (found.trace.initial[found.trace.array_number(n)].astype(float) for n in (a, b))  # type: ignore[union-attr]
    cells = next(cells for cells in scene.cells if cells.view.place == "result")
    expected = left @ (top.T if a == b else top)
    differs = ~(cells.written & (np.abs(cells.values - expected) <= 1e-5 * expected))
    rows, columns = differs.shape
    assert (cells.wrong[:rows, :columns] == differs).all()
    assert scene.result_line.summary == f"{np.count_nonzero(differs)} of {differs.size} wrong"
    assert not any(other.wrong.any() for other in scene.cells if other is not cells)
    assert f"{cells.view.name}[" in scene.result_line.detail
    assert scene.has_wrong


def test_on_the_way_the_elements_that_are_final_are_counted() -> None:
    found = kernel("matmul_tiled")
    on = Stage(trace_kernel(found, found.size, found.block), found.workload.panels, workload=found.workload)
    lines = []
    for frame in playlist(on.trace, "memory", on.order).frames:
        line = build_scene(on, frame).result_line
        assert line is not None
        lines.append(line.sentence)
    assert list(dict.fromkeys(lines)) == [
        "No result yet: 0 of 9 elements final",
        "✓ Right so far: 4 of 9 elements final",
        "✓ Right so far: 6 of 9 elements final",
        "✓ Right so far: 8 of 9 elements final",
        "✓ All 9 elements right",
    ]


def test_a_click_on_the_line_jumps_to_the_first_wrong_write(open_page: Callable[..., ExplorePage]) -> None:
    page = open_page(kernel("lesson_swapped_index"))
    assert page.story is not None
    page.timeline.go(0)
    assert page.result.focusPolicy() == Qt.FocusPolicy.NoFocus
    page.timeline.last()
    assert page.result.text().startswith("✗ 6 of 9 wrong\n")
    results = page.story.stage.results
    assert results is not None
    first = results.verdict(*page.frames[-1]).first
    assert first is not None
    page.timeline.go(page.timeline.position)
    QTest.mouseClick(page.result, Qt.MouseButton.LeftButton)
    assert page.scene is not None
    assert (page.scene.block, page.scene.step) == (first.block, first.step)
    assert page.scene.focus == Focus.on_element(first.array, first.index)
    assert page.scene.cells[2].wrong.any()
    assert page.result.isVisible()


def test_a_saved_run_is_judged_by_the_workload_of_its_source_if_it_names_one() -> None:
    found = kernel("lesson_swapped_index")
    trace = lesson(found.id).trace
    for described in (found, None):
        story = story_of_recording(Recording(Path("run.trace"), trace, described), lambda: False)
        line = build_scene(story.stage, story.memory.frames[-1]).result_line
        assert (line is not None) == (described is not None)
        assert line is None or line.sentence == "✗ 6 of 9 wrong: C[0][1] = 15, should be 18"


def test_without_a_workload_there_is_no_claim(open_page: Callable[..., ExplorePage]) -> None:
    page = open_page(kernel("hello_grid"))
    assert page.scene is not None
    assert page.scene.result_line is None
    assert not page.result.isVisible()
