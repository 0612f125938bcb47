"""Charts of all tabs for a report: one in each turn of the event loop, after what tabs compute in the background."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from gui.measure.results.chart_picture import ChartPainter

if TYPE_CHECKING:
    from collections.abc import Generator

    from gui.measure.results.chart import Chart
    from gui.measure.results.chart_picture import Drawing
    from gui.measure.results.tabs import ResultTabs

_TURN_MS: Final = 10
_MOST_S: Final = 30.0
"""Wait this long for counts and occupancies; the report says what is not drawn then."""


class ChartCollector(QObject):
    """Draws every tab, waits for it, and collects its chart.

    Signals
    -------
    charts_collected(dict)
        By title of the tab: the chart and its drawing. Those without a point are left out.
    """

    charts_collected = Signal(object)

    def __init__(self, results: ResultTabs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._results = results
        self._steps: Generator[None] | None = None
        self._timer = QTimer(self, interval=_TURN_MS)
        self._timer.timeout.connect(self._step)

    @property
    def busy(self) -> bool:
        """True while charts are collected."""
        return self._steps is not None

    def start(self) -> None:
        """Collect the charts of what is shown now."""
        self._steps = self._work()
        self._timer.start()

    def cancel(self) -> None:
        """Collect nothing."""
        self._timer.stop()
        self._steps = None

    def _step(self) -> None:
        if self._steps is not None and next(self._steps, self) is self:
            self.cancel()

    def _work(self) -> Generator[None]:
        for title in self._results.chart_titles:
            self._results.chart(title)
            yield
        until = monotonic() + _MOST_S
        while self._results.busy and monotonic() < until:
            yield
        charts: dict[str, tuple[Chart, Drawing]] = {}
        for title in self._results.chart_titles:
            chart, log = self._results.chart(title)
            if any(np.isfinite(curve.y.middle).any() for curve in chart.curves):
                charts[title] = chart, ChartPainter(chart, log, title).drawing()
            yield
        self.charts_collected.emit(charts)
