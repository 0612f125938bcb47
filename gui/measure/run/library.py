"""Access to recorded runs and to the history: long reads in a worker thread, short changes at once."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from gui.measure.run.entries import entries_of
from gui.shell.jobs import JobRunner
from kernels.bench.kernel_texts import source_hash
from kernels.bench.store.database import StoreError, default_path
from kernels.bench.store.import_runs import import_files
from kernels.bench.store.recorded import FOLDER, recorded_runs
from kernels.bench.store.run_file import run_lines, write_lines
from kernels.bench.store.run_history import RunHistory
from kernels.cancellation import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from gui.measure.run.entries import RunEntry
    from gui.shell.jobs import Work
    from kernels.bench.store.database import Row, Skipped
    from kernels.bench.store.import_runs import ImportReport
    from kernels.errors import TilescopeError

_TIMEOUT_S: Final = 0.02
"""Wait this long for another program's lock in one turn of the event loop."""

_CHUNK: Final = 32
"""Rows that are read at once."""


class RunLibrary(QObject):
    """All runs that can be shown.

    Signals
    -------
    runs_listed(tuple of RunEntry)
        The list of runs, after a change or as asked for.
    rows_read(RunEntry, tuple of Row, tuple of Skipped)
        The samples of a run.
    said(str, bool)
        What was done, or is not possible, in one sentence, and whether it is a warning.
    """

    runs_listed = Signal(object)
    rows_read = Signal(object, object, object)
    said = Signal(str, bool)

    def __init__(self, parent: QObject | None = None, *, recorded: Path = FOLDER) -> None:
        super().__init__(parent)
        self._recorded = recorded
        self._path: Path | None = None
        self._titles: Mapping[str, str] = {}
        self._waiting: deque[tuple[Work, Callable[..., None]]] = deque()
        self._then: Callable[..., None] | None = None
        self._jobs = JobRunner(self)
        self._jobs.finished.connect(self._finish)
        self._jobs.failed.connect(self._fail)

    @property
    def busy(self) -> bool:
        """True while something is read in the worker thread."""
        return self._then is not None or bool(self._waiting)

    def open(self, path: Path | None, titles: Mapping[str, str]) -> None:
        """Use this file of samples, by default the user's, and list its runs."""
        self._path, self._titles = path or default_path(), titles
        self.list_runs()

    def list_runs(self) -> None:
        """List the runs again."""
        self._queue(lambda _cancelled: self._list(), self.runs_listed.emit)

    def read(self, entry: RunEntry) -> None:
        """Read the samples of a run."""
        self._queue(lambda _cancelled: self._read(entry), lambda found: self.rows_read.emit(entry, *found))

    def rename(self, entry: RunEntry, name: str) -> None:
        """Name a run of the history."""
        self._change(lambda history: history.rename(entry.number, name), f"The run is called “{name}” now.")

    def delete(self, entry: RunEntry) -> None:
        """Delete a run of the history, so that it can be restored."""
        self._change(
            lambda history: history.delete(entry.number), f"Deleted: {entry.title}. “Undo delete” restores it."
        )

    def restore(self, entry: RunEntry) -> None:
        """Undo a deletion."""
        self._change(lambda history: history.restore(entry.number), f"Restored: {entry.title}.")

    def import_files(self, paths: Sequence[Path]) -> None:
        """Import files of samples: JSON lines, or CSV."""
        self._queue(lambda _cancelled: self._import(paths), self._report_import)
        self.list_runs()  # also after an error: the files before it have been imported

    def export(self, entry: RunEntry, path: Path) -> None:
        """Write a run as JSON lines, which keep everything, compressed if the name ends in `.gz`."""

        def work(_cancelled: Callable[[], bool]) -> str:
            rows, _ = self._read(entry)
            write_lines(path, run_lines(entry.header, rows))
            return f"Written to {path}"

        self._queue(work, lambda words: self.said.emit(words, False))

    def close(self) -> None:
        """Stop reading, and wait for the thread."""
        self._waiting.clear()
        self._then = None
        self._jobs.close()

    # In the worker thread

    def _list(self) -> tuple[RunEntry, ...]:
        try:
            with RunHistory(self._path) as history:
                stored = history.stored_runs()
        except StoreError:
            stored = ()  # the page says it of the last run
        return entries_of(recorded_runs(self._recorded), stored, self._titles, source_hash)

    def _read(self, entry: RunEntry) -> tuple[tuple[Row, ...], tuple[Skipped, ...]]:
        rows: list[Row] = []
        if entry.recorded is not None:
            reader = entry.recorded.rows()
            for row in reader:
                checkpoint()
                rows.append(row)
            return tuple(rows), tuple(reader.skipped)
        skipped: list[Skipped] = []
        with RunHistory(self._path) as history:
            last = 0
            while (chunk := history.chunk(entry.number, last, _CHUNK)).last > last:
                checkpoint()
                last = chunk.last
                rows += chunk.rows
                skipped += chunk.skipped
        return tuple(rows), tuple(skipped)

    def _import(self, paths: Sequence[Path]) -> ImportReport:
        with RunHistory(self._path) as history:
            return import_files(history, paths)

    # In the window's thread

    def _report_import(self, report: ImportReport) -> None:
        self.said.emit(str(report), bool(report.skipped))

    def _change(self, change: Callable[[RunHistory], None], words: str) -> None:
        try:
            with RunHistory(self._path, timeout_s=_TIMEOUT_S) as history:
                change(history)
        except StoreError as error:
            self.said.emit(f"Nothing was changed: {error.problem}. Try again later.", True)
            return
        self.said.emit(words, False)
        self.list_runs()

    def _queue(self, work: Work, then: Callable[..., None]) -> None:
        self._waiting.append((work, then))
        if self._then is None:
            self._start_next()

    def _start_next(self) -> None:
        if self._waiting:
            work, self._then = self._waiting.popleft()
            self._jobs.start(work)

    def _finish(self, result: object) -> None:
        then, self._then = self._then, None
        if then is not None:
            then(result)
        if self._then is None:
            self._start_next()

    def _fail(self, error: TilescopeError) -> None:
        self._then = None
        self.said.emit(error.titled, True)
        if self._then is None:
            self._start_next()
