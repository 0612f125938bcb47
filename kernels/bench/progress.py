"""Progress of a plan over several workers."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final

from kernels.bench.measure.point import no_result
from kernels.bench.plan import remaining
from kernels.bench.protocol import Begin, EnvironmentMessage, Failed, Measured
from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from kernels.bench.measure.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Outcome, Point, Sample

_LEAST_TOTAL_S: Final = 1e-9
"""A plan needs a time limit above 0; a worker that is started too late skips its points."""

STARTUP_LIMIT_S: Final = 120.0
"""Seconds from a worker's start to its first point: Python, CuPy and the CUDA context, on a cold disk too."""


class Progress:
    """Samples so far, and the current point, which fails when its worker ends or exceeds the time limit."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.samples: dict[Point, Sample] = {}
        """The outcomes so far."""
        self.current: Point | None = None
        """The point that a worker has begun and not finished."""
        self.environment: Environment | None = None
        self._open = set(plan.points)
        self._start_s = monotonic()
        self._count_before = 0
        """Number of outcomes when the latest worker was started."""

    @property
    def finished(self) -> bool:
        """Return whether every point has an outcome."""
        return not self._open

    @property
    def open_points(self) -> int:
        """Number of points without an outcome."""
        return len(self._open)

    @property
    def remaining_plan(self) -> Plan:
        """Plan of the next worker: the points without an outcome, in the time that is left."""
        plan = remaining(self.plan, self.samples)
        if plan.total_s is None:
            return plan
        return replace(plan, total_s=max(_LEAST_TOTAL_S, plan.total_s - (monotonic() - self._start_s)))

    @property
    def limit_s(self) -> float:
        """Seconds that the current point, or the start of the worker, may take."""
        return self.plan.time_limit_s if self.current else STARTUP_LIMIT_S

    def receive(self, message: Message) -> None:
        """Update the state by a message of a worker."""
        match message:
            case EnvironmentMessage(environment):
                self.environment = environment
            case Begin(point):
                self.current = point
            case Measured(sample) | Failed(sample):
                self.samples[sample.point] = sample
                self._open.discard(sample.point)
                self.current = None

    def overtime(self) -> Failed | None:
        """Record that the current point exceeded the time limit; its worker has been killed.

        None where the point was being measured again: it keeps its first sample.

        Raises
        ------
        UnavailableError
            When the worker had not begun any point.
        """
        return self._fail_current(f"took longer than {self.plan.time_limit_s:g} s and was ended", overtime=True)

    def worker_ended(self, status: int, words: str) -> Failed | None:
        """Record that a worker ended without `End`.

        Parameters
        ----------
        status : int
            Its exit status.
        words : str
            Its output on standard error; the last line is the reason.

        Returns
        -------
        The failure of the current point; None when the worker had begun none, or was measuring it again.

        Raises
        ------
        UnavailableError
            When the worker finished no point: then another worker would not either.
        """
        last = words.strip().splitlines()[-1:]
        failure = None
        if self.current:
            detail = "".join(f": {line}" for line in last)
            failure = self._fail_current(f"ended the measuring process, exit status {status}{detail}", overtime=False)
        if len(self.samples) == self._count_before and not self.finished:
            reason = " ".join(last) or "it gave no reason"
            raise UnavailableError(f"the measuring process ended with status {status}: {reason}")
        self._count_before = len(self.samples)
        return failure

    def _fail_current(self, words: str, *, overtime: bool) -> Failed | None:
        if self.current is None:
            raise UnavailableError(f"the measuring process did not begin within {STARTUP_LIMIT_S:g} s")
        if self.current in self.samples:
            self.current = None
            return None
        environment = self.environment.id if self.environment else ""
        outcome: Outcome = "overtime" if overtime else "failed"
        failure = Failed(no_result(self.current, outcome, words, environment))
        self.receive(failure)
        return failure
