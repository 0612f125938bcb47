"""Stored samples by their coordinates, the sample that a selection means, and its figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.experiments.model import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.sample import Sample
    from kernels.bench.store import Row
    from kernels.experiments.model import At, Coordinate, Figure, Where


@dataclass(frozen=True, slots=True)
class Observation:
    """A sample with its coordinates, and the GPU it was taken on (empty for none)."""

    at: At
    sample: Sample
    gpu: str = ""

    def figure(self, figure: Figure) -> float | None:
        """Read a figure; None where the sample has none."""
        if figure == "l2":
            return self.sample.checks.l2 if self.sample.checks else None
        return self.sample.gflops if figure == "gflops" else self.sample.median_ms

    def matches(self, where: Where) -> bool:
        """Return whether a selection means this point. Without a word on memory it means the kernel alone."""
        wanted: Where = {"memory": "device", **where}
        return all(
            self.at[key] in value if isinstance(value, tuple) else self.at[key] == value
            for key, value in wanted.items()
        )


def observations(rows: Iterable[Row]) -> tuple[Observation, ...]:
    """Give each sample its coordinates; of several of one point the last counts."""
    latest = {row.sample.point: row for row in rows}
    return tuple(
        Observation(_coordinates(row.sample), row.sample, row.environment.gpu if row.environment else "")
        for row in latest.values()
    )


def best(found: Iterable[Observation], figure: Figure) -> Observation | None:
    """Return the place whose figure counts: the highest rate, the shortest time, the largest error."""
    rated = [(value, place) for place in found if (value := place.figure(figure)) is not None]
    if not rated:
        return None
    sign = -1 if figure == "ms" else 1
    return max(rated, key=lambda pair: sign * pair[0])[1]


def resolve_largest(found: Sequence[Observation], series: Iterable[Where], figure: Figure) -> tuple[Where, ...]:
    """Put a number where selections say `largest`: the largest n at which all of those have a figure, else 0.

    A selection without any figure, such as one that this machine cannot run, does not count.
    """
    series = tuple(series)
    common: set[str | int] | None = None
    for where in series:
        if where.get("n") == LARGEST:
            rest: Where = {key: value for key, value in where.items() if key != "n"}
            sizes = {p.at["n"] for p in found if p.matches(rest) and p.figure(figure) is not None}
            if sizes:
                common = sizes if common is None else common & sizes
    n = max((int(size) for size in common or ()), default=0)
    return tuple({**where, "n": n} if where.get("n") == LARGEST else where for where in series)


def coordinate_values(found: Iterable[Observation], coordinate: Coordinate) -> list[str | int]:
    """Return the values of a coordinate: numbers by size, words as they come."""
    values = list(dict.fromkeys(place.at[coordinate] for place in found))
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
