"""Observations: stored samples with their coordinates, and selections of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.bench.rates import rate_of
from kernels.experiments.model import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.sample import Sample
    from kernels.bench.store.database import Row
    from kernels.experiments.model import At, Coordinate, Figure, Where


@dataclass(frozen=True, slots=True)
class Observation:
    """A sample with its coordinates."""

    at: At
    sample: Sample
    gpu: str = ""
    """The GPU of the measurement; "" for none."""

    def figure(self, figure: Figure) -> float | None:
        """Return a figure; None where the sample has none."""
        if figure == "l2":
            return self.sample.checks.l2 if self.sample.checks else None
        if figure == "gb_per_s":
            return self._gb_per_s()
        return self.sample.gflops if figure == "gflops" else self.sample.median_ms

    def _gb_per_s(self) -> float | None:
        """Return the useful bytes over the median time; None if the kernel's workload has no such rate."""
        point, median = self.sample.point, self.sample.median_ms
        rate = rate_of(point.entry.kernel)
        return rate.of(point.size, median) if rate is not None and rate.by_memory and median else None

    def matches(self, where: Where) -> bool:
        """Return whether a selection includes this point; without `memory` it selects device memory."""
        selection: Where = {"memory": "device", **where}
        return all(
            self.at[key] in value if isinstance(value, tuple) else self.at[key] == value
            for key, value in selection.items()
        )


def observations(rows: Iterable[Row]) -> tuple[Observation, ...]:
    """Return each sample with its coordinates; of several samples of one point the last."""
    latest = {row.sample.point: row for row in rows}
    return tuple(
        Observation(_coordinates(row.sample), row.sample, row.environment.gpu if row.environment else "")
        for row in latest.values()
    )


def best(observations: Iterable[Observation], figure: Figure) -> Observation | None:
    """Return the best observation: the highest rate, the shortest time, the largest error."""
    rated = [(value, one) for one in observations if (value := one.figure(figure)) is not None]
    if not rated:
        return None
    sign = -1 if figure == "ms" else 1
    return max(rated, key=lambda pair: sign * pair[0])[1]


def resolve_largest(observations: Sequence[Observation], series: Iterable[Where], figure: Figure) -> tuple[Where, ...]:
    """Replace `largest` in selections by the largest n at which all of these have a figure, or 0.

    A selection without any figure, such as one that this machine cannot run, is ignored.
    """
    series = tuple(series)
    common: set[str | int] | None = None
    for where in series:
        if where.get("n") == LARGEST:
            others: Where = {key: value for key, value in where.items() if key != "n"}
            sizes = {p.at["n"] for p in observations if p.matches(others) and p.figure(figure) is not None}
            if sizes:
                common = sizes if common is None else common & sizes
    n = max((int(size) for size in common or ()), default=0)
    return tuple({**where, "n": n} if where.get("n") == LARGEST else where for where in series)


def coordinate_values(observations: Iterable[Observation], coordinate: Coordinate) -> list[str | int]:
    """Return the values of a coordinate: numbers in ascending order, words in the order of the observations."""
    values = list(dict.fromkeys(one.at[coordinate] for one in observations))
    return sorted(values, key=lambda v: v if isinstance(v, int) else 0)


def _coordinates(sample: Sample) -> At:
    entry, size = sample.point.entry, sample.point.size
    return {
        "kernel": entry.kernel,
        "width": entry.block.x if entry.block else 0,
        "threads": entry.threads,
        "memory": entry.memory,
        "n": size.n if size.m == size.n == size.k else 0,
        "size": str(size),
    }
