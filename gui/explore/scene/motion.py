"""Motion between two scenes: what moves from which cell to which, and when. No Qt.

A value that a step copies keeps its identity: it leaves the element or the thread that held it and arrives where the
step stores it. Nothing here is new information: everything that moves is an access of the later scene, and its
target shows the earlier scene until it arrives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.roles import ACTIVE, ZERO_FILL
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gui.explore.scene.scene import Access, Flow, Scene

Kind = Literal["load", "read", "store", "fill", "arrive", "leave"]
"""A copy into shared memory, a read into a register, a store of a register, a zero stored without a read, the arrival
of a thread at a barrier, and its departure."""

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
    if after.barrier and same:
        yield _at_barrier("arrive", after)
    if before.barrier and same and not after.barrier:
        yield _at_barrier("leave", before)
    copies = [(flow, _read_now(after, flow)) for flow in after.flows]
    stores = [access for access in after.accesses if access.writes]
    reads = [(access, _without(access, copies, source=True)) for access in after.accesses if not access.writes]
    # Where a step reads into registers and stores, the values first arrive and then leave.
    both = any(rest.any() for _, rest in reads) and bool(stores)
    for flow, direct in copies:
        held = _found(before, after, flow.source_view, same)
        yield _moves("load", after, flow.lanes, flow, direct, held)
        here = _Ends(flow.target_view, flow.target, flow.target_view, flow.target)
        yield _moves("fill", after, flow.lanes, here, flow.zero, _left(after, flow.target_view))
    for access, rest in reads:
        inward = _Ends(access.view, access.cells, None, access.cells)
        held = _found(before, after, access.view, same)
        yield _moves("read", after, access.lanes, inward, rest, held, leg=0 if both else None)
    for access in stores:
        outward = _Ends(None, access.cells, access.view, access.cells)
        rest = _without(access, copies, source=False)
        yield _moves("store", after, access.lanes, outward, rest, _left(after, access.view), leg=1 if both else None)


@dataclass(frozen=True, slots=True)
class _Contents:
    """Values of a view, and a mask of those that are known."""

    values: NDArray[np.generic]
    known: NDArray[np.bool_]


def _left(after: Scene, view: int) -> _Contents:
    """Return the contents that a step leaves."""
    return _Contents(after.cells[view].values, after.cells[view].written)


def _found(before: Scene, after: Scene, view: int, same: bool) -> _Contents:
    """Return the contents that a step finds: those that it leaves, except where it writes.

    What it overwrites is known only if the scene before is that of the step before: where one warp is played, the
    others may have written between two frames.
    """
    old, new = before.cells[view], after.cells[view]
    wrote = new.wrote[: new.values.shape[0], : new.values.shape[1]]
    if same and after.step == before.step + 1 and old.owner == new.owner:
        return _Contents(np.where(wrote, old.values, new.values), np.where(wrote, old.written, new.written))
    return _Contents(new.values, new.written & ~wrote)


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Where accesses start and end, in the form of a `Flow`."""

    source_view: int | None
    source: NDArray[np.integer]
    target_view: int | None
    target: NDArray[np.integer]


def _moves(
    kind: Kind,
    after: Scene,
    lanes: NDArray[np.integer],
    ends: _Ends | Flow,
    which: NDArray[np.bool_],
    held: _Contents,
    leg: int | None = None,
) -> Flights:
    """Return the flights of some entries; `held` has the values, and a `leg` is one half of the time."""
    threads = lanes[which].astype(np.int64) - after.threads.first_lane
    start, end = ends.source[which].astype(np.int64), ends.target[which].astype(np.int64)
    at = (start if ends.source_view is not None else end).copy()
    inside = np.all((at >= 0) & (at < held.values.shape), axis=1)
    at[~inside] = 0
    known = inside & held.known[at[:, 0], at[:, 1]]
    if ends.source_view is None and len(end):
        # Where several threads store to one element, such as by an atomic addition, it holds no single one's value.
        _, first, count = np.unique(end, axis=0, return_inverse=True, return_counts=True)
        known &= count[first.reshape(-1)] == 1
    share, late = (1.0, 0.0) if leg is None else (0.5, 0.5 * leg)
    last_warp = (len(after.threads.role) - 1) // WARP_SIZE
    stagger = share * _STAGGER if last_warp else 0.0
    begin, travel = late + stagger * (threads // WARP_SIZE) / max(1, last_warp), share - stagger
    values = held.values[at[:, 0], at[:, 1]]
    return Flights(kind, threads, ends.source_view, start, ends.target_view, end, values, known, begin, travel)


def _at_barrier(kind: Kind, scene: Scene) -> Flights:
    """Return the threads that arrive at a barrier, one after the other, or that leave it, all together."""
    threads = np.flatnonzero(np.isin(scene.threads.role, (ACTIVE, ZERO_FILL)))
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


def _without(access: Access, copies: list[tuple[Flow, NDArray[np.bool_]]], *, source: bool) -> NDArray[np.bool_]:
    """Return which entries of an access are not one end of a copy that reads now, nor a zero without a read."""
    rest = np.ones(len(access.lanes), bool)
    for flow, now in copies:
        if (flow.source_view if source else flow.target_view) == access.view:
            rest &= ~np.isin(access.lanes, flow.lanes[now | flow.zero])
    return rest
