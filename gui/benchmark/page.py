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
    QProgressBar,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.benchmark.curves import curves
from gui.benchmark.curves import label as label_of
from gui.benchmark.run import Run
from gui.benchmark.setup import SetupPanel
from gui.benchmark.table import SampleTable
from gui.benchmark.words import duration, machine_words, titles
from gui.widgets import label
from kernels.bench.sample import Sample
from kernels.bench.store import Store, write_csv
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from gui.benchmark.plot import CurvePlot
    from gui.session import Session
    from gui.theme import Theme
    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Point

CAPTION: Final = (
    "GFLOPS = 2·M·N·K / time, with M = N = K = n and the median time of a launch; higher is better. Bars "
    "reach from the 10th to the 90th percentile. Only results that match a float64 reference get a point."
)
_REDRAW_MS: Final = 60
_SETUP_PX: Final = 330


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
        from gui.benchmark.plot import CurvePlot  # pyqtgraph is loaded with the first plot

        super().__init__(parent)
        self._session = session
        self._samples: list[Sample] = []
        self._run_number = 0
        self._failures = 0
        self._store: Store | None = None
        self.run = Run(self)
        self.setup = SetupPanel()
        self.plot: CurvePlot = CurvePlot()
        self.table = SampleTable(self)
        self._redraw = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        self._redraw.timeout.connect(lambda: self.plot.show_curves(curves(self._samples)))
        self._build()
        self._connect()
        self._offers_changed()
        self._open_store(store)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self.setup.set_theme(theme)
        self.plot.set_theme(theme)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The samples that are shown."""
        return tuple(self._samples)

    def start(self) -> None:
        """Measure what is chosen."""
        try:
            plan = self.setup.plan()
        except TilescopeError as error:
            self._say(str(error), wrong=True)
            return
        self.measure(plan)

    def measure(self, plan: Plan) -> None:
        """Measure a plan, in place of what is shown."""
        try:
            if self._store is not None:
                self._run_number = self._store.begin_run(plan)
        except TilescopeError as error:
            self._say(str(error), wrong=True)
            return
        self._samples.clear()
        self._failures = 0
        self.failure.hide()
        self.table.show(())
        self.plot.show_curves(())
        self.progress.setRange(0, len(plan.points))
        self.progress.setValue(0)
        self._say("starting …")
        self._running(True)
        self.run.start(plan)

    def stop(self) -> None:
        """End the measurement at once; what is measured stays."""
        self.run.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the worker and close the file."""
        self._redraw.stop()
        self.run.close()
        if self._store is not None:
            self._store.close()
            self._store = None
        super().closeEvent(event)

    # What the run tells

    def _placed(self, environment: Environment) -> None:
        self.machine.setText(machine_words(environment))
        self._keep(environment)

    def _began(self, point: Point) -> None:
        self._say(f"measuring {label_of(point.entry, self.table.titles)}, n = {point.size}")

    def _told(self, sample: Sample) -> None:
        self._samples.append(sample)
        self._keep(sample)
        self.table.add(sample)
        self.samples_view.scrollToBottom()
        self.progress.setValue(len(self._samples))
        left = self.run.seconds_left
        self.progress.setFormat("%v of %m points" + (f", about {duration(left)} left" if left else ""))
        if sample.error:
            self._failures += 1
            self._say_failure(sample.error)
        self._redraw.start()

    def _ended(self, words: str) -> None:
        self._running(False)
        self.progress.setFormat("%v of %m points")
        done, planned = len(self._samples), self.progress.maximum()
        kept = f"{done} of {planned} points are measured and kept"
        if words == "stopped":
            self._say(f"stopped: {kept}")
        elif words:
            self._say(f"{words}. {kept}; Start works again", wrong=True)
        elif self._failures:
            self._say(
                f"done: {planned - self._failures} of {planned} points are verified; the others say why not"
            )
        else:
            self._say(f"done: {planned} points, every result verified")

    def _keep(self, what: Environment | Sample) -> None:
        """Write to the file at once. A file that cannot be written does not end the measurement."""
        if self._store is None:
            return
        try:
            if isinstance(what, Sample):
                self._store.add(self._run_number, what)
            else:
                self._store.add_environment(what)
        except TilescopeError as error:
            self._say_failure(str(error))

    # What the user does

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the samples", "samples.csv", "CSV (*.csv)")
        if name:
            self.export(Path(name))

    def export(self, path: Path) -> None:
        """Write the shown run as CSV."""
        try:
            if self._store is not None:
                write_csv(path, self._store.rows(self._run_number))
                self._say(f"written: {path}")
        except TilescopeError as error:
            self._say(str(error), wrong=True)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.text())
        self._say("the table is on the clipboard")

    # Building

    def _build(self) -> None:
        self.setup.setFixedWidth(_SETUP_PX)
        self.log_x, self.log_y = QCheckBox("log n"), QCheckBox("log GFLOPS")
        self.log_x.setChecked(True)
        self.machine = label(role="muted", line=True)
        self.status = label(line=True)
        self.failure = label(role="warning", line=True)
        self.failure.hide()
        self.progress = QProgressBar()
        self.progress.setFormat("%v of %m points")
        self.progress.hide()
        self.samples_view = QTableView()
        self.samples_view.setAlternatingRowColors(True)
        self.samples_view.setShowGrid(False)
        self.samples_view.setModel(self.table)
        self.samples_view.verticalHeader().hide()
        self.samples_view.verticalHeader().setDefaultSectionSize(26)
        self.samples_view.setWordWrap(False)
        header = self.samples_view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(72)  # room for the numbers still to come
        self.samples_view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.samples_view.setAccessibleName("Samples")
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
        right.addWidget(self.progress)
        right.addWidget(self.failure)
        right.addWidget(self.status)
        both = QHBoxLayout()
        both.setSpacing(14)
        both.addWidget(self.setup)
        both.addLayout(right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.setup.no_gpu)
        column.addLayout(both, 1)
        column.addWidget(label(CAPTION, "caption", line=True))

    def _connect(self) -> None:
        self.setup.start.clicked.connect(self.start)
        self.setup.stop.clicked.connect(self.stop)
        self.setup.refused.connect(lambda why: self._say(why, wrong=True))
        self.run.placed.connect(self._placed)
        self.run.began.connect(self._began)
        self.run.told.connect(self._told)
        self.run.ended.connect(self._ended)
        self.export_button.clicked.connect(self._export)
        self.copy_button.clicked.connect(self._copy)
        for box in (self.log_x, self.log_y):
            box.toggled.connect(self._set_log)
        self._set_log()
        self._session.offers_changed.connect(self._offers_changed)

    def _set_log(self) -> None:
        self.plot.set_log(x=self.log_x.isChecked(), y=self.log_y.isChecked())

    def _offers_changed(self) -> None:
        self.table.titles = self.plot.titles = titles(self._session.kernels)
        self.setup.offer(self._session.kernels)
        self.setup.set_gpu(self._session.gpu_missing)
        if not self.setup.touched:
            self.setup.choose(self._session.selection.kernel)

    def _open_store(self, path: Path | None) -> None:
        """Open the file and show the run that was made last."""
        try:
            self._store = Store(path)
            runs = self._store.runs()
            if runs:
                self._show_rows(runs[0].id)
            else:
                self._say("Choose kernels and press Start; each point appears as it is measured.")
        except TilescopeError as error:
            self._say(str(error), wrong=True)

    def _show_rows(self, number: int) -> None:
        if self._store is None:
            return
        rows = self._store.rows(number)
        self._run_number = number
        self._samples = [row.sample for row in rows]
        self.table.show(self._samples)
        self.plot.show_curves(curves(self._samples))
        if rows and rows[-1].environment:
            self.machine.setText(machine_words(rows[-1].environment))
        self._say(f"The last run: {len(rows)} points. Press Start to measure what is chosen.")

    def _running(self, running: bool) -> None:
        self.setup.start.setEnabled(not running)
        self.setup.stop.setEnabled(running)
        self.progress.setVisible(running)

    def _say(self, text: str, *, wrong: bool = False) -> None:
        self.status.setText(("⚠ " if wrong else "") + text)

    def _say_failure(self, text: str) -> None:
        more = f"{self._failures} points have no result; the last: " if self._failures > 1 else ""
        self.failure.setText(f"⚠ {more}{text}")
        self.failure.show()
