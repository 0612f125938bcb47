"""Time of a picture: painting three labelled matrices, and jumping to any step of any trace.

Run as ``python -m tests.bench.explore_frame``. Cells are labelled only where the text can be read: the first
number is taken where 32×32 matrices have room for it, the second as a window of 1280×800 shows them.

A jump builds and paints the scene of a step anywhere in a run, and must take less than 50 ms. With ``--catalogue``,
every kernel is run at the largest size that the page explores, with its smallest and its largest block; with names
after it, only those kernels. Times are those of the processor.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.explore.playback.eligibility import LARGEST, check_threads
from gui.explore.playback.story import story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.selection.recording import Recording
from gui.shell import garbage
from gui.theming.theme import LIGHT
from kernels.analysis import playlist
from kernels.catalog import Kernel, catalog, find_kernel
from kernels.errors import TilescopeError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.tracing import prepare, trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.explore.stage.scene import Scene
    from kernels.analysis import Frame

_RUNS = 60


def main() -> None:
    """Print the medians, or all jumps of the catalogue."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogue", nargs="*", help="names of kernels; none for all of them")
    names = parser.parse_args().catalogue
    application = QApplication([])
    garbage.begin(application)
    text_painter = TextPainter(application.font().family())
    if names is not None:
        _print_jumps(names, text_painter)
        return
    stage, frames = _staged(32)
    scenes = [build_scene(stage, frame) for frame in _spread(frames)]
    for width, height in ((2560, 1600), (1280, 800)):
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        median = _median_ms(partial(_paint_nth, scenes, image, text_painter))
        print(f"paint three 32×32 matrices into {width}×{height}: {median:.1f} ms")
    with patch("gui.explore.stage.text_painter.SMALLEST_TEXT", 1.0):
        median = _median_ms(partial(_paint_nth, scenes, image, text_painter))
    print(f"the same with every value written, although too small to read there: {median:.1f} ms")

    stage, frames = _staged(40)
    image = QImage(1280, 800, QImage.Format.Format_ARGB32_Premultiplied)
    some = _spread(frames)
    median = _median_ms(lambda n: _paint(build_scene(stage, some[n]), image, text_painter))
    print(f"jump in a trace of {stage.trace.access_count:,} accesses, scene and painting: {median:.1f} ms")


def _print_jumps(names: Sequence[str], text_painter: TextPainter) -> None:
    image = QImage(1280, 800, QImage.Format.Format_ARGB32_Premultiplied)
    for kernel in catalog():
        if kernel.file is None or (names and kernel.id not in names):
            continue
        size = kernel.workload.fit(Size(LARGEST, LARGEST, LARGEST))
        legal = [block for block in kernel.blocks if _is_legal(kernel, size, block)]
        if not legal:  # written for one size
            size, legal = kernel.size, [kernel.block]
        for block in sorted({min(legal, key=_threads), max(legal, key=_threads)}, key=_threads):
            trace = trace_kernel(kernel, size, block)
            story = story_of_recording(Recording(Path(trace.file), trace, kernel), lambda: False)
            stage, frames = story.stage, story.statements.frames
            garbage.collect()  # as `Tracing` does
            some = _spread(frames)
            times = _times_ms(lambda n, s=stage, f=some: _paint(build_scene(s, f[n]), image, text_painter))  # type: ignore[misc]
            print(
                f"{kernel.id} {size}, block {block}, {trace.access_count:,} accesses, {len(frames):,} frames: "
                f"median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms",
                flush=True,
            )


def _is_legal(kernel: Kernel, size: Size, block: Dim3) -> bool:
    try:
        check_threads(prepare(kernel, size, block).launch.thread_count)
    except TilescopeError:
        return False
    return block.count <= 1024


def _threads(block: Dim3) -> int:
    return block.count


def _staged(n: int) -> tuple[Stage, Sequence[Frame]]:
    kernel = find_kernel("matmul_tiled")
    trace = trace_kernel(kernel, Size(n, n, n), Dim3(8, 8), Fill("mod", (2,)))
    return Stage(trace, kernel.workload.panels), playlist(trace, "memory").frames


def _spread(frames: Sequence[Frame]) -> list[Frame]:
    """Pick frames from all over the playlist, in no order."""
    return [frames[i] for i in np.random.default_rng(1).integers(0, len(frames), _RUNS)]


def _paint_nth(scenes: list[Scene], image: QImage, text_painter: TextPainter, n: int) -> None:
    _paint(scenes[n], image, text_painter)


def _paint(scene: Scene, image: QImage, text_painter: TextPainter) -> None:
    painter = QPainter(image)
    paint_scene(painter, scene, LIGHT, text_painter, image.width(), image.height(), 18.0)
    painter.end()


def _median_ms(work: Callable[[int], None]) -> float:
    return statistics.median(_times_ms(work))


def _times_ms(work: Callable[[int], None]) -> list[float]:
    work(0)
    times = []
    for n in range(_RUNS):
        start = time.process_time()
        work(n)
        times.append((time.process_time() - start) * 1000)
    return times


if __name__ == "__main__":
    main()
