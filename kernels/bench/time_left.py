"""Time that a running plan still takes: predicted durations, corrected by those of the points so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.bench.prediction import START_S, Predictor

if TYPE_CHECKING:
    from kernels.bench.plan import Plan
    from kernels.bench.sample import Point

_MOST: Final = 256
"""Maximum number of points whose durations are predicted at the start; of more, evenly spaced ones stand for all."""


class TimeLeft:
    """Estimate for a plan that has been started.

    Sizes are measured from coarse to fine, so that the latest points say little about the next ones. Predictions know
    the sizes but not the machine: they are scaled by the ratio of measured to predicted durations so far.

    Parameters
    ----------
    plan : Plan
    cores : int
        Cores of the machine that measures.
    """

    def __init__(self, plan: Plan, *, cores: int = 1) -> None:
        self._predictor = Predictor(plan, cores=cores)
        self._limit_s = plan.total_s
        chosen = plan.points[:: max(1, len(plan.points) // _MOST)]
        self._open_s = sum(map(self._predictor.seconds, chosen)) * len(plan.points) / max(1, len(chosen))
        self._measured_s = self._predicted_s = 0.0

    def add(self, point: Point, seconds: float) -> None:
        """Take the outcome of a point, and how long it took, into account."""
        predicted_s = self._predictor.seconds(point)
        self._open_s = max(0.0, self._open_s - predicted_s)
        self._measured_s += seconds
        self._predicted_s += predicted_s

    @property
    def seconds(self) -> float:
        """Estimate for the points without an outcome."""
        if not self._predicted_s:
            return START_S + (self._open_s if self._limit_s is None else min(self._open_s, self._limit_s))
        left_s = self._open_s * self._measured_s / self._predicted_s
        return left_s if self._limit_s is None else min(left_s, max(0.0, self._limit_s - self._measured_s))
