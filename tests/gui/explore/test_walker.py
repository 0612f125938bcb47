"""Walk over every kernel, text size and theme: no text of the page is cut off, covered in part, or overlaps another.

The plain command walks over one kernel of each kind, each at one text size; the exhaustive command over the rest.
"""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.shell.main_window import MainWindow
from gui.theming import style
from gui.theming.theme import DARK, LIGHT
from kernels.catalog import Kernel, catalog, find_kernel
from tests.gui.explore.conftest import cell_of
from tests.gui.explore.painted_texts import card_findings, picture_findings, widget_findings
from tests.gui.windows import explore
from tests.sweeps import in_turn

POINTS: Final = (11.0, 14.0, 17.0, 20.0)


SIZE: Final = (1280, 800)


FRAMES: Final = 4
"""Of each run that are looked at, evenly spread."""


KERNELS: Final = [kernel for kernel in catalog() if kernel.file is not None]


@pytest.fixture
def application(qapp: QApplication) -> Iterator[QApplication]:
    usual = qapp.font().pointSizeF()
    yield qapp
    style.set_text(qapp, usual)


def in_plain(kernel: Kernel) -> bool:
    """Whether the plain command takes a kernel: the longest texts, a race, an option, and points."""
    named = ("matmul_async", "lesson_missing_barrier", "mmt_stripe", "mmt_symmetric", "kmeans_assign_shared")
    return kernel.id in named


@pytest.mark.parametrize(("kernel", "points"), in_turn(KERNELS, POINTS, lambda kernel: kernel.id, plain=in_plain))
def test_every_text_can_be_read(
    qtbot: QtBot, application: QApplication, window: MainWindow, kernel: Kernel, points: float
) -> None:
    window.resize(*SIZE)
    window.show()
    window.show_page(0)
    page = explore(window)
    style.set_text(application, points)
    window.appearance.set_theme("light")
    window.session.select(kernel=kernel)
    qtbot.waitUntil(lambda: not page.busy, timeout=30_000)
    found: dict[str, str] = {}
    for frame in np.unique(np.linspace(0, len(page.frames) - 1, FRAMES).astype(int)).tolist():
        page.timeline.go(frame)
        QApplication.processEvents()
        scene, canvas, story = page.scene, page.canvas, page.story
        assert scene is not None
        assert story is not None
        focus = Focus.on_thread(scene.lane)
        focused = build_scene(story.stage, page.frames[frame], page.options, focus)
        for shown, theme in ((scene, LIGHT), (focused, DARK)):
            for finding in picture_findings(shown, theme, canvas.width(), canvas.height(), canvas.text_line):
                found.setdefault(finding, f"frame {frame}, {theme.name}{', thread in focus' * (shown is focused)}")
        for theme in (LIGHT, DARK):
            if (row := page.memory.cards.row) is not None and page.memory.isVisible():
                for finding in card_findings(row, theme, page.memory.cards.width(), page.memory.cards.line):
                    found.setdefault(finding, f"frame {frame}, {theme.name}")
        for finding in widget_findings(window):
            found.setdefault(finding, f"frame {frame}")
    assert not found


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
        plain=lambda name: name == "mmt_stripe",
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
    in_turn(
        ("lesson_missing_guard", "lesson_missing_barrier", "mmt_tiled_guard_inner"),
        list(WINDOWS),
        str,
        plain=lambda name: name == "lesson_missing_barrier",
    ),
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
