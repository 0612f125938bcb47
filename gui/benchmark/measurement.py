"""A measurement on its way, and what is kept of it: in memory, and at once in the file of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.benchmark.run import Run
from kernels.bench.sample import Sample
from kernels.bench.store import Row, Store, write_csv
from kernels.errors import InputError, TilescopeError

if TYPE_CHECKING:
    from pathlib import Path

    from gui.session import Session
    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.store import RunSummary


class Measurement(QObject):
    """Measures one plan at a time and keeps every sample when it comes.

    Parameters
    ----------
    session : Session
        Knows whether another page measures: two at once would disturb each other.
    title : str
        Whose measurement it is, for that other page.

    Signals
    -------
    started(int)
        A plan of that many points is on its way; what was shown before is not shown any more.
    placed(Environment), began(Point), told(Sample), ended(str)
        As `gui.benchmark.run.Run` has them; a sample is kept when it is told.
    unkept(str)
        The file cannot be written. The measurement goes on.
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
        self._store: Store | None = None
        self.running = False
        """Whether a plan is on its way."""
        self.number = 0
        self.planned = 0
        self.environment: Environment | None = None
        self.rows: list[Row] = []
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

    @property
    def failures(self) -> int:
        """Points that have no result."""
        return sum(bool(row.sample.error) for row in self.rows)

    # --- the file --------------------------------------------------------------------------------------

    def open(self, path: Path | None) -> None:
        """Open the file of samples, the user's own unless one is given; raises InputError."""
        self._store = Store(path)

    def runs(self) -> tuple[RunSummary, ...]:
        """Return the runs of the file, the latest first; raises InputError."""
        return self._store.runs() if self._store is not None else ()

    def read(self, run: RunSummary) -> tuple[Row, ...]:
        """Return what is kept of an earlier run; raises InputError."""
        return self._store.rows(run.id) if self._store is not None else ()

    def show(self, run: RunSummary) -> None:
        """Take an earlier run in place of what is shown; raises InputError."""
        self.number, self.planned, self.rows = run.id, run.planned, list(self.read(run))
        self.environment = next((row.environment for row in reversed(self.rows) if row.environment), None)

    def forget(self) -> None:
        """Show no run."""
        self.number, self.planned, self.rows, self.environment = 0, 0, [], None

    def export(self, path: Path) -> None:
        """Write the run that is shown as CSV; raises InputError."""
        write_csv(path, self.rows)

    # --- measuring -------------------------------------------------------------------------------------

    def start(self, plan: Plan, purpose: str = "") -> None:
        """Measure a plan, in place of what is shown; `purpose` is kept with the run.

        Raises
        ------
        InputError
            While another page measures, or when the file cannot be written.
        """
        if self._session.measuring:
            raise InputError(
                f"{self._session.measuring} is measuring, and two at once would disturb each other: "
                "wait, or stop it there"
            )
        self.forget()
        if self._store is not None:
            self.number = self._store.begin_run(plan, purpose)
        self.planned = len(plan.points)
        self._session.measuring, self.running = self._title, True
        self.started.emit(self.planned)
        self._run.start(plan)

    def stop(self) -> None:
        """End the worker at once; what is measured stays."""
        self._run.stop()

    def close(self) -> None:
        """End the worker and close the file."""
        if self.running:
            self._session.measuring, self.running = "", False
        self._run.close()
        if self._store is not None:
            self._store.close()
            self._store = None

    def _placed(self, environment: Environment) -> None:
        self.environment = environment
        self._keep(environment)
        self.placed.emit(environment)

    def _told(self, sample: Sample) -> None:
        self.rows.append(Row(self.number, sample, self.environment))
        self._keep(sample)
        self.told.emit(sample)

    def _ended(self, words: str) -> None:
        self._session.measuring, self.running = "", False
        self.ended.emit(words)

    def _keep(self, what: Environment | Sample) -> None:
        if self._store is None:
            return
        try:
            if isinstance(what, Sample):
                self._store.add(self.number, what)
            else:
                self._store.add_environment(what)
        except TilescopeError as error:
            self.unkept.emit(str(error))
