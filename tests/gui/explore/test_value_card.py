"""Causes of a value: the lines of the card, the steps that they lead to, and the marks in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.stage import Stage
from gui.explore.values import cause_search
from gui.explore.values.value_card import CardLine, value_card
from kernels.analysis import Frame, playlist
from kernels.simt import Options
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.kernels.analysis.traces import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage

    OpenPage = Callable[..., ExplorePage]


def card(found: Stage, frame: Frame, focus: Focus) -> tuple[CardLine, ...]:
    return value_card(found, build_scene(found, frame, focus=focus))


def words(lines: tuple[CardLine, ...]) -> list[tuple[str, ...]]:
    return [tuple(part for part in (line.label, line.text, line.place) if part) for line in lines]


def test_a_result_is_followed_to_the_sum_and_its_last_terms() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    end = playlist(found.trace, "memory", found.order).frames[-1]
    lines = card(found, end, Focus.on_element(found.trace.array_number("C"), 1))
    assert words(lines) == [
        ("from", "C[0][1] = sum = 18", "block (0,0), thread (1,0), line 33"),
        ("sum = 18 + 0 · 0 = 18", "line 28"),
        ("sum = 4 + 2 · 7 = 18", "line 28"),
        ("As[0][1] = 0", "thread (1,0), line 23"),
        ("Bs[1][1] = 0", "thread (1,1), line 24"),
        ("inputs", "A[0][0..2] and B[0..2][1] (outlined by dashes)"),
        ("read next", "no thread reads this value again"),
    ]
    assert [line.depth for line in lines] == [0, 0, 1, 1, 1, 0, 0]
    for line in lines[:5]:
        assert line.jump is not None
        assert line.jump.block == 0
        assert f"line {found.trace.statement(line.jump.step).span.line}" in line.place


def test_a_thread_shows_the_arithmetic_of_its_step() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    frame = Frame(0, step_on(found, "sum +=", phase=0, nth=1))
    lines = card(found, frame, Focus.on_thread(1))
    assert words(lines) == [
        ("computes", "sum = 0 + 1 · 4 = 4"),
        ("sum = 0 + 0 · 1 = 0", "line 28"),
        ("As[0][1] = A[0][1] = 1", "thread (1,0), line 23"),
        ("Bs[1][1] = B[1][1] = 4", "thread (1,1), line 24"),
    ]
    # Without a focus it is the thread of the facts, the first one of the step, and the arithmetic is all.
    assert words(card(found, frame, NOTHING)) == [("computes", "sum = 0 + 1 · 3 = 3")]


def test_an_element_of_a_tile_names_its_next_readers() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    frame = Frame(0, step_on(found, "As[", phase=0))
    tile = found.trace.array_number("As")
    lines = card(found, frame, Focus.on_element(tile, 3))
    assert words(lines)[2:] == [("read next", "thread (0,1), line 28"), ("thread (1,1), line 28",)]
    assert lines[2].jump is not None
    assert lines[2].jump.step == step_on(found, "sum +=", phase=0, nth=1)
    assert lines[2].jump.focus == Focus.on_element(tile, 3)


def test_the_elements_that_hold_the_causes_are_marked_in_the_picture() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    end = Frame(0, int(found.trace.block_steps(0)[-1]))
    scene = build_scene(found, end, focus=Focus.on_element(found.trace.array_number("C"), 1))
    marked = {cells.view.name: np.argwhere(cells.cause).tolist() for cells in scene.cells}
    # Of the tiles the second one is there: the elements of the first are overwritten, and not marked.
    assert marked == {
        "A": [[0, 0], [0, 1], [0, 2]],
        "B": [[0, 1], [1, 1], [2, 1]],
        "C": [],
        "As": [[0, 0], [0, 1]],
        "Bs": [[0, 1], [1, 1]],
    }
    later = build_scene(found, Frame(1, end.step), focus=Focus.on_element(found.trace.array_number("C"), 1))
    assert not any(cells.cause.any() for cells in later.cells if cells.view.place == "shared")


def test_a_value_that_a_race_has_spoilt_leads_to_the_element_that_is_missing() -> None:
    lesson = kernel("lesson_missing_barrier")
    trace = trace_kernel(lesson, lesson.size, lesson.block, options=Options(lesson.schedule))
    found = Stage(trace, lesson.workload.panels)
    lines = card(found, playlist(trace, "memory").frames[-1], Focus.on_element(trace.array_number("C"), 2))
    assert ("sum = 200 + 5 · ? = NaN", "line 28") in words(lines)
    assert ("Bs[5][2] = ?", "not written yet") in words(lines)


def test_what_the_trace_does_not_hold_is_said() -> None:
    text = "__global__ void k(int *o) { int v = __reduce_add_sync(0xffffffff, (int)threadIdx.x); o[threadIdx.x] = v; }"
    found = Stage(source(text, "1", "32", "o=i32[32]:zeros"), ())
    lines = card(found, Frame(0, found.trace.steps - 1), Focus.on_element(0, 3))
    assert ("The trace does not hold all values that __reduce_add_sync combined.",) in words(lines)


def test_a_line_leads_to_its_step_and_back(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    assert page.story is not None
    output = page.story.stage.trace.array_number("C")
    page.timeline.last()
    end = page.frames[page.timeline.position]
    page.canvas.clicked.emit(Focus.on_element(output, 1))
    assert not page.inspector.back.isEnabled()
    page.inspector.text.linkActivated.emit("1")  # sum = 18 + 0 · 0
    assert page.scene is not None
    assert page.scene.block == 0
    assert page.scene.focus == Focus.on_thread(1)
    assert page.story.stage.trace.statement(page.scene.step).text.startswith("sum +=")
    assert "sum = 18 + 0 · 0 = 18" in page.inspector.text.text().replace("\u00a0", " ")
    page.inspector.text.linkActivated.emit("1")  # As[0][1] = 0
    assert page.scene.focus == Focus.on_element(page.story.stage.trace.array_number("As"), 1)
    page.inspector.back.click()
    page.inspector.back.click()
    assert not page.inspector.back.isEnabled()
    assert (page.scene.block, page.scene.step) == end
    assert page.scene.focus == Focus.on_element(output, 1)


def test_a_line_whose_step_is_left_out_shows_every_statement(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"))
    assert page.story is not None
    start = step_on(page.story.stage, "float sum")
    page.show_moment(0, start, Focus.on_thread(0))
    assert page.playback.every_statement
    assert page.scene is not None
    assert page.scene.step == start


def test_a_pinned_card_stays_while_the_pointer_moves(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    with qtbot.waitActive(page):
        page.activateWindow()
    page.canvas.hover_changed.emit(Focus.on_thread(3))
    QTest.keyClick(page, Qt.Key.Key_K)
    assert page.inspector.pin.isChecked()
    page.canvas.hover_changed.emit(Focus.on_element(0, 0))
    assert page.scene is not None
    assert page.scene.focus == Focus.on_thread(3)
    page.timeline.step(1)
    assert page.scene.focus == Focus.on_thread(3)
    page.inspector.pin.click()
    page.canvas.hover_changed.emit(Focus.on_element(0, 0))
    assert page.scene.focus == Focus.on_element(0, 0)


def test_pinned_without_anything_pointed_at_it_is_the_thread_of_the_card(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.inspector.pin.click()
    assert page.scene is not None
    assert page.scene.focus == Focus.on_thread(page.scene.lane)


def test_links_are_reached_and_followed_by_keys(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    assert page.story is not None
    page.timeline.last()
    page.canvas.clicked.emit(Focus.on_element(page.story.stage.trace.array_number("C"), 1))
    with qtbot.waitActive(page):
        page.activateWindow()
    page.inspector.text.repaint()  # Qt lays a new text out when it is painted
    page.inspector.text.setFocus(Qt.FocusReason.TabFocusReason)
    assert QApplication.focusWidget() is page.inspector.text
    QTest.keyClick(page.inspector.text, Qt.Key.Key_Tab)
    QTest.keyClick(page.inspector.text, Qt.Key.Key_Return)
    assert page.scene is not None
    assert page.scene.block == 0
    assert page.scene.focus != NOTHING


def test_another_run_lets_the_card_go(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.canvas.clicked.emit(Focus.on_thread(1))
    page.inspector.pin.click()
    page.inspector.text.linkActivated.emit("0")
    with qtbot.waitSignal(page.ready):
        page._session.select(kernel=kernel("matmul_naive"))
    assert not page.inspector.pin.isChecked()
    assert not page.inspector.back.isEnabled()
    assert page.scene is not None
    assert page.scene.focus == NOTHING
    page.canvas.hover_changed.emit(Focus.on_element(0, 0))
    assert page.scene.focus == Focus.on_element(0, 0)


@pytest.mark.parametrize("focus", [Focus.on_line(3), Focus.on_thread(13)])
def test_a_line_or_a_thread_of_another_block_has_no_value(focus: Focus) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    assert card(found, Frame(0, step_on(found, "sum +=")), focus) == ()


def test_a_long_search_leaves_the_picture_as_it_is_until_it_is_done(
    open_page: OpenPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cause_search, "_PART_S", 0.0)
    page = open_page(kernel("matmul_tiled"))
    assert page.story is not None
    focus = Focus.on_element(page.story.stage.trace.array_number("C"), 1)
    page.timeline.last()
    page.canvas.hover_changed.emit(focus)
    assert page.scene is not None
    assert page.scene.focus == NOTHING
    qtbot.waitUntil(lambda: page.scene is not None and page.scene.focus == focus)
    assert any(cells.cause.any() for cells in page.scene.cells)
