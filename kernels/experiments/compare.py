"""Comparison of our samples with the published figures: a table, the curves of both, and every claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from kernels.experiments.claims import Claim, judge
from kernels.experiments.occupancy import derivation
from kernels.experiments.points import best, coordinate_values, observations, resolve_largest
from kernels.experiments.table import Table, tabulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.store import Row
    from kernels.experiments.model import Coordinate, Experiment, Figure, Where
    from kernels.experiments.points import Observation

__all__ = ["Claim", "Comparison", "Series", "Table", "compare"]


@dataclass(frozen=True, slots=True)
class Series:
    """One curve to draw."""

    name: str
    """The same for our curve and the published one."""
    label: str
    x: tuple[float, ...]
    """On an axis of words, positions in `Comparison.ticks`."""
    y: tuple[float, ...]
    ours: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """An experiment's published figures with ours."""

    table: Table
    """Our figures above the published ones. `spread` is the largest of a row, from the 10th to the 90th percentile."""
    series: tuple[Series, ...]
    """The published curves, then ours; only those with points."""
    ticks: tuple[str, ...]
    """The words of the x axis; empty for an axis of numbers."""
    claims: tuple[Claim, ...]
    device: str
    """Device that measured ours; empty without samples."""
    troubles: tuple[str, ...]
    """A line for every point that has no result, with the reason."""
    derivation: tuple[str, ...]
    """Derivation of the blocks that occupancy chose, line by line."""


def compare(experiment: Experiment, rows: Iterable[Row]) -> Comparison:
    """Compare samples with the publication; without samples there are only its figures."""
    rows = tuple(rows)
    found = observations(rows)
    ticks = _ticks(experiment, found)
    return Comparison(
        table=tabulate(experiment, found, ticks),
        series=_series(experiment, found),
        ticks=tuple(_x_words(experiment, value) for value in ticks),
        claims=tuple(judge(experiment, claim, found) for claim in experiment.claims),
        device=next((row.environment.device for row in rows if row.environment), ""),
        troubles=tuple(f"{p.sample.point}: {p.sample.error}" for p in found if p.sample.error),
        derivation=derivation(experiment, found),
    )


def _series(experiment: Experiment, observations: Sequence[Observation]) -> tuple[Series, ...]:
    x, figure = cast("Coordinate", experiment.x.name), cast("Figure", experiment.y.name)
    number = {value: position for position, value in enumerate(_ticks(experiment, observations))}
    theirs, ours = [], []
    for curve, where in zip(experiment.curves, _selections(experiment, observations), strict=True):
        if curve.x:
            at = tuple(float(number.get(value, value)) for value in curve.x)
            theirs.append(Series(curve.label, f"{curve.label}, published, {experiment.gpu}", at, curve.y, False))
        selected = [p for p in observations if p.matches(where)]
        points = [
            (float(number.get(value, value)), winner.figure(figure) or 0.0)
            for value in coordinate_values(selected, x)
            if (winner := best((p for p in selected if p.at[x] == value), figure))
        ]
        if points:
            at, y = tuple(p[0] for p in points), tuple(p[1] for p in points)
            ours.append(Series(curve.label, curve.label, at, y, True))
    return (*theirs, *ours)


def _selections(experiment: Experiment, observations: Sequence[Observation]) -> tuple[Where, ...]:
    return resolve_largest(
        observations, (curve.where for curve in experiment.curves), cast("Figure", experiment.y.name)
    )


def _ticks(experiment: Experiment, observations: Sequence[Observation]) -> list[str | int]:
    """Return the values of an axis of words, in the order of the file; none for an axis of numbers."""
    if experiment.x.name not in ("kernel", "size", "memory"):
        return []
    published = [value for curve in experiment.curves for value in curve.x]
    planned: dict[str, list[str | int]] = {
        "kernel": [name for part in experiment.parts for name in part.kernels],
        "size": [str(size) for part in experiment.parts for sizes in part.sizes.values() for size in sizes],
        "memory": [memory for part in experiment.parts for memory in part.memory],
    }
    measured = [one.at[cast("Coordinate", experiment.x.name)] for one in observations]
    return list(dict.fromkeys([*published, *planned[experiment.x.name], *measured]))


def _x_words(experiment: Experiment, value: str | int) -> str:
    return experiment.kernel_label(value) if isinstance(value, str) else f"{value:,}"
