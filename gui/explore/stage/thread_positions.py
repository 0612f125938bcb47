"""Positions of threads: the cell of the result that each thread computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.stage.affine_fit import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.explore.stage.views import View
    from kernels.analysis.syntax.bounds import Outside
    from kernels.trace import Trace

Cells = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.bool_]"]
"""Row, column, and whether both are known, lane by lane."""


@dataclass(frozen=True, slots=True, eq=False)
class ResultSequence:
    """Cells that lanes write one after another, a row for each write, sorted by lane, then step.

    With 2 lanes and `steps` = 10, writes of lane 0 in steps 3 and 7 and of lane 1 in step 3 have the keys 3, 7 and 13;
    `first` is [0, 2], `last` is [1, 2].
    """

    steps: int
    """Larger than every step."""
    key: NDArray[np.int64]
    """lane · `steps` + step of each write."""
    row: NDArray[np.int64]
    """Row of the cell of each write."""
    column: NDArray[np.int64]
    """Column of the cell of each write."""
    first: NDArray[np.int64]
    """First write of each lane."""
    last: NDArray[np.int64]
    """Last write of each lane; -1 for lanes that write nothing."""

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
class ThreadPositions:
    """Cell of the result that each lane computes."""

    row: NDArray[np.int64]
    """Row of the cell; of a lane with several results, of the first."""
    column: NDArray[np.int64]
    """Column of the cell."""
    known: NDArray[np.bool_]
    """False where the cell cannot be determined."""
    since: NDArray[np.int64]
    """Step in which the lane writes the cell; the number of steps if it never does."""
    affine: bool = False
    """True if one formula maps lanes to cells, so that most lanes that never write are known too."""
    sequence: ResultSequence | None = None
    """Cells of lanes that compute several results."""

    def knows_whole_blocks(self, threads: int) -> bool:
        """Return whether of each block, with this many threads, all cells are known, or none; of the first all."""
        known = self.known.reshape(-1, threads)
        return bool(known[0].all() and (known.all(axis=1) == known.any(axis=1)).all())

    def at(self, step: int, lanes: slice) -> Cells:
        """Return the cells of some lanes at a step."""
        if self.sequence is not None:
            return self.sequence.at(step, lanes)
        return self.row[lanes], self.column[lanes], self.known[lanes]

    def stored(self, step: int, lanes: slice) -> NDArray[np.bool_]:
        """Return which of some lanes have written their cell when a step is over."""
        if self.sequence is not None:
            return self.sequence.stored(step, lanes)
        return self.since[lanes] <= step


def find_positions(
    trace: Trace, view: View | None, coordinates: NDArray[np.float64], outside: Sequence[Outside] = ()
) -> ThreadPositions:
    """Find the lanes' positions: the first element that each writes to the result; for other lanes, the affine fit.

    `outside` are the writes to elements of the result that do not exist, in execution order. Their threads are beyond
    the edge, where the source's row and column lead, and not at the element that has the same address.

    A lane that executes the statement of its first write again, for another element, computes several results,
    one after another. One that stores its result a second time, by another statement, does not.
    """
    count = trace.launch.thread_count
    row, column, known = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, bool)
    since = np.full(count, trace.steps, np.int64)
    if view is None:
        return ThreadPositions(row, column, known, since)
    writes = trace.writes(view.array)
    lanes, first = np.unique(writes.lane, return_index=True)
    # Coordinates are fitted, not rows and columns of the picture: an index of a strip is affine, its row is not.
    axes = [np.zeros(count, np.int64) for _ in view.axes(writes.index[:0])]
    for axis, found in zip(axes, view.axes(writes.index[first]), strict=True):
        axis[lanes] = found
    known[lanes], since[lanes] = True, writes.step[first]
    for stray in reversed(outside):  # the first write of a lane is assigned last
        named = view.axes_outside(stray.elements)
        if named is None:
            continue
        use = (np.column_stack(view.place_of(named)) >= 0).all(axis=1) & (since[stray.lanes] >= stray.group.step)
        mine = stray.lanes[use]
        for axis, found in zip(axes, named, strict=True):
            axis[mine] = found[use]
        known[mine], since[mine] = True, stray.group.step
    row, column = _placed(view, axes, known)
    sequence = _result_sequence(trace, view, lanes, first, outside)
    if sequence is not None:
        return ThreadPositions(row, column, known, since, sequence=sequence)
    maps = [fit(coordinates[known], axis[known]) for axis in axes]
    if not all(maps):
        return ThreadPositions(row, column, known, since)
    wrote = known
    row, column = _placed(view, [found.at(coordinates) for found in maps if found is not None])
    # If only block 0 writes, its writes do not say where the threads of another block are.
    determined = np.logical_and.reduce([found.determines(coordinates) for found in maps if found is not None])
    known = (row >= 0) & (column >= 0) & determined
    if _shares_cells(trace, row * (column.max() + 1) + column, known, wrote):
        return ThreadPositions(row, column, wrote, since)
    return ThreadPositions(row, column, known, since, affine=True)


def stored_once(cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which cells are stored to once: of several threads that add to one, none stores the sum."""
    if not len(cells):
        return np.zeros(0, bool)
    _, place, count = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    once: NDArray[np.bool_] = count[place.reshape(-1)] == 1
    return once


