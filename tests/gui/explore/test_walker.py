"""Walk over every kernel, text size and theme: no text of the page is cut off, covered in part, or overlaps another.

The plain command walks over one kernel of each kind, each at one text size; the exhaustive command over the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.theming import style
from gui.theming.theme import DARK, LIGHT
from kernels.catalog import catalog
from tests.gui.explore.painted_texts import card_findings, picture_findings, widget_findings
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.shell.main_window import MainWindow
    from kernels.catalog import Kernel

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
    window._started = True  # without the search for this machine's GPUs
    window.resize(*SIZE)
    window.show()
    window.show_page(0)
    page = cast("ExplorePage", window.page(0))
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
