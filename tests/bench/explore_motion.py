"""Time of a picture of a motion on the canvas, and of the step that begins it.

Run as ``python -m tests.bench.explore_motion``; ``--size`` takes the pixels of the canvas. Three matrices of 32×32 in
8×8 blocks must reach 60 pictures a second, with a p99 below 20 ms, and 64×64 must reach 30. All steps of one block
are played, and of each motion the pictures that a screen of 60 Hz shows. Times are given by the processor and by the
clock on the wall.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from typing import TYPE_CHECKING, Final

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import PySide6
from PySide6.QtWidgets import QApplication

from gui.explore.stage.build import build_scene
from gui.explore.stage.canvas import Canvas
from gui.explore.stage.motion_switch import MOTION_MS
from gui.explore.stage.stage import Stage
from gui.shell import garbage
from gui.theming.theme import LIGHT
from kernels.analysis import playlist
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable

_HZ: Final = 60

_LAUNCHES: Final = (
    ("matmul_tiled", 3, Dim3(2, 2)),
    ("matmul_tiled", 32, Dim3(8, 8)),
    ("matmul_naive", 32, Dim3(8, 8)),
    ("matmul_tiled", 64, Dim3(8, 8)),
    ("matmul_tiled", 64, Dim3(32, 32)),
    ("matmul_naive", 64, Dim3(32, 32)),
)


class Times:
    """Times in milliseconds, by the processor and by the clock on the wall."""

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []

    def take(self, work: Callable[[], object]) -> None:
        """Take the time of some work."""
        processor, wall = time.process_time(), time.perf_counter()
        work()
        self._times.append((time.process_time() - processor, time.perf_counter() - wall))

    def __str__(self) -> str:
        ms = np.array(self._times) * 1000
        (p50, wall_50), (p99, wall_99) = np.percentile(ms, (50, 99), axis=0)
        return f"p50 {p50:.1f} / {wall_50:.1f}, p99 {p99:.1f} / {wall_99:.1f} ({len(ms)})"


def main() -> None:
    """Print p50 and p99."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="1280x800")
    width, height = map(int, parser.parse_args().size.split("x"))
    application = QApplication([])
    garbage.begin(application)
    print(f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, Qt {PySide6.__version__}")
    print(f"canvas of {width}×{height}, ms by processor / wall (count)")
    canvas = Canvas(LIGHT)
    canvas.resize(width, height)
    canvas.show()
    application.processEvents()
    for name, n, block in _LAUNCHES:
        steps, pictures = _measure(canvas, name, n, block)
        print(f"{name} {n}×{n}, block {block}: a picture {pictures}; the step that begins a motion {steps}")


def _measure(canvas: Canvas, name: str, n: int, block: Dim3) -> tuple[Times, Times]:
    kernel = find_kernel(name)
    stage = Stage(trace_kernel(kernel, Size(n, n, n), block), kernel.workload.panels)
    frames = [frame for frame in playlist(stage.trace, "memory").frames if frame.block == 0][:60]
    steps, pictures = Times(), Times()
    canvas.show_scene(build_scene(stage, frames[0]))
    canvas.repaint()
    for frame in frames[1:]:
        steps.take(lambda frame=frame: canvas.show_scene(build_scene(stage, frame), MOTION_MS))  # type: ignore[misc]
        canvas.repaint()
        canvas.clock.pause()
        for at in np.arange(0, MOTION_MS, 1000 / _HZ).tolist():
            canvas.clock.setCurrentTime(round(at))
            pictures.take(canvas.repaint)
    return steps, pictures


if __name__ == "__main__":
    main()
