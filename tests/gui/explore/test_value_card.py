"""Causes of a value, and questions about what is drawn: each leads to the step that answers it."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.explore.packing.layout import arrange
from gui.explore.page import ExplorePage
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.questions import Answer, questions, questions_of_line, text_without
from gui.explore.stage.scene import Options as QuestionsOptions
from gui.explore.stage.stage import Stage
from gui.explore.values import cause_search
from gui.explore.values.value_card import CardLine, value_card
from kernels.analysis import Frame, playlist
from kernels.simt import Options
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.kernels.analysis.traces import source

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


def test_threads_and_elements_have_their_arithmetic_and_next_readers() -> None:
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
    # An element of a tile names its next readers.
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


def test_values_without_a_whole_cause_say_what_is_missing() -> None:
    lesson = kernel("lesson_missing_barrier")
    trace = trace_kernel(lesson, lesson.size, lesson.block, options=Options(lesson.schedule))
    found = Stage(trace, lesson.workload.panels)
    lines = card(found, playlist(trace, "memory").frames[-1], Focus.on_element(trace.array_number("C"), 2))
    assert ("sum = 200 + 5 · ? = NaN", "line 28") in words(lines)
    assert ("Bs[5][2] = ?", "not written yet") in words(lines)
    # What the trace does not hold is said.
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
    # Pinned without anything pointed at it is the thread of the card.
    page.select(NOTHING)
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


def asked(found: Stage, frame: Frame, focus: Focus, block: int | None = None) -> dict[str, Answer | None]:
    return {q.words: q.answer for q in questions(found, build_scene(found, frame), focus, block)}


@pytest.fixture(scope="module")
def tiled() -> Stage:
    return stage("matmul_tiled", "3", "2,2")


def test_elements_lead_to_their_writers_and_readers(tiled: Stage) -> None:
    step = step_on(tiled, "sum +=", phase=0)
    bs = Focus.on_element(tiled.trace.array_number("Bs"), 3)
    found = asked(tiled, Frame(0, step), bs)
    assert list(found) == [
        "Why is Bs[1][1] 4?",
        "Which thread wrote it?",
        "Who reads Bs[1][1] next?",
        "Who replaces it?",
    ]
    written = step_on(tiled, "Bs[ty][tx]", phase=0)
    assert found["Which thread wrote it?"] == Answer(Focus.on_thread(3), 0, written)
    read = step_on(tiled, "sum +=", phase=0, nth=1)
    assert found["Who reads Bs[1][1] next?"] == Answer(bs, 0, read)
    assert found["Who replaces it?"] == Answer(bs, 0, step_on(tiled, "Bs[ty][tx]", phase=1))
    assert found["Why is Bs[1][1] 4?"] == Answer(bs, card=True)
    # An element without a value has a first writer and no reason.
    c = Focus.on_element(tiled.trace.array_number("C"), 1)
    begin, end = Frame(0, step_on(tiled, "As[ty][tx]")), playlist(tiled.trace, "memory", tiled.order).frames[-1]
    assert asked(tiled, begin, c) == {"Who writes it first?": Answer(c, 0, step_on(tiled, "C[row * N + col]"))}
    found = asked(tiled, end, c)
    assert found["No thread reads C[0][1] after this step"] is None
    a = Focus.on_element(tiled.trace.array_number("A"), 0)
    assert list(asked(tiled, begin, a)) == ["Who reads A[0][0] next?"]  # an input has no reason


def test_threads_and_blocks_lead_to_their_steps(tiled: Stage) -> None:
    step = step_on(tiled, "sum +=", phase=1)
    found = asked(tiled, Frame(0, step), Focus.on_thread(1))
    focus = Focus.on_thread(1)
    assert found == {
        "Why is its sum 18?": Answer(focus, 0, step, card=True),
        "Go to its last load": Answer(focus, 0, step_on(tiled, "Bs[ty][tx]", phase=1)),
        "When does it store?": Answer(focus, 0, step_on(tiled, "C[row * N + col]")),
        "Follow thread (1,0)": Answer(focus),
        "Show its warp, number 0": Answer(focus, zoom="warp"),
    }
    # Blocks are played and zoomed into.
    frame = Frame(0, step_on(tiled, "sum +="))
    assert asked(tiled, frame, Focus(), 2) == {"Play Block (0,1)": Answer(block=2)}
    grid = build_scene(tiled, frame, QuestionsOptions(zoom="grid"))
    assert [q.words for q in questions(tiled, grid, Focus(), 0)] == ["Zoom into Block (0,0)"]


def test_a_line_is_left_out_where_the_rest_can_be_compiled(tiled: Stage) -> None:
    lines = tiled.trace.text.split("\n")
    barrier = next(n for n, text in enumerate(lines, 1) if "__syncthreads" in text)
    guard = next(n for n, text in enumerate(lines, 1) if text.lstrip().startswith("if (row < M"))
    loop = next(n for n, text in enumerate(lines, 1) if "for (int k" in text)
    for line, left in ((barrier, ";"), (guard, "")):
        text = text_without(tiled.trace, line)
        assert text is not None
        assert text.split("\n")[line - 1].strip() == left
        assert [a for n, a in enumerate(text.split("\n"), 1) if n != line] == [
            a for n, a in enumerate(lines, 1) if n != line
        ]
    assert text_without(tiled.trace, loop) is None
    assert [q.words for q in questions_of_line(tiled.trace, loop)] == [
        f"When is line {loop} executed next?",
        "Which threads execute it?",
    ]
    assert questions_of_line(tiled.trace, 1) == ()


@pytest.fixture
def page(open_page: OpenPage) -> ExplorePage:
    return open_page(kernel("matmul_tiled"), new=True)  # its menu stays with it


def choose(page: ExplorePage, words: str) -> None:
    """Choose from the open menu by its keys."""
    menu = page.questions
    assert menu.isVisible()
    action = next(action for action in menu.actions() if action.text() == words)
    menu.setActiveAction(action)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert not menu.isVisible()


def test_the_right_button_and_the_menu_key_ask_about_what_is_shown(page: ExplorePage) -> None:
    assert page.scene is not None
    assert page.story is not None
    page.timeline.go(len(page.frames) - 1)
    scene = page.scene
    view = next(n for n, cells in enumerate(scene.cells) if page.story.stage.trace.arrays[cells.view.array].name == "A")
    layout = arrange(scene, page.canvas.width(), page.canvas.height(), page.canvas.text_line)
    raster = layout.rasters[view]
    at = QPoint(int(raster.x + raster.cell / 2), int(raster.y + raster.cell / 2))
    page.timeline.go(0)
    place = page.canvas.mapToGlobal(at)
    QApplication.sendEvent(page.canvas, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, place))
    choose(page, "Who reads A[0][0] next?")
    assert page.position > 0
    assert page.selected == Focus.on_element(page.story.stage.trace.array_number("A"), 0)
    page._return()
    assert page.position == 0
    # The menu key asks about the shown thread.
    page.setFocus()
    middle = page.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, page.mapToGlobal(middle))
    QApplication.sendEvent(page, event)
    choose(page, "Show its warp, number 0")
    assert page.options.zoom == "warp"
    assert page.selected == Focus.on_thread(0)
    # An answer in the card opens its pane.
    page.panes.show_only(())
    page.answer(Answer(Focus.on_thread(0), card=True))
    assert page.panes.shown == {"thread"}
    assert page.inspector.isVisible()
    assert "Thread (0,0)" in page.inspector.text.text()


def test_a_line_is_compared_with_the_source_without_it(page: ExplorePage, qtbot: QtBot) -> None:
    assert page.story is not None
    barrier = next(s.span.line for s in page.story.stage.trace.statements if s.kind == "barrier")
    top = dict(page.code.line_tops())[barrier]
    before = page.position
    place = QPoint(30, int(top) + 4)
    QTest.mouseClick(page.code.viewport(), Qt.MouseButton.RightButton, pos=place)
    assert page.position == before  # only the left button jumps
    page.code.customContextMenuRequested.emit(place)
    choose(page, "Compare without this line")
    qtbot.waitUntil(lambda: page.comparison is not None)
    assert page.comparison is not None
    assert page.comparison.other_title == f"{kernel('matmul_tiled').title} without line {barrier}"
    assert not [s for s in page.comparison.other.stage.trace.statements if s.span.line == barrier]
