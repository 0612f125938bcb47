"""Roofline: rate against arithmetic intensity, below the limits of the device.

After S. Williams, A. Waterman and D. Patterson, Roofline: an insightful visual performance model for multicore
architectures, Communications of the ACM 52(4), 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

import numpy as np

from gui.measure.figures.chart import Chart, ChartCurve, Memo, Roof
from gui.measure.figures.limits import device_limits
from gui.measure.figures.roles import kernel_of, on_cpu
from gui.measure.words import significant
from kernels.bench.traffic import Traffic, counted_size, ideal_intensity
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.figures.limits import DeviceLimits
    from gui.measure.series import Floats, Series
    from kernels.launch import Dim3
    from kernels.workload import Size

Bytes = Literal["requested", "ideal"]

BYTES: Final[dict[Bytes, str]] = {
    "requested": "bytes that the kernel requests (simulator)",
    "ideal": "bytes if every array is moved once",
}
_MARGIN: Final = 2.0
"""Factor by which the x axis reaches beyond the points and the ridges."""


@dataclass(frozen=True, slots=True)
class TrafficKey:
    """A launch whose traffic is counted."""

    kernel: str
    block: Dim3
    size: Size


class KnownTraffic(Protocol):
    """Results of counting (`gui.measure.lookup.Lookup`)."""

    @property
    def version(self) -> int:
        """Changes with every result."""

    def get(self, key: TrafficKey) -> Traffic | TilescopeError | None:
        """Return the traffic, the reason why there is none, or None while it is not known."""


class RooflineFigures:
    """GFLOPS against FLOP per byte of global memory, of what runs on a GPU."""

    def __init__(self, traffic: KnownTraffic) -> None:
        self.bytes: Bytes = "requested"
        self._traffic = traffic
        self._state: tuple[int, Bytes] = (-1, "requested")
        self._curves: Memo[Series, ChartCurve] = Memo(self._curve)

    def keys(self, series: Sequence[Series]) -> list[TrafficKey]:
        """Return the launches to count, small ones first."""
        found = {key: None for each in series for key in _keys(each) if key is not None}
        return sorted(found, key=lambda key: key.size.m * key.size.n * key.size.k)

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series, as far as their traffic is known."""
        state = (self._traffic.version, self.bytes)
        if state != self._state:
            self._state = state
            self._curves = Memo(self._curve)
        curves = self._curves(each for each in series if not on_cpu(each.entry))
        placed = [curve for curve in curves if np.isfinite(curve.x).any()]
        limits = device_limits(series)
        roofs = _roofs(limits, [curve.x for curve in placed])
        return Chart(
            "FLOP per byte",
            "GFLOPS",
            tuple(placed),
            roofs,
            (*_served_by_caches(placed, limits), *self._notes(series, curves)),
            empty="No point of a GPU whose traffic is known. Measure a kernel on a GPU, or tick a recorded run.",
            sizes=False,
            log=(True, True),
        )

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say both intensities, and the limit that holds at the one that is drawn."""
        series = curve.series
        size = series.rows[row].sample.point.size
        lines = []
        kernel, key = kernel_of(series.entry.kernel), _key(series, size)
        known = self._traffic.get(key) if key else None
        if isinstance(known, Traffic):
            where = "" if known.size == size else f", counted at n = {known.size}"
            lines.append(f"requested: {significant(known.intensity, 3)} FLOP/byte{where}, before any cache")
        if kernel is not None:
            lines.append(f"every array once: {significant(ideal_intensity(kernel, size), 3)} FLOP/byte")
        rate = float(series.gflops.middle[row])
        for limit in device_limits([series]):
            bound = min(limit.peak_gflops, float(curve.x[row]) * limit.device.memory_gb_s)
            if np.isfinite(rate) and np.isfinite(bound):
                more = ": more than memory delivers, caches serve the rest" if rate > bound else ""
                lines.append(f"{100 * rate / bound:.0f} % of the roof ({significant(bound)} GFLOPS) here{more}")
        return tuple(lines)

    def _curve(self, series: Series) -> ChartCurve:
        return ChartCurve(series, self._intensity(series), series.gflops)

    def _intensity(self, series: Series) -> Floats:
        if self.bytes == "ideal":
            kernel = kernel_of(series.entry.kernel)
            sizes = [row.sample.point.size for row in series.rows]
            return np.array([ideal_intensity(kernel, size) if kernel else np.nan for size in sizes])
        found = {key: self._traffic.get(key) for key in dict.fromkeys(_keys(series)) if key is not None}
        known = {key: traffic.intensity for key, traffic in found.items() if isinstance(traffic, Traffic)}
        return np.array([known.get(key, np.nan) if key else np.nan for key in _keys(series)])

    def _notes(self, series: Sequence[Series], curves: Sequence[ChartCurve]) -> list[str]:
        """Say which curves are not drawn, and why."""
        notes = []
        if any(on_cpu(each.entry) for each in series):
            notes.append("CPU baselines are not drawn: the roofs are those of a GPU.")
        without = [curve.series for curve in curves if not any(_keys(curve.series))]
        if self.bytes == "requested" and without:
            names = ", ".join(dict.fromkeys(each.label for each in without))
            notes.append(f"Without a source or a block to count: {names}.")
        refused = {
            each.label: str(why)
            for each in series
            for key in dict.fromkeys(_keys(each))
            if key is not None and isinstance(why := self._traffic.get(key), TilescopeError)
        }
        if self.bytes == "requested" and refused:
            notes.append("Not counted: " + "; ".join(f"{name} ({why})" for name, why in refused.items()) + ".")
        return notes


def _served_by_caches(placed: Sequence[ChartCurve], limits: Sequence[DeviceLimits]) -> tuple[str, ...]:
    """Explain points above the memory's roof; nothing if there are none."""
    bandwidth = max((limit.device.memory_gb_s for limit in limits), default=np.inf)
    above = any((curve.y.middle > curve.x * bandwidth).any() for curve in placed)
    return ("Points above the memory's roof are served by caches: the bytes are those of the requests.",) * above


def _key(series: Series, size: Size) -> TrafficKey | None:
    """Return the launch to count for a size; None for what has no source, or no block of its own."""
    kernel = kernel_of(series.entry.kernel)
    if kernel is None or kernel.runs_on != "cuda" or series.entry.block is None:
        return None
    return TrafficKey(series.entry.kernel, series.entry.block, counted_size(size))


def _keys(series: Series) -> list[TrafficKey | None]:
    """Return the launch to count for each row."""
    return [_key(series, row.sample.point.size) for row in series.rows]


def _roofs(limits: Sequence[DeviceLimits], placed: Sequence[Floats]) -> tuple[Roof, ...]:
    """Return memory's slope up to the ridge, and the peak from there on, for each device."""
    x = np.concatenate([np.empty(0), *placed])
    x = x[np.isfinite(x)]
    ridges = [limit.ridge for limit in limits]
    low = min([*x.tolist(), *ridges], default=1.0) / _MARGIN
    high = max([*x.tolist(), *ridges], default=1.0) * _MARGIN
    roofs = []
    for limit in limits:
        slope = (low * limit.device.memory_gb_s, limit.peak_gflops)
        roofs.append(Roof(limit.memory_label, (low, limit.ridge), slope))
        roofs.append(Roof(limit.peak_label, (limit.ridge, high), (limit.peak_gflops,) * 2))
    return tuple(roofs)
