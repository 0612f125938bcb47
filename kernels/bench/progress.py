"""Progress of a plan over several workers: one object for each caller that starts workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.bench.measure import no_result
from kernels.bench.plan import remaining
from kernels.bench.protocol import Begin, EnvironmentMessage, Failed, Measured
from kernels.errors import UnavailableError

if TYPE_CHECKING:
    from kernels.bench.environment import Environment
    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Outcome, Point, Sample

STARTUP_LIMIT_S: Final = 120.0
"""Seconds from a worker's start to its first point: Python, CuPy and the CUDA context, on a cold disk too."""


class Progress:
    """Samples so far and the current point, which is recorded as failed when a worker ends.

    Attributes
    ----------
    done : dict of Point to Sample
        Every point that has an outcome.
    current : Point or None
        The one that a worker has begun.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.samples: dict[Point, Sample] = {}
        self.current: Point | None = None
        self.environment: Environment | None = None
        self._open = set(plan.points)
        self._count_before = 0

    @property
    def finished(self) -> bool:
        """Return whether every point has an outcome."""
        return not self._open

    @property
    def open_points(self) -> int:
        """Number of points that have no outcome yet."""
        return len(self._open)

    @property
    def remaining_plan(self) -> Plan:
        """Plan of the next worker: the points without an outcome."""
        return remaining(self.plan, self.samples)

    @property
    def limit_s(self) -> float:
        """Seconds that the present point, or the start of the worker, may take."""
        return self.plan.time_limit_s if self.current else STARTUP_LIMIT_S

    def receive(self, message: Message) -> None:
        """Note what a worker said."""
        match message:
            case EnvironmentMessage(environment):
                self.environment = environment
            case Begin(point):
                self.current = point
            case Measured(sample) | Failed(sample):
                self.samples[sample.point] = sample
                self._open.discard(sample.point)
                self.current = None

    def overtime(self) -> Failed:
        """Blame the present point for taking too long; its worker has been ended.

        Raises
        ------
        UnavailableError
            When the worker had not begun any point.
        """
        return self._fail_current(f"took longer than {self.plan.time_limit_s:g} s and was ended", overtime=True)

    def worker_ended(self, status: int, words: str) -> Failed | None:
        """Note that a worker ended without `End`, with that exit status and those last words.

        Returns the failure of the point it was at, or None when it was at none.

        Raises
        ------
        UnavailableError
            When it did not get any point done, so that another worker would not either.
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

    def _fail_current(self, words: str, *, overtime: bool) -> Failed:
        if self.current is None:
            raise UnavailableError(f"the measuring process did not begin within {STARTUP_LIMIT_S:g} s")
        environment = self.environment.id if self.environment else ""
        outcome: Outcome = "overtime" if overtime else "failed"
        failure = Failed(no_result(self.current, outcome, words, environment))
        self.receive(failure)
        return failure
