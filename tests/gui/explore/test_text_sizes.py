"""Larger text makes no picture smaller and cuts no caption; normal text brings everything back.

The plain command shows some kernels in one of the windows, in turn; the exhaustive command all kernels in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from gui.explore.page import ExplorePage
from gui.theming import style
from kernels.catalog import find_kernel
from tests.gui.explore.conftest import cell_of
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from gui.shell.main_window import MainWindow

WINDOWS = {(1280, 800): 16.0, (1920, 1080): 20.0}
"""Largest text in points, by size of the window."""

OpenPage = Callable[[str, tuple[int, int]], ExplorePage]


@pytest.fixture
def open_page(window: MainWindow, qtbot: QtBot, qapp: QApplication) -> Iterator[OpenPage]:
    """Show a kernel in a window of a size, with normal text."""
    font = qapp.font()

    def open_in(name: str, size: tuple[int, int]) -> ExplorePage:
        window.resize(*size)
        window.show()
        window.show_page(0)
        window.session.select(kernel=find_kernel(name))
        page = window.page(0)
        assert isinstance(page, ExplorePage)
        qtbot.waitUntil(lambda: not page.busy)
        return page

    yield open_in
    qapp.setFont(font)


@pytest.fixture
def set_text(window: MainWindow) -> Callable[[float], None]:
    """Choose a text size, as Ctrl+Plus and Ctrl+0 do."""

    def choose(points: float) -> None:
        window.appearance.step_text(0)
        for _ in range(style.TEXT_PT.index(points)):
            window.appearance.step_text(1)
        for _ in range(3):
            QApplication.processEvents()
        assert window.page(0).font().pointSizeF() == points

    return choose


@pytest.mark.parametrize(
    ("name", "size"),
    in_turn(
        ("matmul_tiled", "matmul_registers_2d", "lesson_missing_barrier", "mmt_stripe"),
        list(WINDOWS),
        str,
        plain=lambda name: name in ("matmul_tiled", "mmt_stripe"),
    ),
)
def test_larger_text_makes_no_cell_much_smaller(
    open_page: OpenPage, set_text: Callable[[float], None], name: str, size: tuple[int, int]
) -> None:
    page = open_page(name, size)
    cells = []
    for points in style.TEXT_PT:
        if points <= WINDOWS[size]:
            set_text(points)
            cells.append(cell_of(page))
    assert min(cells) >= 0.7 * cells[0]  # the caption above the picture, and the bars, grow with the text


@pytest.mark.parametrize(
    ("name", "size"),
    in_turn(("lesson_missing_guard", "lesson_missing_barrier", "mmt_tiled_guard_inner"), list(WINDOWS), str),
)
def test_no_caption_is_cut(
    open_page: OpenPage, set_text: Callable[[float], None], name: str, size: tuple[int, int]
) -> None:
    page = open_page(name, size)
    for points in style.TEXT_PT:
        if points > WINDOWS[size]:
            break
        set_text(points)
        for position in range(0, len(page.frames), max(1, len(page.frames) // 3)):
            page.timeline.go(position)
            caption = page.caption
            assert not caption.elided, points
            assert caption.heightForWidth(caption.width()) <= caption.height()


def test_normal_text_brings_the_listing_back(open_page: OpenPage, set_text: Callable[[float], None]) -> None:
    page = open_page("matmul_tiled", (1280, 800))

    def measures() -> list[float]:
        view = page.code
        formats = [view.document().findBlockByNumber(n).blockFormat() for n in range(view.document().blockCount())]
        sizes = [float(view.gutter.width()), view.font().pointSizeF(), float(page.canvas.width())]
        return sizes + [f.leftMargin() for f in formats] + [f.textIndent() for f in formats]

    set_text(style.TEXT_PT[0])
    before = measures()
    set_text(style.TEXT_PT[-1])
    assert measures() != before
    set_text(style.TEXT_PT[0])
    assert measures() == before
