"""Affine indices at run time: a vector that is shared by all accesses that differ by a constant only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.machine.affine import Coordinates
    from kernels.simt.machine.lanes import Active


class Pattern:
    """What the coordinates of the active lanes, `lanes`, make of an index, lane by lane."""

    __slots__ = ("_places", "_steps", "coordinates", "high", "index", "lanes", "low")

    def __init__(self, coordinates: Coordinates, index: NDArray[np.int64], lanes: NDArray[np.int32]) -> None:
        self.coordinates = coordinates
        self.index = index
        self.lanes = lanes
        self.low = int(np.minimum.reduce(index))
        self.high = int(np.maximum.reduce(index))
        self._places: dict[tuple[int, int], NDArray[np.int64] | slice] = {}
        self._steps: dict[int, bool] = {}

    def steps(self, width: int) -> bool:
        """Whether lanes are whole multiples of a width apart."""
        if width not in self._steps:
            self._steps[width] = not ((self.index - self.low) % width).any()
        return self._steps[width]

    def places(
        self, array: int, base: NDArray[np.intp] | None, mask: Active, width: int = 1
    ) -> NDArray[np.int64] | slice:
        """Return how far from the lowest lane's element the others' are in an array, whose copies begin at `base`.

        It is a slice where what the lanes touch lies one after another; otherwise, with a `width`, a row a lane.
        """
        key = array, width
        if key not in self._places:
            if base is not None and mask is not None:
                base = mask.base(array, base)
            at = self.index - self.low + (0 if base is None else base)
            first, last = int(at[0]), int(at[-1])
            row = last - first == (len(at) - 1) * width and bool((at[1:] - at[:-1] == width).all())
            spread = at[:, np.newaxis] + np.arange(width) if width > 1 and not row else at
            self._places[key] = slice(first, last + width) if row else spread
        return self._places[key]


class Strided(NamedTuple):
    """An index of the active lanes: a pattern, and a number that is added everywhere; `whole` is all lanes' pattern."""

    pattern: Pattern
    shift: int
    whole: Pattern

    @property
    def vector(self) -> NDArray[np.int64]:
        """The index itself, of all lanes."""
        return self.whole.index + self.shift

    def moved(self, distance: int) -> Strided:
        """Return the index of elements further on."""
        return self._replace(shift=self.shift + distance)
