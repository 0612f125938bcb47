"""Time from a step of a drag of the block to the painted picture of the new launch.

Run as ``python -m tests.bench.drag_block``; ``--rounds`` sets the drags. The whole window is shown offscreen at
1280×800. The handle on the block's corner is dragged from size to size and back, in Zoom Grid: the clock runs from the
event of the mouse until the canvas has painted the run with the new block. At most 150 ms (median) and 300 ms (p99) are
wanted up to 16×16 matrices. "Work" is the time of the processor, which other work on the machine does not stretch.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import PySide6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.shell import garbage
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable
from tests.user_folders import USER_FOLDERS

_KERNELS: Final = ("matmul_naive", "matmul_tiled", "mmt_symmetric")
_LENGTHS: Final = (8, 12, 16)
_BLOCKS: Final = (2, 4, 8)
_WANTED_MS: Final = (150, 300)
_LIMIT_S: Final = 60.0


class Turns:
    """Turns of the event loop, in milliseconds by the wall and by the processor."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.processor: list[float] = []

    def turn(self) -> None:
        """Process what is pending."""
        begun, worked = time.perf_counter(), time.thread_time()
        QApplication.processEvents()
        self.wall.append((time.perf_counter() - begun) * 1e3)
        self.processor.append((time.thread_time() - worked) * 1e3)
        time.sleep(0.001)

    def until(self, done: Callable[[], bool]) -> None:
        """Turn until something is done."""
        begun = time.perf_counter()
        while not done() and time.perf_counter() - begun < _LIMIT_S:
            self.turn()

    def during(self, seconds: float) -> None:
        """Turn for some time."""
        until = time.perf_counter() + seconds
        self.until(lambda: time.perf_counter() >= until)


def main() -> None:
    """Print median and p99 for each kernel and length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    for name in USER_FOLDERS:
        os.environ[name] = tempfile.mkdtemp()
    application = QApplication([])
    window = MainWindow(Settings())
    window._started = True  # without the search for this machine's GPUs
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    garbage.begin(application)
    print(f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, Qt {PySide6.__version__}")
    for name in _KERNELS:
        for n in _LENGTHS:
            _measure(window, name, n, rounds)
    window.close()
    del application


def _measure(window: MainWindow, name: str, n: int, rounds: int) -> None:
    page: Any = window.page(0)
    window.session.select(kernel=find_kernel(name), size=Size(n, n, n), block=Dim3(_BLOCKS[0], _BLOCKS[0]))
    Turns().until(lambda: not page.busy)
    page.stage_bar.set_zoom("grid")
    page.timeline.go(len(page.frames) // 3)
    Turns().during(0.3)
    drawn: list[Dim3] = []
    page.canvas.painted.connect(lambda: drawn.append(page.scene.block_dim) if page.scene is not None else None)
    grip, times, work = page.block_drag.grip, [], []
    centre = grip.rect().center()
    handle = page.block_drag._handle()
    corner = grip.mapTo(page.canvas, centre)
    QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=centre)
    for side in (*_BLOCKS[1:], *_BLOCKS[-2::-1]) * rounds:
        threads = side - _BLOCKS[0]
        way = QPoint(round(threads * handle.along.columns), round(threads * handle.along.rows))
        drawn.clear()
        begun, worked = time.perf_counter(), time.process_time()
        QTest.mouseMove(grip, grip.mapFrom(page.canvas, corner + way))
        Turns().until(lambda: Dim3(side, side) in drawn)  # noqa: B023
        times.append((time.perf_counter() - begun) * 1e3)
        work.append((time.process_time() - worked) * 1e3)
        Turns().during(0.05)
    QTest.mouseRelease(grip, Qt.MouseButton.LeftButton)
    print(
        f"{name} {n}×{n}, blocks {', '.join(map(str, _BLOCKS))}: drag to picture {statistics.median(times):.0f} ms, "
        f"p99 {np.percentile(times, 99):.0f} (wanted {_WANTED_MS[0]}, {_WANTED_MS[1]}; {len(times)} steps), "
        f"of which {statistics.median(work):.0f} are work"
    )


if __name__ == "__main__":
    main()
