"""Time of a memory row: the first one of a trace, which adds up the whole run, then jumps to any step, with painting.

Run as ``python -m tests.bench.memory_row``. Times are the processor's, without waits for other work of the machine.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.explore.memory.paint_memory import paint_card
from gui.explore.memory.row import build_memory_row, cards_of
from gui.explore.packing.warp_layout import arrange_cards
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT
from kernels.analysis import playlist
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from gui.explore.memory.row import MemoryRow

_JUMPS: Final = 200
_BAR_MS: Final = 5.0
_WIDTH, _LINE = 780, 18.0

_LAUNCHES: Final = (
    ("matmul_naive", Size(64, 64, 64), Dim3(32, 32)),
    ("matmul_naive", Size(64, 64, 64), Dim3(2, 2)),
    ("matmul_naive_row_x", Size(64, 64, 64), Dim3(32, 32)),
    ("matmul_tiled", Size(64, 64, 64), Dim3(16, 16)),
    ("matmul_tiled_transposed", Size(64, 64, 64), Dim3(32, 32)),
    ("matmul_registers_2d", Size(64, 64, 64), Dim3(16, 16)),
    ("matmul_vectorized", Size(64, 64, 64), Dim3(16, 16)),
    ("mmt_tiled", Size(64, 64, 64), Dim3(8, 8)),
    ("mmt_stripe", Size(64, 64, 64), Dim3(8, 8)),
)


def main() -> None:
    """Print the time of the first row, and median and 99th percentile of a jump and of painting it."""
    application = QApplication([])
    text_painter = TextPainter(application.font().family())
    launches = ((*launch, schedule) for launch in _LAUNCHES for schedule in ("lockstep", "reversed"))
    slowest = 0.0
    for name, size, block, schedule in launches:
        kernel = find_kernel(name)
        trace = trace_kernel(kernel, size, block, options=Options(schedule))
        stage = Stage(trace, kernel.workload.panels)
        frames = playlist(stage.trace, "memory", stage.order).frames
        begun = time.process_time()
        build_memory_row(stage, frames[0])
        first_ms = (time.process_time() - begun) * 1000
        built, painted = [], []
        for number in np.random.default_rng(1).integers(0, len(frames), _JUMPS).tolist():
            begun = time.process_time()
            row = build_memory_row(stage, frames[number])
            between = time.process_time()
            assert row is not None
            _paint(row, text_painter)
            built.append((between - begun) * 1000)
            painted.append((time.process_time() - between) * 1000)
        (median, most), (paint_median, paint_most) = (np.percentile(times, [50, 99]) for times in (built, painted))
        slowest = max(slowest, most)
        print(
            f"{name} {size} in {block.x}×{block.y}, {schedule}, {trace.access_count:,} accesses: first {first_ms:.0f} "
            f"ms, then median {median:.2f} ms, p99 {most:.2f} ms; painted in {paint_median:.2f} ms, "
            f"p99 {paint_most:.2f} ms"
        )
    print(f"slowest p99 {slowest:.2f} ms, {slowest / _BAR_MS:.2f} of the {_BAR_MS:g} ms that a row may take")


def _paint(row: MemoryRow, text_painter: TextPainter) -> None:
    cards = cards_of(row.accesses)
    boxes = arrange_cards(len(cards), _WIDTH, _LINE)
    image = QImage(_WIDTH, 320, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for card, box in zip(cards, boxes, strict=True):
        paint_card(Tools(painter, LIGHT, text_painter, _LINE), card, box, row.lane)
    painter.end()


if __name__ == "__main__":
    main()
