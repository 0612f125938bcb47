"""Rate and time against n."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gui.measure.figures.chart import Chart, ChartCurve, Memo
from gui.measure.figures.limits import rate_roofs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.series import Series

SIZE_AXIS: Final = "n"
_EMPTY: Final = "No point is measured yet. Choose kernels and sizes, then press Start."


class RateFigures:
    """GFLOPS against n."""

    caption = (
        "GFLOPS = 2·M·N·K / median time; higher is better. Bars are 95 % intervals of the median. A size M×N×K "
        "is plotted at n = ∛(M·N·K). Only results that match a float64 reference have a point. "
        "Below: × failed, – not run."
    )

    def __init__(self) -> None:
        self._curves: Memo[Series, ChartCurve] = Memo(lambda series: ChartCurve(series, series.n, series.gflops))

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series."""
        return Chart(SIZE_AXIS, "GFLOPS", self._curves(series), rate_roofs(series), empty=_EMPTY)

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
        self._curves: Memo[Series, ChartCurve] = Memo(lambda series: ChartCurve(series, series.n, series.time_ms))

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series."""
        return Chart(SIZE_AXIS, "median time, ms", self._curves(series), empty=_EMPTY)

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say nothing: the record has the time."""
        return ()
