"""Uninitialised reads, unless a data race explains them.

If another thread writes the element, and the write and the read are not ordered, the race is reported, and the read is
not: in another schedule the write may come first. The read is reported if every write of the element is ordered after
it, or if there is nread. Example: thread 0 writes `tile[0]`, thread 1 reads it, and no barrier
separates them: a race. If all threads read `tile[0]`, and thread 0 writes it after a `__syncthreads()`, the reads find
no value in any schedule: an uninitialised read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Layout, Note, Threads
    from kernels.simt.checkers.racecheck.pairs import Unordered
    from kernels.simt.machine.observer import UninitialisedRead


class PendingRead(NamedTuple):
    """A read of elements without a value, to be judged at the next barrier."""

    clock: int
    """Position among the accesses and events of the run."""
    read: UninitialisedRead

    def select(self, keep: NDArray[Any]) -> PendingRead:
        """Return some of the lanes."""
        read = self.read
        return PendingRead(self.clock, read._replace(lanes=read.lanes[keep], elements=read.elements[keep]))


def select_unexplained(
    reads: list[PendingRead],
    notes: list[Note],
    layout: Layout,
    threads: Threads,
    unordered: Unordered | None,
    *,
    blocks: bool,
) -> list[PendingRead]:
    """Return the reads that no race explains: no other thread (`blocks`: of another block) has an unordered write.

    `unordered` tests pairs of accesses; None if no event orders any, so that all writes of other threads are unordered.
    """
    writes = [note for note in notes if note.access != "read"]
    if not writes or not reads:
        return reads
    parts = [layout.part(note) for note in writes]
    at = np.concatenate([part.at for part in parts])
    lane = np.concatenate([part.lanes for part in parts])
    clock = np.repeat([part.note.clock for part in parts], [len(part.at) for part in parts])
    order = np.argsort(at, kind="stable")
    plain = np.repeat([part.note.access == "write" for part in parts], [len(part.at) for part in parts])
    at, lane, clock, plain = at[order], lane[order], clock[order], plain[order]
    left = []
    for read in reads:
        elements = layout.element_numbers(read.read.lanes, read.read.elements)
        first, last = np.searchsorted(at, elements), np.searchsorted(at, elements, side="right")
        reader = np.repeat(np.arange(len(elements)), last - first)
        writer = np.arange(len(reader)) - np.repeat(np.cumsum(last - first) - last, last - first)
        mine, theirs = read.read.lanes[reader], lane[writer]
        same_block = threads.block_of(mine) == threads.block_of(theirs)
        # A thread's own write is ordered with its read by program order.
        racy = ~same_block if blocks else same_block & (mine != theirs)
        # Two atomics do not race, so only a plain write explains the read of an atomic.
        if read.read.access == "atomic":
            racy &= plain[writer]
        if unordered is not None:
            candidates = np.flatnonzero(racy)
            mine, theirs = mine[candidates], theirs[candidates]
            here, there = np.full(len(candidates), read.clock), clock[writer][candidates]
            earlier = there < here  # only the write of a copy in flight: it was announced before the read
            racy[candidates] = unordered(
                np.where(earlier, theirs, mine),
                np.minimum(here, there),
                np.where(earlier, mine, theirs),
                np.maximum(here, there),
            )
        keep = np.ones(len(elements), bool)
        keep[reader[racy]] = False
        if keep.any():
            left.append(read.select(keep))
    return left
