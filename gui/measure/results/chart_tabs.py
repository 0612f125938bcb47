"""Tabs whose charts the user chooses more of: baseline, size, kind of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QSizePolicy

from gui.measure.results.chart_tab import ChartTab
from gui.measure.results.lookup import Lookup
from gui.measure.results.occupancy import OccupancyFigures, find_occupancy
from gui.measure.results.roles import kernel_of
from gui.measure.results.roofline import BYTES, RooflineFigures
from gui.measure.results.speed_up import AGAINST, SpeedUpFigures
from gui.widgets.controls import label, push_button
from kernels.bench.shipped_traffic import shipped_traffic
from kernels.bench.traffic import count_traffic
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Series
    from kernels.bench.traffic import Traffic, TrafficKey
    from kernels.workload import Size

_BASELINE_PX: Final = 200
"""Least width of the list of baselines; its tooltip has the name that is cut off."""


class SpeedUpTab(ChartTab):
    """Speed-ups; until the user chooses, over the first baseline that was measured."""

    def __init__(self) -> None:
        self.figures = SpeedUpFigures()
        super().__init__(self.figures)
        self.against = self.add_choice("Speed-up over", AGAINST, self._choose)
        self.against.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.against.setMinimumWidth(_BASELINE_PX)

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw the speed-ups of these series."""
        self.against.setCurrentIndex(list(AGAINST).index(self.figures.chosen(series)))
        super().show_series(series)

    def _choose(self) -> None:
        self.figures.against = self.against.currentData()
        self.redraw()


class OccupancyTab(ChartTab):
    """Rate against occupancy; until the user chooses, at the size with most blocks."""

    def __init__(self) -> None:
        self.known = Lookup(find_occupancy)
        self.figures = OccupancyFigures(self.known)
        super().__init__(self.figures, self.known)
        self._sizes: list[Size] = []
        self.size_box = self.add_choice("n", {}, self._choose, "n =")
        self.known.changed.connect(self._redraw_shown)

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw these series, and compute the occupancies that are not known."""
        self._offer(series)
        self.known.request(self.figures.keys(series))
        super().show_series(series)

    def _offer(self, series: Sequence[Series]) -> None:
        """List the sizes; of a list that grows, only the new ones are inserted."""
        sizes = list(self.figures.sizes(series))
        if sizes != self._sizes:
            if not set(self._sizes) <= set(sizes):
                self.size_box.clear()
                self._sizes = []
            known = set(self._sizes)
            for place, size in enumerate(sizes):
                if size not in known:
                    self.size_box.insertItem(place, str(size), size)
            self._sizes = sizes
        chosen = self.figures.chosen(series)
        if chosen is not None:
            self.size_box.setCurrentIndex(sizes.index(chosen))

    def _redraw_shown(self) -> None:
        if self.isVisible():
            self.redraw()

    def _choose(self) -> None:
        self.figures.size = self.size_box.currentData()
        self.known.request(self.figures.keys(self._series))
        self.redraw()


_LONGEST_S: Final = 20.0
"""Seconds in which a launch must be counted: those of tensor cores can take minutes."""

_BYTES_PX: Final = 120
"""Least width of the list of kinds of bytes; its tooltip has the words that are cut off."""


def _count(key: TrafficKey) -> Traffic:
    kernel = kernel_of(key.kernel)
    if kernel is None:
        raise InputError(f"{key.kernel} is not known here")
    return count_traffic(kernel, key.block, key.size, _LONGEST_S, key.architecture)


class RooflineTab(ChartTab):
    """Roofline. While the page measures, nothing is counted: it would disturb the times.

    The traffic of recorded launches ships with the program; that of others is counted by the simulator in a worker
    thread, which can be stopped.
    """

    def __init__(self) -> None:
        self.traffic = Lookup(_count, known=shipped_traffic)
        self.figures = RooflineFigures(self.traffic)
        super().__init__(self.figures, self.traffic)
        self._measuring = self._stopped = False
        self._drawn = 0
        """Version of the traffic in the chart."""
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._redraw_shown)
        self.bytes = self.add_choice("Bytes", BYTES, self._choose, "FLOP per")
        self.bytes.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.bytes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.bytes.setMinimumWidth(_BYTES_PX)
        self.progress = label(role="muted")
        self.stop = push_button("Stop", slot=self._stop_or_resume)
        self.stop.setToolTip("The simulator counts the bytes of each launch. What is not counted has no point.")
        self.tools.insertWidget(3, self.progress)
        self.tools.insertWidget(4, self.stop)
        self.traffic.changed.connect(self._soon.start)
        self._show_progress()

    @property
    def busy(self) -> bool:
        """True while traffic is counted, or not drawn yet."""
        return super().busy or self._soon.isActive()

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
        super().stop_work()
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
