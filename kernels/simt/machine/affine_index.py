"""Affine indices at run time: one vector shared by all accesses whose indices differ by a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.machine.affine import Coordinates
    from kernels.simt.machine.lanes import Active


class Pattern:
    """The coordinates' part of an index, one element for each active lane.

    Offsets into an array and alignment are computed once for each pattern, and then reused by every access.
    """

    __slots__ = ("_offsets", "_spacing", "coordinates", "high", "index", "lanes", "low")

    def __init__(self, coordinates: Coordinates, index: NDArray[np.int64], lanes: NDArray[np.int32]) -> None:
        self.coordinates = coordinates
        self.index = index
        self.lanes = lanes
        self.low = int(np.minimum.reduce(index))
        self.high = int(np.maximum.reduce(index))
        self._offsets: dict[tuple[int, int], NDArray[np.int64] | slice] = {}
        self._spacing: dict[int, bool] = {}

    def is_spaced_by(self, width: int) -> bool:
        """Return whether the distances between lanes are multiples of a width."""
        if width not in self._spacing:
            self._spacing[width] = not ((self.index - self.low) % width).any()
        return self._spacing[width]

    def offsets(
        self, array: int, base: NDArray[np.intp] | None, mask: Active, width: int = 1
    ) -> NDArray[np.int64] | slice:
        """Return each lane's offset from the lowest index in an array whose copies begin at `base`.

        A slice where the lanes touch consecutive elements, so that NumPy copies memory instead of gathering; otherwise
        a vector, for a `width` above 1 with a row for each lane.
        """
        key = array, width
        if key not in self._offsets:
            if base is not None and mask is not None:
                base = mask.base(array, base)
            at = self.index - self.low + (0 if base is None else base)
            first, last = int(at[0]), int(at[-1])
            # The extremes are compared first: for most patterns that are not consecutive this saves looking at all
            # lanes.
            row = last - first == (len(at) - 1) * width and bool((at[1:] - at[:-1] == width).all())
            spread = at[:, np.newaxis] + np.arange(width) if width > 1 and not row else at
            self._offsets[key] = slice(first, last + width) if row else spread
        return self._offsets[key]


class AffineIndex(NamedTuple):
    """An index of the active lanes, `pattern.index + shift`."""

    pattern: Pattern
    shift: int
    whole: Pattern
    """The pattern of all lanes of the group, active or not."""

    @property
    def vector(self) -> NDArray[np.int64]:
        """The index of all lanes of the group."""
        return self.whole.index + self.shift

    def plus(self, distance: int) -> AffineIndex:
        """Return the index plus a number of elements."""
        return self._replace(shift=self.shift + distance)
