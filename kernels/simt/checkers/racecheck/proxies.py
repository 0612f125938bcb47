"""Proxies: what threads store, and what the tensor cores of Hopper read by themselves.

`wgmma` reads shared memory through the async proxy, threads store through the generic one. A barrier does not order the
two: a `fence.proxy.async` must follow the store in the thread that has stored, or precede the read in the one that
reads (PTX ISA, "Proxies", "membar.proxy"). Example: all threads fill a tile, `__syncthreads()`, `wgmma` reads it: the
tensor core may find what lay there before.

Copies of `cp.async` count for neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt.machine.hazards import Place
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Note, Threads
    from kernels.simt.machine.hazards import Hazards
    from kernels.trace.records import ArrayInfo, Site


@dataclass(slots=True)
class _Unfenced:
    """A store and a read without a fence between them: those found first."""

    writer: int
    reader: int
    index: int
    step: int
    count: int


@dataclass(slots=True)
class _Stored:
    """The last store of each element in one block's copy of an array."""

    clock: NDArray[np.int64]
    """0 where no thread has stored."""
    lane: NDArray[np.int32]
    site: NDArray[np.int32]


class Proxies:
    """The stores of threads in shared memory, and their fences."""

    def __init__(self, threads: Threads, count: int) -> None:
        """Observe `count` threads."""
        self._threads = threads
        self._fenced = np.zeros(count, np.int64)
        """By lane: clock of the last fence."""
        self._stored: dict[tuple[int, int], _Stored] = {}
        """By array and block."""
        self._found: dict[tuple[int, int], _Unfenced] = {}
        """By sites of the store and of the read."""

    def fence(self, clock: int, lanes: NDArray[np.int32]) -> None:
        """Add a fence."""
        self._fenced[lanes] = clock

    def store(self, note: Note, array: int, info: ArrayInfo, *, copied: bool) -> None:
        """Add a store of threads, or of a copy, which needs no fence."""
        for block, here, at in self._by_block(note, info):
            stored = self._stored.get((array, block))
            if stored is None:
                clock, lane = np.zeros(info.size, np.int64), np.zeros(info.size, np.int32)
                stored = self._stored[array, block] = _Stored(clock, lane, lane.copy())
            stored.clock[at] = 0 if copied else note.clock
            stored.lane[at], stored.site[at] = note.lanes[here][:, None], note.site

    def read(self, note: Note, array: int, info: ArrayInfo) -> None:
        """Judge a read of the async proxy."""
        for block, here, at in self._by_block(note, info):
            stored = self._stored.get((array, block))
            if stored is None:
                continue
            readers = np.broadcast_to(note.lanes[here][:, None], at.shape)
            clock, lane = stored.clock[at], stored.lane[at]
            bad = (clock > 0) & (clock > self._fenced[lane]) & (clock > self._fenced[readers])
            if not bad.any():
                continue
            sites = stored.site[at]
            for site in np.unique(sites[bad]).tolist():
                mine = bad & (sites == site)
                first = tuple(int(axis[0]) for axis in np.nonzero(mine))
                new = _Unfenced(int(lane[first]), int(readers[first]), int(at[first]), note.step, int(mine.sum()))
                known = self._found.setdefault((site, note.site), new)
                if known is not new:
                    known.count += new.count

    def _by_block(self, note: Note, info: ArrayInfo) -> list[tuple[int, NDArray[np.bool_], NDArray[Any]]]:
        """Return for each block of the lanes: its number, its lanes, and the elements inside the array."""
        blocks = self._threads.block_of(note.lanes)
        at = note.first.astype(np.int64)[:, None] + np.arange(note.width)
        inside = (at[:, 0] >= 0) & (at[:, -1] < info.size)
        found = []
        for block in np.unique(blocks).tolist():
            here = (blocks == block) & inside
            if here.any():
                found.append((block, here, at[here]))
        return found

    def end_blocks(self) -> None:
        """Forget the stores of a batch of blocks that has ended."""
        self._stored.clear()

    def report(self, hazards: Hazards, sites: Sequence[Site], arrays: Sequence[ArrayInfo]) -> None:
        """Report what was found."""
        for (one, two), found in self._found.items():
            store, read = sites[one], sites[two]
            info = arrays[store.array]
            hazards.report(
                "async-race",
                Place(read.span, info.space, info.name),
                found.step,
                found.count,
                ((found.writer, store.span, "write"), (found.reader, read.span, "read")),
                lambda found=found, store=store, read=read, info=info: (  # type: ignore[misc]
                    f"{hazards.name(found.writer)} stores {element_name(info, found.index, flat=True)} in "
                    f"{store.span.where}, and the tensor core reads it in {read.span.where} without "
                    "fence.proxy.async between the two: let each thread execute fence.proxy.async after its stores, "
                    "before the barrier"
                ),
                found.index,
                store.span,
            )
