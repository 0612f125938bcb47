"""Roofline: rate against arithmetic intensity, below the limits of the device.

After S. Williams, A. Waterman and D. Patterson, Roofline: an insightful visual performance model for multicore
architectures, Communications of the ACM 52(4), 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from gui.measure.results.chart import Chart, ChartCurve, Known, Memo, Roof
from gui.measure.results.limits import device_limits, same_peak, without_roof_notes
from gui.measure.results.roles import gflops_of, kernel_of, on_cpu
from gui.measure.words import significant, some_of
from kernels.bench.measure.compiled_code import arch_of
from kernels.bench.traffic import LARGEST_COUNTED, Traffic, TrafficKey, counted_size, ideal_intensity, traffic_key
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gui.measure.results.limits import DeviceLimits
    from gui.measure.results.series import Floats, Series
    from kernels.workload import Size

Bytes = Literal["requested", "ideal"]

BYTES: Final[dict[Bytes, str]] = {
    "requested": "byte requested",
    "ideal": "byte, arrays once",
}
_LATER: Final = 1e30
"""Added to the products of launches that are counted after all others."""

_NO_POINT: Final = "No point of a GPU whose traffic can be counted. Measure a kernel on a GPU, or tick a recorded run."
_NOT_COUNTED: Final = (
    "The simulator has not counted the bytes of any launch yet. It begins with the smallest ones, and waits while the "
    "page measures."
)

_MARGIN: Final = 2.0
"""Factor by which the x axis reaches beyond the points and the ridges."""


@dataclass(frozen=True, slots=True, eq=False)
class _Launches:
    """The launches to count for a series; none for what has no source."""

    keys: tuple[TrafficKey, ...]
    """Each launch once."""
    of_rows: NDArray[np.intp]
    """For each row the position of its launch in `keys`; -1 without one."""


_Uncounted = tuple[tuple[TrafficKey, ...], tuple[float, ...]]
"""Launches that are not counted, and the number of products of each. Pairs of both would be 10,000 objects more to the
garbage collector."""


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A curve of the roofline."""

    curve: ChartCurve
    moved_gb_s: float
    """The largest rate at which a point would have moved its bytes."""
    countable: bool
    """Whether it has launches to count."""
    refused: str
    """The reason why a launch cannot be counted; "" for none."""


