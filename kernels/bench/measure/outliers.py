"""Points that are far slower than at the adjacent sizes; they are measured again after all others.

The threads of a busy machine wait for a time slice: `cpu_blas` at n = 128 was once timed at 15.99 ms, 700 times too
long, with a spread of 0.1 %. No interval of one point shows that; its curve does. Two rules, each with a factor of 5:

- the rate falls from the next smaller size that is not itself an outlier (rates grow with n until memory limits them);
- the time exceeds that of any larger size, which does more work. A rate that only grows quickly breaks neither rule.

Points whose own times scatter that much (`Sample.scattered`) are measured again as well.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.sample import Entry, Point, Sample

FACTOR: Final = 5.0


def outliers(samples: Iterable[Sample]) -> tuple[Point, ...]:
    """Return the points to measure again, in the order of the samples; of two samples of one point the later counts.

    Only square problems are compared: the rates of other shapes differ without a reason to doubt them.
    """
    latest = {sample.point: sample for sample in samples if sample.gflops and len(set(sample.point.size)) == 1}
    curves: defaultdict[Entry, list[Sample]] = defaultdict(list)
    for sample in latest.values():
        curves[sample.point.entry].append(sample)
    found = {point for curve in curves.values() for point in _outliers_of(curve)}
    return tuple(point for point in latest if point in found)


def _outliers_of(curve: list[Sample]) -> list[Point]:
    """Return the outliers among the samples of one entry."""
    found: list[Point] = []
    rising = sorted(curve, key=lambda sample: sample.point.size.n)
    times_ms = [sample.median_ms or 0.0 for sample in rising]
    reference = 0.0  # rate of the next smaller size that is no outlier
    for place, sample in enumerate(rising):
        rate = sample.gflops or 0.0
        falls = rate * FACTOR < reference
        exceeds_larger = times_ms[place] > FACTOR * min(times_ms[place + 1 :], default=float("inf"))
        if sample.scattered or falls or exceeds_larger:
            found.append(sample.point)
        else:
            reference = rate
    return found
