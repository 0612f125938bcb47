"""Decision when a point has enough times, and the reason for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from kernels.bench.intervals import median_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

Stop = Literal["", "precision", "time limit", "sample limit"]
"""Reason that no more times were taken; "" for none, and in samples of older versions."""

STOPS: Final[tuple[Stop, ...]] = get_args(Stop)

MIN_SAMPLES: Final = 30
"""Fewer times say little about how they scatter."""

MAX_SAMPLES: Final = 500
"""More do not narrow the interval much: its width falls with the square root of the number."""

HALF_WIDTH: Final = 0.005
"""Half the width of the 95 % interval of the median, as a fraction of the median, at which it is precise enough."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """Stop when the interval of the median is narrow, or when the budget of time or `MAX_SAMPLES` is used up."""

    budget_s: float
    """Seconds of timing; takes precedence over `min_samples`: a single launch that takes longer is enough."""
    min_samples: int = MIN_SAMPLES
    """Minimum number of times, within the budget."""
    half_width: float = HALF_WIDTH

    def reason(self, times_ms: Sequence[float], spent_s: float) -> Stop:
        """Return why these times, taken in `spent_s` seconds, are enough; "" if they are not. One is always taken."""
        if not times_ms:
            return ""
        if len(times_ms) >= self.min_samples:
            interval = median_interval(times_ms)
            if interval is not None and interval.relative_half_width <= self.half_width:
                return "precision"
        if spent_s >= self.budget_s:
            return "time limit"
        return "sample limit" if len(times_ms) >= max(MAX_SAMPLES, self.min_samples) else ""


def joint_reason(first: Stop, second: Stop) -> Stop:
    """Return why two series that are timed in turns have enough times: none until both have."""
    if not first or not second:
        return ""
    return second if first == "precision" else first
