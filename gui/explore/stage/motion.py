"""Motion between two scenes: what moves from which cell to which, and when. No Qt.

A value that a step copies keeps its identity: it leaves the element or the thread that held it and arrives where the
step stores it. Nothing here is new information: everything that moves is an access of the later scene, and its
target shows the earlier scene until it arrives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from gui.explore.stage.thread_positions import stored_once
from kernels.analysis.values.roles import ACTIVE, ZERO_FILL
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gui.explore.stage.scene import Access, Flow, Scene

Kind = Literal["load", "read", "store", "fill", "arrive", "leave"]
"""A copy into shared memory, a read into a register, a store of a register, a zero stored without a read, the arrival
of a thread at a barrier, and its departure."""

_LONGEST_QUEUE: Final = 8
"""Operations that follow each other without overlap in time; those of a longer queue overlap on their way."""

_STAGGER: Final = 0.4
"""Share of the time over which the starts are spread: warp after warp, at a barrier thread after thread."""


@dataclass(frozen=True, slots=True, eq=False)
class Flights:
    """Things that move alike; entry i of each array is one thing, which belongs to one thread."""

    kind: Kind
    threads: NDArray[np.int64]
    """Numbers of the threads in the block."""
    source: int | None
    """Position in `Scene.cells` of the view where they start; None if they start at their threads."""
    start: NDArray[np.int64]
    """(row, column) in the source; unused if they start at their threads."""
    target: int | None
    """Position in `Scene.cells` of the view where they end; None if they end at their threads."""
    end: NDArray[np.int64]
    """(row, column) in the target; unused if they end at their threads."""
    values: NDArray[np.generic]
    known: NDArray[np.bool_]
    """True if `values` holds the value that moves."""
    begin: NDArray[np.float64]
    """Time at which each starts; the motion lasts from 0 to 1."""
    travel: float
    """Time that each takes."""

    @property
    def at_threads(self) -> bool:
        """True if they start or end at their threads."""
        return self.source is None or self.target is None

    def only(self, which: NDArray[np.bool_]) -> Flights:
        """Return some of them."""
        parts = ("threads", "start", "end", "values", "known", "begin")
        return replace(self, **{name: getattr(self, name)[which] for name in parts})

    def progress(self, time: float) -> NDArray[np.float64]:
        """Return how far each has come at a time, from 0 to 1, eased at both ends."""
        linear = np.clip((time - self.begin) / self.travel, 0.0, 1.0)
        eased: NDArray[np.float64] = linear * linear * (3.0 - 2.0 * linear)
        return eased


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Everything that moves between two scenes."""

    flights: tuple[Flights, ...] = ()
    same_block: bool = True
    """True if both scenes show the same block, so that a target shows the earlier scene until something arrives."""


STILL: Final = Motion()
"""Nothing moves."""


def motion_between(before: Scene, after: Scene) -> Motion:
    """Return what moves when a scene follows another one; nothing if the later scene is not later in its block."""
    same = before.block == after.block
    if len(before.cells) != len(after.cells) or (same and after.step <= before.step):
        return STILL
    return Motion(tuple(f for f in _flights(before, after, same) if len(f.threads)), same)


def _flights(before: Scene, after: Scene, same: bool) -> Iterator[Flights]:
    if same and after.barrier:
        yield _at_barrier("arrive", np.flatnonzero(np.isin(after.threads.role, (ACTIVE, ZERO_FILL))))
    if same and before.barrier and before.arrived == before.block_dim.count and not after.barrier:
        yield _at_barrier("leave", np.arange(before.block_dim.count))
    copies = [(flow, _read_now(after, flow)) for flow in after.flows]
    rest = [access.only(_without(access, copies)) for access in after.accesses]
    # Where a step reads into registers and stores, the values first arrive and then leave.
    both = {access.writes for access in rest if len(access.lanes)} == {True, False}
    for flow, now in copies:
        yield _copied("load", after, flow, now)
        yield _copied("fill", after, flow, flow.zero)
    for access in rest:
        yield _queued(after, _accessed(after, access, int(access.writes) if both else None))


