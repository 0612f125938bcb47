"""Growable arrays: one block of memory for each column, so that nothing is copied when the run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_FIRST: Final = 1 << 14
"""Items that a new column has room for."""


class Column:
    """A vector that is written from front to back."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._data: NDArray[Any] = np.empty(_FIRST, dtype)
        self.length = 0

    def room(self, count: int) -> NDArray[Any]:
        """Make the column longer by so many items; returns the part to be filled, valid until the next call."""
        end = self.length + count
        if end > len(self._data):
            # Only for a moment does anybody else see the memory, so it may move.
            self._data.resize(max(end, len(self._data) * 5 // 4), refcheck=False)
        part = self._data[self.length : end]
        self.length = end
        return part

    def widen(self, dtype: DTypeLike) -> None:
        """Change the type of what is there and of what follows."""
        if self._data.dtype != dtype:
            self._data = self._data[: self.length].astype(dtype)

    def finished(self) -> NDArray[Any]:
        """Return the column, which then grows no more."""
        self._data.resize(self.length, refcheck=False)
        return self._data
