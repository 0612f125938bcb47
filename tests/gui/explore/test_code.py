from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.explore.code.code import CodeView
from gui.explore.code.highlighter import token_colours
from gui.explore.code.line_map import without_footer
from gui.explore.page import ExplorePage
from gui.theming.style import TEXT_PT
from gui.theming.theme import DARK, LIGHT
from kernels.frontend.ast import Span
from kernels.frontend.listing import Listing
from tests.gui.explore.conftest import kernel


@pytest.fixture
def code(qtbot: QtBot) -> CodeView:
    view = CodeView(LIGHT)
    qtbot.addWidget(view)
    view.resize(420, 300)
    view.show_listing(Listing(kernel("matmul_tiled").text))
    view.show()
    return view


def test_lines_are_found_and_marked_and_keep_their_numbers(code: CodeView) -> None:
    code.verticalScrollBar().setValue(0)
    tops = [code._block_rect(code.document().findBlockByNumber(n)).top() for n in range(5)]
    assert [code.line_at(top + 2) for top in tops] == [1, 2, 3, 4, 5]
    assert code.line_at(1e6) == 0
    # The executing line is marked and in sight.
    last = code.document().blockCount()
    code.show_step(Span(last, 1, last, 2))
    assert code.executing_line == last
    assert code.verticalScrollBar().value() > 0
    assert len(code.extraSelections()) == 2  # the whole line, and what of it executes
    # Lines that belong to the focus are marked too.
    code.show_step(Span(13, 5, 13, 20), (14,))
    assert len(code.extraSelections()) == 3
    # The launch comment is hidden and lines keep their numbers.
    text = kernel("matmul_tiled").text
    shown = without_footer(text).split("\n")
    assert shown == text.split("\n")[: len(shown)]
    assert shown[-1] == "}"
    assert without_footer("no comment at the end\n") == "no comment at the end"


@pytest.mark.parametrize("points", TEXT_PT)
def test_the_executing_line_stays_in_sight_when_the_window_changes(code: CodeView, points: float) -> None:
    code.set_text_size(points)
    last = code.document().blockCount()
    code.show_step(Span(last, 1, last, 2))
    for height in range(100, 240, 20):
        # From wide to narrow, the text grows beyond what Qt lays out at once. How far depends on the font.
        for size in ((900, height), (250, height + 80), (420, height + 180), (600, height + 40), (300, height)):
            code.resize(*size)
            rect = code._block_rect(code.document().findBlockByNumber(last - 1))
            above = code.verticalScrollBar().value()
            assert above <= rect.top() <= rect.bottom() <= above + code.viewport().height(), size


def test_a_line_of_thousands_of_tokens_is_laid_out_once(qtbot: QtBot, code: CodeView) -> None:
    code.show_listing(Listing("int s = " + " + ".join(f"{n} * row" for n in range(2000)) + ";"))
    changes: list[int] = []
    code.document().contentsChanged.connect(lambda: changes.append(1))
    qtbot.waitUntil(lambda: not code._colour_soon.isActive())
    assert changes == [1]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_tokens_are_coloured_inside_the_text(theme) -> None:  # type: ignore[no-untyped-def]
    text = without_footer(kernel("matmul_tiled").text)
    found = {text[start : start + length]: color for start, length, color, _ in token_colours(text, theme)}
    assert found["__global__"] == theme.series[0]
    assert found["for"] == theme.series[0]
    assert "sum" not in found  # a plain name


def line_point(page: ExplorePage, line: int, widget: QWidget) -> QPoint:
    """Return a point on a line, in the coordinates of the code's viewport or of its gutter."""
    view = page.code
    y = next(y for y in range(view.viewport().height()) if view.line_at(y) == line) + 4
    return QPoint(12, y if widget is view.viewport() else y + view.gutter.heading_height())


def line_of(page: ExplorePage, text: str) -> int:
    return 1 + next(n for n, row in enumerate(page.code.toPlainText().split("\n")) if row.strip().startswith(text))


def test_a_click_on_a_line_jumps_to_its_next_execution_or_pins_it(open_page: Callable[..., ExplorePage]) -> None:
    page = open_page(kernel("matmul_tiled"))
    line, position = page.code.executing_line, page.position
    plain = page.code.gutter.grab().toImage()
    point = line_point(page, line, page.code.gutter)
    QTest.mouseClick(page.code.gutter, Qt.MouseButton.LeftButton, pos=point)
    assert page.position == position
    assert page.scene is not None
    assert line in page.scene.focus_lines
    assert page.code.gutter.grab().toImage() != plain
    QTest.mouseClick(page.code.gutter, Qt.MouseButton.LeftButton, pos=point)
    assert page.scene.focus_lines == ()
    assert page.code.gutter.grab().toImage() == plain
    # A click on a line jumps to its next execution.
    line = line_of(page, "sum +=")
    page.code._reveal(line)
    shown = []
    for _ in range(3):
        point = line_point(page, line, page.code.viewport())
        QTest.mouseClick(page.code.viewport(), Qt.MouseButton.LeftButton, pos=point)
        assert page.code.executing_line == line
        shown.append(page.position)
    assert shown == sorted(set(shown))
    page.setFocus()
    QTest.keyClick(page, Qt.Key.Key_N)
    assert page.position > shown[-1]
    assert page.code.executing_line == line
    # A click on a line that is not shown says so.
    page.stage_bar.set_every_statement(False)
    page.timeline.go(4)
    line = line_of(page, "int tx")
    page.show_line(line)
    assert page.position == 4
    assert page.caption.whole.startswith(f"Line {line} is executed in no step that is shown; “Every statement”")
    page.stage_bar.set_every_statement(True)
    page.show_line(line)
    assert page.code.executing_line == line
