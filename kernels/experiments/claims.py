"""Published findings, compared with our samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from kernels.experiments.model import RATES
from kernels.experiments.occupancy import occupancy_at
from kernels.experiments.points import best, coordinate_values, resolve_largest
from kernels.experiments.words import figure_words, number_words, where_words

if TYPE_CHECKING:
    from kernels.experiments.model import Experiment, Kind, PublishedClaim, Where
    from kernels.experiments.points import Observation

    Selections = Sequence[Where]
    Observations = Sequence[Observation]

Verdict = Literal["agrees", "differs", "not measured", "measured"]
"""measured: we have a figure, and none was published."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A published finding with our figure."""

    text: str
    published: str
    """The published figure; "" for none."""
    ours: str
    """Our figure; "" without samples."""
    verdict: Verdict


def judge(experiment: Experiment, claim: PublishedClaim, observations: Observations) -> Claim:
    """Judge one claim."""
    series = resolve_largest(observations, claim.series, claim.figure)
    published, ours, agrees = _JUDGES[claim.kind](experiment, claim, series, observations)
    if not ours:
        return Claim(claim.text, published, "", "not measured")
    verdict: Verdict = "measured" if agrees is None else "agrees" if agrees else "differs"
    return Claim(claim.text, published, ours, verdict)


_Judgement = tuple[str, str, "bool | None"]
"""Published value, our value (empty without samples), and whether they agree (None: nothing published)."""


def _best(experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations) -> _Judgement:
    published = "" if claim.published is None else f"{claim.along} {claim.published:g}"
    selected = [p for p in observations if p.matches(series[0]) and p.figure(claim.figure) is not None]
    winner = best(selected, claim.figure)
    if winner is None or len(coordinate_values(selected, claim.along)) < 2:
        return published, "", None
    value = winner.figure(claim.figure) or 0.0
    ours = f"{claim.along} {winner.at[claim.along]} ({figure_words(value, claim.figure, unit=True)}{_at(series)})"
    return published, ours, None if not published else winner.at[claim.along] == claim.published


def _order(experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations) -> _Judgement:
    names = [where_words(experiment, _without_n(where)) for where in series]
    sign = " ≫ " if claim.within >= 2 else " > "
    published, values = sign.join(names), _figures(claim, series, observations)
    if None in values:
        return published, "", None
    figures = [value for value in values if value is not None]
    rank = [value if claim.figure in RATES else -value for value in figures]
    ordered = sorted(zip(rank, figures, names, strict=True), reverse=True)
    unit = figure_words(0, claim.figure, unit=True)[1:]
    ours = " > ".join(f"{name} {figure_words(v, claim.figure)}" for _, v, name in ordered) + unit + _at(series)
    better: Callable[[float, float], bool] = (
        (lambda a, b: a > b * claim.within) if claim.figure in RATES else (lambda a, b: a * claim.within < b)
    )
    return published, ours, all(better(a, b) for a, b in pairwise(figures))


def _ratio(experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations) -> _Judgement:
    published = "" if claim.published is None else f"{number_words(claim.published)}×"
    top, bottom = _figures(claim, series, observations)
    if top is None or not bottom:
        return published, "", None
    parts = " / ".join(figure_words(value, claim.figure) for value in (top, bottom))
    unit = figure_words(0, claim.figure, unit=True)[1:]
    ours = f"{number_words(top / bottom)}× ({parts}{unit}{_at(series)})"
    return published, ours, _close(top / bottom, claim)


def _value(experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations) -> _Judgement:
    published = "" if claim.published is None else figure_words(claim.published, claim.figure, unit=True)
    (value,) = _figures(claim, series, observations)
    if value is None:
        return published, "", None
    return published, figure_words(value, claim.figure, unit=True) + _at(series), _close(value, claim)


def _largest(
    experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations
) -> _Judgement:
    published = "" if claim.published is None else f"n = {claim.published:,.0f}"
    attempts = [p for p in observations if p.matches(series[0])]
    run = [int(p.at["n"]) for p in attempts if p.sample.verified]
    refused = [int(p.at["n"]) for p in attempts if p.sample.outcome == "refused"]
    if not run:
        return published, "", None
    beyond = f", {min(refused):,} is refused" if refused else ", no larger one was tried"
    return published, f"n = {max(run):,}{beyond}", _close(max(run), claim) and bool(refused)


def _correct(
    experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations
) -> _Judgement:
    selected = [p for where in series for p in observations if p.matches(where)]
    judged = [p for p in selected if p.sample.outcome in ("measured", "wrong")]
    if not judged:
        return "correct", "", None
    wrong = [p for p in judged if p.sample.outcome == "wrong"]
    if wrong:
        return "correct", f"{len(wrong)} of {len(judged)} results are wrong: {wrong[0].sample.error}", False
    checked = " · ".join(dict.fromkeys(p.sample.checked for p in judged))
    return "correct", f"{len(judged)} of {len(judged)} results are correct ({checked} checked)", True


def _occupancy(
    experiment: Experiment, claim: PublishedClaim, series: Selections, observations: Observations
) -> _Judgement:
    selected = [p for p in observations if p.matches(series[0]) and p.figure(claim.figure) is not None]
    rated = [(share, p.figure(claim.figure) or 0.0, p) for p in selected if (share := occupancy_at(p)) is not None]
    if len(rated) < 2:
        return "", "", None
    parts = [
        f"width {p.at['width']}: {share:.0%}, {figure_words(value, claim.figure)}"
        for share, value, p in sorted(rated, key=lambda entry: int(entry[2].at["width"]))
    ]
    unit = figure_words(0, claim.figure, unit=True)[1:]
    slower: bool | None = any(a[0] > b[0] and a[1] < b[1] for a in rated for b in rated)
    if len({share for share, _, _ in rated}) == 1:
        slower = None  # equal occupancy everywhere: nothing to compare
    return "not always", f"{' · '.join(parts)}{unit}{_at(series)}", slower


_Judge = Callable[["Experiment", "PublishedClaim", "Selections", "Observations"], _Judgement]

_JUDGES: Final[dict[Kind, _Judge]] = {
    "best": _best,
    "order": _order,
    "ratio": _ratio,
    "value": _value,
    "largest": _largest,
    "correct": _correct,
    "occupancy": _occupancy,
}


def _figures(claim: PublishedClaim, series: Selections, observations: Observations) -> list[float | None]:
    winners = [best((p for p in observations if p.matches(where)), claim.figure) for where in series]
    return [winner.figure(claim.figure) if winner else None for winner in winners]


def _close(value: float, claim: PublishedClaim) -> bool | None:
    if claim.published is None:
        return None
    if not claim.published or not value:
        return value == claim.published
    ratio = value / claim.published
    return 1 / claim.within <= ratio <= claim.within


def _without_n(where: Where) -> Where:
    return {key: value for key, value in where.items() if key != "n"}


def _at(series: Selections) -> str:
    """Name the n of the selections if all have the same one."""
    sizes = {where.get("n") for where in series}
    return f", n = {sizes.pop():,}" if len(sizes) == 1 and None not in sizes else ""
