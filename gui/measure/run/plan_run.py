"""Run of a plan: starts workers, and continues after a point that crashed one."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from gui.shell.worker import ProcessOutcome, Worker
from kernels.bench.progress import STARTUP_LIMIT_S, Progress
from kernels.bench.protocol import (
    Begin,
    EnvironmentMessage,
    Failed,
    Measured,
    SlotLost,
    Start,
    fan_out_command,
    parse_message,
    plan_text,
    worker_command,
)
from kernels.bench.time_left import TimeLeft
from kernels.cpu.matmul import core_count
from kernels.errors import TilescopeError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.plan import Plan

_STOP_MS: Final = 400
"""A process that was killed may be busy in the driver, ending its CUDA context: its end is not awaited for longer."""


class Run(QObject):
    """Measures one plan at a time; `kernels.bench.hosts.supervise` does the same where there is no event loop.

    Signals
    -------
    environment_reported(Environment)
        Environment in which the samples are taken.
    point_started(Point)
        A point is being measured.
    sample_arrived(Sample)
        A point has an outcome.
    run_finished(str)
        The run is over. Empty if every point has an outcome, else the reason in one line.
    host_lost(str)
        A host measures no more, in one sentence; the others take its points.
    """

    environment_reported = Signal(object)
    point_started = Signal(object)
    sample_arrived = Signal(object)
    run_finished = Signal(str)
    host_lost = Signal(str)

    def __init__(self, parent: QObject | None = None, *, command: Sequence[str] = ()) -> None:
        super().__init__(parent)
        self._command = tuple(command) or tuple(worker_command())
        self._progress: Progress | None = None
        self._hosts: tuple[str, ...] = ()
        self._left: TimeLeft | None = None
        self._since = 0.0
        self._refusal = ""
        self._worker = self._new_worker()
        self._stopping = QTimer(self, singleShot=True, interval=_STOP_MS)
        self._stopping.timeout.connect(self._abandon_worker)

    @property
    def running(self) -> bool:
        """True while a plan is measured."""
        return self._progress is not None

    @property
    def seconds_left(self) -> float | None:
        """Estimate for the points without an outcome; None while nothing is measured."""
        return self._left.seconds if self._left is not None else None

    def start(self, plan: Plan, hosts: Sequence[str] = ()) -> None:
        """Measure a plan, on this machine unless hosts are named."""
        self._hosts = tuple(hosts)
        self._progress = Progress(plan)
        self._left = TimeLeft(plan, cores=core_count())
        self._refusal = ""
        self._start_worker(self._progress)

    def stop(self) -> None:
        """Stop the worker at once; reported samples stay."""
        if self.running:
            self._worker.stop()
            self._stopping.start()

    def close(self) -> None:
        """Stop the worker and wait for it, without a signal."""
        self._progress = None
        self._stopping.stop()
        for worker in self.findChildren(Worker):
            worker.close()

    def _new_worker(self) -> Worker:
        worker = Worker(self)
        worker.line_received.connect(self._line)
        worker.process_ended.connect(self._worker_ended)
        return worker

    def _abandon_worker(self) -> None:
        """Finish now; the process that was killed ends when it can, and the next run has another one."""
        self._worker.line_received.disconnect(self._line)
        self._worker.process_ended.disconnect(self._worker_ended)
        self._worker.process_ended.connect(self._worker.deleteLater)
        self._worker = self._new_worker()
        self._finish("stopped")

    def _start_worker(self, progress: Progress) -> None:
        self._since = monotonic()
        text = plan_text(progress.remaining_plan)
        if self._hosts:  # this child supervises the workers
            self._worker.start(fan_out_command(self._hosts), text=text)
        else:
            self._worker.start(self._command, text=text, timeout_s=STARTUP_LIMIT_S)

    def _line(self, text: str) -> None:
        progress = self._progress
        if progress is None:
            return
        try:
            message = parse_message(text)
        except TilescopeError as error:
            self._refusal = error.titled
            self._worker.stop()
            return
        if message is None:
            return  # output of a library
        progress.receive(message)
        if not self._hosts:
            self._worker.allow(progress.limit_s)
        match message:
            case EnvironmentMessage(environment):
                self.environment_reported.emit(environment)
            case Begin(point):
                self.point_started.emit(point)
            case Measured(sample) | Failed(sample):
                if self._left is not None and not sample.repeat:
                    self._left.add(sample.point, monotonic() - self._since)
                self._since = monotonic()
                self.sample_arrived.emit(sample)
            case Start():
                self._since = monotonic()
            case SlotLost(slot, reason):
                self.host_lost.emit(f"{slot} {reason}")

    def _worker_ended(self, outcome: ProcessOutcome) -> None:
        progress = self._progress
        if progress is None:
            return
        if self._refusal or outcome.how in ("stopped", "could_not_start"):
            self._finish(self._refusal or str(outcome))
            return
        if self._hosts:
            self._finish("" if progress.finished else outcome.words or str(outcome))
            return
        try:
            failure = self._failure_of(progress, outcome)
        except UnavailableError as error:
            self._finish(str(error))
            return
        if failure is not None:
            self.sample_arrived.emit(failure.sample)
        if progress.finished:
            self._finish("")
        else:
            self._start_worker(progress)

    @staticmethod
    def _failure_of(progress: Progress, outcome: ProcessOutcome) -> Failed | None:
        if outcome.how == "timed_out":
            return progress.overtime()
        return None if progress.finished else progress.worker_ended(outcome.status, outcome.words)

    def _finish(self, words: str) -> None:
        self._stopping.stop()
        self._progress = self._left = None
        self.run_finished.emit(words)
