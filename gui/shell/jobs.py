"""Jobs in a worker thread; a new job cancels the previous one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from kernels.cancellation import Cancelled, cancellable
from kernels.errors import NOT_ENOUGH_MEMORY, TilescopeError

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[Callable[[], bool]], object]


class JobRunner(QObject):
    """Runs one job at a time in a worker thread; a new job cancels the previous one.

    Signals
    -------
    finished(object)
        The newest job is done, with its result. Cancelled jobs are never reported.
    failed(TilescopeError)
        The newest job failed, with its error in one line.
    """

    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._cancelled = threading.Event()
        self._newest = 0
        self._busy = False

    @property
    def busy(self) -> bool:
        """True while a job is running or waiting."""
        return self._busy

    def start(self, work: Work) -> None:
        """Cancel the running job, and run `work(cancelled)` next."""
        self.cancel()
        self._busy = True
        job = _Job(self._newest, work, self._cancelled)
        job.signals.done.connect(self._report)
        self._pool.start(job)

    def cancel(self) -> None:
        """Cancel the running job; it is not reported."""
        self._cancelled.set()
        self._cancelled = threading.Event()
        self._newest += 1
        self._busy = False

    def close(self) -> None:
        """Cancel the running job and wait for its thread."""
        self.cancel()
        self._pool.waitForDone()

    def _report(self, number: int, result: object, problem: TilescopeError | None) -> None:
        if number != self._newest:
            return
        self._busy = False
        if problem is not None:
            self.failed.emit(problem)
        else:
            self.finished.emit(result)


class _Signals(QObject):
    done = Signal(int, object, object)


class _Job(QRunnable):
    """Runnable of one job."""

    def __init__(self, number: int, work: Work, cancelled: threading.Event) -> None:
        super().__init__()
        self.signals = _Signals()
        self._number, self._work, self._cancelled = number, work, cancelled

    def run(self) -> None:
        """Run the job, and report its result or error."""
        result, problem = None, None
        try:
            if not self._cancelled.is_set():
                with cancellable(self._cancelled.is_set):
                    result = self._work(self._cancelled.is_set)
        except Cancelled:
            pass  # cancelled jobs are not reported
        except TilescopeError as error:
            problem = error
        except MemoryError:
            problem = TilescopeError(NOT_ENOUGH_MEMORY.capitalize())
        except Exception as error:  # an internal error must not end the window: the page shows it
            problem = TilescopeError(f"Something unexpected happened: {type(error).__name__}: {error}")
        self.signals.done.emit(self._number, result, problem)
