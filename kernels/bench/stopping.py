"""Stopping rule of a point's timing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SAMPLES: Final = 500
"""The median has long settled by then, whatever the spread."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """Stop when the median is settled, or when time or patience is used up.

    Settled means: at least `min_samples`, and the interquartile range divided by √samples, which is how far
    another such series would move the median, is at most `spread` of it. The budget in seconds counts more
    than the minimum, so that one long launch is enough.
    """

    budget_s: float
    min_samples: int
    spread: float = 0.002

    def enough(self, times_ms: Sequence[float], spent_s: float) -> bool:
        """Return whether these times, taken in `spent_s` seconds, are enough. One is always taken."""
        if not times_ms:
            return False
        if spent_s >= self.budget_s or len(times_ms) >= max(MAX_SAMPLES, self.min_samples):
            return True
        if len(times_ms) < self.min_samples:
            return False
        low, median, high = np.percentile(times_ms, (25, 50, 75))
        return bool((high - low) / np.sqrt(len(times_ms)) <= self.spread * median)
