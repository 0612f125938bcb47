"""Rate, time, and percent of the peak, or of the memory's bandwidth, against n."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gui.measure.results.chart import Chart, ChartCurve, Memo, Roof
from gui.measure.results.limits import device_limits, memory_roofs, rate_roofs, same_peak, without_roof_notes
from gui.measure.results.roles import (
    GFLOPS,
    SIZE_AXIS,
    elsewhere,
    in_operations,
    limited_by_memory,
    on_cpu,
    rates,
    size_axis,
    sizes,
    unit,
)
from gui.measure.results.series import Estimates
from gui.measure.words import count_of, significant, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gui.measure.results.series import Series

_EMPTY: Final = "No point is measured yet. Choose kernels and sizes, then press Start."


class RateFigures:
    """Rates against sizes, in one unit: that of the first series."""

    caption = (
        "Work / median time, higher is better: 2·M·N·K FLOP for a product, at n = ∛(M·N·K). Bars: 95 % intervals. "
        "Level line: the peak of the factors' type, or for rates in GB/s the memory's bandwidth. Only results that "
        "match a float64 reference have a point; × failed, – not run."
    )

    def __init__(self) -> None:
        self._curves: Memo[Series, ChartCurve] = Memo(lambda each: ChartCurve(each, sizes(each), rates(each)))

    def steps(self, series: Sequence[Series]) -> Iterator[None]:
        """Compute what `chart` needs, a curve at a time."""
        for each in series:
            self._curves.find(each)
            _ = each.usual_roof_gflops  # a cached property, which the roofs ask for
            yield

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series; a note names those whose rates have another unit."""
        shown = unit(series[0]) if series else GFLOPS
        alike = [each for each in series if unit(each) == shown]
        notes = elsewhere(series, shown, "on the Time tab only")
        operations = bool(alike) and in_operations(alike[0])
        roofs = rate_roofs(alike) if operations else ()
        if alike and all(limited_by_memory(each) for each in alike):
            roofs = memory_roofs(alike)
        notes += without_roof_notes(alike) if operations else ()
        return Chart(size_axis(alike), shown, self._curves(alike), roofs, notes, empty=_EMPTY)

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say nothing: the record has the rate."""
        return ()


class TimeFigures:
    """Median time of a launch against n."""

    caption = (
        "Median time of one launch; lower is better. Bars are 95 % intervals of the median. "
        "Only results that match a float64 reference have a point. Below: × failed, – not run."
    )

    def __init__(self) -> None:
        self._by_n: Memo[Series, ChartCurve] = Memo(lambda each: ChartCurve(each, each.n, each.time_ms))
        self._by_length: Memo[Series, ChartCurve] = Memo(lambda each: ChartCurve(each, sizes(each), each.time_ms))

    def steps(self, series: Sequence[Series]) -> Iterator[None]:
        """Compute what `chart` needs, a curve at a time."""
        curves = self._by_n if size_axis(series) == SIZE_AXIS else self._by_length
        for each in series:
            curves.find(each)
            yield

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series, against the length that their workloads name or, if they differ, n."""
        axis = size_axis(series)
        curves = self._by_n(series) if axis == SIZE_AXIS else self._by_length(series)
        return Chart(axis, "median time, ms", curves, empty=_EMPTY)

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say nothing: the record has the time."""
        return ()


_MEMORY: Final = Roof("memory bandwidth", (), (100.0,))


class PeakFigures:
    """Percent of peak against n, of what runs on a GPU: of a type's peak, or of the memory's bandwidth.

    A chart has one of them, that of the first series.
    """

    caption = (
        "Rate as a percentage of the peak at the SM clock that was measured with each point, not at the boost clock. "
        "The peak is that of the factors' type: of the float32 units, where a kernel on tensor cores has no curve, or "
        "for 16 bits of the tensor cores. A rate in GB/s is compared with the memory's bandwidth as measured by a copy."
    )

    def __init__(self) -> None:
        self._curves: Memo[Series, ChartCurve] = Memo(_share_of_peak)
        self._shares: Memo[Series, ChartCurve] = Memo(_share_of_memory)

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart; CPU baselines, whose peak is not known, and kernels on tensor cores have no curve."""
        on_gpu = [each for each in series if not on_cpu(each.entry)]
        cpu_count = len(series) - len(on_gpu)
        by_memory = [each for each in on_gpu if limited_by_memory(each)]
        others = [each for each in on_gpu if not limited_by_memory(each)]
        if by_memory and by_memory[0] is on_gpu[0]:
            return self._of_memory(by_memory, others)
        factors, on_gpu, notes_of_others = same_peak(others)
        curves = self._curves(on_gpu)
        unknown = sum(int(np.count_nonzero(each.timed & ~np.isfinite(each.roof_gflops))) for each in on_gpu)
        notes = [f"Not drawn: {count_of(unknown)} measured without reading the clock."] if unknown else []
        if by_memory:
            names = [each.name for each in by_memory]
            notes.append(f"Compared with the memory's bandwidth, and not drawn: {some_of(names)}.")
        notes += notes_of_others + without_roof_notes(series)
        if cpu_count:
            notes.append("CPU baselines have no curve here: their peak is not known.")
        return Chart(
            SIZE_AXIS,
            f"% of the {factors} peak",
            curves,
            (Roof(f"{factors} peak", (), (100.0,)),) if curves else (),
            tuple(notes),
            log=(None, False),
            empty="No point of a GPU with a measured clock. Measure a kernel on a GPU, or tick a recorded run.",
        )

    def _of_memory(self, alike: Sequence[Series], others: Sequence[Series]) -> Chart:
        """Return the chart of the series that the memory limits; a note names the others."""
        names = [each.name for each in others]
        return Chart(
            size_axis(alike),
            "% of the memory's bandwidth",
            self._shares(alike),
            (_MEMORY,),
            (f"Compared with a peak of operations, and not drawn: {some_of(names)}.",) if names else (),
            log=(None, False),
            short_y="% of bandwidth",
        )

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say the peak that the rate is compared with; of memory, the record says it."""
        if limited_by_memory(curve.series):
            return ()
        peak = float(curve.series.roof_gflops[row])
        return (f"peak at the measured clock: {significant(peak)} GFLOPS",) if np.isfinite(peak) else ()


def _share_of_peak(series: Series) -> ChartCurve:
    rate, peak = series.gflops, series.roof_gflops / 100
    return ChartCurve(series, series.n, Estimates(rate.middle / peak, rate.low / peak, rate.high / peak))


def _share_of_memory(series: Series) -> ChartCurve:
    """Compare the rates with the bandwidth of the series' GPU; a GPU that is not known has no points."""
    limits, found = device_limits((series,)), rates(series)
    whole = limits[0].memory_gb_s / 100 if limits else np.nan
    return ChartCurve(series, sizes(series), Estimates(found.middle / whole, found.low / whole, found.high / whole))
