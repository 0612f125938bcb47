"""Published tables: the list of experiments on the left, published and measured results on the right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.learn.cards import Card, CardsPage
from gui.learn.tables.tools import TITLES, ToolRow, machine_of, offers
from gui.measure.run.measurement import Measurement
from gui.measure.run.status import StatusLines
from gui.measure.words import titles
from gui.widgets.controls import BulletList, add_parts, hbox, label, scrolled, vbox
from gui.widgets.pictures import save_picture
from kernels.bench.store.csv_file import write_csv
from kernels.errors import TilescopeError
from kernels.experiments import compare, experiments
from kernels.experiments.plan import is_run_of, purpose
from kernels.experiments.recorded import recorded_path, recorded_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QCloseEvent

    from gui.learn.tables.result import ResultView
    from gui.learn.tables.tools import Offer
    from gui.selection.session import Session
    from gui.theming.theme import Theme
    from kernels.bench.store.database import Row
    from kernels.experiments import Experiment, Scale

_REDRAW_MS: Final = 150
_MOST_LEFT_OUT: Final = 1
"""Omitted parts that are named on the page; the tooltip names all."""


class PublishedTables(CardsPage):
    """View of one experiment at a time, measured in a separate process.

    Parameters
    ----------
    session : Session
        Provides the GPUs of this machine.
    store : Path, optional
        File of the samples; the user's file by default.
    chosen : sequence of Experiment, optional
        Experiments to list; by default those that come with tilescope.
    """

    def __init__(self, session: Session, store: Path | None = None, chosen: Sequence[Experiment] = ()) -> None:
        from gui.learn.tables.result import ResultView  # pyqtgraph is loaded with the first plot

        super().__init__("Experiments", 0.27, (240, 340))
        self._session = session
        self._running_experiment: Experiment | None = None
        self._rows: tuple[Row, ...] = ()
        self._offers: dict[Scale, Offer] = {}
        self.run = Measurement(session, "The Learn page", self)
        self._experiments = {e.id: e for e in chosen or experiments()}
        self.result: ResultView = ResultView()
        self.lines = StatusLines(self.run)
        self._redraw = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        self._redraw.timeout.connect(self._draw)
        self._build()
        try:
            self.run.history.open(store)
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)
        self._connect()
        self._offer()
        self._name_kernels()
        first, *_ = self._experiments
        self.list.choose(next((e.id for e in self._experiments.values() if _has_numbers(e)), first))

    @property
    def experiment(self) -> Experiment:
        """Experiment that is shown."""
        return self._experiments[self.list.current]

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        super().set_theme(theme)
        self.result.set_theme(theme)

    def start(self, scale: Scale) -> None:
        """Measure the shown experiment."""
        experiment, offer = self.experiment, self._offers[scale]
        try:
            self.run.start(offer.plan, purpose(experiment, scale))
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)

    def try_first(self, ids: Sequence[str]) -> None:
        """Show the first of these experiments that can run here, and measure it at its smallest scale."""
        for id in ids:
            self.list.choose(id)
            for scale, offer in self._offers.items():
                if offer.possible:
                    self.start(scale)
                    return

    def export(self, path: Path) -> None:
        """Write the points that are shown as CSV."""
        try:
            write_csv(path, self._rows)
            self.lines.say(f"Written to {path}")
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)

    def save_picture(self, path: Path) -> None:
        """Write the plot as PNG."""
        try:
            save_picture(path, self.result.plot.picture())
            self.lines.say(f"Written to {path}")
        except TilescopeError as error:
            self.lines.say(str(error), wrong=True)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the worker and close the file."""
        self._redraw.stop()
        self.run.close()
        super().closeEvent(event)

    # Showing

    def choose(self, id: str) -> None:
        """Show an experiment by its id."""
        self.list.choose(id)

    def _offer(self) -> None:
        """List the experiments; the one that is being measured is marked."""
        running = self._running_experiment if self.run.running else None
        self.list.offer(
            [
                Card(e.id, e.title, e.question, f"{e.source}; {e.gpu}", "running …" if e == running else "")
                for e in self._experiments.values()
            ]
        )

    def _choose(self, id: str) -> None:
        """Show another experiment: its question, the scales that can run here, its latest run."""
        experiment = self._experiments[id]
        self.question.setText(experiment.question)
        self.look_for.show_sentences(experiment.look_for)
        self._offer_scales()
        self._list_runs()

    def _offer_scales(self) -> None:
        try:
            self._offers = {offer.scale: offer for offer in offers(self.experiment, machine_of(self._session))}
        except TilescopeError as error:
            self._offers = {}
            self.lines.say(str(error), wrong=True)
        self.tools.show_offers(self._offers)
        left_out = list(dict.fromkeys(line for o in self._offers.values() for line in o.left_out))
        more = len(left_out) - _MOST_LEFT_OUT
        shown = left_out[:_MOST_LEFT_OUT] + ([f"and {more} more"] if more > 0 else [])
        self.left_out.setText("Left out: " + "; ".join(shown))
        self.left_out.setToolTip("\n".join(left_out))
        # Where nothing can run, the status line says what is missing, once.
        self.left_out.setVisible(bool(left_out) and bool(self._possible))

    def _list_runs(self) -> None:
        """List the runs of the shown experiment, a running one first, and show the first."""
        try:
            runs = [run for run in self.run.history.runs() if is_run_of(run, self.experiment)]
        except TilescopeError as error:
            runs = []
            self.lines.say(str(error), wrong=True)
        recorded = recorded_result(self.experiment)
        live = self.run.number if self.run.running else 0
        self.tools.show_runs(runs, live, () if recorded is None else (recorded,))
        self._show_run()

    def _show_run(self) -> None:
        run, recorded = self.tools.run, self.tools.recorded
        if run is None or run.id == self.run.number:
            self._rows = tuple(self.run.rows) if run is not None else recorded.rows if recorded is not None else ()
        else:
            try:
                self._rows = self.run.history.rows(run)
            except TilescopeError as error:
                self.lines.say(str(error), wrong=True)
        if not self.run.running:
            self.lines.clear()
            self.lines.say(self._idle_words())
        self._draw()

    def _idle_words(self) -> str:
        if not self._offers:
            return self.lines.status.text()
        return ". ".join(f"{TITLES[o.scale]}: {o.words}" for o in self._possible) or self._obstacle

    @property
    def _possible(self) -> list[Offer]:
        """Scales with something to measure."""
        return [offer for offer in self._offers.values() if offer.possible]

    @property
    def _obstacle(self) -> str:
        """Reason that no scale can run here."""
        missing = machine_of(self._session).missing
        needs = f"This experiment needs an NVIDIA GPU: {missing}." if missing else ""
        return needs or "No part of this experiment can run on this machine."

    def _draw(self) -> None:
        experiment = self.experiment
        comparison = compare(experiment, self._rows)
        next_step = "Press Run." if self._possible else self._obstacle
        how = "recorded" if self.tools.recorded is not None else "measured here"
        self.result.show_result(experiment, comparison, next_step, how)
        self.caption.setText(self.result.caption(experiment, comparison, how))
        if not self.run.running:
            self._show_troubles(comparison.troubles)
        self.tools.set_savable(points=bool(self._rows), plot=bool(comparison.series))

    def _show_troubles(self, troubles: Sequence[str]) -> None:
        self.lines.failure.hide()
        if troubles:
            self.lines.warn_of_failures(len(troubles), troubles[-1])
            self.lines.failure.setToolTip("\n".join(troubles))

    # Measurement

    def _start_run(self) -> None:
        self._running_experiment = self.experiment
        self.lines.about = f"{self._running_experiment.title}: "
        self._offer()
        self.tools.set_running(True)
        self._list_runs()

    def _queue_redraw(self) -> None:
        run = self.tools.run
        if run is not None and run.id == self.run.number:
            self._rows = tuple(self.run.rows)
            self._redraw.start()

    def _finish_run(self) -> None:
        self._offer()
        self.tools.set_running(False)
        words = self.lines.status.text()
        if self._running_experiment == self.experiment:
            self._list_runs()
            self.lines.say(words)
        else:
            self.lines.say(f"{self.lines.about}{words}")

    # Actions of the user

    def _save(self, what: str, kind: str, write: Callable[[Path], None]) -> None:
        name, kinds = f"{self.experiment.id}.{kind}", f"{kind.upper()} (*.{kind})"
        chosen, _ = QFileDialog.getSaveFileName(self, f"Save the {what}", name, kinds)
        if chosen:
            write(Path(chosen))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.result.table.text())
        self.lines.say("The table was copied to the clipboard.")

    # Building

    def _build(self) -> None:
        self.question = label(role="heading", line=True)
        self.look_for = BulletList()
        self.left_out = label(role="warning", line=True)
        self.caption = label(role="caption", line=True)
        self.tools = ToolRow()
        work = QWidget()
        right = vbox(work)
        add_parts(right, self.question, self.look_for, self.tools, self.left_out)
        right.addWidget(self.result, 1)
        right.addWidget(self.lines)
        both = hbox(spacing=14)
        both.addWidget(self.list)
        both.addWidget(scrolled(work), 1)  # with large text in a low window
        column = vbox(self)
        column.addLayout(both, 1)
        column.addWidget(self.caption)

    def _connect(self) -> None:
        self.list.card_chosen.connect(self._choose)
        self.tools.run_requested.connect(self.start)
        self.tools.stop.clicked.connect(self.run.stop)
        self.tools.run_chosen.connect(self._show_run)
        self.run.run_started.connect(self._start_run)
        self.run.sample_arrived.connect(self._queue_redraw)
        self.run.run_finished.connect(self._finish_run)
        self.tools.copy.clicked.connect(self._copy)
        self.tools.csv.clicked.connect(lambda: self._save("points", "csv", self.export))
        self.tools.png.clicked.connect(lambda: self._save("plot", "png", self.save_picture))
        self._session.offers_changed.connect(self._machine_changed)

    def _machine_changed(self) -> None:
        self._name_kernels()
        self._offer_scales()
        if not self.run.running:
            self.lines.say(self._idle_words())
            self._draw()

    def _name_kernels(self) -> None:
        self.lines.titles = titles(self._session.kernels)


def _has_numbers(experiment: Experiment) -> bool:
    """Return whether figures of an experiment were published, or ship with the program."""
    return any(curve.x for curve in experiment.curves) or recorded_path(experiment).is_file()
