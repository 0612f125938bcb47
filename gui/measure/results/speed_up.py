"""Speed-up over a baseline of the same run and problem, with its 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from gui.measure.results.chart import Chart, ChartCurve, Memo, Roof
from gui.measure.results.roles import SIZE_AXIS, kernel_of, role, workload
from gui.measure.results.series import Estimates
from gui.measure.words import count_of, significant
from kernels.bench.intervals import Interval, verdict
from kernels.bench.sample import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gui.measure.results.series import Series

Against = Literal["sequential", "parallel", "library"]

AGAINST: Final[dict[Against, str]] = {
    "library": "the library",
    "parallel": "the best parallel CPU baseline",
    "sequential": "the sequential CPU baseline",
}
"""Baselines in words, in the order in which one is chosen."""

_NO_CHANGE: Final = Roof("1× (no change)", (), (1.0,), ("1×",))


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """A series and the baselines of its run; equal pairs are compared once."""

    series: Series
    baselines: tuple[Series, ...]

    def __hash__(self) -> int:
        return hash((self.series, self.baselines))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Compared) and (self.series, self.baselines) == (other.series, other.baselines)


class SpeedUpFigures:
    """Speed-up over `against`; a point whose times allow no claim has none."""

    caption = (
        "Median time of the baseline / median time of the kernel, at the same size and in the same run. Bars are 95 % "
        "intervals of this ratio; where one contains 1×, there is no change to claim."
    )

    def __init__(self) -> None:
        self.against: Against | None = None
        """The user's choice; None for the first baseline that was measured."""
        self._curves: Memo[_Compared, tuple[ChartCurve, dict[str, int]]] = Memo(self._curve)
        self._role: Against = "library"

    def chosen(self, series: Sequence[Series]) -> Against:
        """Return the baseline that is compared with."""
        if self.against is not None:
            return self.against
        present = self.offers(series)
        return next((name for name in AGAINST if name in present), "library")

    @staticmethod
    def offers(series: Sequence[Series]) -> frozenset[str]:
        """Return the baselines that were measured."""
        turns = {each.library for each in series if each.has_library_time}
        entries = {each.entry.kernel for each in series if each.has_time}
        return frozenset(_role(name) for name in turns | entries) - {"kernel"}

    def steps(self, series: Sequence[Series]) -> Iterator[None]:
        """Compute what `chart` needs, a curve at a time."""
        for pair in self._pairs(series):
            self._curves.find(pair)
            yield

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series; the baseline itself has no curve."""
        found = self._curves(self._pairs(series))
        chosen = self._role
        curves = tuple(curve for curve, _ in found)
        words = AGAINST[chosen]
        return Chart(
            SIZE_AXIS,
            f"speed-up over {words}, ×",
            curves,
            (_NO_CHANGE,) if curves else (),
            tuple(_notes([left for _, left in found], words)),
            short_y="speed-up, ×",
            empty=f"{words[:1].upper()}{words[1:]} is not measured in this run. Tick one and press Start.",
        )

    def _pairs(self, series: Sequence[Series]) -> list[_Compared]:
        """Return the series that are compared, with the baselines of the role that is chosen now."""
        chosen = self.chosen(series)
        if chosen != self._role:
            self._role = chosen
            self._curves = Memo(self._curve)
        baselines = [each for each in series if role(each.entry) == chosen]
        return [
            _Compared(each, tuple(base for base in baselines if _comparable(each, base)))
            for each in series
            if role(each.entry) != chosen
        ]

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say the speed-up, its interval, and what may be claimed."""
        ratio = curve.y
        words = AGAINST[self._role]
        if not np.isfinite(ratio.middle[row]):
            return ()
        found = Interval(float(ratio.middle[row]), float(ratio.low[row]), float(ratio.high[row]))
        bounds = f"{significant(found.low, 3)} – {significant(found.high, 3)}"
        turns = self._times_in_turns(curve.series)
        in_turns = bool(turns.middle[row] / curve.series.time_ms.middle[row] == found.middle)
        how = "timed in turns" if in_turns else "timed one after the other"
        claim = verdict(found)
        said = f"{claim} than {words}" if claim != "no change" else f"no change from {words}"
        return (f"{significant(found.middle, 3)}× (95 % interval {bounds}, {how}): {said}",)

    def _times_in_turns(self, series: Series) -> Estimates:
        """Return the times of the baseline that took turns with the points; NaN if it is not of the chosen kind."""
        wanted = np.full(len(series.rows), bool(series.library) and _role(series.library) == self._role)
        return _where(wanted, series.library_ms, _best(series, ()))

    def _curve(self, compared: _Compared) -> tuple[ChartCurve, dict[str, int]]:
        """Return the curve, and the number of points without a speed-up by reason."""
        series = compared.series
        turns = self._times_in_turns(series)
        same = _best(series, [each for each in compared.baselines if each.entry.kernel == series.library])
        others = _best(series, [each for each in compared.baselines if each.entry.kernel != series.library])
        base = _faster(_first(turns, same), others)
        own = series.wide_ms
        ratio = Estimates(base.middle / own.middle, base.low / own.high, base.high / own.low)
        known = np.isfinite(ratio.middle)
        short, disturbed = known & ~np.isfinite(ratio.low), known & series.disturbed
        claimed = known & ~short & ~disturbed
        left = {
            "missing": int(np.count_nonzero(series.timed & ~known)),
            "disturbed": int(np.count_nonzero(disturbed)),
            "short": int(np.count_nonzero(short & ~disturbed)),
        }
        shown = Estimates(*(np.where(claimed, values, np.nan) for values in (ratio.middle, ratio.low, ratio.high)))
        return ChartCurve(series, series.n, shown), left


