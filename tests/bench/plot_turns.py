"""Longest turns of the event loop of the window's thread while the Benchmark page shows many points.

Run as ``python -m tests.bench.plot_turns``; ``--shape 50x200`` (curves × points of each) and ``--rounds`` choose the
work. A turn is one call of a slot or one iteration of the event loop, with layout and painting. The whole window is
shown offscreen at 1280×800. For each action the table has the longest turn from the action until nothing has happened
for a quarter of a second: the median and the maximum over the rounds, on the clock, and the median of the processor
time of that thread, which other work on the machine does not stretch. The rows "without points" are the same actions
on a page without history: what the window takes whatever was measured.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.offscreen import OFFSCREEN

os.environ.setdefault("QT_QPA_PLATFORM", OFFSCREEN)

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kernels.bench.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gui.shell.main_window import MainWindow
    from kernels.bench.sample import Sample
    from kernels.bench.traffic import TrafficKey

_QUIET_S: Final = 0.25
_LIMIT_S: Final = 120.0
_BENCHMARK: Final = 1
_TIMES: Final = 20
_EVENTS: Final = 100
_PRINT: Final = """
import json, sys, time
sys.stdin.readline()
for text in json.load(open(sys.argv[1], encoding="utf-8")):
    print(text, flush=True)
    time.sleep(0.02)
