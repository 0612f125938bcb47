"""A tab with a chart: the plot, its axes' scales, and notes on what is not drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from gui.measure.figures.chart import Memo, asks_for_log
from gui.widgets.controls import label
from gui.widgets.plot import LinePlot
from gui.widgets.plot_curves import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.figures.chart import Chart, ChartCurve
    from gui.measure.series import Series
    from gui.theming.theme import Theme

_EMPTY: Final = np.empty(0)


class Figures(Protocol):
    """Source of a tab's chart."""

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series."""


class ChartTab(QWidget):
    """Draws a chart; an unchanged curve keeps its `Line`.

    Axes are logarithmic where the range of the values asks for it, until the user chooses.
    """

    def __init__(self, figures: Figures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures = figures
        self._lines: Memo[ChartCurve, Line] = Memo(_line)
        self.plot = LinePlot("", "")
        self.log_x, self.log_y = QCheckBox("log x"), QCheckBox("log y")
        self._chosen = {self.log_x: False, self.log_y: False}
        for box in self._chosen:
            box.toggled.connect(self._choose_scale)
        self.notes = label(role="muted", line=True)
        self.notes.hide()
        self.tools = QHBoxLayout()
        self.tools.addStretch(1)
        self.tools.addWidget(self.log_x)
        self.tools.addWidget(self.log_y)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.addLayout(self.tools)
        column.addWidget(self.plot, 1)
        column.addWidget(self.notes)
        self.show_series(())

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self.plot.set_theme(theme)

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw the chart of these series."""
        chart = self._figures.chart(series)
        self.plot.set_axes(chart.x, chart.y)
        self.log_x.setText(f"log {chart.x.split(',')[0]}")
        self.log_y.setText(f"log {chart.y.split(',')[0]}")
        self._propose_scales(chart)
        self.plot.show_lines(self._lines(chart.curves), (self.log_x.isChecked(), self.log_y.isChecked()))
        self.notes.setText(" ".join(chart.notes))
        self.notes.setVisible(bool(chart.notes))

    def _propose_scales(self, chart: Chart) -> None:
        for box, values in (
            (self.log_x, [curve.x for curve in chart.curves]),
            (self.log_y, [curve.y.middle for curve in chart.curves]),
        ):
            if not self._chosen[box]:
                box.blockSignals(True)  # the user has not chosen
                box.setChecked(asks_for_log(np.concatenate([_EMPTY, *values])))
                box.blockSignals(False)

    def _choose_scale(self) -> None:
        box = self.sender()
        if isinstance(box, QCheckBox):
            self._chosen[box] = True
        self.plot.set_log(x=self.log_x.isChecked(), y=self.log_y.isChecked())


def _line(curve: ChartCurve) -> Line:
    series, y = curve.series, curve.y
    points = int(np.count_nonzero(np.isfinite(y.middle)))
    return Line(
        series.name,
        series.place,
        curve.x,
        y.middle,
        y.low,
        y.high,
        tip=f"{series.name} ({series.entry.kernel}): {points} points",
        ticked=series.origin.first is None or series.entry in series.origin.first,
    )
