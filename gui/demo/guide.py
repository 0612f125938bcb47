"""Tour in a window: selects, plays and measures, one part after the other."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, cast

from PySide6.QtCore import QObject, QTimer, Signal

from gui.shell.application import application
from gui.shell.main_window import MainWindow
from gui.shell.pages import BENCHMARK, EXPLORE, LEARN, OCCUPANCY
from gui.shell.settings import Settings
from kernels.bench.plan import Plan, entries, points
from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.tour import Example, tour
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.explore.page import ExplorePage
    from gui.learn.page import LearnPage
    from gui.measure.page import BenchmarkPage
    from gui.occupancy.page import OccupancyPage
    from gui.theming.style import ThemeChoice

Part = Literal["explore", "benchmark", "occupancy", "experiment"]

_LOOK_MS: Final = 2500
"""Milliseconds that a finished part stays before the next one."""

_POINT_BUDGET_S: Final = 0.4
"""Seconds of timing for each point: enough for a first impression."""


class Guide(QObject):
    """Goes through the tour of `resources/tour.toml`.

    Signals
    -------
    part_shown(Part, object)
        A part is complete; with the Example for explore and occupancy. Without `play` the tour continues when the
        receivers are done.
    finished()
        The last part has been shown.
    """

    part_shown = Signal(str, object)
    finished = Signal()

    def __init__(self, window: MainWindow, *, play: bool) -> None:
        super().__init__(window)
        self._window = window
        self._play = play
        self._example: Example | None = None
        self._tour = tour()
        parts: list[Callable[[], None]] = [partial(self._explore, e) for e in self._tour.explore]
        self._parts = iter((*parts, self._benchmark, self._occupancy, self._experiment))

    def start(self) -> None:
        """Start with the first part, once the GPUs of this machine are known."""
        if self._window.session.gpu_known:
            self._next()
        else:
            self._window.session.offers_changed.connect(self._machine_known)

    # --- one part after the other ----------------------------------------------------------------------

    def _machine_known(self) -> None:
        if self._window.session.gpu_known:
            self._window.session.offers_changed.disconnect(self._machine_known)
            self._next()

    def _next(self) -> None:
        part = next(self._parts, None)
        if part is None:
            self.finished.emit()
        else:
            part()

    def _finish_part(self, part: Part, example: Example | None = None) -> None:
        self.part_shown.emit(part, example)
        QTimer.singleShot(_LOOK_MS if self._play else 0, self, self._next)

    # --- explore ---------------------------------------------------------------------------------------

    def _explore(self, example: Example) -> None:
        self._window.show_page(EXPLORE)
        page = cast("ExplorePage", self._window.page(EXPLORE))
        self._example = example
        page.ready.connect(self._play_example)
        changes = {"kernel": example.kernel, "size": example.size, "block": example.block}
        shown = page.playback.selection
        self._window.session.play(None)
        if shown is not None and all(getattr(shown, name) == value for name, value in changes.items()):
            self._window.notice.say(example.message)
            self._play_example()
        else:
            self._window.session.select(**changes)
            self._window.notice.say(example.message)

    def _play_example(self) -> None:
        page = cast("ExplorePage", self._window.page(EXPLORE))
        page.ready.disconnect(self._play_example)
        if self._play and page.frames:
            page.timeline.position_changed.connect(self._stop_at_end)
            page.timeline.play()
        else:
            self._finish_part("explore", self._example)

    def _stop_at_end(self, position: int) -> None:
        page = cast("ExplorePage", self._window.page(EXPLORE))
        example = cast("Example", self._example)
        beyond = 0 < example.blocks_shown <= page.frames[position].block
        if beyond or position == len(page.frames) - 1:
            page.timeline.pause()
            page.timeline.position_changed.disconnect(self._stop_at_end)
            self._finish_part("explore", example)

    # --- benchmark and occupancy -----------------------------------------------------------------------

    def _benchmark(self) -> None:
        self._window.notice.say(self._tour.benchmark.message)
        self._window.show_page(BENCHMARK)
        page = cast("BenchmarkPage", self._window.page(BENCHMARK))
        page.run.run_finished.connect(self._finish_benchmark)
        page.measure(self._plan())

    def _finish_benchmark(self) -> None:
        page = cast("BenchmarkPage", self._window.page(BENCHMARK))
        page.run.run_finished.disconnect(self._finish_benchmark)
        self._wait(partial(self._finish_part, "benchmark"))

    def _plan(self) -> Plan:
        """Choose CPU baselines, and where there is a GPU the CUDA kernels at sizes that fill it."""
        chosen = self._tour.benchmark
        cpu = [e for name in chosen.cpu for e in entries(find_kernel(name))]
        planned = points(cpu, [Size(n, n, n) for n in chosen.cpu_sizes])
        if not self._window.session.gpu_missing:
            gpu = [e for name in chosen.gpu for e in entries(find_kernel(name), chosen.gpu_blocks)]
            planned += points(gpu, [Size(n, n, n) for n in chosen.gpu_sizes])
        return Plan(planned, budget_s=_POINT_BUDGET_S, min_samples=5)

    def _occupancy(self) -> None:
        example = self._tour.occupancy
        present = [device for device in self._window.session.devices if device.present]
        self._window.show_page(OCCUPANCY)
        page = cast("OccupancyPage", self._window.page(OCCUPANCY))
        page.figures_shown.connect(self._finish_occupancy)
        self._window.session.select(
            kernel=example.kernel,
            size=example.size,
            block=example.block,
            device=present[0] if present else find_device(self._tour.device),
        )
        self._window.notice.say(example.message)

    def _finish_occupancy(self) -> None:
        page = cast("OccupancyPage", self._window.page(OCCUPANCY))
        page.figures_shown.disconnect(self._finish_occupancy)
        self._wait(partial(self._finish_part, "occupancy", self._tour.occupancy))

    # --- experiments -----------------------------------------------------------------------------------

    def _experiment(self) -> None:
        self._window.show_page(LEARN)
        self._window.notice.say(self._tour.experiment.message)
        tables = cast("LearnPage", self._window.page(LEARN)).show_tables()
        tables.run.run_finished.connect(self._finish_experiment)
        tables.try_first(self._tour.experiment.ids)

    def _finish_experiment(self) -> None:
        tables = cast("LearnPage", self._window.page(LEARN)).show_tables()
        tables.run.run_finished.disconnect(self._finish_experiment)
        self._wait(partial(self._finish_part, "experiment"))

    def _wait(self, then: Callable[[], None]) -> None:
        """Wait until the last change has been seen, or at least drawn."""
        QTimer.singleShot(_LOOK_MS if self._play else 200, self, then)


def play_tour(theme: ThemeChoice) -> int:
    """Open the window, play the tour, and stay until it is closed; returns the exit status."""
    app = application(theme)
    window = MainWindow(Settings())
    window.set_theme(theme)
    sys.excepthook = window.report
    guide = Guide(window, play=True)
    guide.finished.connect(lambda: window.notice.say("That was the tour. The page Learn has lessons."))
    window.show()
    QTimer.singleShot(0, window.start)
    QTimer.singleShot(0, guide.start)
    return app.exec()