def _copied(kind: Kind, after: Scene, flow: Flow, which: NDArray[np.bool_]) -> Flights:
    """Return copies into shared memory; zeros start where they end, because they are read nowhere."""
    cells, end = after.cells[flow.target_view], flow.target[which].astype(np.int64)
    source, start = (flow.target_view, end) if kind == "fill" else (flow.source_view, flow.source[which])
    at = tuple(end.T)
    values, known = cells.values[at], cells.written[at] & stored_once(end)
    threads = flow.lanes[which].astype(np.int64) - after.threads.first_lane
    begin, travel = _times(after, threads, None)
    return Flights(kind, threads, source, start.astype(np.int64), flow.target_view, end, values, known, begin, travel)


def _accessed(after: Scene, access: Access, leg: int | None) -> Flights:
    """Return reads into registers, or stores of registers; a `leg` is the first or second half of the time."""
    threads, cells = access.lanes.astype(np.int64) - after.threads.first_lane, access.cells.astype(np.int64)
    begin, travel = _times(after, threads, leg)
    if access.writes:
        known = access.known & stored_once(cells)
        return Flights("store", threads, None, cells, access.view, cells, access.values, known, begin, travel)
    return Flights("read", threads, access.view, cells, None, cells, access.values, access.known, begin, travel)


def _queued(after: Scene, flights: Flights) -> Flights:
    """Let atomic operations on one element arrive one after another, each with the value that it leaves."""
    begin, values, known = flights.begin.copy(), flights.values.copy(), flights.known.copy()
    longest = max((len(queue.threads) for queue in after.queues if queue.view == flights.target), default=0)
    travel = flights.travel / max(1.0, min(longest, _LONGEST_QUEUE))
    for queue in after.queues:
        own = (flights.end == (queue.row, queue.column)).all(axis=1) & (queue.view == flights.target)
        rank = np.searchsorted(queue.threads, flights.threads[own])
        begin[own] += (flights.travel - travel) * rank / max(1, len(queue.threads) - 1)
        values[own], known[own] = queue.values[rank], True
    return replace(flights, begin=begin, values=values, known=known, travel=travel if longest else flights.travel)


def _times(after: Scene, threads: NDArray[np.int64], leg: int | None) -> tuple[NDArray[np.float64], float]:
    """Return when things of threads start, warp after warp, and how long each takes."""
    share, late = (1.0, 0.0) if leg is None else (0.5, 0.5 * leg)
    last_warp = (len(after.threads.role) - 1) // WARP_SIZE
    stagger = share * _STAGGER if last_warp else 0.0
    return late + stagger * (threads // WARP_SIZE) / max(1, last_warp), share - stagger


def _at_barrier(kind: Kind, threads: NDArray[np.int64]) -> Flights:
    """Return threads that arrive at a barrier, one after the other, or that leave it, all together."""
    count = len(threads)
    begin = np.linspace(0.0, _STAGGER, count) if kind == "arrive" else np.zeros(count)
    none, nothing = np.zeros((count, 2), np.int64), np.zeros(count, np.float32)
    return Flights(kind, threads, None, none, None, none, nothing, np.zeros(count, bool), begin, 1.0 - _STAGGER)


def _read_now(after: Scene, flow: Flow) -> NDArray[np.bool_]:
    """Return which copies read their source in this step.

    The others are zeros stored without a read, or were read into a register in an earlier step: those leave their
    threads in this one.
    """
    readers = [a.lanes for a in after.accesses if a.view == flow.source_view and not a.writes]
    now: NDArray[np.bool_] = np.isin(flow.lanes, np.concatenate(readers) if readers else []) & ~flow.zero
    return now


def _without(access: Access, copies: list[tuple[Flow, NDArray[np.bool_]]]) -> NDArray[np.bool_]:
    """Return which entries of an access are not one end of a copy that reads now, nor a zero without a read."""
    rest = np.ones(len(access.lanes), bool)
    for flow, now in copies:
        if (flow.target_view if access.writes else flow.source_view) == access.view:
            rest &= ~np.isin(access.lanes, flow.lanes[now | flow.zero])
    return rest
