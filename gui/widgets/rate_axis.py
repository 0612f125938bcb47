"""Axis of values that are never negative, with plain numbers, also where it is logarithmic."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.widgets.grid_axis import GridAxis

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_TICKS: Final = 10
_PLAIN: Final = (1e-6, 1e9)
"""Numbers outside are written with an exponent."""

_LARGEST_EXPONENT: Final = 300

_GRID_DIGITS: Final = (tuple(range(1, 10)), (1, 2, 5), (1,))
_GRID_GAP_PX: Final = 12
"""Least mean distance of grid lines: closer ones are grey areas, and 90 of them a fifth of the time of a repaint."""


class RateAxis(GridAxis):
    """A linear one has no label below 0, where the band of absent points is."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float | None) -> list[str]:
        """Return the labels of ticks; those between the labelled ones have none."""
        if self.logMode:
            return [plain(10.0**value) for value in values] if spacing is not None else [""] * len(values)
        places = max(0, ceil(-log10((spacing or 1.0) * scale)))
        return [plain(value * scale, places) if value > -(spacing or 1.0) / 2 else "" for value in values]

    def logTickValues(
        self,
        minVal: float,
        maxVal: float,
        size: float,
        stdTicks: object,
    ) -> list[tuple[float | None, list[float]]]:
        """Return round numbers, and for the grid as many multiples of powers of 10 as have room."""
        low, high = max(minVal, -_LARGEST_EXPONENT), min(maxVal, _LARGEST_EXPONENT)
        labelled = [log10(value) for value in round_numbers(10.0**low, 10.0**high)]
        room = size / _GRID_GAP_PX
        digits = next((digits for digits in _GRID_DIGITS if (high - low) * len(digits) <= room), _GRID_DIGITS[-1])
        between = [place + log10(digit) for place in range(floor(low), ceil(high)) for digit in digits]
        return [(1.0, labelled), (None, [value for value in between if low <= value <= high])]


def plain(value: float, places: int | None = None) -> str:
    """Return a number with separators of thousands, with a number of decimal places or as many as it needs."""
    if value and not _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return f"{value:.3g}"
    return f"{value:,.10g}" if places is None else f"{value:,.{places}f}"


def round_numbers(low: float, high: float, most: int = _MOST_TICKS) -> list[float]:
    """Return 1, 2, 5, 10, 20 ... from `low` to `high`, with fewer per decade, or fewer decades, beyond `most`.

    In a narrow range, multiples of a round step.
    """
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**place for place in decades for digit in digits]
        found = [n for n in found if low <= n <= high]
        if len(found) <= most:
            break
    if len(found) < 2 and high > low:
        step = 10.0 ** floor(log10(high - low))
        step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= _MOST_TICKS)
        return [round(float(n), 12) for n in np.arange(ceil(low / step), floor(high / step) + 1) * step]
    return found[:: -(-len(found) // most)]