"""
"""A worker that prints a sample each 20 ms."""

_TICK: Final = Qt.ItemDataRole.CheckStateRole


class Turns:
    """Times every turn; by action, one figure on the clock and one of processor time for each round, milliseconds."""

    def __init__(self) -> None:
        self.longest: dict[str, list[tuple[float, float]]] = {}

    def take(self, name: str, action: Callable[[], object], quiet_s: float = _QUIET_S) -> None:
        """Call the action, then run the event loop until it is quiet; note the longest turn."""
        worst = self._timed(action)
        begun = last_busy = time.perf_counter()
        while time.perf_counter() - last_busy < quiet_s and time.perf_counter() - begun < _LIMIT_S:
            turn = self._timed(QApplication.processEvents)
            worst = max(worst[0], turn[0]), max(worst[1], turn[1])
            if turn[1] > 0.5:
                last_busy = time.perf_counter()
            time.sleep(0.001)
        self.longest.setdefault(name, []).append(worst)

    @staticmethod
    def _timed(work: Callable[[], object]) -> tuple[float, float]:
        begun, worked = time.perf_counter(), time.thread_time()
        work()
        return (time.perf_counter() - begun) * 1e3, (time.thread_time() - worked) * 1e3


def samples(curves: int, points: int) -> Iterator[Sample]:
    """Invent a run: every curve at every size, by size first, as a plan has them."""
    from kernels.bench.measure.conditions import Conditions
    from kernels.bench.sample import Entry, Point, Sample
    from kernels.catalog import catalog
    from kernels.launch import Dim3
    from kernels.workload import Size
    from tests.bench.invented_run import ENVIRONMENT

    random = np.random.default_rng(1)
    names = [kernel.id for kernel in catalog() if kernel.measurable and kernel.runs_on == "cuda"]
    clocks = Conditions(0.4, sm_clock_mhz=1755.0, peak_gflops=59_000.0, machine_cores=16.0, other_cores=0.1)
    for place in range(points):
        n = 16 + 16 * place
        for curve in range(curves):
            entry = Entry(names[curve // 4 % len(names)], Dim3(8, 1 + curve % 4 + 4 * (curve // 4 // len(names))))
            rate = 2e9 * (1 + curve) * n / (n + 500) / 1e6  # operations in a millisecond
            times, library = (
                tuple((2.0 * n**3 / (rate * random.normal(1.0, 0.04, _TIMES))).tolist()) for _ in range(2)
            )
            yield Sample(
                Point(entry, Size(n, n, n)),
                "measured",
                times,
                5,
                2 * n**3,
                "rows",
                taken="2026-01-01",
                environment=ENVIRONMENT.id,
                baseline="cublas_sgemm",
                baseline_ms=library,
                conditions=clocks,
            )


def fill(path: Path, curves: int, points: int) -> None:
    """Write a run of that many points into a file of samples."""
    from kernels.bench.plan import Plan
    from kernels.bench.store.database import Store
    from tests.bench.invented_run import ENVIRONMENT

    run = list(samples(curves, points))
    with Store(path) as store:
        number = store.begin_run(Plan(tuple(sample.point for sample in run)))
        store.add_environment(ENVIRONMENT)
        store._base.execute("BEGIN")
        for sample in run:
            store.add(number, sample)
        store._base.execute("COMMIT")


def measure(turns: Turns, curves: int, points: int) -> None:
    """Start the window, open the page with a history of that shape, and do everything once."""
    from gui.shell.application import application
    from gui.shell.main_window import MainWindow
    from gui.shell.settings import Settings
    from kernels.bench.store.database import default_path

    path = default_path()
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    if curves:
        fill(path, curves, points)
    settings = Settings()
    settings.remember("geometry", "")
    application("light")
    windows: list[MainWindow] = []

    def start() -> None:
        windows.append(MainWindow(settings))
        windows[0].resize(1280, 800)
        windows[0].show()

    turns.take("start of the window", start, 1.0)
    window = windows[0]
    tabs = window.header._tabs
    turns.take("open the page", tabs.button(_BENCHMARK).click, 0.6)
    page: Any = window.page(_BENCHMARK)
    # Without runs of its own the page shows the recorded one.
    assert not curves or page.results.table.model.rowCount() == curves * points, "the history is not read yet"
    turns.take("leave the page", tabs.button(0).click)
    turns.take("come back to it", tabs.button(_BENCHMARK).click)
    if curves:
        new = list(samples(curves, points + 1))[-curves:][:6]
        for sample in new[:3]:
            turns.take("a new sample", partial(page.run._run.sample_arrived.emit, sample), 0.15)
        turns.take("three samples at once", lambda: [page.run._run.sample_arrived.emit(sample) for sample in new[3:]])
        for place in range(1, page.results.count()):
            measure_tab(turns, window, page, place, list(samples(curves, points + 2))[-curves:])
        page.results.setCurrentIndex(0)
    for theme in ("dark", "light"):
        turns.take("theme", partial(window.set_theme, theme))
    for step in (1, 0):
        turns.take("size of the text", partial(window.appearance.step_text, step))
    front = page.results.gflops
    for box in (front.log_x, front.log_y) * 2:
        turns.take("logarithmic axis", box.click)
    if curves:
        legend = page.results.gflops.plot.legend
        names, rows = legend.list, legend.rows
        for row in range(3):
            place = names.visualRect(rows.index(row)).center()
            turns.take("point at the legend", partial(QTest.mouseMove, names.viewport(), place))
        turns.take("leave the legend", lambda: QApplication.sendEvent(names, QEvent(QEvent.Type.Leave)))
        place = names.visualRect(rows.index(1)).center() + QPoint(20, 0)
        button = Qt.MouseButton.LeftButton
        for _ in range(2):
            turns.take("click in the legend", lambda: QTest.mouseClick(names.viewport(), button, pos=place))
        for state in (Qt.CheckState.Unchecked, Qt.CheckState.Checked):
            turns.take("tick a curve", partial(rows.setData, rows.index(0), state, _TICK))
        for _ in range(2):
            turns.take("tick all", legend.all.click)
        box = page.results.gflops.plot.plot.box
        turns.take("zoom", lambda: box.scaleBy((0.5, 0.5)))
        turns.take("scroll the table", page.results.table.view.scrollToTop)
    if curves:
        measure_run(turns, page, curves, points)
    for width, height in ((1920, 1080), (1500, 900), (1280, 800)):
        turns.take(f"resize to {width}×{height}", partial(window.resize, width, height))
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)


def measure_tab(turns: Turns, window: MainWindow, page: Any, place: int, new: list[Sample]) -> None:
    """Open a tab, change it, and let samples arrive as fast as a measurement sends them."""
    tabs = page.results
    name = tabs.tabText(place)
    if name == "Roofline":
        # Counting itself is not measured here.
        tabs.chart_tab(name).traffic._compute = quick_count
    turns.take(f"{name}: open", partial(tabs.setCurrentIndex, place))
    turns.take(f"{name}: a new sample", partial(page.run._run.sample_arrived.emit, new[0]), 0.15)
    rush = Rush(page, new)
    turns.take(f"{name}: 50 samples a second", rush.start, 1.2)
    rush.stop()
    tabs.setCurrentIndex(0)
    turns.take(f"{name}: come back", partial(tabs.setCurrentIndex, place))
    turns.take(f"{name}: theme", partial(window.set_theme, "dark"))
    tabs.setCurrentIndex(0)
    window.set_theme("light")
    QApplication.processEvents()
    turns.take(f"{name}: come back in another theme", partial(tabs.setCurrentIndex, place))


def quick_count(key: TrafficKey) -> Traffic:
    """Invent the traffic of a launch, after a time in which small launches are counted."""
    time.sleep(0.01)
    return Traffic(key.size, 2 * key.size.n**3, 4 * key.size.n**3)


class Rush:
    """Sends 50 samples a second, for a second."""

    def __init__(self, page: Any, new: list[Sample]) -> None:
        self._page, self._new, self._sent = page, new, 0
        self._timer = QTimer(interval=20)
        self._timer.timeout.connect(self._send)

    def start(self) -> None:
        """Begin to send."""
        self._timer.start()

    def stop(self) -> None:
        """Send no more."""
        self._timer.stop()

    def _send(self) -> None:
        self._page.run._run.sample_arrived.emit(self._new[self._sent % len(self._new)])
        self._sent += 1
        if self._sent == 50:
            self._timer.stop()


def measure_run(turns: Turns, page: Any, curves: int, points: int) -> None:
    """Start a run of which 50 samples a second arrive, from a process; the points before stay in the plots.

    Then start another one and stop it: the time from Stop to the end of the run is noted as well.
    """
    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Begin, End, EnvironmentMessage, Measured, Start, message_text
    from tests.bench.invented_run import ENVIRONMENT

    run = list(samples(curves, points + 1))[-_EVENTS:]
    plan = Plan(tuple(sample.point for sample in run))
    texts = [message_text(Start(len(run))), message_text(EnvironmentMessage(ENVIRONMENT))]
    for sample in run:
        texts.append("\n".join(message_text(message) for message in (Begin(sample.point), Measured(sample))))
    lines = Path(os.environ["XDG_DATA_HOME"]) / "lines.json"
    lines.write_text(json.dumps([*texts, message_text(End())]), encoding="utf-8")
    page.run._run._command = (sys.executable, "-c", _PRINT, str(lines))
    turns.take("start, 50 samples a second", partial(page.run.start, plan, must_save=False), 0.5)
    assert len(page.samples) == len(run), "the run is not over yet"
    page.run.start(plan, must_save=False)
    until = time.perf_counter() + 1.0
    while time.perf_counter() < until:
        QApplication.processEvents()

    def stop() -> None:
        page.stop()
        while page.run.running:
            QApplication.processEvents()

    turns.longest.setdefault("from Stop to the end", []).append(turns._timed(stop))
    assert page.run.rows, "what was measured is kept"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Longest turns of the event loop")
    parser.add_argument("--shape", nargs="*", default=["20x50", "50x200", "5x2000", "500x20"])
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA"):
            os.environ[name] = folder
        shapes = [(0, 0), *((int(a), int(b)) for a, b in (text.split("x") for text in chosen.shape))]
        from gui.shell import garbage
        from gui.shell.application import application

        app = application("light")
        Turns().take("", lambda: None)
        measure(Turns(), 0, 0)  # imports and caches, which a process has once
        gc.collect()
        garbage.begin(app)  # as `gui.shell.application.run` does
        for curves, points in shapes:
            turns = Turns()
            for _ in range(chosen.rounds):
                measure(turns, curves, points)
                gc.collect()  # the application has one window; here the next would free the one before
            print(f"{curves} curves × {points} points, {chosen.rounds} rounds" if curves else "without points")
            for name, found in turns.longest.items():
                wall, worked = ([figure[n] for figure in found] for n in (0, 1))
                print(
                    f"  {name:38} median {statistics.median(wall):8.1f} ms   max {max(wall):8.1f} ms   "
                    f"processor {statistics.median(worked):8.1f} ms",
                    flush=True,
                )
    with suppress(OSError):
        load = os.getloadavg()[0]
        print(f"load of the machine in the last minute: {load:.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()
