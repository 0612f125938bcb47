"""Questions about what is drawn: each is answered by the step, thread or view of the run that it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.explore.packing.layout import arrange
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.questions import Answer, questions, questions_of_line, text_without
from gui.explore.stage.scene import Options
from kernels.analysis import Frame, playlist
from tests.gui.explore.conftest import kernel, stage, step_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.explore.stage.stage import Stage

    OpenPage = Callable[..., ExplorePage]


def asked(found: Stage, frame: Frame, focus: Focus, block: int | None = None) -> dict[str, Answer | None]:
    return {q.words: q.answer for q in questions(found, build_scene(found, frame), focus, block)}


@pytest.fixture(scope="module")
def tiled() -> Stage:
    return stage("matmul_tiled", "3", "2,2")


def test_an_element_leads_to_its_writer_and_its_reader(tiled: Stage) -> None:
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


def test_an_element_without_a_value_has_a_first_writer_and_no_reason(tiled: Stage) -> None:
    c = Focus.on_element(tiled.trace.array_number("C"), 1)
    begin, end = Frame(0, step_on(tiled, "As[ty][tx]")), playlist(tiled.trace, "memory", tiled.order).frames[-1]
    assert asked(tiled, begin, c) == {"Who writes it first?": Answer(c, 0, step_on(tiled, "C[row * N + col]"))}
    found = asked(tiled, end, c)
    assert found["No thread reads C[0][1] after this step"] is None
    a = Focus.on_element(tiled.trace.array_number("A"), 0)
    assert list(asked(tiled, begin, a)) == ["Who reads A[0][0] next?"]  # an input has no reason


def test_a_thread_leads_to_its_sum_load_store_and_warp(tiled: Stage) -> None:
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


def test_blocks_are_played_and_zoomed_into(tiled: Stage) -> None:
    frame = Frame(0, step_on(tiled, "sum +="))
    assert asked(tiled, frame, Focus(), 2) == {"Play Block (0,1)": Answer(block=2)}
    grid = build_scene(tiled, frame, Options(zoom="grid"))
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
    return open_page(kernel("matmul_tiled"))


def choose(page: ExplorePage, words: str) -> None:
    """Choose from the open menu by its keys."""
    menu = page.questions
    assert menu.isVisible()
    action = next(action for action in menu.actions() if action.text() == words)
    menu.setActiveAction(action)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert not menu.isVisible()


def test_the_right_button_asks_about_what_is_under_it(page: ExplorePage) -> None:
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


def test_the_menu_key_asks_about_the_shown_thread(page: ExplorePage) -> None:
    page.setFocus()
    middle = page.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, page.mapToGlobal(middle))
    QApplication.sendEvent(page, event)
    choose(page, "Show its warp, number 0")
    assert page.options.zoom == "warp"
    assert page.selected == Focus.on_thread(0)


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


def test_an_answer_in_the_card_opens_its_pane(page: ExplorePage) -> None:
    page.panes.show_only(())
    page.answer(Answer(Focus.on_thread(0), card=True))
    assert page.panes.shown == {"thread"}
    assert page.inspector.isVisible()
    assert "Thread (0,0)" in page.inspector.text.text()
