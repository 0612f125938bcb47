"""A measurement on its way, and what is kept of it: in memory, and at once in the file of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.benchmark.run import Run
from kernels.bench.sample import Sample
from kernels.bench.store import Store, write_csv
from kernels.errors import InputError, TilescopeError

if TYPE_CHECKING:
    from pathlib import Path

    from gui.session import Session
    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.store import Row, RunSummary


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
        self.number = 0
        self.planned = 0
        self.environment: Environment | None = None
        self.samples: list[Sample] = []
        self._run = Run(self)
        self._run.placed.connect(self._placed)
        self._run.began.connect(self.began)
        self._run.told.connect(self._told)
        self._run.ended.connect(self._ended)

    @property
    def running(self) -> bool:
        """Whether a plan is on its way."""
        return self._run.running

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the latest points; None before the first."""
        return self._run.seconds_left

    @property
    def failures(self) -> int:
        """Points that have no result."""
        return sum(bool(sample.error) for sample in self.samples)

    # --- the file --------------------------------------------------------------------------------------

    def open(self, path: Path | None) -> None:
        """Open the file of samples, the user's own unless one is given; raises InputError."""
        self._store = Store(path)

    def runs(self) -> tuple[RunSummary, ...]:
        """Return the runs of the file, the latest first; raises InputError."""
        return self._store.runs() if self._store is not None else ()

    def rows(self) -> tuple[Row, ...]:
        """Return what is kept of the run that is shown; raises InputError."""
        return self._store.rows(self.number) if self._store is not None and self.number else ()

    def show(self, run: RunSummary) -> None:
        """Take an earlier run in place of what is shown; raises InputError."""
        if self._store is None:
            return
        rows = self._store.rows(run.id)
        self.number, self.planned = run.id, run.planned
        self.samples = [row.sample for row in rows]
        self.environment = next((row.environment for row in reversed(rows) if row.environment), None)

    def forget(self) -> None:
        """Show no run."""
        self.number, self.planned, self.samples, self.environment = 0, 0, [], None

    def export(self, path: Path) -> None:
        """Write the run that is shown as CSV; raises InputError."""
        write_csv(path, self.rows())

    # --- measuring -------------------------------------------------------------------------------------

    def start(self, plan: Plan) -> None:
        """Measure a plan, in place of what is shown.

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
            self.number = self._store.begin_run(plan)
        self.planned = len(plan.points)
        self._session.measuring = self._title
        self.started.emit(self.planned)
        self._run.start(plan)

    def stop(self) -> None:
        """End the worker at once; what is measured stays."""
        self._run.stop()

    def close(self) -> None:
        """End the worker and close the file."""
        if self.running:
            self._session.measuring = ""
        self._run.close()
        if self._store is not None:
            self._store.close()
            self._store = None

    def _placed(self, environment: Environment) -> None:
        self.environment = environment
        self._keep(environment)
        self.placed.emit(environment)

    def _told(self, sample: Sample) -> None:
        self.samples.append(sample)
        self._keep(sample)
        self.told.emit(sample)

    def _ended(self, words: str) -> None:
        self._session.measuring = ""
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
