"""Samples read as curves. Pure: the same samples always give the same picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from gui.plot import Line
    from kernels.bench.sample import Entry, Sample
    from kernels.workload import Size


def label(entry: Entry, titles: Mapping[str, str]) -> str:
    """Name an entry for people: the kernel's title, then what was chosen for it."""
    title = titles.get(entry.kernel, Path(entry.kernel).stem)
    return ", ".join(part for part in (title, chosen(entry)) if part)


_MEMORY: Final = {
    "device": "", "pageable": "transfers (pageable)", "pinned": "transfers (pinned)", "managed": "managed memory",
}  # fmt: skip


def chosen(entry: Entry) -> str:
    """Return the block or the CPU threads, and what else is timed; empty where there is no choice."""
    threads = f"{entry.threads} thread{'s' * (entry.threads > 1)}" if entry.threads else ""
    parts = (str(entry.block) if entry.block else threads, _MEMORY[entry.memory])
    return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Curve:
    """Verified rates of one entry, by growing n.

    Attributes
    ----------
    number : int
        Place among the curves in the order they first appeared: picks colour and mark.
    n, gflops : array of shape (points,)
        Problem size (of M×N×K, the side of the cube) and rate at the median time.
    low, high : array of shape (points,)
        Rates at the 90th and 10th percentile of the time, GFLOPS.
    """

    entry: Entry
    number: int
    n: NDArray[np.float64]
    gflops: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def curves(samples: Iterable[Sample]) -> tuple[Curve, ...]:
    """Group samples by entry. Only verified samples have a rate; of two of one point the later counts."""
    by_entry: dict[Entry, dict[Size, tuple[float, float, float]]] = {}
    for sample in samples:
        points = by_entry.setdefault(sample.point.entry, {})
        points.pop(sample.point.size, None)
        rate, median, fast, slow = sample.gflops, sample.median_ms, sample.p10_ms, sample.p90_ms
        if rate and median and fast and slow:
            points[sample.point.size] = (rate, rate * median / slow, rate * median / fast)
    found = []
    for number, (entry, points) in enumerate(by_entry.items()):
        order = sorted(points, key=side)
        table = np.array([points[size] for size in order], dtype=np.float64).reshape(-1, 3)
        sides = np.array([side(size) for size in order], dtype=np.float64)
        found.append(Curve(entry, number, sides, table[:, 0], table[:, 1], table[:, 2]))
    return tuple(found)


def side(size: Size) -> float:
    """Return the n of a square problem of as many products: ∛(M·N·K), to a tenth."""
    return round(float(np.cbrt(float(size.m) * size.n * size.k)), 1)


def lines(found: Iterable[Curve], titles: Mapping[str, str]) -> list[Line]:
    """Return curves as the plot takes them, under the names that `titles` has for their kernels."""
    from gui.plot import Line  # pyqtgraph is loaded with the first plot

    return [
        Line(
            (name := label(curve.entry, titles)), curve.number, curve.n, curve.gflops, curve.low, curve.high,
            tip=f"{name} ({curve.entry.kernel}): {len(curve.n)} points",
        )
        for curve in found
    ]  # fmt: skip
