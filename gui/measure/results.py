"""Results of the Benchmark page: tabs over the same series, of which only the one in front is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QTabWidget, QWidget

from gui.measure.figures.peak import PeakFigures
from gui.measure.figures.rate import RateFigures, TimeFigures
from gui.measure.series import THIS, SeriesSet
from gui.measure.tabs.chart_tab import ChartTab
from gui.measure.tabs.occupancy_tab import OccupancyTab
from gui.measure.tabs.roofline_tab import RooflineTab
from gui.measure.tabs.speed_up_tab import SpeedUpTab
from gui.measure.tabs.table_tab import TableTab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gui.measure.figures.chart import Chart
    from gui.measure.series import Origin
    from gui.theming.theme import Theme
    from kernels.bench.store import Row

_TITLES: Final = ("GFLOPS", "Time", "Speed-up", "Percent of peak", "Roofline", "Occupancy", "Table")


class ResultTabs(QTabWidget):
    """Tabs over the rows of all runs that are shown.

    Rows are added as they arrive, and drawn by `draw`. A tab that is not in front is drawn when it comes there.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.series = SeriesSet()
        self.gflops = ChartTab(RateFigures())
        self.time = ChartTab(TimeFigures())
        self.speed_up = SpeedUpTab()
        self.peak = ChartTab(PeakFigures())
        self.roofline = RooflineTab()
        self.occupancy = OccupancyTab()
        self.table = TableTab()
        charts = (self.gflops, self.time, self.speed_up, self.peak, self.roofline, self.occupancy)
        self._tabs: tuple[ChartTab | TableTab, ...] = (*charts, self.table)
        self._stale: set[ChartTab | TableTab] = set(self._tabs)
        for tab, title in zip(self._tabs, _TITLES, strict=True):
            self.addTab(tab, title)
        self.currentChanged.connect(self._draw_front)

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Set the kernels' titles."""
        self.series.titles = titles
        self.table.set_titles(titles)
        self.draw()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        for tab in self._tabs:
            tab.set_theme(theme)

    def add(self, rows: Sequence[Row], origin: Origin = THIS) -> None:
        """Add rows of a run; they are drawn by `draw`."""
        self.series.add(rows, origin)
        self.table.add(rows, origin)

    def remove(self, origin: Origin = THIS) -> None:
        """Remove the rows of a run; drawn by `draw`."""
        self.series.remove(origin)
        self.table.remove(origin)

    def charts(self) -> dict[str, tuple[Chart, bool, bool]]:
        """Return the chart of each tab that has one by the tab's title, and whether x and y are logarithmic."""
        series = self.series.series()
        titles = {tab: self.tabText(place) for place, tab in enumerate(self._tabs)}
        return {titles[tab]: tab.chart(series) for tab in self._tabs if isinstance(tab, ChartTab)}

    @property
    def busy(self) -> bool:
        """Whether a tab computes in the background."""
        return self.roofline.busy or self.occupancy.busy

    def set_measuring(self, measuring: bool) -> None:
        """Compute nothing long while the page measures: it would disturb the times."""
        self.roofline.set_measuring(measuring)

    def close_lookups(self) -> None:
        """End the worker threads of the tabs."""
        self.roofline.close_lookups()
        self.occupancy.close_lookups()

    def draw(self) -> None:
        """Draw the tab in front; the others when they come to the front."""
        self._stale = set(self._tabs)
        self._draw_front()

    def _draw_front(self) -> None:
        tab = self._tabs[self.currentIndex()]
        if tab in self._stale:
            self._stale.discard(tab)
            tab.show_series(self.series.series())
