"""Confidence intervals of medians and of their ratios, without assuming a distribution of the times.

Times are skewed: interrupts make some longer, and nothing makes one shorter. An interval from the standard deviation
would be wrong for them. Order statistics need no distribution: the median of the population lies between the r-th
smallest and the r-th largest of n independent times unless fewer than r of them lie on one side of it, and the number
on one side is binomial with probability 1/2 (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., 1999, section
3.2; H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., 2003, section 7.1).
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE: Final = 0.95

CONFIDENCE_OF_TWO: Final = 1 - (1 - CONFIDENCE) / 2
"""Confidence of each of two intervals that shall hold at once."""

Verdict = Literal["faster", "slower", "no change"]

SCATTER: Final = 5.0
"""Times whose median exceeds the shortest by this factor are not those of the kernel."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A median or a ratio with its confidence interval."""

    middle: float
    low: float
    high: float

    @property
    def relative_half_width(self) -> float:
        """Half the width of the interval as a fraction of the median."""
        return (self.high - self.low) / 2 / self.middle

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """Return the median of positive values with its interval of at least this confidence.

    None where so few values have no such interval: below 6 at 95 %.
    """
    rank = _rank(len(values), confidence)
    if not rank:
        return None
    ordered = sorted(values)
    return Interval(statistics.median(ordered), ordered[rank - 1], ordered[-rank])


@lru_cache(maxsize=4096)
def _rank(count: int, confidence: float) -> int:
    """Return the largest r for which the r-th smallest and r-th largest of `count` values enclose the median.

    Zero if not even the smallest and the largest do with this confidence. Integers: 2^-1000 is not a normal float.
    """
    outside = (1 - confidence) / 2 * 2**count if count < 1000 else int((1 - confidence) / 2 * 2**60) << (count - 60)
    rank, tail = 0, 1  # ways that fewer than rank + 1 of the values lie below the median
    while tail <= outside:
        rank += 1
        tail += comb(count, rank)
    return rank


def scattered(values: Sequence[float]) -> bool:
    """Return whether half of the times are several times longer than the shortest, as where threads wait for a core."""
    return bool(values) and statistics.median(values) > SCATTER * min(values)


def ratio_interval(values: Sequence[float], baseline: Sequence[float]) -> Interval | None:
    """Return median(baseline) / median(values), the speed-up over the baseline, with its 95 % interval.

    From the two medians' intervals at 97.5 % each: both hold at once with at least 95 % (Bonferroni), also when the two
    series depend on each other, as interleaved ones do through the clocks. A bootstrap would be narrower, but
    resampling the series independently would ignore that dependence, and its result would depend on a seed. So this
    one says "no change" rather too often than too rarely. None where one of the series has fewer than 7 values.
    """
    own, other = (median_interval(series, CONFIDENCE_OF_TWO) for series in (values, baseline))
    if own is None or other is None:
        return None
    return Interval(other.middle / own.middle, other.low / own.high, other.high / own.low)


def verdict(speed_up: Interval) -> Verdict:
    """Claim a difference only where the interval excludes 1."""
    if 1 in speed_up:
        return "no change"
    return "faster" if speed_up.low > 1 else "slower"
