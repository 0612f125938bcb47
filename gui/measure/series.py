"""Series: the points of one entry in one run, with their intervals. Every tab reads series and nothing else. No Qt.

The run that is measured, runs of the history, shipped runs and runs on other hosts are all series; `Origin` says whose
they are. To overlay a run, add its rows to the page's `SeriesSet` with an origin; to take it away, remove the origin.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, nan
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from gui.measure.words import label
from kernels.bench.intervals import CONFIDENCE_OF_TWO, median_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from kernels.bench.sample import Entry, Sample
    from kernels.bench.store import Row
    from kernels.workload import Size

    Floats = NDArray[np.float64]

Whose = Literal["this", "history", "shipped", "host"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Run or machine that points are from."""

    whose: Whose
    """The run of this page; an earlier one; one that ships with the program; one on another host."""
    name: str
    """Words for the legend, such as `H200, 20 Nov 10:15`; different for each origin that is shown."""
    first: frozenset[Entry] | None = None
    """Entries whose curves are ticked at first; None for all."""


THIS: Final = Origin("this", "this run")


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """A figure of each point with its interval; NaN where there is none."""

    middle: Floats
    low: Floats
    high: Floats

    def reciprocal(self, numerator: Floats) -> Estimates:
        """Return numerator / figure: a rate from a time. The ends of the interval change places."""
        return Estimates(numerator / self.middle, numerator / self.high, numerator / self.low)


@dataclass(frozen=True, eq=False)
class Series:
    """Points of one entry in one run, by rising n; of two samples of one point the later."""

    origin: Origin
    entry: Entry
    label: str
    """The kernel's title and the choices of the entry."""
    place: int
    """Picks colour and mark: the same for an entry in all runs."""
    dash: int
    """Picks the style of the line: 0, a solid one, for this page's run; another one for each other run."""
    rows: tuple[Row, ...]
    """Sample and environment of each point; also of those without a time, whose figures are NaN."""
    n: Floats
    """Problem sizes; of M×N×K, the side of the cube with as many products."""
    time_ms: Estimates
    """Verified median times with their 95 % intervals; without bounds where there are fewer than 6 times."""
    wide_ms: Estimates
    """The same with the wider intervals from which a ratio's is made (`kernels.bench.intervals.ratio_interval`)."""
    flops: Floats
    """Floating-point operations of one launch."""

    @property
    def name(self) -> str:
        """The label; of another run, with the run."""
        return self.label if self.origin == THIS else f"{self.label} ({self.origin.name})"

    @cached_property
    def gflops(self) -> Estimates:
        """Rates at the median time, from the ends of its interval."""
        return self.time_ms.reciprocal(self.flops / 1e6)

    @cached_property
    def timed(self) -> NDArray[np.bool_]:
        """Whether a point has a verified time."""
        return np.isfinite(self.time_ms.middle)


_Figures = tuple[float, float, float, float, float]
_NONE: Final[_Figures] = (nan,) * 5


@dataclass(slots=True)
class _Table:
    """Points by size: the row, n, and the figures of its times. The series is built on first use."""

    place: int
    points: dict[Size, tuple[Row, float, _Figures]] = field(default_factory=dict)
    series: Series | None = None


class SeriesSet:
    """Series that grow row by row; a new row leaves all other `Series` objects as they are."""

    def __init__(self) -> None:
        self._tables: dict[tuple[Origin, Entry], _Table] = {}
        self._titles: Mapping[str, str] = {}

    @property
    def titles(self) -> Mapping[str, str]:
        """Titles of the kernels, for the labels."""
        return self._titles

    @titles.setter
    def titles(self, titles: Mapping[str, str]) -> None:
        if titles != self._titles:
            self._titles = titles
            for table in self._tables.values():
                table.series = None

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Runs that have rows, this page's first, then in the order in which they came."""
        found = dict.fromkeys(origin for origin, _ in self._tables)
        return tuple(sorted(found, key=lambda origin: origin != THIS))

    def add(self, rows: Iterable[Row], origin: Origin = THIS) -> None:
        """Add rows. Only verified samples have a time."""
        for row in rows:
            entry, size = row.sample.point.entry, row.sample.point.size
            table = self._tables.get((origin, entry))
            if table is None:
                table = self._tables[origin, entry] = _Table(self._place(entry))
            table.points.pop(size, None)
            table.points[size] = (row, side(size), _figures(row.sample))
            table.series = None

    def remove(self, origin: Origin) -> None:
        """Remove a run."""
        self._tables = {key: table for key, table in self._tables.items() if key[0] != origin}

    def series(self) -> tuple[Series, ...]:
        """Return all series: this page's run first, entries in the order in which they came."""
        dashes = {origin: dash for dash, origin in enumerate((THIS, *(o for o in self.origins if o != THIS)))}
        found = [self._built(origin, entry, table, dashes[origin]) for (origin, entry), table in self._tables.items()]
        return tuple(sorted(found, key=lambda series: series.dash))

    def _place(self, entry: Entry) -> int:
        """Return the place of the entry in another run, else one that is not used."""
        places = {other: table.place for (_, other), table in self._tables.items()}
        return places.get(entry, max(places.values(), default=-1) + 1)

    def _built(self, origin: Origin, entry: Entry, table: _Table, dash: int) -> Series:
        if table.series is None or table.series.dash != dash:
            points = sorted(table.points.values(), key=lambda point: point[1])
            middle, low, high, wide_low, wide_high = np.array([p[2] for p in points], np.float64).reshape(-1, 5).T
            table.series = Series(
                origin,
                entry,
                label(entry, self._titles),
                table.place,
                dash,
                tuple(point[0] for point in points),
                np.array([point[1] for point in points], np.float64),
                Estimates(middle, low, high),
                Estimates(middle, wide_low, wide_high),
                np.array([point[0].sample.flops for point in points], np.float64),
            )
        return table.series


def _figures(sample: Sample) -> _Figures:
    """Return the median time, and the bounds of its interval and of the wider one."""
    times = sorted(sample.times_ms) if sample.verified else []
    if not times or not isfinite(sum(times)) or times[0] <= 0:
        return _NONE
    own, wide = median_interval(times), median_interval(times, CONFIDENCE_OF_TWO)
    bounds = (own.low, own.high) if own else (nan, nan)
    return (statistics.median(times), *bounds, *((wide.low, wide.high) if wide else (nan, nan)))


def side(size: Size) -> float:
    """Return the n of a square problem of as many products: ∛(M·N·K), to a tenth."""
    return round(float(np.cbrt(float(size.m) * size.n * size.k)), 1)
