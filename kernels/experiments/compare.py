"""Comparison of our samples with the published figures: a table, the curves of both, and every claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from kernels.experiments.claims import Claim, judge
from kernels.experiments.occupancy import derivation
from kernels.experiments.points import best, coordinate_values, observations, resolve_largest
from kernels.experiments.words import figure_words, where_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kernels.bench.store.database import Row
    from kernels.experiments.model import At, Coordinate, Curve, Experiment, Figure, Where
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


# --- Table of our figures above the published ones: a row for each curve and n, a column for each x


NOT_MEASURED: Final = "–"

_ORIGIN_COLUMN: Final = 2
"""The column with "ours" or "published"; omitted if there are no published figures."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text in rows under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tabulate(experiment: Experiment, observations: Sequence[Observation], ticks: Sequence[str | int]) -> Table:
    """Build the table without its empty columns. `ticks` are the values of an axis of words."""
    x = cast("Coordinate", experiment.x.name)
    selected = [[p for p in observations if p.matches(_selection_at_any_n(curve))] for curve in experiment.curves]
    numbers = {p.at[x] for places in selected for p in places} | {v for c in experiment.curves for v in c.x}
    axis = list(ticks) or sorted(v for v in numbers if isinstance(v, int))
    rows: list[tuple[str, ...]] = []
    for curve, places in zip(experiment.curves, selected, strict=True):
        rows += _rows(experiment, curve, places, axis)
    words = [experiment.kernel_label(value) if isinstance(value, str) else f"{value:,}" for value in axis]
    header = (f"{experiment.y.title} by {experiment.x.title}", "n", "figures", *words, "spread")
    empty = {column for column in (1, len(header) - 1) if not any(row[column] for row in rows)}
    if not any(curve.x for curve in experiment.curves):
        empty.add(_ORIGIN_COLUMN)
    keep = [column for column in range(len(header)) if column not in empty]
    return Table(tuple(header[c] for c in keep), tuple(tuple(row[c] for c in keep) for row in rows))


def _rows(
    experiment: Experiment, curve: Curve, observations: Sequence[Observation], axis: Sequence[str | int]
) -> Iterator[tuple[str, ...]]:
    """Yield our rows, one for every n, then the published one."""
    x, figure = cast("Coordinate", experiment.x.name), cast("Figure", experiment.y.name)
    sizes = [0] if x in ("n", "size") else coordinate_values(observations, "n")
    for n in sizes if observations else ():
        at_n = [p for p in observations if x in ("n", "size") or p.at["n"] == n]
        groups = [[p for p in at_n if p.at[x] == value] for value in axis]
        cells = [_cell(experiment, group, figure) for group in groups]
        yield curve.label, f"{n:,}" if n else "", "ours", *cells, _spread(at_n, figure)
    if curve.x:
        published = dict(zip(curve.x, curve.y, strict=True))
        cells = [figure_words(published[v], figure) if v in published else NOT_MEASURED for v in axis]
        yield curve.label, "", "published", *cells, ""


def _selection_at_any_n(curve: Curve) -> Where:
    """Return the selection of a curve, without its n if that is `largest`."""
    return {key: value for key, value in curve.where.items() if not (key == "n" and isinstance(value, str))}


def _cell(experiment: Experiment, group: Sequence[Observation], figure: Figure) -> str:
    """Format the best figure of a group, with the coordinates that vary in it; without a figure, the outcome."""
    winner = best(group, figure)
    if winner is None:
        return group[0].sample.outcome if group else NOT_MEASURED
    varied: At = {key: winner.at[key] for key in ("width", "threads") if len({p.at[key] for p in group}) > 1}
    chosen = f" ({where_words(experiment, varied)})" if varied else ""
    return figure_words(winner.figure(figure) or 0.0, figure) + chosen


def _spread(observations: Sequence[Observation], figure: Figure) -> str:
    """Format the largest distance from the 10th to the 90th percentile, as a share of the median."""
    if figure == "l2" or not any(p.sample.times_ms for p in observations):
        return ""
    shares = [
        (high - low) / median
        for p in observations
        if len(p.sample.times_ms) > 1
        and (low := p.sample.p10_ms) is not None
        and (high := p.sample.p90_ms) is not None
        and (median := p.sample.median_ms)
    ]
    return f"{100 * max(shares):.1f} %" if shares else "one run"
