"""Ticks of an axis: round numbers, or decades, as text. No Qt."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST: Final = 8


def ticks(low: float, high: float, *, log: bool) -> tuple[float, ...]:
    """Return round values from `low` to `high`, at most about eight."""
    return _log_ticks(low, high) if log else _linear_ticks(low, high)


def places(values: Sequence[float], *, low: float, high: float, log: bool) -> tuple[float, ...]:
    """Return measured values as ticks where they are few, else round ones; of two that are close only the larger."""
    found = sorted({value for value in values if low <= value <= high})
    if not 2 <= len(found) <= 2 * _MOST:
        return ticks(low, high, log=log)
    scale = math.log10 if log else float
    least = (scale(found[-1]) - scale(found[0])) / 12
    kept: list[float] = []
    for value in reversed(found):
        if not kept or scale(kept[-1]) - scale(value) >= least:
            kept.append(value)
    return tuple(reversed(kept))


def number(value: float) -> str:
    """Return a number as it is written at a tick: `10,000`, `0.25`."""
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e7:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return f"{value:,.10g}" if abs(value) < 1 else f"{value:,.6g}"


def _linear_ticks(low: float, high: float) -> tuple[float, ...]:
    span = high - low
    if not span > 0:
        return (low,)
    power = 10.0 ** math.floor(math.log10(span / _MOST))
    step = next(power * digit for digit in (1, 2, 5, 10) if span / (power * digit) <= _MOST)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(place * step, 12) for place in range(first, last + 1))


def _log_ticks(low: float, high: float) -> tuple[float, ...]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
        found = [value for value in found if low <= value * (1 + 1e-9) and value <= high * (1 + 1e-9)]
        if len(found) <= _MOST:
            return tuple(found)
    return tuple(found[:: -(-len(found) // _MOST)])
