"""Export of what the Benchmark page shows: a menu, and the files that it writes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton

from gui.measure.results.chart_picture import ChartPainter
from gui.measure.results.report import report
from gui.shell.jobs import JobRunner
from gui.widgets.pictures import save_picture
from kernels.bench.store.csv_file import write_csv
from kernels.bench.store.run_file import run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from gui.measure.results.chart import Chart
    from gui.measure.results.chart_picture import Drawing
    from gui.measure.results.tabs import ResultTabs
    from gui.measure.run.overlay import Overlay

_TURN_MS: Final = 10
_MOST_S: Final = 30.0
"""Wait this long for counts and occupancies; the report says what is not drawn then."""

FORMATS: Final[Mapping[str, tuple[str, str]]] = {
    "png": ("Plot as PNG…", "PNG picture (*.png)"),
    "svg": ("Plot as SVG…", "SVG drawing (*.svg)"),
    "html": ("Report as HTML…", "Report, one HTML page (*.html)"),
    "csv": ("Samples as CSV…", "CSV (*.csv)"),
    "jsonl": ("Samples as JSON lines…", "JSON lines (*.jsonl)"),
}
"""By suffix: the text in the menu, and the filter of the file dialog."""


class Exporter(QObject):
    """Writes plots, samples and the report of the runs that are shown, in a worker thread.

    Parameters
    ----------
    results : ResultTabs
        Tabs with the charts.
    overlay : Overlay
        Runs that are shown.
    caption : str
        What the figures are, for the report.

    Signals
    -------
    said(str, bool)
        What was written, or why not, and whether it is a warning.
    """

    said = Signal(str, bool)

    def __init__(self, results: ResultTabs, overlay: Overlay, caption: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._results, self._overlay, self._caption = results, overlay, caption
        self._steps: Generator[None] | None = None
        """What is left to do for a report in the event loop."""
        self._timer = QTimer(self, interval=_TURN_MS)
        self._timer.timeout.connect(self._step)
        self._jobs = JobRunner(self)
        self._jobs.finished.connect(lambda words: self.said.emit(words, False))
        self._jobs.failed.connect(lambda error: self.said.emit(error.titled, True))

    @property
    def busy(self) -> bool:
        """True while a file is written."""
        return self._steps is not None or self._jobs.busy

    def write(self, path: Path) -> None:
        """Write the file in the format of its suffix."""
        suffix = path.suffix[1:].lower()
        if suffix not in FORMATS:
            kinds = ", ".join(f".{kind}" for kind in FORMATS)
            self.said.emit(f"{path.name}: choose a name that ends in one of {kinds}", True)
        elif self.busy:
            self.said.emit("The last file is still being written. Try again in a moment.", True)
        elif suffix == "html":
            self.said.emit("Writing the report …", False)
            self._steps = self._collect(path)
            self._timer.start()
        else:
            self._run(path, self._work(suffix, path))

    def _step(self) -> None:
        if self._steps is not None and next(self._steps, self) is self:
            self._end_steps()

    def _end_steps(self) -> None:
        self._timer.stop()
        self._steps = None

    def _collect(self, path: Path) -> Generator[None]:
        """Draw every tab, one in each turn of the event loop, wait for what they compute, and write the report."""
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
        runs, titles = self._overlay.shown(), dict(self._results.series.titles)
        self._run(path, lambda: write_text(path, report(runs, charts, titles, self._caption)))

    def _run(self, path: Path, work: Callable[[], None]) -> None:
        def run(_cancelled: Callable[[], bool]) -> str:
            work()
            return f"Written to {path}"

        self._jobs.start(run)

    def _work(self, suffix: str, path: Path) -> Callable[[], None]:
        """Return a function for the worker thread; all that it reads is frozen."""
        runs = self._overlay.shown()
        if suffix == "csv":
            return lambda: write_csv(path, (row for run in runs for row in run.rows))
        if suffix == "jsonl":
            headers = [run.entry.header if run.entry is not None else RunHeader() for run in runs]
            lines = (line for header, run in zip(headers, runs, strict=True) for line in run_lines(header, run.rows))
            return lambda: write_lines(path, lines)
        titles = self._results.chart_titles
        front = self._results.tabText(self._results.currentIndex())
        title = front if front in titles else titles[0]
        painter = ChartPainter(*self._results.chart(title), title)
        if suffix == "svg":
            drawing = painter.drawing()
            return lambda: write_text(path, drawing.text())
        image = painter.image()
        return lambda: save_picture(path, image)

    def close(self) -> None:
        """Wait until the file is written."""
        self._end_steps()
        self._jobs.close()


class ExportButton(QToolButton):
    """Button with a menu of formats; each asks for a file."""

    def __init__(self, exporter: Exporter) -> None:
        super().__init__()
        self._exporter = exporter
        self.setText("Export")
        self.setToolTip("Save plots, samples, or a report of the runs that are shown")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        for suffix, (text, _) in FORMATS.items():
            menu.addAction(text, partial(self._ask, suffix))
        self.setMenu(menu)

    def _ask(self, suffix: str) -> None:
        text, kinds = FORMATS[suffix]
        name, _ = QFileDialog.getSaveFileName(self, text.removesuffix("…"), f"benchmark.{suffix}", kinds)
        if name:
            path = Path(name)
            self._exporter.write(path if path.suffix else path.with_suffix(f".{suffix}"))
