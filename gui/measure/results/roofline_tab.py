"""The tab with the roofline.

The traffic of recorded launches ships with the program; that of others is counted by the simulator in a worker thread,
which can be stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QPushButton, QSizePolicy, QWidget

from gui.measure.results.chart_tab import ChartTab
from gui.measure.results.lookup import Lookup
from gui.measure.results.roles import kernel_of
from gui.measure.results.roofline import BYTES, RooflineFigures
from gui.widgets.controls import label
from kernels.bench.shipped_traffic import shipped_traffic
from kernels.bench.traffic import count_traffic
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Series
    from kernels.bench.traffic import Traffic, TrafficKey


_LONGEST_S: Final = 20.0
"""Seconds in which a launch must be counted: those of tensor cores can take minutes."""

_LEAST_PX: Final = 120
"""Least width of the list of kinds of bytes; its tooltip has the words that are cut off."""


def _count(key: TrafficKey) -> Traffic:
    kernel = kernel_of(key.kernel)
    if kernel is None:
        raise InputError(f"{key.kernel} is not known here")
    return count_traffic(kernel, key.block, key.size, _LONGEST_S)


class RooflineTab(ChartTab):
    """Roofline. While the page measures, nothing is counted: it would disturb the times."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.traffic = Lookup(_count, known=shipped_traffic)
        self.figures = RooflineFigures(self.traffic)
        super().__init__(self.figures, parent)
        self.traffic.setParent(self)
        self._measuring = self._stopped = False
        self._drawn = 0
        """Version of the traffic in the chart."""
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._redraw_shown)
        self.bytes = QComboBox()
        self.bytes.setAccessibleName("Bytes")
        self.bytes.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.bytes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.bytes.setMinimumWidth(_LEAST_PX)
        for name, words in BYTES.items():
            self.bytes.addItem(words, name)
        self.bytes.currentTextChanged.connect(self.bytes.setToolTip)
        self.bytes.setToolTip(self.bytes.currentText())
        self.bytes.activated.connect(self._choose)
        self.progress = label(role="muted")
        self.stop = QPushButton("Stop")
        self.stop.setToolTip("The simulator counts the bytes of each launch. What is not counted has no point.")
        self.stop.clicked.connect(self._stop_or_resume)
        for place, widget in enumerate((label("FLOP per"), self.bytes)):
            self.tools.insertWidget(place, widget)
        self.tools.insertWidget(3, self.progress)
        self.tools.insertWidget(4, self.stop)
        self.traffic.changed.connect(self._soon.start)
        self._show_progress()

    @property
    def busy(self) -> bool:
        """True while traffic is counted, or not drawn yet."""
        return self.traffic.busy or self._soon.isActive()

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw these series, and count the traffic that is not known."""
        self.traffic.request(self.figures.unknown(series))
        super().show_series(series)

    def set_measuring(self, measuring: bool) -> None:
        """Count nothing while the page measures."""
        self._measuring = measuring
        self._pause()

    def stop_work(self) -> None:
        """End the worker thread."""
        self.traffic.close()
        self._soon.stop()

    def redraw(self) -> None:
        """Draw the chart with the traffic that is known."""
        self._soon.stop()  # new samples and new counts that come in the same turn are drawn once
        self._drawn = self.traffic.version
        super().redraw()
        self._show_progress()

    def _redraw_shown(self) -> None:
        if self.isVisible() and self.traffic.version != self._drawn:
            self.redraw()
        else:
            self._show_progress()

    def _choose(self) -> None:
        self.figures.bytes = self.bytes.currentData()
        self.redraw()

    def _stop_or_resume(self) -> None:
        self._stopped = not self._stopped
        self._pause()

    def _pause(self) -> None:
        self.traffic.pause(self._measuring or self._stopped)
        self._show_progress()

    def _show_progress(self) -> None:
        left = self.traffic.open
        self.stop.setVisible(left > 0 and not self._measuring)
        self.stop.setText("Count" if self._stopped else "Stop")
        if not left:
            words = ""
        elif self._measuring:
            words = "counted later"
        else:
            words = f"{left} to count"
        self.progress.setText(words)
