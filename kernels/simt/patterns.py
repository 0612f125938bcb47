"""Indices that differ only by a number from one time to the next: the vector is made once, and shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kernels.simt.values import ndarray

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from kernels.simt.code import Run
    from kernels.simt.context import Context
    from kernels.simt.lanes import Active, Group, Mask
    from kernels.simt.linear import Coordinates, Linear
    from kernels.simt.values import Value

_KEPT: Final = 32
"""Patterns of sets of lanes that a group keeps: data can make ever new sets."""


class Pattern:
    """What the coordinates of the active lanes, `lanes`, make of an index, lane by lane."""

    __slots__ = ("_places", "high", "index", "lanes", "low")

    def __init__(self, index: NDArray[np.int64], lanes: NDArray[np.int32]) -> None:
        self.index = index
        self.lanes = lanes
        self.low = int(index.min())
        self.high = int(index.max())
        self._places: dict[int, NDArray[np.int64]] = {}

    def places(self, array: int, base: NDArray[np.intp] | None, mask: Active) -> NDArray[np.int64]:
        """Return how far from the lowest lane's element the others' are in an array, whose copies begin at `base`."""
        if array not in self._places:
            if base is not None and mask is not None:
                base = mask.base(array, base)
            self._places[array] = self.index - self.low + (0 if base is None else base)
        return self._places[array]


class Strided(NamedTuple):
    """An index of the active lanes: a pattern, and a number that is added everywhere; `whole` is all lanes' pattern."""

    pattern: Pattern
    shift: int
    whole: Pattern

    @property
    def vector(self) -> NDArray[np.int64]:
        """The index itself, of all lanes."""
        return self.whole.index + self.shift


def _whole(group: Group, coordinates: Coordinates) -> Pattern:
    index = np.zeros(group.size, np.int64)
    for name, factor in coordinates:
        part: Any = group.built_in[name]
        index += np.multiply(part, factor, dtype=np.int64)
    return Pattern(index, group.lanes)


def _part(c: Context, group: Group, mask: Mask, slot: int, whole: Pattern) -> Pattern | None:
    """Return the pattern of some lanes, once they have come back; a few at a time are kept."""
    known = group.patterns
    key = (slot, mask)
    if key not in known:
        if len(known) >= _KEPT:
            known.clear()
        known[key] = None
        return None
    found = known[key]
    if found is None:
        lanes = c.recorder.masks[c.recorder.row(group, mask)]
        found = known[key] = Pattern(whole.index[mask.where], lanes)
    return found


def indices(c: Context, found: Linear) -> Run:
    """Compile an index that has coordinates in it: Strided where it can be, otherwise a vector."""
    coordinates, rest, slot = found.coordinates, found.rest(), c.pattern(found.coordinates)

    def run(group: Group, mask: Active) -> Value:
        shift = rest(group, mask)
        whole = group.values[slot]
        if whole is None:
            whole = group.values[slot] = _whole(group, coordinates)
        if type(shift) is not ndarray:
            pattern = whole if mask is None else _part(c, group, mask, slot, whole)
            if pattern is not None:
                return Strided(pattern, shift, whole)
        return whole.index + shift

    return run
