"""Charts of occupancy against block size, registers and shared memory, each with its present step explained below."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.occupancy.explanation import Explanation
from gui.occupancy.occupancy_plot import Axis, Mark, OccupancyPlot
from kernels.occupancy.chart_words import block_words, register_words, shared_words
from kernels.occupancy.curve import register_plateaus, shared_plateaus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.theming.theme import Theme
    from kernels.launch import Dim3
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Plateau, Point

_KIB: Final = 1024
BY_BLOCK: Final = Axis("threads per block", 1024, 128)
BY_REGISTERS: Final = Axis("registers per thread", 255, 32, falls=True)
BY_SHARED: Final = Axis("shared memory per block (KiB)", 228 * _KIB, 32 * _KIB, _KIB, falls=True)

_WALK: Final = "Click a mark, or use the arrow keys."


class Chart(QWidget):
    """A plot, and the words of its chosen mark.

    Signals
    -------
    value_picked(object)
        As of the plot.
    """

    value_picked = Signal(object)

    def __init__(self, axis: Axis, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = OccupancyPlot(axis)
        self.words = Explanation(5)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self.words)
        self.setFocusProxy(self.plot)
        self.plot.value_picked.connect(self.value_picked)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self.plot.set_theme(theme)

    def show_marks(self, marks: Sequence[Mark], chosen: Mark | None, title: str) -> None:
        """Draw marks, and explain the chosen one."""
        self.plot.show_marks(marks, chosen, title)
        self.words.setText(f"{chosen.words}\n{_WALK}" if chosen else _WALK)


def show_blocks(chart: Chart, points: Sequence[Point], block: Dim3) -> None:
    """Draw the blocks that a kernel can be launched with."""
    marks = [
        Mark(point.occupancy.block_threads, point.occupancy, block_words(point, earlier), point.block, str(point.block))
        for point, earlier in zip(points, (None, *points), strict=False)
    ]
    chosen = next((mark for mark in marks if mark.value == block), None)
    chart.show_marks(marks, chosen, "Every block size; a mark's shape says what limits it")


def show_registers(chart: Chart, current: Occupancy, block: Dim3) -> None:
    """Draw other numbers of registers for one block."""
    plateaus = register_plateaus(current)
    marks = [
        Mark(p.last, p.occupancy, register_words(p, last=p is plateaus[-1]), p.last, f"{p.last} registers")
        for p in plateaus
    ]
    used = current.resources.registers
    chosen = None
    if around := _around(plateaus, used):
        words = register_words(replace(around, occupancy=current), last=around is plateaus[-1])
        chosen = Mark(used, current, words, used, f"{used} registers")
    chart.show_marks(marks, chosen, f"Blocks of {block} with other numbers of registers")


def show_shared_memory(chart: Chart, current: Occupancy, block: Dim3) -> None:
    """Draw other sizes of shared memory for one block."""
    plateaus = shared_plateaus(current)
    marks = [Mark(p.last, p.occupancy, shared_words(p), p.last, f"{p.last:,} bytes") for p in plateaus]
    used = current.resources.static_shared_bytes + current.dynamic_shared_bytes
    chosen = None
    if around := _around(plateaus, used):
        chosen = Mark(used, current, shared_words(replace(around, occupancy=current)), used, f"{used:,} bytes")
    chart.plot.set_last(current.device.shared_per_block_optin_bytes)
    chart.show_marks(marks, chosen, f"Blocks of {block} with other sizes of shared memory")


def _around(plateaus: Sequence[Plateau], value: int) -> Plateau | None:
    return next((plateau for plateau in plateaus if plateau.first <= value <= plateau.last), None)
