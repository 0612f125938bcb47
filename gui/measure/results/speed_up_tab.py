"""The tab with speed-ups, over a baseline that the user chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from gui.measure.results.chart_tab import ChartTab
from gui.measure.results.speed_up import AGAINST, SpeedUpFigures
from gui.widgets.controls import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Series

_LEAST_PX: Final = 200
"""Least width of the list of baselines; its tooltip has the name that is cut off."""


class SpeedUpTab(ChartTab):
    """Speed-ups; until the user chooses, over the first baseline that was measured."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.figures = SpeedUpFigures()
        self.against = QComboBox()
        self.against.setAccessibleName("Speed-up over")
        self.against.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.against.setMinimumWidth(_LEAST_PX)
        super().__init__(self.figures, parent)
        for name, words in AGAINST.items():
            self.against.addItem(words, name)
        self.against.currentTextChanged.connect(self.against.setToolTip)
        self.against.setToolTip(self.against.currentText())
        self.against.activated.connect(self._choose)
        self.tools.insertWidget(0, label("Speed-up over"))
        self.tools.insertWidget(1, self.against)

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw the speed-ups of these series."""
        self.against.setCurrentIndex(list(AGAINST).index(self.figures.chosen(series)))
        super().show_series(series)

    def _choose(self) -> None:
        self.figures.against = self.against.currentData()
        self.redraw()
