"""A chart as data: axes, curves, roofs, and notes on what is not drawn."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from gui.measure.results.series import Estimates, Floats, Series

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_LOG_RATIO: Final = 20.0
"""Ratio of the largest to the smallest value from which on an axis is logarithmic."""


@dataclass(frozen=True, slots=True, eq=False)
class ChartCurve:
    """Figures of a series, one for each of its rows; NaN where a row has none."""

    series: Series
    x: Floats
    y: Estimates

    @property
    def absent(self) -> NDArray[np.intp]:
        """Rows of points that failed or were skipped, and whose x is known."""
        found: NDArray[np.intp] = np.flatnonzero(~self.series.timed & np.isfinite(self.x))
        return found


@dataclass(frozen=True, slots=True)
class Roof:
    """A limit of the machine, drawn as a line through its points and labelled."""

    label: str
    x: tuple[float, ...]
    """Empty for a limit that does not depend on x."""
    y: tuple[float, ...]
    shorter: tuple[str, ...] = ()
    """Labels where the whole one has no room, by falling length."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One picture."""

    x: str
    """Title of the axis, with its unit."""
    y: str
    curves: tuple[ChartCurve, ...]
    roofs: tuple[Roof, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences on what is not drawn, and why."""
    empty: str = ""
    """If no curve has a point: why, and what to do."""
    sizes: bool = True
    """Whether x is a problem size: its ticks are the measured ones where they fit."""
    log: tuple[bool | None, bool | None] = (None, None)
    """Whether x and y are logarithmic; None where the range of the values decides."""
    short_y: str = ""
    """Title of the y axis where the whole one has no room; "" for none."""
    x_range: tuple[float, float] | None = None
    """Ends of a linear x axis; None for those of the points."""


def asks_for_log(values: Floats) -> bool:
    """Return whether positive values span so wide a range that a linear axis would hide the small ones."""
    found = values[np.isfinite(values) & (values > 0)]
    return bool(len(found)) and bool(found.max() > _LOG_RATIO * found.min())


class Known(Protocol):
    """Results that are computed in the background (`gui.measure.results.lookup.Lookup`)."""

    @property
    def version(self) -> int:
        """Changes with every result."""

    def since(self, version: int) -> Sequence[Any]:
        """Return the keys of the results after a version."""

    def get(self, key: Any) -> Any:
        """Return the result, the TilescopeError that says why there is none, or None while it is not known."""


class Memo(Generic[Key, Value]):
    """Results of a function for the keys of the latest call; equal keys are not computed again."""

    def __init__(self, make: Callable[[Key], Value]) -> None:
        self._make = make
        self._found: dict[Key, Value] = {}

    def __call__(self, keys: Iterable[Key]) -> tuple[Value, ...]:
        """Return the result for each key."""
        old, self._found = self._found, {}
        for key in keys:
            self._found[key] = old[key] if key in old else self._make(key)
        return tuple(self._found.values())

    def find(self, key: Key) -> Value:
        """Return the result for one key, which is computed now unless it is known, and kept for the next call."""
        if key not in self._found:
            self._found[key] = self._make(key)
        return self._found[key]

    def forget(self, changed: Callable[[Key], bool]) -> None:
        """Compute the results of some keys anew."""
        self._found = {key: value for key, value in self._found.items() if not changed(key)}