def _role(name: str) -> str:
    """Return the role of a routine by its id."""
    return role(Entry(name))


def _first(one: Estimates, other: Estimates) -> Estimates:
    """Return the first figures where they are known, else the second."""
    return _where(np.isfinite(one.middle), one, other)


def _faster(one: Estimates, other: Estimates) -> Estimates:
    """Return the shorter times."""
    return _where(~(other.middle < one.middle) & np.isfinite(one.middle), one, other)


def _where(chosen: NDArray[np.bool_], one: Estimates, other: Estimates) -> Estimates:
    pairs = ((one.middle, other.middle), (one.low, other.low), (one.high, other.high))
    return Estimates(*(np.where(chosen, first, second) for first, second in pairs))


def _comparable(series: Series, baseline: Series) -> bool:
    """Return whether both are of one run and one problem, and time the same transfers where both can."""
    same = series.origin == baseline.origin and workload(series.entry) == workload(baseline.entry) != ""
    kernel = kernel_of(baseline.entry.kernel)
    if not same or kernel is None or kernel.runs_on == "cpu":
        return same
    return (series.entry.memory, series.entry.cold) == (baseline.entry.memory, baseline.entry.cold)


def _best(series: Series, baselines: Sequence[Series]) -> Estimates:
    """Return the times of the fastest baseline at the size of each point, with the wider intervals."""
    columns = np.full((3, len(series.rows)), np.nan)
    sizes = [row.sample.point.size for row in series.rows]
    for baseline in baselines:
        rows = np.array([baseline.by_size.get(size, -1) for size in sizes], np.intp)
        times = baseline.wide_ms
        found = np.where(rows >= 0, [values[rows] for values in (times.middle, times.low, times.high)], np.nan)
        faster = ~(columns[0] <= found[0]) & (rows >= 0)
        columns = np.where(faster, found, columns)
    return Estimates(*columns)


def _notes(left: Sequence[dict[str, int]], words: str) -> list[str]:
    """Return sentences on points without a speed-up."""
    counts = {reason: sum(each[reason] for each in left) for reason in ("missing", "disturbed", "short")}
    said = (
        (counts["missing"], f"no time of {words} at the same size, of the same problem and run"),
        (counts["disturbed"], "times that other processes disturbed: no claim"),
        (counts["short"], "too few times for an interval: no claim"),
    )
    return [f"Not drawn: {count_of(count)} with {why}." for count, why in said if count]
