"""The Benchmark page: setup on the left, results on the right."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.measure.results.export import ExportButton, Exporter
from gui.measure.results.rate import RateFigures
from gui.measure.results.series import THIS, by_host, with_hosts
from gui.measure.run.measurement import Measurement
from gui.measure.run.overlay import CHUNK
from gui.measure.run.panel import RunsPanel
from gui.measure.run.status import MachineLine, StatusLines
from gui.measure.setup.hosts import HostsPanel
from gui.measure.setup.own_file import OwnFileLine
from gui.measure.setup.panel import SetupPanel
from gui.measure.setup.prediction_line import PredictionLine
from gui.measure.words import count_of, history_words, skipped_rows, titles
from gui.shell.garbage import leave_out
from gui.theming.lazy_tabs import LazyTabs
from gui.widgets.controls import add_parts, fit_width, hbox, label, vbox
from kernels.bench.hosts.host import LOCAL
from kernels.bench.kernel_texts import opened_files, with_opened
from kernels.bench.plan import plan_of_launch
from kernels.bench.store.database import Row
from kernels.catalog import catalog, kernel_name
from kernels.custom_launch.model import CustomLaunch
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent

    from gui.measure.results.series import Origin
    from gui.measure.results.tabs import ResultTabs
    from gui.selection.session import Selection, Session
    from gui.theming.theme import Theme
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Entry, Sample
    from kernels.catalog import Kernel

_REDRAW_MS: Final = 60
_TURN_S: Final = 0.01
"""Time for rows and series in one turn of the event loop; the plot takes twice as long."""
_SETUP_PX: Final = (392, 480)
_SETUP_SHARE: Final = 0.26


class BenchmarkPage(QWidget):
    """Page that measures in a separate process; points appear as they arrive and stay if that process crashes.

    New samples are collected for `_REDRAW_MS` and then shown together, in the tab that is in front.

    Parameters
    ----------
    session : Session
        Provides the kernels to choose from and the GPUs of this machine.
    store : Path, optional
        Sample file; by default the user's.
    """

    def __init__(self, session: Session, store: Path | None = None) -> None:
        from gui.measure.results.tabs import ResultTabs  # pyqtgraph is loaded with the first plot

        super().__init__()
        self._session = session
        self._variants: dict[str, Kernel] = {}
        self.run = Measurement(session, "The Benchmark page", self)
        self.setup = SetupPanel()
        self.runs = RunsPanel(self.run)
        self.hosts = HostsPanel()
        self.results: ResultTabs = ResultTabs()
        self.exporter = Exporter(self.results, self.runs.overlay, RateFigures.caption, self)
        self.lines = StatusLines(self.run)
        self.own_file = OwnFileLine(session)
        self.prediction = PredictionLine(self.setup, self.run, lambda: next(iter(session.present), None), session)
        self._queue: list[Row] = []
        self._redraw = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        self._redraw.timeout.connect(self._show_new)
        self._build()
        self._connect()
        self._offers_changed()
        self._store = store
        self.run.history.load(store)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self.left.set_theme(theme)
        fit_width(self.left, self.width(), _SETUP_SHARE, _SETUP_PX)
        self.results.set_theme(theme)

    @property
    def parts(self) -> list[QWidget]:
        """Widgets that get a style sheet with the theme; tabs set their own when they come to the front."""
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        return [part for part in self.findChildren(QWidget, options=direct) if not isinstance(part, LazyTabs)]

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Samples of this page's run."""
        return self.run.samples

    def overlay(self, rows: Sequence[Row], origin: Origin) -> None:
        """Show rows of another run, or more of them, in addition to this page's run."""
        self._add(rows, origin)
        self._redraw.start()

    def remove_overlay(self, origin: Origin) -> None:
        """Remove another run from the tabs."""
        self._remove(origin)
        self._redraw.start()

    def start(self) -> None:
        """Measure the chosen kernels."""
        try:
            plan = self.setup.plan()
        except TilescopeError as error:
            self.lines.say(error.titled, wrong=True)
            return
        self.measure(plan)

    def propose(self, curves: tuple[Entry, ...]) -> None:
        """Check exactly some curves, which the user then starts to measure."""
        self.setup.tree.restore(curves)
        self.setup.tree.changed_by_user = True
        self.lines.say(
            f"{len(curves)} curves are checked: press {self.setup.start.text()} to measure them side by side"
        )

    def measure(self, plan: Plan) -> None:
        """Measure a plan, replacing what is shown."""
        try:
            plan = with_opened(plan, self._opened_texts())
            self.run.start(plan, must_save=False, hosts=self.hosts.elsewhere)
        except TilescopeError as error:
            self.lines.say(error.titled, wrong=True)

    def _opened_texts(self) -> dict[str, dict[str, str]]:
        """Return the texts of the files that the user opened, as they were read, by the names that plans give them."""
        shown, own = self._session.recording, self._session.kernels[len(catalog()) :]
        texts = {kernel_name(kernel): opened_files(kernel) for kernel in own if kernel.runs_on == "cuda"}
        if isinstance(shown, CustomLaunch):
            texts[str(shown.file.resolve())] = {shown.file.name: shown.text}
        return texts

    def time_launch(self, launch: CustomLaunch) -> None:
        """Time a launch of a file that describes no problem, and show the table: it has no place on an axis of n."""
        self.results.show_tab("Table")
        self.measure(plan_of_launch(launch))

    def stop(self) -> None:
        """Stop the measurement at once; measured points stay."""
        self.run.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the worker and close the file."""
        self._redraw.stop()
        self.hosts.tester.close()
        self.prediction.close_jobs()
        self.exporter.close()
        self.runs.stop_reading()
        self.results.stop_work()
        self.run.close()
        super().closeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the curves of the kernel that was selected on another page."""
        super().showEvent(event)
        self._choose_curves()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the kernel list's share of the width."""
        super().resizeEvent(event)
        fit_width(self.left, self.width(), _SETUP_SHARE, _SETUP_PX)

    # Measurement and sample file

    def _clear(self) -> None:
        self._queue.clear()
        self._remove(THIS)
        self.history_line.hide()
        self._running(True)
        self._show_new()  # now: the lines that show the progress resize the plot, which would paint the former run anew

    def _queue_sample(self, sample: Sample) -> None:
        self._queue.append(Row(self.run.number, sample, self.run.environment_of(sample)))
        if not self._redraw.isActive():
            self._redraw.start()

    def _finish(self) -> None:
        self._show_new()
        self._running(False)

    def _add_rows(self, rows: Sequence[Row]) -> None:
        """Add rows of the last run; they are drawn once, after the last."""
        self._add(rows)
        self.lines.say(f"Reading the last run: {count_of(len(self.run.rows))} …")

    def _finish_loading(self) -> None:
        """Restore the fields from the last run; draw it in the next turn of the event loop."""
        leave_out(self.run.rows)
        self._choose_curves()
        self._show_history()
        self._redraw.start()
        self.runs.open(self._store, self.lines.titles)
        samples = self.run.samples
        described = [s.point for s in samples if not s.point.entry.launch]
        if not samples:
            self.lines.say("Choose kernels and press Start; each point appears as it is measured.")
            return
        if described and not self.setup.tree.changed_by_user:
            self.setup.restore(
                {point.entry: None for point in described}.keys(), tuple({point.size: None for point in described})
            )
        self.runs.overlay.name_machines()
        self.lines.say(f"The last run: {count_of(len(samples))}. Press Start to measure what is chosen.")

    def _show_history(self) -> None:
        history = self.run.history
        words = history_words(history, len(self.run.rows))
        self.history_line.setText(f"⚠ {words}")
        self.history_line.setToolTip(skipped_rows(history.skipped))
        self.history_line.setVisible(bool(words))

    # Showing

    def _add(self, rows: Sequence[Row], origin: Origin = THIS) -> None:
        """Add rows; those of this page's run from another host are series of that host."""
        for where, part in by_host(rows, origin).items():
            self.results.add(part, where)

    def _remove(self, origin: Origin) -> None:
        for each in with_hosts(origin, self.results.series.origins):
            self.results.remove(each)

    def _show_new(self) -> None:
        """Show the samples that came since the last time; of many, build the series first, in pieces."""
        self._redraw.stop()
        end_s = monotonic() + _TURN_S
        self._add(self._queue[:CHUNK])
        del self._queue[:CHUNK]
        self.export_button.setEnabled(bool(self.results.series.origins))
        if not self._queue and self.results.series.prepare(end_s - monotonic()):
            self.results.draw()
        else:
            self._redraw.start()

    def _running(self, running: bool) -> None:
        self.setup.start.setEnabled(not running)
        self.own_file.refuse("A measurement is running." if running else self.setup.no_gpu.text())
        self.setup.stop.setEnabled(running)
        self.results.set_measuring(running)

    # Building

    def _build(self) -> None:
        self.machine = MachineLine()
        self.lesson = label(role="warning", line=True)
        self.history_line = label(role="warning", line=True)
        self.history_line.hide()
        self.export_button = ExportButton(self.exporter)
        tools = QHBoxLayout()
        tools.addWidget(self.machine, 1)
        tools.addWidget(self.export_button)
        right = QVBoxLayout()
        right.addLayout(tools)
        right.addWidget(self.results, 1)
        right.addWidget(self.lines)
        both = hbox(spacing=14)
        self.setup.above_start.addWidget(self.prediction)
        self.left = LazyTabs()
        self.left.setDocumentMode(True)
        self.left.addTab(self.setup, "Setup")
        self.left.addTab(self.runs, "Runs")
        self.left.addTab(self.hosts, "Hosts")
        both.addWidget(self.left)
        both.addLayout(right, 1)
        column = vbox(self)
        add_parts(column, self.setup.no_gpu, self.lesson, self.own_file, self.history_line)
        column.addLayout(both, 1)
        self.caption = label(self.results.front.caption, "caption", line=True)
        self.results.currentChanged.connect(lambda: self.caption.setText(self.results.front.caption))
        column.addWidget(self.caption)

    def _connect(self) -> None:
        self.setup.start.clicked.connect(self.start)
        self.setup.stop.clicked.connect(self.stop)
        self.setup.input_refused.connect(lambda why: self.lines.say(why, wrong=True))
        self.run.run_started.connect(self._clear)
        self.run.environment_reported.connect(self.runs.overlay.name_machines)
        self.run.sample_arrived.connect(self._queue_sample)
        self.run.run_finished.connect(self._finish)
        self.run.history.rows_read.connect(self._add_rows)
        self.run.history.file_locked.connect(self._show_history)
        self.run.history.loading_finished.connect(self._finish_loading)
        self.runs.overlay.rows_shown.connect(self.overlay)
        self.runs.overlay.run_hidden.connect(self.remove_overlay)
        self.runs.overlay.machine_named.connect(self.machine.say)
        for part in (self.runs.overlay, self.runs.library, self.exporter):
            part.said.connect(lambda words, wrong: self.lines.say(words, wrong=wrong))
        self.own_file.launch_chosen.connect(self.time_launch)
        self.hosts.choice_changed.connect(self._use_hosts)
        self.results.table.copied.connect(self.lines.say)
        self._show_new()
        self._session.offers_changed.connect(self._offers_changed)
        self._session.selection_changed.connect(self._follow)

    def _offers_changed(self) -> None:
        self.lines.titles = titles(self._session.kernels)
        self.results.set_titles(self.lines.titles)
        self._use_hosts()
        self._follow(self._session.selection)

    def _use_hosts(self) -> None:
        """Offer kernels for the machines that are ticked: a host may have a GPU."""
        here = self.hosts.chosen in ((), (LOCAL,))
        self.setup.set_gpu(self._session.gpu_missing if here else "")
        self.setup.start.setText(self.hosts.start_words)
        self.own_file.refuse(self.setup.no_gpu.text())

    def _follow(self, selection: Selection) -> None:
        """List the selected variant in addition to the plain kernels; explain a missing one."""
        kernel = selection.kernel
        if kernel.chosen:
            self._variants[kernel.id] = kernel
        known = {k.base: k for k in self._session.kernels}
        variants = [k for k in self._variants.values() if k.base in known]
        self.setup.offer([*self._session.kernels, *variants])
        tree = self.setup.tree
        nothing = not tree.from_history or (self._session.gpu_known and not tree.ready)
        if nothing and not tree.changed_by_user:
            tree.choose(kernel)
        lesson = f"it is a lesson, wrong on purpose: {kernel.flaw}"
        why = lesson if kernel.flaw else "it computes no matrix product, so there is no GFLOPS rate."
        self.lesson.setText(f"“{kernel.title}” is not measured: {why}")
        self.lesson.setVisible(not kernel.measurable)
        if self.isVisible():
            self._choose_curves()

    def _choose_curves(self) -> None:
        """Draw the selected kernel's curve of a recorded run, until the user has ticked curves."""
        if not self.results.curves_chosen:
            self.runs.overlay.choose(self._session.selection.kernel)
