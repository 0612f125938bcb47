"""Uninitialised reads, unless a data race explains them.

Where another thread writes the element and nothing orders the write and the read, the race is reported, and the read
is not: another schedule may well write the element first. A read stays a mistake where every write of the element is
ordered after it, or where there is none. Example: thread 0 writes `tile[0]`, thread 1 reads it, and no barrier
separates them. The order of the two decides whether thread 1 finds a value: a race. If all threads read `tile[0]`
and only then, after a `__syncthreads()`, thread 0 writes it, no schedule gives the reads a value: an uninitialised
read.
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
    """A read of elements without a value that is judged with the next barrier; `clock` is its time."""

    clock: int
    read: UninitialisedRead

    def chosen(self, keep: NDArray[Any]) -> PendingRead:
        """Return some of the lanes."""
        read = self.read
        return PendingRead(self.clock, read._replace(lanes=read.lanes[keep], elements=read.elements[keep]))


def unexplained(
    found: list[PendingRead],
    notes: list[Note],
    layout: Layout,
    threads: Threads,
    unordered: Unordered | None,
    *,
    blocks: bool,
) -> list[PendingRead]:
    """Return the reads that no race explains: no other thread (`blocks`: of another block) has an unordered write."""
    writes = [note for note in notes if note.access != "read"]
    if not writes or not found:
        return found
    parts = [layout.part(note) for note in writes]
    at = np.concatenate([part.at for part in parts])
    lane = np.concatenate([part.lanes for part in parts])
    clock = np.repeat([part.note.clock for part in parts], [len(part.at) for part in parts])
    order = np.argsort(at, kind="stable")
    plain = np.repeat([part.note.access == "write" for part in parts], [len(part.at) for part in parts])
    at, lane, clock, plain = at[order], lane[order], clock[order], plain[order]
    left = []
    for one in found:
        wanted = layout.located(one.read.lanes, one.read.elements)
        first, last = np.searchsorted(at, wanted), np.searchsorted(at, wanted, side="right")
        reader = np.repeat(np.arange(len(wanted)), last - first)
        writer = np.arange(len(reader)) - np.repeat(np.cumsum(last - first) - last, last - first)
        mine, theirs = one.read.lanes[reader], lane[writer]
        same_block = threads.block_of(mine) == threads.block_of(theirs)
        racy = ~same_block if blocks else same_block & (mine != theirs)
        if one.read.access == "atomic":
            racy &= plain[writer]
        if unordered is not None:
            asked = np.flatnonzero(racy)
            mine, theirs = mine[asked], theirs[asked]
            here, there = np.full(len(asked), one.clock), clock[writer][asked]
            begun = there < here  # the write of a copy in flight was announced before the read
            racy[asked] = unordered(
                np.where(begun, theirs, mine),
                np.minimum(here, there),
                np.where(begun, mine, theirs),
                np.maximum(here, there),
            )
        keep = np.ones(len(wanted), bool)
        keep[reader[racy]] = False
        if keep.any():
            left.append(one.chosen(keep))
    return left
