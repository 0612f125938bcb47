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

    def __init__(self) -> None:
        self._curves: Memo[Series, ChartCurve] = Memo(lambda series: ChartCurve(series, series.n, series.time_ms))

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series."""
        return Chart(SIZE_AXIS, "median time, ms", self._curves(series), empty=_EMPTY)

    def describe(self, curve: ChartCurve, row: int) -> tuple[str, ...]:
        """Say nothing: the record has the time."""
        return ()
