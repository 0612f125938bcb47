"""Making a story away from the window's thread, with a word where it takes longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from gui.shell.jobs import Background

if TYPE_CHECKING:
    from gui.shell.jobs import Work

_SAY_AFTER_MS: Final = 250
"""A tracing shorter than this is not worth a word."""


class Tracing(QObject):
    """Makes one story at a time; a newer one cancels the one before.

    Signals
    -------
    finished(Story)
        What the newest work gave.
    failed(TilescopeError)
        Why there is nothing.
    waiting(float)
        It has taken so many seconds, and goes on.
    """

    finished = Signal(object)
    failed = Signal(object)
    waiting = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = Background(self)
        self._work.finished.connect(self._finished)
        self._work.failed.connect(self._failed)
        self._clock = QElapsedTimer()
        self._progress = QTimer(self, interval=_SAY_AFTER_MS)
        self._progress.timeout.connect(lambda: self.waiting.emit(self._clock.elapsed() / 1000))

    @property
    def busy(self) -> bool:
        """Whether a result or a reason is still to come."""
        return self._work.busy

    def start(self, work: Work) -> None:
        """Begin `work(cancelled)`, which gives a Story."""
        self._clock.start()
        self._progress.start()
        self._work.start(work)

    def cancel(self) -> None:
        """Drop what is under way; it is not reported."""
        self._progress.stop()
        self._work.cancel()

    def close(self) -> None:
        """Drop what is under way and wait until its thread is back."""
        self._progress.stop()
        self._work.close()

    def _finished(self, story: object) -> None:
        self._progress.stop()
        self.finished.emit(story)

    def _failed(self, error: object) -> None:
        self._progress.stop()
        self.failed.emit(error)
