"""Measurement of a plan: samples are stored in memory and in the sample file on arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.measure.run.history import History
from gui.measure.run.plan_run import Run
from kernels.bench.store.csv_file import write_csv
from kernels.bench.store.database import Row, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gui.selection.session import Session
    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Sample


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
    run_started(int)
        A plan with that many points has started; earlier samples are removed from the view.
    environment_reported(Environment), point_started(Point), sample_arrived(Sample), run_finished(str)
        As in `Run`; what has arrived is saved at the end of the turn, at the latest before a run ends.
    save_failed(str)
        The file cannot be written. The measurement continues.
    host_lost(str)
        As in `Run`.

    """

    run_started = Signal(int)
    environment_reported = Signal(object)
    point_started = Signal(object)
    sample_arrived = Signal(object)
    run_finished = Signal(str)
    save_failed = Signal(str)
    host_lost = Signal(str)

    def __init__(self, session: Session, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._title = session, title
        self.history = History(self)
        """Sample file."""
        self.history.rows_read.connect(self._add_rows)
        self.history.save_failed.connect(self.save_failed)
        self.running = False
        """True while a plan is measured."""
        self.number = 0
        """Number of the shown run in the sample file; 0 for none."""
        self.point_count = 0
        """Number of points of the shown run."""
        self.environment: Environment | None = None
        """Hardware and software of the shown run; None until the worker has reported it."""
        self.failures = 0
        """Number of points without a result."""
        self.outcome_count = 0
        """Number of points with an outcome; a point that was measured again counts once."""
        self.rows: list[Row] = []
        """Samples of the shown run, as in the file."""
        self._environments: dict[str, Environment] = {}
        self._saves = True
        """Whether samples are written to the file."""
        self._run = Run(self)
        self._run.environment_reported.connect(self._save_environment)
        self._run.point_started.connect(self.point_started)
        self._run.sample_arrived.connect(self._save_sample)
        self._run.run_finished.connect(self._finish)
        self._run.host_lost.connect(self.host_lost)

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the latest points; None before the first."""
        return self._run.seconds_left

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Samples of the shown run, without their environments."""
        return tuple(row.sample for row in self.rows)

    def environment_of(self, sample: Sample) -> Environment | None:
        """Return the environment of a sample of the run that is measured: of several hosts each has its own."""
        return self._environments.get(sample.environment, self.environment)

    def clear(self) -> None:
        """Show no run."""
        self.number, self.point_count, self.rows, self.environment = 0, 0, [], None
        self.failures = self.outcome_count = 0

    def export(self, path: Path) -> None:
        """Write the shown run as CSV; raises InputError."""
        write_csv(path, self.rows)

    def start(self, plan: Plan, purpose: str = "", *, must_save: bool = True, hosts: Sequence[str] = ()) -> None:
        """Measure a plan, replacing the shown run; `purpose` is stored with the run, `hosts` measure it.

        Without `must_save`, a file that cannot be written is only reported by `save_failed`.

        Raises
        ------
        InputError
            While another page measures, or when the file cannot be written.
        """
        self._session.check_not_measuring()
        problem: StoreError | None = None
        number = 0
        try:
            number = self.history.begin(plan, purpose)
        except StoreError as error:
            if must_save:
                raise
            problem = error
        self.clear()
        self.number, self.point_count, self._saves = number, len(plan.points), problem is None
        self._session.measuring, self.running = self._title, True
        self.run_started.emit(self.point_count)
        if problem is not None:
            self.save_failed.emit(f"These points are not saved: {problem.problem}. The file: {problem.path}")
        self._run.start(plan, hosts)

    def stop(self) -> None:
        """Stop the worker at once; measured points stay."""
        self._run.stop()

    def close(self) -> None:
        """Stop the worker and close the file."""
        if self.running:
            self._session.measuring, self.running = "", False
        self._run.close()
        self.history.close()

    def _add_rows(self, rows: tuple[Row, ...]) -> None:
        self.number = rows[0].run
        self.rows += rows
        self.outcome_count += sum(not row.sample.repeat for row in rows)
        self.point_count = self.outcome_count
        self.failures += sum(bool(row.sample.error) for row in rows)
        self.environment = next((row.environment for row in reversed(rows) if row.environment), self.environment)

    def _save_environment(self, environment: Environment) -> None:
        self.environment = self._environments[environment.id] = environment
        if self._saves:
            self.history.save(self.number, environment)
        self.environment_reported.emit(environment)

    def _save_sample(self, sample: Sample) -> None:
        self.rows.append(Row(self.number, sample, self.environment_of(sample)))
        self.failures += bool(sample.error)
        self.outcome_count += not sample.repeat
        if self._saves:
            self.history.save(self.number, sample)
        self.sample_arrived.emit(sample)

    def _finish(self, message: str) -> None:
        self._session.measuring, self.running = "", False
        self.run_finished.emit(message)
