"""Results of the Benchmark page: tabs over the same series, of which only the one in front is built and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.measure.results.chart_tab import ChartTab
from gui.measure.results.chart_tabs import OccupancyTab, RooflineTab, SpeedUpTab
from gui.measure.results.rate import PeakFigures, RateFigures, TimeFigures
from gui.measure.results.series import THIS, SeriesSet
from gui.measure.results.table_tab import TableTab
from gui.theming.lazy_tabs import LazyTabs
from gui.widgets.controls import vbox

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gui.measure.results.chart import Chart
    from gui.measure.results.series import Origin
    from gui.theming.theme import Theme
    from kernels.bench.store.database import Row

    Tab = ChartTab | TableTab

CHARTS: Final[Mapping[str, Callable[[], ChartTab]]] = {
    "Rate": lambda: ChartTab(RateFigures()),
    "Time": lambda: ChartTab(TimeFigures()),
    "Speed-up": SpeedUpTab,
    "% of peak": lambda: ChartTab(PeakFigures()),
    "Roofline": RooflineTab,
    "Occupancy": OccupancyTab,
}
"""Tabs with charts, by their titles."""

_TABLE: Final = "Table"


_TURN_S: Final = 0.01
"""Processor time for figures in one turn of the event loop."""


class ResultTabs(LazyTabs):
    """Tabs over the rows of all runs that are shown.

    Rows are added as they arrive, and drawn by `draw`. A tab is built when it first comes to the front, and drawn and
    coloured when it comes there after a change.
    """

    def __init__(self) -> None:
        super().__init__()
        self.series = SeriesSet()
        self.table = TableTab()
        self._built: dict[str, Tab] = {_TABLE: self.table}
        self._stale: set[Tab] = {self.table}
        self._measuring = False
        self._titles = (*CHARTS, _TABLE)
        self._pages: dict[str, QVBoxLayout] = {}
        for title in self._titles:
            page = QWidget()
            self._pages[title] = vbox(page)
            self.addTab(page, title)
        self._pages[_TABLE].addWidget(self.table)
        self._next_turn = QTimer(self, singleShot=True, interval=0)
        self._next_turn.timeout.connect(self._draw_front)
        self.currentChanged.connect(self._draw_front)

    @property
    def gflops(self) -> ChartTab:
        """The tab with rates."""
        return self.chart_tab("Rate")

    @property
    def front(self) -> Tab:
        """The tab in front."""
        return self._tab(self._titles[self.currentIndex()])

    def chart_tab(self, title: str) -> ChartTab:
        """Return a tab with a chart; it is built if it was never shown."""
        tab = self._tab(title)
        assert isinstance(tab, ChartTab)
        return tab

    def show_tab(self, title: str) -> None:
        """Bring a tab to the front."""
        self.setCurrentIndex(self._titles.index(title))

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Set the kernels' titles."""
        self.series.titles = titles
        self.table.set_titles(titles)
        self.draw()

    def dress(self, tab: QWidget, theme: Theme) -> None:
        """Set the style sheet of a tab, and the colours of its plot."""
        super().dress(tab, theme)
        built = self._built.get(self._titles[self.indexOf(tab)])
        if built is not None:
            built.set_theme(theme)

    def add(self, rows: Sequence[Row], origin: Origin = THIS) -> None:
        """Add rows of a run; they are drawn by `draw`."""
        self.series.add(rows, origin)
        self.table.add(rows, origin)

    def remove(self, origin: Origin = THIS) -> None:
        """Remove the rows of a run; drawn by `draw`."""
        self.series.remove(origin)
        self.table.remove(origin)

    @property
    def chart_titles(self) -> tuple[str, ...]:
        """Titles of the tabs with a chart."""
        return tuple(CHARTS)

    def chart(self, title: str) -> tuple[Chart, tuple[bool, bool]]:
        """Return the chart of a tab, and whether x and y are logarithmic; the tab may compute more of it now."""
        return self.chart_tab(title).chart(self.series.series())

    @property
    def busy(self) -> bool:
        """Whether the tab in front is not drawn yet, or a tab computes in the background."""
        return self._next_turn.isActive() or any(tab.busy for tab in self._built.values())

    def set_measuring(self, measuring: bool) -> None:
        """Compute nothing long while the page measures: it would disturb the times."""
        self._measuring = measuring
        for tab in self._built.values():
            tab.set_measuring(measuring)

    @property
    def curves_chosen(self) -> bool:
        """True once the user has ticked or unticked a curve in any tab."""
        return any(tab.plot.legend.decided for tab in self._built.values() if isinstance(tab, ChartTab))

    def stop_work(self) -> None:
        """End the worker threads of the tabs, and draw nothing more."""
        self._next_turn.stop()
        for tab in self._built.values():
            tab.stop_work()

    def draw(self) -> None:
        """Draw the tab in front; the others when they come to the front."""
        self._stale = set(self._built.values())
        self._draw_front()

    def _tab(self, title: str) -> Tab:
        if title not in self._built:
            tab = self._built[title] = CHARTS[title]()
            tab.set_measuring(self._measuring)
            self._pages[title].addWidget(tab)
            self._stale.add(tab)
            if self.theme is not None:
                tab.set_theme(self.theme)
        return self._built[title]

    def _draw_front(self) -> None:
        """Draw the tab in front, if it has changed, as soon as its figures are computed."""
        tab = self.front
        if tab not in self._stale:
            return
        series = self.series.series()
        if not tab.prepare(series, _TURN_S):
            self._next_turn.start()
            return
        self._stale.discard(tab)
        tab.show_series(series)
