"""Positions of threads: the cell of the result that each thread computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.scene.affine_fit import fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.scene.views import View
    from kernels.trace import Trace

Cells = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.bool_]"]
"""Row, column, and whether both are known, lane by lane."""


@dataclass(frozen=True, slots=True, eq=False)
class Itinerary:
    """Cells that lanes write one after another, one row a write, sorted by lane, then step.

    `key` is lane · `steps` + step. `first` and `last` give each lane's rows, -1 where it writes nothing.
    """

    steps: int
    key: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def at(self, step: int, lanes: slice) -> Cells:
        """Return the cell that each lane writes next, or now, or else wrote last."""
        place, known = self._place(step, lanes), self.last[lanes] >= 0
        return np.where(known, self.row[place], 0), np.where(known, self.column[place], 0), known

    def stored(self, step: int, lanes: slice) -> NDArray[np.bool_]:
        """Return which lanes have written that cell when a step is over."""
        reached = self.key[self._place(step, lanes)] % self.steps <= step
        return reached & (self.last[lanes] >= 0)

    def _place(self, step: int, lanes: slice) -> NDArray[np.int64]:
        numbers = np.arange(lanes.start, lanes.stop, dtype=np.int64)
        place = np.searchsorted(self.key, numbers * self.steps + step)
        found: NDArray[np.int64] = np.minimum(np.maximum(place, self.first[lanes]), self.last[lanes])
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Homes:
    """Cell of the result that each lane computes; `known` is False where it cannot be determined.

    `affine` says that the mapping is one formula for all lanes, so that lanes that never write are known too.
    `since` is the step in which a lane writes there. Lanes that compute several results have an `itinerary`;
    row and column are those of its first.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    known: NDArray[np.bool_]
    since: NDArray[np.int64]
    affine: bool = False
    itinerary: Itinerary | None = None

    def at(self, step: int, lanes: slice) -> Cells:
        """Return the cells of some lanes at a step."""
        if self.itinerary is not None:
            return self.itinerary.at(step, lanes)
        return self.row[lanes], self.column[lanes], self.known[lanes]

    def stored(self, step: int, lanes: slice) -> NDArray[np.bool_]:
        """Return which of some lanes have written their cell when a step is over."""
        if self.itinerary is not None:
            return self.itinerary.stored(step, lanes)
        return self.since[lanes] <= step


def find_homes(trace: Trace, view: View | None, coordinates: NDArray[np.float64]) -> Homes:
    """Find the lanes' positions: the first element that each writes to the result; for other lanes, the affine fit.

    A lane that comes back to the statement of its first write with another element computes several results,
    one after another. One that stores its result a second time, by another statement, does not.
    """
    count = trace.launch.thread_count
    row, column, known = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, bool)
    since = np.full(count, trace.steps, np.int64)
    if view is None:
        return Homes(row, column, known, since)
    writes = trace.writes(view.array)
    lanes, first = np.unique(writes.lane, return_index=True)
    row[lanes], column[lanes] = view.cells(writes.index[first])
    known[lanes], since[lanes] = True, writes.step[first]
    itinerary = _itinerary(trace, view, lanes, first)
    if itinerary is not None:
        return Homes(row, column, known, since, itinerary=itinerary)
    maps = [fit(coordinates[lanes], positions[lanes]) for positions in (row, column)]
    if maps[0] is None or maps[1] is None:
        return Homes(row, column, known, since)
    row, column = maps[0].at(coordinates), maps[1].at(coordinates)
    return Homes(row, column, (row >= 0) & (column >= 0), since, affine=True)


def _itinerary(trace: Trace, view: View, lanes: NDArray[np.integer], first: NDArray[np.integer]) -> Itinerary | None:
    """Return the itinerary of lanes that compute several results, or None if no lane does."""
    writes, count = trace.writes(view.array), trace.launch.thread_count
    statement = np.full(count, -1, np.int64)
    statement[lanes] = trace.step_statement[writes.step[first]]
    own = np.flatnonzero(trace.step_statement[writes.step] == statement[writes.lane])
    key = writes.lane[own].astype(np.int64) * (trace.steps + 1) + writes.step[own]
    key, kept = np.unique(key, return_index=True)  # of an access several elements wide, the first
    owner, index = writes.lane[own[kept]], writes.index[own[kept]]
    moves = (np.diff(owner) == 0) & (np.diff(index) != 0)
    if not moves.any():
        return None
    begin, end = (np.searchsorted(owner, np.arange(count), side) for side in ("left", "right"))
    last = np.where(end > begin, end - 1, -1)
    row, column = (positions.astype(np.int64) for positions in view.cells(index))
    return Itinerary(trace.steps + 1, key, row, column, begin, last)
