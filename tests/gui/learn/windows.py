"""Windows on the Learn page, and waiting for what runs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from gui.shell.main_window import MainWindow
from gui.shell.pages import EXPLORE, LEARN
from gui.shell.settings import Settings

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage
    from gui.learn.page import LearnPage


def opened(qtbot: QtBot) -> MainWindow:
    """Return a window on the Learn page."""
    made = MainWindow(Settings())
    qtbot.addWidget(made)
    made._started = True  # without the search for this machine's GPUs
    made.session.set_devices((), "this is a test")
    made.resize(1280, 800)
    made.show()
    made.show_page(LEARN)
    return made


def learn(window: MainWindow) -> LearnPage:
    return cast("LearnPage", window.page(LEARN))


def explore(window: MainWindow) -> ExplorePage:
    return cast("ExplorePage", window.page(EXPLORE))


def settle(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until picture and texts are those of the last action."""
    page = learn(window)
    stage = explore(window)
    qtbot.waitUntil(
        lambda: not any((stage.busy, stage._compared.busy, page.runner.busy, page.practice.busy)), timeout=20_000
    )
