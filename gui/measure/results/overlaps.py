"""Curves that lie on each other, so that fewer can be told apart than the legend ticks. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gui.measure.words import some_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.widgets.plot_curves import Line

_APART: Final = 0.02
"""Curves whose values differ by less than this share at each common x cannot be told apart."""

_LEAST_POINTS: Final = 2

_MOST: Final = 16
"""Among more curves a sentence about two of them helps nobody, and each is compared with every other."""


def overlap_note(lines: Sequence[Line]) -> str:
    """Say which of the drawn curves lie on an earlier one; "" where all can be told apart."""
    if len(lines) > _MOST:
        return ""
    alone: list[Line] = []
    found: list[str] = []
    for line in lines:
        below = next((other for other in alone if _alike(line, other)), None)
        if below is None:
            alone.append(line)
        else:
            found.append(f"“{line.title}” on “{below.title}”" if line.title != below.title else f"“{line.name}”")
    if not found:
        return ""
    return f"Less than {_APART:.0%} apart, and drawn as one curve: {some_of(found)}.".replace("%", " %", 1)


def _alike(one: Line, other: Line) -> bool:
    """Return whether two curves have all points of the shorter one in common, within `_APART`."""
    (x, y), (other_x, other_y) = _points(one), _points(other)
    common, rows, other_rows = np.intersect1d(x, other_x, return_indices=True)
    if len(common) < max(_LEAST_POINTS, min(len(x), len(other_x))):
        return False
    return bool(np.all(np.abs(y[rows] - other_y[other_rows]) < _APART * np.abs(other_y[other_rows])))


def _points(line: Line) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(line.x) & np.isfinite(line.y)
    return line.x[known], line.y[known]
