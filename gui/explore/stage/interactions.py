"""Interactions of threads in one step: values that lanes read from each other, and queues of atomic operations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.metrics.atomic_queues import atomic_queues
from kernels.analysis.values.shuffles import shuffles_at
from kernels.launch import WARP_SIZE
from kernels.narration.memory import adds_atomically
from kernels.trace import element_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.stage.stage import Stage
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class LaneReads:
    """Values that threads read from other lanes of their warp; entry i of each array is one read."""

    threads: NDArray[np.int64]
    """Numbers in the block of the threads that read."""
    sources: NDArray[np.int64]
    """Numbers of the threads that they read; threads that keep their own value are left out."""
    undefined: NDArray[np.bool_]
    """True where that thread takes no part, so that the value is undefined."""

    def of_warp(self, warp: int) -> LaneReads:
        """Return the reads of one warp (number in the block)."""
        own = self.threads // WARP_SIZE == warp
        return LaneReads(self.threads[own], self.sources[own], self.undefined[own])


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """Threads of the block that update one element atomically in this step; two at least."""

    view: int
    """Position in `Scene.cells`."""
    row: int
    column: int
    element: str
    """Name of the element."""
    threads: NDArray[np.int64]
    """Numbers in the block, in the order of the trace."""
    values: NDArray[np.generic]
    """Value of the element after the operation of each."""
    adds: bool
    """True if they add to it."""

    def of_warp(self, warp: int) -> Queue | None:
        """Return the queue of the threads of one warp (number in the block); None if it has less than two of them."""
        own = self.threads // WARP_SIZE == warp
        if np.count_nonzero(own) < 2:
            return None
        return replace(self, threads=self.threads[own], values=self.values[own])

    @property
    def words(self) -> str:
        """Say what the threads do: "5 threads add to C[0], one after another"."""
        return f"{len(self.threads)} threads {'add to' if self.adds else 'update'} {self.element}, one after another"


def queues(stage: Stage, step: int, block: int) -> tuple[Queue, ...]:
    """Return the queues of a step at elements that the picture shows, the longest first."""
    trace, found = stage.trace, []
    for queue in atomic_queues(trace, step, block):
        threads = queue.lanes.astype(np.int64) - block * trace.launch.block.count
        name = element_name(trace.arrays[queue.site.array], queue.index)
        for number in stage.views_of(queue.site)[:1]:
            row, column = stage.views[number].cells(np.array([queue.index], np.int64))
            if stage.views[number].has(row, column)[0]:
                adds = adds_atomically(trace, step)
                found.append(Queue(number, int(row[0]), int(column[0]), name, threads, queue.values, adds))
    return tuple(found)


def lane_reads(trace: Trace, step: int, block: int) -> LaneReads:
    """Return what the shuffles of a step move between the threads of a block, each pair of threads once."""
    found = [np.zeros((0, 3), np.int64)]
    for shuffle in shuffles_at(trace, step, block):
        pairs = np.column_stack([shuffle.lanes, shuffle.sources, shuffle.undefined]).astype(np.int64)
        found.append(pairs[shuffle.moves])
    threads, sources, undefined = np.unique(np.concatenate(found), axis=0).T
    first = block * trace.launch.block.count
    return LaneReads(threads - first, sources - first, undefined.astype(bool))
