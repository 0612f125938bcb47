"""Progress of tracing and layout, in words. No Qt."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_RATE_AFTER_S: Final = 1.0
"""Seconds of measuring before a rate is extrapolated."""


class Progress:
    """Progress, written by the worker thread and read by the window's thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.doing = ""
        """Current work, in words."""
        self.steps = 0
        """Steps of the run so far."""
        self.part = 0.0
        """Share of the simulator's limits used so far. A run's length is not known before its end."""
        self._clock = clock
        self._since = clock()

    def begin(self, doing: str) -> None:
        """Start another part of the work."""
        self.doing, self.steps, self.part = doing, 0, 0.0

    def run(self, steps: int, part: float) -> None:
        """Store the simulator's progress; a run that restarts, restarts here too."""
        if steps < self.steps or not self.steps:
            self._since = self._clock()
        self.steps, self.part = steps, part

    def words(self, seconds: float) -> str:
        """Return the current work, the time so far, and the longest time left."""
        lines = [f"{self.doing} … {seconds:.0f} s"]
        ran = self._clock() - self._since
        if self.steps:
            lines += [f"{self.steps:,} steps so far: {self.part:.0%} of the limit of a run"]
            if ran > _RATE_AFTER_S:
                lines += [f"At most {span(ran * (1 / self.part - 1))} left"]
        return "\n".join(lines)


def span(seconds: float) -> str:
    """Return a duration in words, rounded up."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds > 2 * length:
            return f"{math.ceil(seconds / length)} {unit}"
    return f"{math.ceil(seconds)} s"
