"""Sample file, read in short turns of the event loop and written in a worker thread."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from gui.shell.jobs import JobRunner
from kernels.bench.sample import Sample
from kernels.bench.store.database import Store, StoreError, default_path

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.store.database import Row, RunSummary, Skipped
    from kernels.errors import TilescopeError

    Waiting = deque[tuple[int, Environment | Sample]]

_TIMEOUT_S: Final = 0.02
"""Wait this long for another program's lock in one turn of the event loop; then try again later."""

_TIMEOUT_AT_START_S: Final = 1.0
_TIMEOUT_AT_END_S: Final = 2.0
_RETRY_MS: Final = 400
_TURN_S: Final = 0.005
_CHUNK_ROWS: Final = 32


class History(QObject):
    """Reads the latest run in pieces, and saves samples as they arrive.

    A busy disk may take a second for a sample, so a worker thread waits for it. While another program has locked the
    file, reading and writing are tried again every `_RETRY_MS`; samples wait in memory meanwhile.

    Signals
    -------
    rows_read(tuple of Row)
        The next samples of the latest run.
    file_locked()
        Another program has locked the file, for now.
    loading_finished()
        Everything is read, or `problem` says why not.
    save_failed(str)
        Something cannot be written.
    """

    rows_read = Signal(object)
    file_locked = Signal()
    loading_finished = Signal()
    save_failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store: Store | None = None
        self.path = default_path()
        self.run: int | None = None
        """Number of the run that is read."""
        self.skipped: list[Skipped] = []
        """Rows of the run that cannot be used."""
        self.problem: StoreError | None = None
        """Error because of which the file, or the rest of it, cannot be read."""
        self._last = 0
        self._waiting: Waiting = deque()
        """What is not in the file yet: this thread appends, the worker removes what it has written."""
        self._jobs = JobRunner(self)
        self._jobs.finished.connect(self._report)
        self._jobs.failed.connect(self._report_error)
        self._reading = QTimer(self, interval=0)
        self._reading.timeout.connect(self._read_next)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._write)
        self._retry = QTimer(self, singleShot=True, interval=_RETRY_MS)
        self._retry.timeout.connect(self._write)

    # Reading

    def open(self, path: Path | None) -> None:
        """Open the file, by default the user's; raises StoreError."""
        self.path = path or default_path()
        self._open_store(_TIMEOUT_S)

    def load(self, path: Path | None) -> None:
        """Open the file and read the latest run outside experiments, from the next turn of the event loop on."""
        self.path = path or default_path()
        self._reading.start(0)

    @property
    def loading(self) -> bool:
        """True while there is more to read."""
        return self._reading.isActive()

    def stop_loading(self) -> None:
        """Read no further."""
        self._reading.stop()

    def runs(self) -> tuple[RunSummary, ...]:
        """Return every run, the latest first; raises StoreError."""
        return self._store.runs() if self._store is not None else ()

    def rows(self, run: RunSummary) -> tuple[Row, ...]:
        """Return the usable rows of a run; raises StoreError."""
        return self._store.rows(run.id) if self._store is not None else ()

    def _read_next(self) -> None:
        """Read rows during one turn of the event loop."""
        rows: list[Row] = []
        try:
            more = self._read_during_turn(rows)
            self.problem = None
        except StoreError as error:
            self.problem, more = error, error.kind == "locked"
        if rows:
            self.rows_read.emit(tuple(rows))
        if not more:
            self._reading.stop()
            self.loading_finished.emit()
        elif self.problem is not None:
            self._reading.setInterval(_RETRY_MS)
            self.file_locked.emit()
        else:
            self._reading.setInterval(0)

    def _read_during_turn(self, rows: list[Row]) -> bool:
        """Append the next rows; return whether there are more."""
        store = self._open_store(_TIMEOUT_S)
        until = monotonic() + _TURN_S
        self.run = self.run or store.latest()
        while self.run is not None and monotonic() < until:
            chunk = store.chunk(self.run, self._last, _CHUNK_ROWS)
            if chunk.last <= self._last:  # in a damaged file the rows may lie in no order
                return False
            self._last = chunk.last
            self.skipped += chunk.skipped
            rows += chunk.rows
        return self.run is not None

    def _open_store(self, timeout_s: float) -> Store:
        if self._store is None:
            self._store = Store(self.path, timeout_s=timeout_s)
        return self._store

    # Writing

    def begin(self, plan: Plan, purpose: str) -> int:
        """Add a run and return its number; raises StoreError."""
        self.stop_loading()
        store = self._open_store(_TIMEOUT_AT_START_S)
        store.set_timeout(_TIMEOUT_AT_START_S)
        number = store.begin_run(plan, purpose)
        store.set_timeout(_TIMEOUT_S)
        return number

    def save(self, run: int, what: Environment | Sample) -> None:
        """Write a sample or other data of a run soon, or when the file is no longer locked.

        What arrives in one turn of the event loop is written together.
        """
        self._waiting.append((run, what))
        if not self._retry.isActive():
            self._soon.start()

    @property
    def saving(self) -> bool:
        """True while something is in memory only."""
        return bool(self._waiting)

    def close(self) -> None:
        """Write what is still in memory, and close the file."""
        self.stop_loading()
        self._soon.stop()
        self._retry.stop()
        if self._store is None:
            return
        self._jobs.close()
        if self._waiting:
            self._write_now()
        self._store.close()
        self._store = None

    def _write_now(self) -> None:
        """Write in this thread, at the end of the program."""
        try:
            problems = _write_waiting(self.path, self._waiting, _TIMEOUT_AT_END_S).problems
        except StoreError as error:
            problems = (str(error),)
        for problem in problems:
            self.save_failed.emit(problem)

    def _write(self) -> None:
        if self._store is None or not self._waiting or self._jobs.busy:
            return
        path, waiting = self.path, self._waiting
        self._jobs.start(lambda _cancelled: _write_waiting(path, waiting, _TIMEOUT_S))

    def _report(self, written: _Written) -> None:
        for problem in written.problems:
            self.save_failed.emit(problem)
        if written.locked:
            self._retry.start()
        elif self._waiting:
            self._soon.start()

    def _report_error(self, error: TilescopeError) -> None:
        if isinstance(error, StoreError) and error.kind == "locked":
            self._retry.start()
            return
        self._waiting.clear()
        self.save_failed.emit(str(error))


