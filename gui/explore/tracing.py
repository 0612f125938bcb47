"""Tracing in a worker thread, with progress messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from gui.shell.garbage import collect
from gui.shell.jobs import JobRunner

if TYPE_CHECKING:
    from gui.shell.jobs import Work

_SAY_AFTER_MS: Final = 250
"""Milliseconds before the first progress message."""

_COLLECT_AFTER_MS: Final = 100
"""Milliseconds from a story to the collection of garbage: the picture is painted, and hardly anybody steps yet."""


class Tracing(QObject):
    """Makes one story at a time; a new one cancels the previous one.

    Parameters
    ----------
    parent : QObject, optional
    held : bool
        The first job waits for `release`.

    Signals
    -------
    finished(Story)
        The story of the newest job.
    failed(TilescopeError)
        The error of the newest job.
    still_running(float)
        The job still runs after this many seconds.
    """

    finished = Signal(object)
    failed = Signal(object)
    still_running = Signal(float)

    def __init__(self, parent: QObject | None = None, *, held: bool = False) -> None:
        super().__init__(parent)
        self.held = held
        """True as long as jobs wait."""
        self._waiting: Work | None = None
        self._work = JobRunner(self)
        self._work.finished.connect(self._finished)
        self._work.failed.connect(self._failed)
        self._clock = QElapsedTimer()
        self._progress = QTimer(self, interval=_SAY_AFTER_MS)
        self._progress.timeout.connect(lambda: self.still_running.emit(self._clock.elapsed() / 1000))
        self._collecting = QTimer(self, singleShot=True, interval=_COLLECT_AFTER_MS)
        self._collecting.timeout.connect(collect)  # a story holds no cycles

    @property
    def busy(self) -> bool:
        """True while a job is running or waiting."""
        return self._work.busy or self._waiting is not None

    def start(self, work: Work) -> None:
        """Start `work(cancelled)`, which returns a Story, or keep it until `release`."""
        if self.held:
            self._waiting = work
            return
        self._clock.start()
        self._progress.start()
        self._work.start(work)

    def release(self) -> None:
        """Start the job that waits, if any; later ones do not wait."""
        self.held = False
        work, self._waiting = self._waiting, None
        if work is not None:
            self.start(work)

    def cancel(self) -> None:
        """Cancel the job; it is not reported."""
        self._progress.stop()
        self._waiting = None
        self._work.cancel()

    def close(self) -> None:
        """Cancel the job and wait for its thread."""
        self.cancel()
        self._collecting.stop()
        self._work.close()

    def _finished(self, story: object) -> None:
        self._progress.stop()
        self.finished.emit(story)
        self._collecting.start()

    def _failed(self, error: object) -> None:
        self._progress.stop()
        self.failed.emit(error)
