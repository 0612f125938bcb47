"""Tabs of the Occupancy page: charts, derivation, waves, and the occupancy achieved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from gui.occupancy.chart import (
    BY_BLOCK,
    BY_REGISTERS,
    BY_SHARED,
    Chart,
    show_blocks,
    show_registers,
    show_shared_memory,
)
from gui.occupancy.derivation_text import DerivationText
from gui.occupancy.waves_picture import WavesPanel
from kernels.occupancy.derivation import derivation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.occupancy.achieved import AchievedPanel
    from gui.theming.theme import Theme
    from kernels.launch import Dim3
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Point


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

    def __init__(self, achieved: AchievedPanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
