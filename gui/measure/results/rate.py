"""Rate and time against n."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gui.measure.results.chart import Chart, ChartCurve, Memo
from gui.measure.results.limits import memory_roofs, rate_roofs, without_roof_notes
from gui.measure.results.units import GFLOPS, SIZE_AXIS, elsewhere, limited_by_memory, rates, size_axis, sizes, unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gui.measure.results.series import Series

_EMPTY: Final = "No point is measured yet. Choose kernels and sizes, then press Start."


class RateFigures:
    """Rates against sizes, in one unit: that of the first series."""

    caption = (
        "Work / median time, higher is better: 2·M·N·K FLOP for a product, at n = ∛(M·N·K). Bars: 95 % intervals. "
        "Level line: the float32 peak, or for rates in GB/s the memory's bandwidth. Only results that match a float64 "
        "reference have a point; × failed, – not run."
    )

    def __init__(self) -> None:
        self._curves: Memo[Series, ChartCurve] = Memo(lambda each: ChartCurve(each, sizes(each), rates(each)))

    def steps(self, series: Sequence[Series]) -> Iterator[None]:
        """Compute what `chart` needs, a curve at a time."""
        for each in series:
            self._curves.find(each)
            _ = each.usual_peak_gflops, each.has_float32_roof  # cached properties, which the roofs ask for
            yield

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series; a note names those whose rates have another unit."""
        shown = unit(series[0]) if series else GFLOPS
        alike = [each for each in series if unit(each) == shown]
        notes = elsewhere(series, shown, "on the Time tab only")
        roofs = rate_roofs(alike) if shown == GFLOPS else ()
        if alike and all(limited_by_memory(each) for each in alike):
            roofs = memory_roofs(alike)
        notes += without_roof_notes(alike) if shown == GFLOPS else ()
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