def _shares_cells(trace: Trace, cell: NDArray[np.int64], known: NDArray[np.bool_], wrote: NDArray[np.bool_]) -> bool:
    """Return whether a lane that never writes would be on the cell that another one of its block writes.

    Then the result has no cell for it: in a reduction, thread 0 writes out[blockIdx.x], and the others write nothing.
    """
    key = np.arange(len(cell)) // trace.launch.block.count * (cell.max() + 1) + cell
    return bool(np.isin(key[known & ~wrote], key[wrote]).any())


def _placed(
    view: View, axes: list[NDArray[np.int64]], known: NDArray[np.bool_] | bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and column of coordinates; 0 where they are not known."""
    row, column = view.place_of(tuple(axes))
    return np.where(known, row, 0).astype(np.int64), np.where(known, column, 0).astype(np.int64)


def _result_sequence(
    trace: Trace,
    view: View,
    lanes: NDArray[np.integer],
    first: NDArray[np.integer],
    outside: Sequence[Outside],
) -> ResultSequence | None:
    """Return the itinerary of lanes that compute several results, or None if no lane does."""
    writes, count = trace.writes(view.array), trace.launch.thread_count
    statement = np.full(count, -1, np.int64)
    statement[lanes] = trace.step_statement[writes.step[first]]
    own = np.flatnonzero(trace.step_statement[writes.step] == statement[writes.lane])
    key = writes.lane[own].astype(np.int64) * (trace.steps + 1) + writes.step[own]
    key, kept = np.unique(key, return_index=True)  # of an access several elements wide, the first element
    owner, index = writes.lane[own[kept]], writes.index[own[kept]]
    # Storing the same element again (`C[i] += x` in a loop) is one result; another element is another result.
    moves = (np.diff(owner) == 0) & (np.diff(index) != 0)
    if not moves.any():
        return None
    begin, end = (np.searchsorted(owner, np.arange(count), side) for side in ("left", "right"))
    last = np.where(end > begin, end - 1, -1)
    row, column = (positions.astype(np.int64) for positions in view.cells(index))
    for found in outside:
        named, own_key = np.column_stack(view.cells_outside(found.elements)), found.lanes.astype(np.int64)
        own_key = own_key * (trace.steps + 1) + found.group.step
        at = np.minimum(np.searchsorted(key, own_key), len(key) - 1)
        use = (key[at] == own_key) & (named >= 0).all(axis=1)
        row[at[use]], column[at[use]] = named[use].T
    return ResultSequence(trace.steps + 1, key, row, column, begin, last)