class RooflineFigures:
    """GFLOPS against FLOP per byte of global memory, of what runs on a GPU."""

    caption = (
        "The roofs are memory bandwidth × FLOP per byte, and the peak. The simulator counts the bytes: 32 for "
        f"each sector of global memory that is requested; of a problem beyond n = {LARGEST_COUNTED}, at a smaller n."
    )

    def __init__(self, traffic: Known) -> None:
        self.bytes: Bytes = "requested"
        self._traffic = traffic
        self._state: tuple[int, Bytes] = (0, "requested")
        """Number of results, and kind of bytes, of what is known here."""
        self._launches: Memo[Series, _Launches] = Memo(_launches)
        self._open: Memo[tuple[Series, _Launches], _Uncounted] = Memo(self._uncounted)
        self._placed: Memo[tuple[Series, _Launches], _Placed] = Memo(self._place)

    def steps(self, series: Sequence[Series]) -> Iterator[None]:
        """Compute what `unknown` and `chart` need, a series at a time."""
        self._take_results()
        for each in series:
            pair = each, self._launches.find(each)
            self._open.find(pair)
            if _is_drawn(each):
                self._placed.find(pair)
            yield

    def unknown(self, series: Sequence[Series]) -> list[TrafficKey]:
        """Return the launches that are not counted yet: those of curves that are ticked at first, small ones first."""
        self._take_results()
        series = [each for each in series if each.peak is not None]
        keys: list[TrafficKey] = []
        ranks: list[float] = []
        pairs = tuple(zip(series, self._launches(series), strict=True))
        for (each, _), (found, products) in zip(pairs, self._open(pairs), strict=True):
            later = each.origin.first is not None and each.entry not in each.origin.first
            keys += found
            ranks += [product + _LATER for product in products] if later else products
        return list(dict.fromkeys(keys[place] for place in np.argsort(ranks, kind="stable").tolist()))

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series, as far as their traffic is known."""
        self._take_results()
        everything = series
        factors, series, notes = same_peak([each for each in series if not on_cpu(each.entry)])
        launches = self._launches(series)
        pairs = [pair for pair in zip(series, launches, strict=True) if _is_drawn(pair[0])]
        placed = self._placed(pairs)
        curves = tuple(each.curve for each in placed if np.isfinite(each.curve.x).any())
        limits = device_limits(series)
        return Chart(
            "FLOP per byte",
            gflops_of(factors),
            curves,
            _roofs(limits, [curve.x for curve in curves]),
            (*notes, *self._notes(placed, limits, everything)),
            empty=_NOT_COUNTED if any(each.countable for each in placed) else _NO_POINT,
            sizes=False,
            log=(True, True),
        )

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say both intensities, and the limit that holds at the one that is drawn."""
        series = curve.series
        size = series.rows[row].sample.point.size
        lines = []
        kernel, key = kernel_of(series.entry.kernel), _key(series, row)
        known = self._traffic.get(key) if key else None
        if isinstance(known, Traffic):
            where = "" if known.size == size else f", counted at n = {known.size}"
            lines.append(f"requested: {significant(known.intensity, 3)} FLOP/byte{where}, before any cache")
        if kernel is not None:
            lines.append(f"every array once: {significant(ideal_intensity(kernel, size), 3)} FLOP/byte")
        rate = float(series.gflops.middle[row])
        for limit in device_limits([series]):
            bound = min(limit.peak_gflops, float(curve.x[row]) * limit.memory_gb_s)
            if np.isfinite(rate) and np.isfinite(bound):
                more = ": more than memory delivers, caches serve the rest" if rate > bound else ""
                lines.append(f"{100 * rate / bound:.0f} % of the roof ({significant(bound)} GFLOPS) here{more}")
        return tuple(lines)

    def _take_results(self) -> None:
        """Forget what has changed: the series of launches that were counted meanwhile."""
        version, kind = self._state
        self._state = (self._traffic.version, self.bytes)
        if kind != self.bytes:
            self._placed = Memo(self._place)
        counted = set(self._traffic.since(version))
        if counted:

            def changed(pair: tuple[Series, _Launches]) -> bool:
                return not counted.isdisjoint(pair[1].keys)

            self._open.forget(changed)
            self._placed.forget(changed)

    def _uncounted(self, pair: tuple[Series, _Launches]) -> _Uncounted:
        keys = tuple(key for key in pair[1].keys if self._traffic.get(key) is None)
        return keys, tuple(float(key.size.m) * key.size.n * key.size.k for key in keys)

    def _place(self, pair: tuple[Series, _Launches]) -> _Placed:
        series, launches = pair
        x = self._intensity(series, launches)
        moved = series.gflops.middle / x
        moved = moved[np.isfinite(moved)]
        refused = [why for key in launches.keys if isinstance(why := self._traffic.get(key), TilescopeError)]
        return _Placed(
            ChartCurve(series, x, series.gflops),
            float(moved.max()) if len(moved) else 0.0,
            bool(launches.keys),
            str(refused[0]) if refused else "",
        )

    def _intensity(self, series: Series, launches: _Launches) -> Floats:
        if self.bytes == "ideal":
            kernel = kernel_of(series.entry.kernel)
            sizes = [row.sample.point.size for row in series.rows]
            return np.array([ideal_intensity(kernel, size) if kernel else np.nan for size in sizes])
        found = [self._traffic.get(key) for key in launches.keys]
        known = [traffic.intensity if isinstance(traffic, Traffic) else np.nan for traffic in found]
        return np.array([*known, np.nan])[launches.of_rows]

    def _notes(self, placed: Sequence[_Placed], limits: Sequence[DeviceLimits], series: Sequence[Series]) -> list[str]:
        """Explain points above the memory's roof, and say which curves are not drawn, and why."""
        notes = []
        bandwidth = max((limit.memory_gb_s for limit in limits), default=np.inf)
        if any(each.moved_gb_s > bandwidth for each in placed):
            notes.append("Points above the memory's roof are served by caches: the bytes are those of the requests.")
        notes += without_roof_notes(series)
        if any(on_cpu(each.entry) for each in series):
            notes.append("CPU baselines are not drawn: the roofs are those of a GPU.")
        if self.bytes == "ideal":
            return notes
        without = dict.fromkeys(each.curve.series.label for each in placed if not each.countable)
        if without:
            notes.append(f"Without a CUDA source to count: {some_of(without)}.")
        refused = {each.curve.series.label: each.refused for each in placed if each.refused}
        if refused:
            notes.append(f"Not counted: {some_of(f'{name} ({why})' for name, why in refused.items())}.")
        return notes


def _is_drawn(series: Series) -> bool:
    """Return whether the roofs are those of a series."""
    return not on_cpu(series.entry) and series.peak is not None


def _key(series: Series, row: int) -> TrafficKey | None:
    """Return the launch to count for a row; None for what has no source."""
    one = series.rows[row]
    return traffic_key(one.sample.point, arch_of(one.environment))


def _launches(series: Series) -> _Launches:
    """Collect the launches to count for a series."""
    places: dict[TrafficKey, int] = {}
    rows = []
    by_size: dict[Size, int] = {}
    for number, row in enumerate(series.rows):
        size = row.sample.point.size
        # A kernel's own table chooses the block by the size that was measured.
        counted = size if series.entry.block is None else counted_size(size)
        if counted not in by_size:
            key = _key(series, number)
            by_size[counted] = -1 if key is None else places.setdefault(key, len(places))
        rows.append(by_size[counted])
    return _Launches(tuple(places), np.array(rows, np.intp))


def _roofs(limits: Sequence[DeviceLimits], placed: Sequence[Floats]) -> tuple[Roof, ...]:
    """Return memory's slope up to the ridge, and the peak from there on, for each device."""
    x = np.concatenate([np.empty(0), *placed])
    x = x[np.isfinite(x)]
    ridges = [limit.ridge for limit in limits]
    low = min([*x.tolist(), *ridges], default=1.0) / _MARGIN
    high = max([*x.tolist(), *ridges], default=1.0) * _MARGIN
    roofs = []
    for limit in limits:
        slope = (low * limit.memory_gb_s, limit.peak_gflops)
        roofs.append(Roof(limit.memory_label, (low, limit.ridge), slope, limit.shorter_memory_labels))
        peak = (limit.peak_gflops,) * 2
        roofs.append(Roof(limit.peak_label, (limit.ridge, high), peak, limit.shorter_peak_labels))
    return tuple(roofs)
