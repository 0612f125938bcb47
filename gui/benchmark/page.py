"""The Benchmark page: on the left what to measure, on the right what came out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.benchmark.curves import curves, lines
from gui.benchmark.measurement import Measurement
from gui.benchmark.setup import SetupPanel
from gui.benchmark.status import StatusLines
from gui.benchmark.table import PARTS_COLUMN, SPREAD_COLUMN, SampleTable
from gui.benchmark.words import machine_words, titles
from gui.widgets import Table, label, take_share
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QResizeEvent

    from gui.plot import LinePlot
    from gui.session import Selection, Session
    from gui.theme import Theme
    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Sample
    from kernels.catalog import Kernel

CAPTION: Final = (
    "GFLOPS = 2·M·N·K / median time; higher is better. Bars reach from the 10th to the 90th percentile. A size M×N×K "
    "stands at n = ∛(M·N·K). Only results that match a float64 reference get a point."
)
_REDRAW_MS: Final = 60
_SETUP_PX: Final = (392, 480)
_SETUP_SHARE: Final = 0.26


class BenchmarkPage(QWidget):
    """Measures in a process of its own; points appear as they come and stay whatever happens to that process.

    Parameters
    ----------
    session : Session
        Gives the kernels to choose from and says whether there is a GPU.
    store : Path, optional
        File of the samples; the user's own unless given.
    """

    caption = CAPTION

    def __init__(self, session: Session, store: Path | None = None, parent: QWidget | None = None) -> None:
        from gui.plot import LinePlot  # pyqtgraph is loaded with the first plot

        super().__init__(parent)
        self._session = session
        self._variants: dict[str, Kernel] = {}
        self.run = Measurement(session, "The Benchmark page", self)
        self.setup = SetupPanel()
        self.plot: LinePlot = LinePlot("n", "GFLOPS")
        self.table = SampleTable(self)
        self.lines = StatusLines(self.run)
        self._redraw = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        self._redraw.timeout.connect(self._draw)
        self._build()
        self._connect()
        self._offers_changed()
        self._open_store(store)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours, and perhaps another size of text."""
        take_share(self.setup, self.width(), _SETUP_SHARE, _SETUP_PX)
        self.setup.set_theme(theme)
        self.plot.set_theme(theme)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The samples that are shown."""
        return self.run.samples

    def start(self) -> None:
        """Measure what is chosen."""
        try:
            plan = self.setup.plan()
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)
            return
        self.measure(plan)

    def measure(self, plan: Plan) -> None:
        """Measure a plan, in place of what is shown."""
        try:
            self.run.start(plan)
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)

    def stop(self) -> None:
        """End the measurement at once; what is measured stays."""
        self.run.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the worker and close the file."""
        self._redraw.stop()
        self.run.close()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the list of kernels its share of the width."""
        super().resizeEvent(event)
        take_share(self.setup, self.width(), _SETUP_SHARE, _SETUP_PX)

    # What the measurement tells

    def _started(self) -> None:
        self.table.show(())
        self._show_parts()
        self._draw()
        self._running(True)

    def _placed(self, environment: Environment) -> None:
        self.machine.setText(machine_words(environment))

    def _told(self, sample: Sample) -> None:
        self.table.add(sample)
        self._show_parts()
        self.samples_view.scrollToBottom()
        self._redraw.start()

    def _show_parts(self) -> None:
        """Show either the parts of the times or their spread: there is no room for both."""
        self.samples_view.setColumnHidden(PARTS_COLUMN, not self.table.has_parts)
        self.samples_view.setColumnHidden(SPREAD_COLUMN, self.table.has_parts)
        self._fit_columns()

    def _running(self, running: bool) -> None:
        self.setup.start.setEnabled(not running)
        self.setup.stop.setEnabled(running)

    def _draw(self) -> None:
        self.plot.show_lines(lines(curves(self.run.samples), self.table.titles))

    # What the user does

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the samples", "samples.csv", "CSV (*.csv)")
        if name:
            self.export(Path(name))

    def export(self, path: Path) -> None:
        """Write the shown run as CSV."""
        try:
            self.run.export(path)
            self.lines.say(f"written: {path}")
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.text())
        self.lines.say("the table is on the clipboard")

    # Building

    def _build(self) -> None:
        self.log_x, self.log_y = QCheckBox("log n"), QCheckBox("log GFLOPS")
        self.log_x.setChecked(True)
        self.machine = label(role="muted", line=True)
        self.lesson = label(role="warning", line=True)
        self.samples_view = Table("Samples")
        self.samples_view.setModel(self.table)
        self.samples_view.setWordWrap(False)
        self.export_button = QPushButton("Save CSV…")
        self.copy_button = QPushButton("Copy table")
        tools = QHBoxLayout()
        tools.addWidget(self.machine, 1)
        for widget in (self.log_x, self.log_y, self.copy_button, self.export_button):
            tools.addWidget(widget)
        parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        parts.addWidget(self.plot)
        parts.addWidget(self.samples_view)
        parts.setSizes([380, 190])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        right = QVBoxLayout()
        right.addLayout(tools)
        right.addWidget(parts, 1)
        right.addWidget(self.lines)
        both = QHBoxLayout()
        both.setSpacing(14)
        both.addWidget(self.setup)
        both.addLayout(right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.setup.no_gpu)
        column.addWidget(self.lesson)
        column.addLayout(both, 1)
        column.addWidget(label(CAPTION, "caption", line=True))

    def _fit_columns(self) -> None:
        """Make room for every text, also of rows that came later; the last column that is shown takes what is left."""
        header = self.samples_view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        shown = [n for n in range(header.count()) if not header.isSectionHidden(n)]
        header.setSectionResizeMode(shown[-1], QHeaderView.ResizeMode.Stretch)

    def _connect(self) -> None:
        self.setup.start.clicked.connect(self.start)
        self.setup.stop.clicked.connect(self.stop)
        self.setup.refused.connect(lambda why: self.lines.say(why, wrong=True))
        self.run.started.connect(self._started)
        self.run.placed.connect(self._placed)
        self.run.told.connect(self._told)
        self.run.ended.connect(lambda _: self._running(False))
        self.export_button.clicked.connect(self._export)
        self.copy_button.clicked.connect(self._copy)
        for box in (self.log_x, self.log_y):
            box.toggled.connect(self._set_log)
        self._set_log()
        self._show_parts()
        self._session.offers_changed.connect(self._offers_changed)
        self._session.changed.connect(self._follow)

    def _set_log(self) -> None:
        self.plot.set_log(x=self.log_x.isChecked(), y=self.log_y.isChecked())

    def _offers_changed(self) -> None:
        self.table.titles = self.lines.titles = titles(self._session.kernels)
        self.setup.set_gpu(self._session.gpu_missing)
        self._follow(self._session.selection)

    def _follow(self, selection: Selection) -> None:
        """Offer the selected variant beside the plain kernels; say why one is not there."""
        kernel = selection.kernel
        if kernel.chosen:
            self._variants[kernel.id] = kernel
        known = {k.base: k for k in self._session.kernels}
        variants = [k for k in self._variants.values() if k.base in known]
        self.setup.offer([*self._session.kernels, *variants])
        tree = self.setup.tree
        nothing = not tree.restored or (self._session.gpu_known and not tree.ready)
        if nothing and not tree.touched:
            tree.choose(kernel)
        lesson = f"it is a lesson, wrong on purpose: {kernel.flaw}"
        why = lesson if kernel.flaw else "it computes no product whose operations could be counted."
        self.lesson.setText(f"“{kernel.title}” is not measured: {why}")
        self.lesson.setVisible(not kernel.measurable)

    def _open_store(self, path: Path | None) -> None:
        """Open the file and show the run that was made last."""
        try:
            self.run.open(path)
            runs = [run for run in self.run.runs() if not run.purpose]
            if not runs:
                self.lines.say("Choose kernels and press Start; each point appears as it is measured.")
                return
            self.run.show(runs[0])
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)
            return
        self.table.show(self.run.samples)
        self._show_parts()
        self._draw()
        if self.run.rows:
            self.setup.restore(
                {s.point.entry: None for s in self.run.samples}.keys(),
                tuple({s.point.size: None for s in self.run.samples}),
            )
        if self.run.environment:
            self.machine.setText(machine_words(self.run.environment))
        count = len(self.run.samples)
        self.lines.say(f"The last run: {count} points. Press Start to measure what is chosen.")
