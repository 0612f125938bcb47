"""Arrivals at numbered barriers at which some threads arrive and go on, as producers do (PTX ISA, "barrier.arrive")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Arrivals:
    """How many threads have come to each barrier of each block, by its key, and which phase it is in."""

    def __init__(self) -> None:
        self._come: dict[int, int] = {}
        self._phase: dict[int, int] = {}

    def arrive(self, keys: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let threads come; returns the phase that each comes in, which ends with the last one missing."""
        phases = self.phases(keys)
        for key, first, count in zip(*np.unique(keys, return_index=True, return_counts=True), strict=True):
            come = self._come.get(key, 0) + int(count)
            over = come >= sizes[first]
            self._come[key] = come - int(sizes[first]) * over
            self._phase[key] = self._phase.get(key, 0) + over
        return phases

    def phases(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the phases that barriers are in."""
        return np.array([self._phase.get(key, 0) for key in keys.tolist()], np.int64)
