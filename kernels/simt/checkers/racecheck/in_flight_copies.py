"""Writes of asynchronous copies that were issued and are not known to have completed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.checkers.racecheck.compaction import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Note, Threads


class Flights:
    """What is announced and has not landed, in the order in which it was."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._notes: list[Note] = []

    def begin(self, note: Note) -> None:
        """Keep an announced write."""
        self._notes.append(note)

    def land(self, note: Note) -> None:
        """Forget what a write has made true: the earliest announced by each of its lanes, at this place."""
        if not self._notes or note.access != "write":
            return
        left: list[Note] = []
        landing = note
        for one in self._notes:
            if one.site != note.site or not len(landing.lanes):
                left.append(one)
                continue
            mine, theirs = _common(one, landing)
            landing = cut(landing, ~theirs)
            if not mine.all():
                left.append(cut(one, ~mine))
        self._notes = left

    def of(self, lanes: NDArray[np.int32] | None) -> Iterator[Note]:
        """Yield what is under way in the blocks of these lanes (None: nothing, for all are done)."""
        if lanes is None or not self._notes:
            return
        blocks = np.unique(self._threads.block_of(lanes))
        for note in self._notes:
            here = np.isin(self._threads.block_of(note.lanes), blocks)
            if here.any():
                yield note if here.all() else cut(note, here)


def _common(one: Note, two: Note) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which lanes of each note touch, in the other one, the same elements."""
    if one.lanes is two.lanes:
        same = one.first == two.first
        return same, same
    _, first, second = np.intersect1d(one.lanes, two.lanes, assume_unique=True, return_indices=True)
    same = one.first[first] == two.first[second]
    mine, theirs = np.zeros(len(one.lanes), bool), np.zeros(len(two.lanes), bool)
    mine[first[same]] = theirs[second[same]] = True
    return mine, theirs
