"""The tab with rate against occupancy, at a size that the user chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QWidget

from gui.measure.results.chart_tab import ChartTab
from gui.measure.results.lookup import Lookup
from gui.measure.results.occupancy import OccupancyFigures, find_occupancy
from gui.widgets.controls import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Series
    from kernels.workload import Size


class OccupancyTab(ChartTab):
    """Rate against occupancy; until the user chooses, at the size with most blocks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.known = Lookup(find_occupancy)
        self.figures = OccupancyFigures(self.known)
        super().__init__(self.figures, parent)
        self.known.setParent(self)
        self._sizes: list[Size] = []
        self.size_box = QComboBox()
        self.size_box.setAccessibleName("n")
        self.size_box.activated.connect(self._choose)
        self.tools.insertWidget(0, label("n ="))
        self.tools.insertWidget(1, self.size_box)
        self.known.changed.connect(self._redraw_shown)

    @property
    def busy(self) -> bool:
        """True while occupancies are computed."""
        return self.known.busy

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw these series, and compute the occupancies that are not known."""
        self._offer(series)
        self.known.request(self.figures.keys(series))
        super().show_series(series)

    def stop_work(self) -> None:
        """End the worker thread."""
        self.known.close()

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
