"""Sample file, read and written in short turns of the event loop, without blocking on locks."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from kernels.bench.sample import Sample
from kernels.bench.store import Store, StoreError, default_path

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.store import Row, RunSummary, Skipped

_TIMEOUT_S: Final = 0.02
"""Wait this long for another program's lock in one turn of the event loop; then try again later."""

_TIMEOUT_AT_START_S: Final = 1.0
_TIMEOUT_AT_END_S: Final = 2.0
_RETRY_MS: Final = 400
_TURN_S: Final = 0.005
_CHUNK_ROWS: Final = 32


class History(QObject):
    """Reads the latest run in pieces, and saves samples as they arrive.

    While another program has locked the file, reading and writing are tried again every `_RETRY_MS`; samples wait in
    memory meanwhile.

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
        self._waiting: deque[tuple[int, Environment | Sample]] = deque()
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
        """Write a sample or other data of a run, at the end of this turn or when the file is no longer locked.

        A disk may take milliseconds for a transaction: what arrives in one turn of the event loop is written together.
        """
        self._waiting.append((run, what))
        if not self._retry.isActive():
            self._soon.start()

    def flush(self) -> None:
        """Write what is still in memory, if the file is not locked."""
        self._soon.stop()
        self._write()

    def close(self) -> None:
        """Write what is still in memory, and close the file."""
        self.stop_loading()
        self._soon.stop()
        self._retry.stop()
        if self._store is None:
            return
        if self._waiting:
            self._store.set_timeout(_TIMEOUT_AT_END_S)
            self._write()
            self._retry.stop()
        self._store.close()
        self._store = None

    def _write(self) -> None:
        if self._store is None or not self._waiting:
            return
        try:
            with self._store.transaction():
                for run, what in self._waiting:
                    self._add(self._store, run, what)
        except StoreError as error:
            if error.kind == "locked":
                self._retry.start()
            else:
                self._write_singly(self._store)
            return
        self._waiting.clear()

    def _write_singly(self, store: Store) -> None:
        """Write as much as can be written, and report the rest."""
        while self._waiting:
            try:
                self._add(store, *self._waiting[0])
            except StoreError as error:
                if error.kind == "locked":
                    self._retry.start()
                    return
                self.save_failed.emit(str(error))
            self._waiting.popleft()

    @staticmethod
    def _add(store: Store, run: int, what: Environment | Sample) -> None:
        if isinstance(what, Sample):
            store.add(run, what)
        else:
            store.add_environment(what)
