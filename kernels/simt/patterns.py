"""Indices that differ only by a number from one time to the next: the vector is made once, and shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.simt.values import ndarray

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from kernels.simt.code import Run
    from kernels.simt.context import Context
    from kernels.simt.lanes import Active, Group
    from kernels.simt.linear import Coordinates, Linear
    from kernels.simt.values import Value


class Pattern:
    """What the coordinates of a group's lanes make of an index, lane by lane."""

    __slots__ = ("_places", "high", "index", "low")

    def __init__(self, index: NDArray[np.int64]) -> None:
        self.index = index
        self.low = int(index.min())
        self.high = int(index.max())
        self._places: dict[int, NDArray[np.int64]] = {}

    def places(self, array: int, base: NDArray[np.intp] | None) -> NDArray[np.int64]:
        """Return how far from the lowest lane's element the others' are in an array, whose copies begin at `base`."""
        if array not in self._places:
            self._places[array] = self.index - self.low + (0 if base is None else base)
        return self._places[array]


class Strided(NamedTuple):
    """An index of all lanes of a group: a pattern, and a number that is added everywhere."""

    pattern: Pattern
    shift: int

    @property
    def vector(self) -> NDArray[np.int64]:
        """The index itself."""
        return self.pattern.index + self.shift


def pattern_of(group: Group, coordinates: Coordinates) -> Pattern:
    """Make the pattern of a group."""
    index = np.zeros(group.size, np.int64)
    for name, factor in coordinates:
        part: Any = group.built_in[name]
        index += np.multiply(part, factor, dtype=np.int64)
    return Pattern(index)


def indices(c: Context, found: Linear) -> Run:
    """Compile an index that has coordinates in it: Strided where it can be, otherwise a vector."""
    coordinates, rest, slot = found.coordinates, found.rest(), c.pattern(found.coordinates)

    def run(group: Group, mask: Active) -> Value:
        shift = rest(group, mask)
        pattern = group.values[slot]
        if pattern is None:
            pattern = group.values[slot] = pattern_of(group, coordinates)
        if mask is None and type(shift) is not ndarray:
            return Strided(pattern, shift)
        return pattern.index + shift

    return run
