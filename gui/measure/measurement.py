"""Measurement: a running plan, whose samples are stored in memory and in the sample file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.measure.history import History
from gui.measure.run import Run
from kernels.bench.store import Row, StoreError, write_csv
from kernels.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gui.selection.session import Session
    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Sample
    from kernels.bench.store import RunSummary


class Measurement(QObject):
    """Measures one plan at a time and stores every sample on arrival.

    Parameters
    ----------
    session : Session
        Records which page measures: two measurements at once would disturb each other.
    title : str
        Name of the page that measures, for messages of other pages.

    Signals
    -------
    started(int)
        A plan with that many points has started; earlier samples are removed from the view.
    placed(Environment), began(Point), told(Sample), ended(str)
        As `gui.measure.run.Run` has them; a sample is kept when it is told.
    unkept(str)
        The file cannot be written. The measurement goes on.

    Attributes
    ----------
    history : History
        The file of samples.
    failures : int
        Points that have no result.
    """

    started = Signal(int)
    placed = Signal(object)
    began = Signal(object)
    told = Signal(object)
    ended = Signal(str)
    unkept = Signal(str)

    def __init__(self, session: Session, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._title = session, title
        self.history = History(self)
        self.history.read.connect(self._read)
        self.history.unkept.connect(self.unkept)
        self.running = False
        """Whether a plan is on its way."""
        self.number = 0
        self.planned = 0
        self.environment: Environment | None = None
        self.failures = 0
        self.rows: list[Row] = []
        self._keeps = True
        self._run = Run(self)
        self._run.placed.connect(self._placed)
        self._run.began.connect(self.began)
        self._run.told.connect(self._told)
        self._run.ended.connect(self._ended)

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the latest points; None before the first."""
        return self._run.seconds_left

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What is shown, without where it was taken."""
        return tuple(row.sample for row in self.rows)

    # --- the file --------------------------------------------------------------------------------------

    def open(self, path: Path | None) -> None:
        """Open the sample file, by default the user's; raises StoreError."""
        self.history.open(path)

    def runs(self) -> tuple[RunSummary, ...]:
        """Return the runs of the file, the latest first; raises StoreError."""
        return self.history.runs()

    def read(self, run: RunSummary) -> tuple[Row, ...]:
        """Return the usable rows of an earlier run; raises StoreError."""
        return self.history.rows(run)

    def forget(self) -> None:
        """Show no run."""
        self.number, self.planned, self.rows, self.environment = 0, 0, [], None
        self.failures = 0

    def export(self, path: Path) -> None:
        """Write the run that is shown as CSV; raises InputError."""
        write_csv(path, self.rows)

    # --- measuring -------------------------------------------------------------------------------------

    def start(self, plan: Plan, purpose: str = "", *, must_keep: bool = True) -> None:
        """Measure a plan, replacing what is shown; `purpose` is stored with the run.

        Unless it `must_keep` the samples, a file that cannot be written is only told by `unkept`.

        Raises
        ------
        InputError
            While another page measures, or when the file cannot be written.
        """
        if self._session.measuring:
            raise InputError(
                f"{self._session.measuring} is measuring, and two measurements at once would disturb each other. "
                "Wait until it is done, or stop it there."
            )
        problem: StoreError | None = None
        number = 0
        try:
            number = self.history.begin(plan, purpose)
        except StoreError as error:
            if must_keep:
                raise
            problem = error
        self.forget()
        self.number, self.planned, self._keeps = number, len(plan.points), problem is None
        self._session.measuring, self.running = self._title, True
        self.started.emit(self.planned)
        if problem is not None:
            self.unkept.emit(f"These points are not saved: {problem.problem}. The file: {problem.path}")
        self._run.start(plan)

    def stop(self) -> None:
        """Stop the worker at once; measured points stay."""
        self._run.stop()

    def close(self) -> None:
        """Stop the worker and close the file."""
        if self.running:
            self._session.measuring, self.running = "", False
        self._run.close()
        self.history.close()

    def _read(self, rows: tuple[Row, ...]) -> None:
        self.number = rows[0].run
        self.rows += rows
        self.planned = len(self.rows)
        self.failures += sum(bool(row.sample.error) for row in rows)
        self.environment = next((row.environment for row in reversed(rows) if row.environment), self.environment)

    def _placed(self, environment: Environment) -> None:
        self.environment = environment
        if self._keeps:
            self.history.keep(self.number, environment)
        self.placed.emit(environment)

    def _told(self, sample: Sample) -> None:
        self.rows.append(Row(self.number, sample, self.environment))
        self.failures += bool(sample.error)
        if self._keeps:
            self.history.keep(self.number, sample)
        self.told.emit(sample)

    def _ended(self, words: str) -> None:
        self._session.measuring, self.running = "", False
        self.ended.emit(words)
