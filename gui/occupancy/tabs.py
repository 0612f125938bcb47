"""Tabs of the Occupancy page: charts, derivation, waves, and the occupancy achieved."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QTextEdit, QWidget

from gui.occupancy.explanation import Explanation
from gui.occupancy.occupancy_plot import Axis, Mark, OccupancyPlot
from gui.occupancy.waves_picture import WavesPanel
from gui.theming.theme import LIGHT
from gui.widgets.controls import vbox
from kernels.occupancy.chart_words import block_words, register_words, shared_words
from kernels.occupancy.curve import register_plateaus, shared_plateaus
from kernels.occupancy.derivation import derivation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.occupancy.achieved import AchievedPanel
    from gui.theming.theme import Theme
    from kernels.launch import Dim3
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Plateau, Point
    from kernels.occupancy.derivation import Step


class DerivationText(QTextEdit):
    """Read-only text; the smallest limit is marked."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        self._steps: tuple[Step, ...] = ()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Derivation of the occupancy")

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Show the steps of a derivation."""
        self._steps = tuple(steps)
        self._write()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self._write()

    def _write(self) -> None:
        self.setHtml(
            f'<table width="100%" cellspacing="0" cellpadding="3">{"".join(map(self._row, self._steps))}</table>'
        )

    def _row(self, step: Step) -> str:
        theme = self._theme
        colour = theme.warning if step.limits else theme.text
        mark = "▸ " if step.limits else ""
        word = ": the smallest" if step.limits else ""
        formula = f"{escape(step.formula)} = " if step.formula and step.formula != step.numbers else ""
        numbers = escape(step.numbers.replace(" ", "\N{NO-BREAK SPACE}"))
        return (
            f'<tr><td style="color: {colour}"><b>{mark}{escape(step.name)}{word}</b><br>'
            f'<span style="color: {theme.muted}">{formula}</span>'
            f'<span style="color: {theme.text}">{numbers}</span></td>'
            f'<td align="right" valign="bottom" style="color: {colour}"><b>{escape(step.result)}</b></td></tr>'
        )


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
        column = vbox(self, (6, 6, 6, 6), spacing=4)
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


class OccupancyTabs(QTabWidget):
    """Views of one occupancy.

    Signals
    -------
    block_picked(Dim3)
        A block was chosen in the chart.
    registers_picked(int), shared_bytes_picked(int)
        Another value to assume was chosen in a chart.
    """

    block_picked = Signal(object)
    registers_picked = Signal(object)
    shared_bytes_picked = Signal(object)

    def __init__(self, achieved: AchievedPanel) -> None:
        super().__init__()
        self.blocks, self.registers, self.shared = Chart(BY_BLOCK), Chart(BY_REGISTERS), Chart(BY_SHARED)
        self.derivation = DerivationText()
        self.waves = WavesPanel()
        self.achieved = achieved
        for title, widget, tip in (
            ("&Blocks", self.blocks, "Occupancy of every block size"),
            ("&Registers", self.registers, "Occupancy of this block with other numbers of registers"),
            ("S&hared", self.shared, "Occupancy of this block with other sizes of shared memory"),
            ("&Formula", self.derivation, "The derivation, step by step"),
            ("&Waves", self.waves, "How many rounds the grid takes"),
            ("&Achieved", self.achieved, "Recorded launches: every block on its SM"),
        ):
            self.setTabToolTip(self.addTab(widget, title), tip)
        self.blocks.value_picked.connect(self.block_picked)
        self.registers.value_picked.connect(self.registers_picked)
        self.shared.value_picked.connect(self.shared_bytes_picked)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        for part in (self.blocks, self.registers, self.shared, self.derivation, self.waves, self.achieved):
            part.set_theme(theme)

    def show_occupancy(
        self, points: Sequence[Point], block: Dim3, occupancy: Occupancy | None, grid_blocks: int
    ) -> None:
        """Show a chart of blocks, and the views of one block's occupancy; those are empty where there is none."""
        show_blocks(self.blocks, points, block)
        if occupancy is None:
            for chart in (self.registers, self.shared):
                chart.show_marks((), None, "")
            self.derivation.show_steps(())
            self.waves.show_waves(None, 0)
            return
        show_registers(self.registers, occupancy, block)
        show_shared_memory(self.shared, occupancy, block)
        self.derivation.show_steps(derivation(occupancy, grid_blocks))
        self.waves.show_waves(occupancy, grid_blocks)
