"""Series: the points of one entry in one run, with their intervals. Every tab reads series and nothing else. No Qt.

The run that is measured, runs of the history, shipped runs and runs on other hosts are all series; `Origin` says whose
they are. To overlay a run, add its rows to the page's `SeriesSet` with an origin; to take it away, remove the origin.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, nan
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from gui.measure.words import label
from kernels.bench.intervals import CONFIDENCE, CONFIDENCE_OF_TWO, SCATTER, median_interval
from kernels.bench.measure.compiled_code import Peak, peak_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.bench.sample import Entry, Sample
    from kernels.bench.store.database import Row
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

    @classmethod
    def joined(cls, parts: Sequence[tuple[Estimates, int]]) -> Estimates:
        """Collect a figure of each of several points."""
        columns = ([float(getattr(each, name)[row]) for each, row in parts] for name in ("middle", "low", "high"))
        return cls(*(np.array(column, np.float64) for column in columns))

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
    library_ms: Estimates
    """Times of the library routine that took turns with the point, with the wider intervals; NaN without one."""
    disturbed: NDArray[np.bool_]
    """Points whose times allow no claim: other processes kept the cores busy, or the times scatter too much."""
    marked: NDArray[np.bool_]
    """Points whose sample has marks: also throttled clocks, a shared GPU, and outliers that were measured twice."""
    flops: Floats
    """Floating-point operations of one launch."""
    peak_gflops: Floats
    """The device's float32 peak at the clock measured meanwhile; NaN where that is not known."""

    @property
    def name(self) -> str:
        """The label; of another run, with the run."""
        return self.label if self.origin == THIS else f"{self.label} ({self.origin.name})"

    @property
    def label_without_block(self) -> str:
        """The label of all blocks of the kernel."""
        block = str(self.entry.block)
        return ", ".join(part for part in self.label.split(", ") if part != block)

    @cached_property
    def library(self) -> str:
        """Id of the library routine that took turns with the points; "" for none."""
        return next((row.sample.baseline for row in self.rows if row.sample.baseline), "")

    @cached_property
    def gflops(self) -> Estimates:
        """Rates at the median time, from the ends of its interval."""
        return self.time_ms.reciprocal(self.flops / 1e6)

    @cached_property
    def peak(self) -> Peak | None:
        """The peak that limits the kernel, as compiled for the largest size; None where it is not known."""
        last = self.rows[-1]
        return peak_of(last.sample.point, last.environment)

    @cached_property
    def roof_gflops(self) -> Floats:
        """That peak at the clock measured meanwhile; NaN where it is not known."""
        return self.peak_gflops * (self.peak.share if self.peak else nan)

    @cached_property
    def usual_roof_gflops(self) -> float:
        """A median of the peaks at the measured clocks; NaN without one."""
        known = np.sort(self.roof_gflops[np.isfinite(self.roof_gflops)])
        return float(known[len(known) // 2]) if len(known) else nan

    @cached_property
    def by_size(self) -> dict[Size, int]:
        """Rows with a verified time, by size."""
        return {self.rows[row].sample.point.size: row for row in np.flatnonzero(self.timed).tolist()}

    @cached_property
    def has_time(self) -> bool:
        """Whether any point has a verified time."""
        return bool(self.timed.any())

    @cached_property
    def has_library_time(self) -> bool:
        """Whether a library routine took turns with any point."""
        return bool(np.isfinite(self.library_ms.middle).any())

    @cached_property
    def timed(self) -> NDArray[np.bool_]:
        """Whether a point has a verified time."""
        return np.isfinite(self.time_ms.middle)


_Figures = tuple[float, ...]
"""The columns of `_COLUMNS`."""

_COLUMNS: Final = 12
_NONE: Final[_Figures] = (nan,) * 3


@dataclass(slots=True)
class _Table:
    """Points by size: the row, n, and the figures of its times. The series is built on first use."""

    place: int
    points: dict[Size, tuple[Row, float, _Figures]] = field(default_factory=dict)
    series: Series | None = None


def join(parts: Sequence[tuple[Series, int]], label: str) -> Series:
    """Return points of several series of one run as one series, with place and style of the first."""
    first = parts[0][0]

    def column(name: str) -> Floats:
        return np.array([getattr(each, name)[row] for each, row in parts])

    def estimates(name: str) -> Estimates:
        return Estimates.joined([(getattr(each, name), row) for each, row in parts])

    return replace(
        first,
        label=label,
        rows=tuple(each.rows[row] for each, row in parts),
        n=column("n"),
        time_ms=estimates("time_ms"),
        wide_ms=estimates("wide_ms"),
        library_ms=estimates("library_ms"),
        disturbed=np.array([each.disturbed[row] for each, row in parts], np.bool_),
        marked=np.array([each.marked[row] for each, row in parts], np.bool_),
        flops=column("flops"),
        peak_gflops=column("peak_gflops"),
    )


class SeriesSet:
    """Series that grow row by row; a new row leaves all other `Series` objects as they are."""

    def __init__(self) -> None:
        self._tables: dict[tuple[Origin, Entry], _Table] = {}
        self._places: dict[Entry, int] = {}
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
        self._places = {entry: table.place for (_, entry), table in self._tables.items()}

    def prepare(self, seconds: float) -> bool:
        """Build series for at most that long; return whether `series` finds all of them built."""
        end_s = monotonic() + seconds
        return all(monotonic() < end_s for _ in self._build())

    def series(self) -> tuple[Series, ...]:
        """Return all series: this page's run first, entries in the order in which they came."""
        return tuple(sorted(self._build(), key=lambda series: series.dash))

    def _build(self) -> Iterator[Series]:
        """Yield every series, built now unless it is."""
        dashes = {origin: dash for dash, origin in enumerate((THIS, *(o for o in self.origins if o != THIS)))}
        for (origin, entry), table in self._tables.items():
            yield self._built(origin, entry, table, dashes[origin])

    def _place(self, entry: Entry) -> int:
        """Return the place of the entry in another run, else one that is not used."""
        if entry not in self._places:
            self._places[entry] = max(self._places.values(), default=-1) + 1
        return self._places[entry]

    def _built(self, origin: Origin, entry: Entry, table: _Table, dash: int) -> Series:
        if table.series is None or table.series.dash != dash:
            points = sorted(table.points.values(), key=lambda point: point[1])
            columns = np.array([point[2] for point in points], np.float64).reshape(-1, _COLUMNS).T
            table.series = Series(
                origin,
                entry,
                label(entry, self._titles),
                table.place,
                dash,
                tuple(point[0] for point in points),
                np.array([point[1] for point in points], np.float64),
                Estimates(*columns[0:3]),
                Estimates(columns[0], *columns[3:5]),
                Estimates(*columns[5:8]),
                columns[8] > 0,
                columns[9] > 0,
                columns[10],
                columns[11],
            )
        return table.series


def _figures(sample: Sample) -> _Figures:
    """Return the columns of a point: times, wider bounds, times of the library, disturbed, marked, FLOP, peak."""
    conditions = sample.conditions
    times = _usable(sample.times_ms) if sample.verified else ()
    library = _usable(sample.baseline_ms) if times else ()
    disturbed = (conditions is not None and conditions.crowded) or _scattered(times) or _scattered(library)
    marked = disturbed or sample.repeat == "confirmed" or (conditions is not None and conditions.disturbed)
    peak = conditions.peak_gflops if conditions is not None and conditions.peak_gflops else nan
    own = _bounds(times, CONFIDENCE)
    wide, compared = (_bounds(values, CONFIDENCE_OF_TWO) for values in (times, library))
    return (*own, *wide[1:], *compared, float(disturbed), float(marked), float(sample.flops), peak)


def _usable(times: Sequence[float]) -> Sequence[float]:
    """Return positive finite times in order; nothing if one is not."""
    found = sorted(times)
    return found if found and isfinite(sum(found)) and found[0] > 0 else ()


def _bounds(times: Sequence[float], confidence: float) -> _Figures:
    """Return the median of sorted times and the bounds of its interval; NaN where there are too few."""
    if not times:
        return _NONE
    interval = median_interval(times, confidence)
    return (statistics.median(times), *((interval.low, interval.high) if interval else (nan, nan)))


def _scattered(times: Sequence[float]) -> bool:
    return bool(times) and times[len(times) // 2] > SCATTER * times[0]


def side(size: Size) -> float:
    """Return the n of a square problem of as many products: ∛(M·N·K), to a tenth."""
    return round(float(np.cbrt(float(size.m) * size.n * size.k)), 1)


def by_host(rows: Iterable[Row], origin: Origin) -> dict[Origin, list[Row]]:
    """Divide rows of the page's run by the host that measured them; those of another run stay together."""
    found: dict[Origin, list[Row]] = {}
    for row in rows:
        host = row.environment.host if row.environment is not None and origin == THIS else ""
        found.setdefault(Origin("host", host) if host else origin, []).append(row)
    return found


def with_hosts(origin: Origin, shown: Sequence[Origin]) -> tuple[Origin, ...]:
    """Return an origin; with the page's run also the hosts that measured a part of it."""
    return (origin, *(other for other in shown if other.whose == "host")) if origin == THIS else (origin,)
