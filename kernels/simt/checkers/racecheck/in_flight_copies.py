"""Asynchronous copies in flight: issued, and not known to have completed.

The write of such a copy may happen at any time until the thread waits for it (CUDA C++ Programming Guide, "Asynchronous
Data Copies"), so it is pending again after every barrier. Example: `cp.async s[t] ← A[t]`, `__syncthreads()`, `x =
s[t ^ 1]`, and only then a wait. The barrier does not order the copies, so the read races with the copy of thread t ^ 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Note, Threads


class InFlightCopies:
    """Writes that were announced, and reads that have begun, and have not completed, in the order of announcement."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._notes: list[Note] = []
        self._open: set[int] = set()
        """Sites of the announcements."""

    def issue(self, note: Note) -> None:
        """Add an announced write, or a read that has begun."""
        self._notes.append(note)
        self._open.add(note.site)

    def complete(self, note: Note) -> None:
        """Remove what an access completes: for each of its lanes the earliest announcement at its site and elements."""
        if not self._notes or note.site not in self._open:
            return
        left: list[Note] = []
        write = note
        for issued in self._notes:
            if issued.site != note.site or not len(write.lanes):
                left.append(issued)
                continue
            mine, theirs = _same_lanes_and_elements(issued, write)
            # Two copies of one site to the same element (a loop with two buffers) complete in the order of issue: each
            # write removes the first announcement that matches.
            write = write.select(~theirs)
            if not mine.all():
                left.append(issued.select(~mine))
        self._notes = left
        self._open = {each.site for each in left}

    def in_blocks_of(self, lanes: NDArray[np.int32] | None) -> Iterator[Note]:
        """Yield the copies in flight in the blocks of some lanes (None, at the end of the blocks: nothing)."""
        if lanes is None or not self._notes:
            return
        blocks = np.unique(self._threads.block_of(lanes))
        for note in self._notes:
            here = np.isin(self._threads.block_of(note.lanes), blocks)
            if here.any():
                yield note if here.all() else note.select(here)


def _same_lanes_and_elements(one: Note, two: Note) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each note the lanes that touch the same elements in the other note."""
    if one.lanes is two.lanes:
        same = one.first == two.first
        return same, same
    _, first, second = np.intersect1d(one.lanes, two.lanes, assume_unique=True, return_indices=True)
    same = one.first[first] == two.first[second]
    mine, theirs = np.zeros(len(one.lanes), bool), np.zeros(len(two.lanes), bool)
    mine[first[same]] = theirs[second[same]] = True
    return mine, theirs