class _Written(NamedTuple):
    """What became of the data that waited."""

    problems: tuple[str, ...] = ()
    """Why some of it could not be written, for people."""
    locked: bool = False
    """Whether another program has locked the file, so that the rest waits."""


def _write_waiting(path: Path, waiting: Waiting, timeout_s: float) -> _Written:
    """Write and remove all that waits; raises StoreError if the file cannot be opened."""
    with Store(path, timeout_s=timeout_s) as store:
        while waiting:
            together = tuple(waiting)
            try:
                with store.transaction():
                    for run, what in together:
                        _add(store, run, what)
            except StoreError as error:
                return _Written(locked=True) if error.kind == "locked" else _write_singly(store, waiting)
            for _ in together:
                waiting.popleft()
    return _Written()


def _write_singly(store: Store, waiting: Waiting) -> _Written:
    """Write as much as can be written, and drop the rest."""
    problems: list[str] = []
    while waiting:
        try:
            _add(store, *waiting[0])
        except StoreError as error:
            if error.kind == "locked":
                return _Written(tuple(problems), locked=True)
            problems.append(str(error))
        waiting.popleft()
    return _Written(tuple(problems))


def _add(store: Store, run: int, what: Environment | Sample) -> None:
    if isinstance(what, Sample):
        store.add(run, what)
    else:
        store.add_environment(what)
