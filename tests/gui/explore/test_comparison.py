"""Two runs side by side: one clock, both pictures, and figures that are those of each run alone."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.explore.compare.comparison import comparables
from gui.explore.page import ExplorePage
from gui.explore.stage.build import build_scene
from gui.selection.session import Selection
from kernels.analysis.metrics.comparison import align
from kernels.analysis.order.playlist import playlist
from kernels.catalog import catalog, find_kernel
from kernels.device import devices
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage

OpenPage = Callable[..., ExplorePage]


NAMES = ("matmul_naive", "matmul_naive_row_x", "matmul_tiled", "matmul_tiled_exact", "mmt_stripe", "hello_grid")


@pytest.mark.parametrize("own", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_time_never_runs_backwards_and_both_end_together(own: str, other: str) -> None:
    one, two = (playlist(stage(name).trace, "memory") for name in (own, other))
    positions = align(one, two)
    assert len(positions) == len(one)
    assert (np.diff(positions) >= 0).all()
    assert (positions[0], positions[-1]) == (0, len(two) - 1)


def test_runs_are_aligned_frame_by_frame_and_phase_by_phase() -> None:
    frames = playlist(stage("matmul_tiled").trace, "statement")
    assert align(frames, frames).tolist() == list(range(len(frames)))
    # Phases begin together.
    one, two = (playlist(stage(n, "6,6,6", "2,2").trace, "memory") for n in ("matmul_tiled", "matmul_tiled_hoisted"))
    assert len(one) != len(two) or one.frames != two.frames
    assert align(one, two)[one.phase_starts].tolist() == two.phase_starts.tolist()


def choose(page: ExplorePage, qtbot: QtBot, title: str) -> None:
    """Choose a launch in the menu, as a click does, and wait for its picture."""
    page.compare_button.click()
    action = next(action for action in page.compare_menu.actions() if action.text() == title)
    page.compare_menu.close()
    action.trigger()
    qtbot.waitUntil(lambda: page.comparison is not None)


def test_two_kernels_are_played_on_one_timeline(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size(4, 4, 4), block=Dim3(2, 2))
    choose(page, qtbot, find_kernel("matmul_naive").title)
    assert page.other.isVisible()
    assert not page.code.isVisible()
    page.timeline.last()
    comparison = page.comparison
    assert comparison is not None
    last = comparison.other.memory.frames[-1]
    shown = page.other.canvas.scene
    assert shown is not None
    assert shown.caption == build_scene(comparison.other.stage, last).caption
    # Tiles of 2×2 halve the reads of each element.
    assert page.figures.texts[0].index("Reads of A") > 0
    column = page.figures.texts[0].index("Reads of A")
    assert [row[column] for row in page.figures.texts[1:]] == ["2", "4"]
    assert "reads each element of A and B twice, One thread per element 4 times" in page.figures.sentence.text()
    assert abs(page.other.canvas.width() - page.canvas.width()) < 20
    # One legend for both: shared memory is in one picture only.
    layouts = [canvas.picture_layout for canvas in (page.canvas, page.other.canvas)]
    assert [layout is not None and layout.legend.height for layout in layouts] == [0, 0]
    signs = page.figures.legend.accessibleName()
    assert signs.count(" read,") == 1
    assert "in shared memory" in signs
    page.compare_button.click()
    assert page.comparison is None
    assert page.canvas.picture_layout is not None
    assert page.canvas.picture_layout.legend.height > 0
    assert page.code.isVisible()
    assert not page.other.isVisible()


def test_both_pictures_are_equally_large_and_only_panes_with_something_to_show_are_offered(
    qtbot: QtBot, open_page: OpenPage
) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size(4, 4, 4), block=Dim3(2, 2))
    assert not page.heading.isVisible()
    choose(page, qtbot, "Block 8×8")
    titles = [heading.title.whole for heading in (page.heading, page.other.heading)]
    assert titles == [f"{find_kernel('matmul_tiled').title}, block {block}" for block in ("2×2", "8×8")]
    qtbot.waitUntil(lambda: page.canvas.height() == page.other.canvas.height())
    page.stop_comparing()
    assert not page.heading.isVisible()
    # Only panes with something to show are offered.
    before = page.panes.shown
    choose(page, qtbot, find_kernel("matmul_naive").title)
    assert [pane for pane, button in page.panes.buttons.items() if button.isVisible()] == ["memory"]
    QTest.keyClick(page, Qt.Key.Key_L)
    page.stop_comparing()
    qtbot.waitUntil(lambda: all(button.isVisible() for button in page.panes.buttons.values()))
    assert page.panes.shown == before
    assert page.code.isVisible()


def test_the_accesses_of_both_runs_are_shown_until_they_are_folded(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"), size=Size(32, 32, 32), block=Dim3(32, 8))
    page.resize(1280, 800)
    choose(page, qtbot, find_kernel("matmul_naive_row_x").title)
    areas = page.accesses, page.other.accesses
    assert all(area.isVisible() for area in areas)
    rows = [area.cards.row for area in areas]
    assert [[access.counts.sectors for access in row.accesses] for row in rows if row is not None] == [[1, 4], [32, 1]]
    page.timeline.last()
    last = page.other.accesses.cards.row
    assert last is not None
    assert [access.counts.sectors for access in last.accesses] == [32]
    page.panes.buttons["memory"].click()
    assert not any(area.isVisible() for area in areas)
    page.present()
    assert not any(area.isVisible() for area in areas)
    page.panes.buttons["memory"].click()
    assert all(area.isVisible() for area in areas)
    page.presentation.leave()
    page.stop_comparing()
    assert not any(area.isVisible() for area in areas)


def test_heat_maps_have_one_scale_and_both_pictures_every_statement(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size(4, 4, 4), block=Dim3(2, 2))
    choose(page, qtbot, find_kernel("matmul_naive").title)
    page.stage_bar.set_reads(True)
    page.timeline.last()
    counted = []
    for canvas in (page.canvas, page.other.canvas):
        assert canvas.scene is not None
        counted.append([c for c in canvas.scene.cells if c.reads is not None])
    assert {cells.most_reads for cells in (*counted[0], *counted[1])} == {4}
    assert [int(cells.reads.max()) for cells in counted[0] if cells.reads is not None] == [2, 2]
    # Every statement is shown on both sides.
    page = open_page(kernel("matmul_tiled"))
    choose(page, qtbot, find_kernel("matmul_naive").title)
    page.stage_bar.set_every_statement(True)
    comparison = page.comparison
    assert comparison is not None
    page.timeline.last()
    assert comparison.other_frame(page.position) == comparison.other.statements.frames[-1]
    # Another selection ends the comparison.
    page = open_page(kernel("matmul_tiled"))
    choose(page, qtbot, find_kernel("matmul_naive").title)
    with qtbot.waitSignal(page.ready):
        page._session.select(size=Size(5, 5, 5))
    assert page.comparison is None


def test_the_result_of_a_lesson_is_judged_beside_the_right_kernel(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size(6, 6, 8), block=Dim3(4, 4))
    choose(page, qtbot, kernel("lesson_missing_guard").title)
    page.timeline.last()
    assert page.result.text().startswith("✓ All 36")
    assert "wrong" in page.other.result.text()
    page.other.result.click()
    comparison = page.comparison
    assert comparison is not None
    results = comparison.other.stage.results
    assert results is not None
    first = results.verdict(*comparison.other.memory.frames[-1]).first
    assert first is not None
    assert comparison.other_frame(page.position) == (first.block, first.step)


def test_both_pictures_move(qtbot: QtBot, open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size(4, 4, 4), block=Dim3(2, 2))
    choose(page, qtbot, find_kernel("matmul_tiled_exact").title)
    assert not page.other.canvas.moving
    page.timeline.step(1)
    assert page.canvas.moving
    assert page.other.canvas.moving
    page.motion.action.trigger()
    assert not page.other.canvas.moving


def test_only_launches_of_the_same_workload_and_size_are_offered() -> None:
    tiled = find_kernel("matmul_tiled")
    selection = Selection(tiled, Size(6, 5, 7), Dim3(2, 2), devices()[0])
    offered = comparables(selection, catalog())
    assert {c.selection.size for c in offered} == {Size(6, 5, 7)}
    assert {c.selection.kernel.workload.id for c in offered} == {"matmul"}
    names = {c.selection.kernel.base for c in offered}
    assert "matmul_naive" in names
    assert "matmul_tiled_exact" not in names  # no block that divides 6, 5 and 7
    assert all(c.selection.kernel.runs_on == "cuda" for c in offered)
