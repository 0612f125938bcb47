"""Windows without a search for this machine's GPUs, their pages, and waiting for what runs in them."""

from typing import TYPE_CHECKING, cast

from pytestqt.qtbot import QtBot

from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, OCCUPANCY
from gui.shell.settings import Settings

if TYPE_CHECKING:  # so that a test of one page loads no other
    from gui.explore.page import ExplorePage
    from gui.learn.page import LearnPage
    from gui.measure.page import BenchmarkPage
    from gui.occupancy.page import OccupancyPage


def new_window(qtbot: QtBot, settings: Settings | None = None) -> MainWindow:
    """Return a window as it is before its first paint: no page is built, no process started."""
    made = MainWindow(settings or Settings())
    qtbot.addWidget(made)
    made._started = True
    return made


def opened(qtbot: QtBot) -> MainWindow:
    """Return a window on the Learn page."""
    made = new_window(qtbot)
    made.session.set_devices((), "this is a test")
    made.resize(1280, 800)
    made.show()
    made.show_page(LEARN)
    return made


def explore(window: MainWindow) -> "ExplorePage":
    return cast("ExplorePage", window.page(EXPLORE))


def benchmark(window: MainWindow) -> "BenchmarkPage":
    return cast("BenchmarkPage", window.page(BENCHMARK))


def occupancy(window: MainWindow) -> "OccupancyPage":
    return cast("OccupancyPage", window.page(OCCUPANCY))


def learn(window: MainWindow) -> "LearnPage":
    return cast("LearnPage", window.page(LEARN))


def show_explore(window: MainWindow) -> "ExplorePage":
    """Show a window on the Explore page."""
    window.resize(1280, 800)
    window.show()
    window.show_page(EXPLORE)
    return explore(window)


def settle(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until picture and texts are those of the last action."""
    page = learn(window)
    stage = explore(window)
    qtbot.waitUntil(
        lambda: not any((stage.busy, stage._compared.busy, page.runner.busy, page.practice.busy)), timeout=20_000
    )
