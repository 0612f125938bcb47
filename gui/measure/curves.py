"""Curves of samples: a pure function of the samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from gui.widgets.plot_curves import Line
    from kernels.bench.sample import Entry, Sample
    from kernels.workload import Size


def label(entry: Entry, titles: Mapping[str, str]) -> str:
    """Return the label of an entry: the kernel's title, then its choices."""
    title = titles.get(entry.kernel, Path(entry.kernel).stem)
    return ", ".join(part for part in (title, choices(entry)) if part)


_MEMORY: Final = {
    "device": "",
    "pageable": "transfers (pageable)",
    "pinned": "transfers (pinned)",
    "managed": "managed memory",
}


def choices(entry: Entry) -> str:
    """Return the block or CPU threads, the timed transfers, and whether L2 is cold; empty if there is no choice."""
    threads = f"{entry.threads} thread{'s' * (entry.threads > 1)}" if entry.threads else ""
    parts = (str(entry.block) if entry.block else threads, _MEMORY[entry.memory], "cold L2" * entry.cold)
    return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Verified rates of one entry, by growing n."""

    entry: Entry
    number: int
    """Position among the curves in the order they first appeared: picks colour and mark."""
    n: NDArray[np.float64]
    """Problem sizes; of M×N×K, the side of the cube with as many products."""
    gflops: NDArray[np.float64]
    """Rates at the median time."""
    low: NDArray[np.float64]
    """Rates at the 90th percentile of the time, GFLOPS."""
    high: NDArray[np.float64]
    """Rates at the 10th percentile of the time, GFLOPS."""


@dataclass(slots=True)
class _PointTable:
    """Points of an entry by size: n, rate, lowest and highest rate; its curve is built on first use."""

    number: int
    points: dict[Size, tuple[float, float, float, float]] = field(default_factory=dict)
    curve: Curve | None = None


class CurveSet:
    """Curves that grow sample by sample; a new sample leaves all other `Curve` objects unchanged."""

    def __init__(self, samples: Iterable[Sample] = ()) -> None:
        self._tables: dict[Entry, _PointTable] = {}
        for sample in samples:
            self.add(sample)

    def add(self, sample: Sample) -> None:
        """Add a sample. Only verified ones have a rate; of two samples of one point the later counts."""
        entry, size = sample.point.entry, sample.point.size
        if entry not in self._tables:
            self._tables[entry] = _PointTable(len(self._tables))
        table = self._tables[entry]
        table.points.pop(size, None)
        table.curve = None
        rate, median, fast, slow = sample.gflops, sample.median_ms, sample.p10_ms, sample.p90_ms
        if rate and median and fast and slow and isfinite(rate + median + fast + slow):
            table.points[size] = (side(size), rate, rate * median / slow, rate * median / fast)

    def curves(self) -> tuple[Curve, ...]:
        """Return a curve for each entry, in the order they first appeared."""
        return tuple(table.curve or _curve(entry, table) for entry, table in self._tables.items())


def _curve(entry: Entry, table: _PointTable) -> Curve:
    points = sorted(table.points.values(), key=itemgetter(0))
    n, rate, low, high = np.array(points, dtype=np.float64).reshape(-1, 4).T
    table.curve = Curve(entry, table.number, n, rate, low, high)
    return table.curve


def curves(samples: Iterable[Sample]) -> tuple[Curve, ...]:
    """Group samples by entry, as `CurveSet` does."""
    return CurveSet(samples).curves()


def side(size: Size) -> float:
    """Return the n of a square problem of as many products: ∛(M·N·K), to a tenth."""
    return round(float(np.cbrt(float(size.m) * size.n * size.k)), 1)


class CurveLines:
    """Plot lines of curves; an unchanged curve keeps its `Line` object."""

    def __init__(self) -> None:
        self._titles: Mapping[str, str] = {}
        self._lines: dict[Entry, tuple[Curve, Line]] = {}

    def lines(self, curves: Iterable[Curve], titles: Mapping[str, str]) -> list[Line]:
        """Return plot lines of curves, labelled with the kernels' `titles`."""
        old = self._lines if titles == self._titles else {}
        self._titles, self._lines = titles, {}
        for curve in curves:
            known = old.get(curve.entry)
            line = known[1] if known and known[0] is curve else _line(curve, titles)
            self._lines[curve.entry] = (curve, line)
        return [line for _, line in self._lines.values()]


def _line(curve: Curve, titles: Mapping[str, str]) -> Line:
    from gui.widgets.plot_curves import Line  # pyqtgraph is loaded with the first plot

    name = label(curve.entry, titles)
    return Line(
        name,
        curve.number,
        curve.n,
        curve.gflops,
        curve.low,
        curve.high,
        tip=f"{name} ({curve.entry.kernel}): {len(curve.n)} points",
    )
