"""Words for the comparison of two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.words import join

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.analysis.metrics.comparison import Figure, Kind

TITLES: Final[Mapping[Kind, str]] = {
    "loads": "Loads",
    "sectors": "Sectors",
    "reads": "Reads of {array}",
    "wavefronts": "Wavefronts",
    "intensity": "FLOP/byte",
}
"""Titles of the figures, in Nsight Compute's words."""

_EQUAL: Final = 0.005
"""Relative difference up to which two numbers are called equal."""

_TOLD: Final[tuple[Kind, ...]] = ("reads", "sectors", "wavefronts", "loads")
"""Figures in the order in which a difference is told: what explains most comes first."""


def title(figure: Figure) -> str:
    """Return the title of a figure."""
    return TITLES[figure.kind].format(array=figure.array)


def number(value: float | None) -> str:
    """Write a number of a figure: "1,024", "2.5", or "–" without one."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"


def difference(figures: tuple[Figure, ...], own: str, other: str) -> str:
    """Return the difference of two runs in one sentence; `own` and `other` are their titles."""
    differing = [f for f in figures if not _equal(f)]
    by_kind = ([f for f in differing if f.kind == kind] for kind in _TOLD)
    told = next((found for found in by_kind if found), [])
    if not told:
        return f"{own} and {other} make the same accesses to memory."
    if told[0].kind == "reads":
        return f"{own} reads {'; '.join(_reads(told, other))}."
    noun = {"sectors": "sectors of global memory", "wavefronts": "wavefronts of shared memory"}
    what = noun.get(told[0].kind, "load requests to global memory")
    return f"{own} needs {number(told[0].own)} {what}, {other} {number(told[0].other)}{_factor(told[0])}."


def _reads(figures: list[Figure], other: str) -> list[str]:
    """Return the reads of each element in words; arrays with the same numbers together."""
    names: dict[str, list[str]] = {}
    for figure in figures:
        names.setdefault(f"{_times(figure.own)}, {other} {_times(figure.other)}", []).append(figure.array)
    return [f"each element of {join(arrays)} {words}" for words, arrays in names.items()]


def _equal(figure: Figure) -> bool:
    own, other = figure.own or 0.0, figure.other or 0.0
    return abs(own - other) <= _EQUAL * max(own, other)


def _times(value: float | None) -> str:
    words = {0.0: "never", 1.0: "once", 2.0: "twice"}
    return words.get(value or 0.0, f"{number(value)} times")


def _factor(figure: Figure) -> str:
    ratio = figure.ratio
    if ratio is None:
        return ""
    return f", {number(max(ratio, 1 / ratio))} times as many" if ratio > 1 else f", 1/{number(1 / ratio)} of that"
