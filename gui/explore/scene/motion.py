"""Motion between two scenes: what moves from which cell to which, and when. No Qt.

A value that a step copies keeps its identity: it leaves the element or the thread that held it and arrives where the
step stores it. Nothing here is new information: everything that moves is an access of the later scene, and its
target shows the earlier scene until it arrives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.roles import ACTIVE, ZERO_FILL
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gui.explore.scene.scene import Access, Cells, Flow, Scene

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
    copies = [(flow, *_split(after, flow)) for flow in after.flows]
    loads = [(flow, direct) for flow, direct, _ in copies]
    reads = [a for a in after.accesses if not a.writes]
    stores = [a for a in after.accesses if a.writes]
    # Where a step reads into registers and stores, the values first arrive and then leave.
    read = [(access, _without(access, loads, source=True)) for access in reads]
    both = any(rest.any() for _, rest in read) and bool(stores)
    for flow, direct, filled in copies:
        yield _moves("load", after, flow.lanes[direct], flow, direct, _held(before, after, flow.source_view, same))
        cells = after.cells[flow.target_view]
        here = _Ends(flow.target_view, flow.target, flow.target_view, flow.target)
        yield _moves("fill", after, flow.lanes[filled], here, filled, cells)
    for access, rest in read:
        inward = _Ends(access.view, access.cells, None, access.cells)
        held = _held(before, after, access.view, same)
        yield _moves("read", after, access.lanes[rest], inward, rest, held, leg=0 if both else None)
    for access in stores:
        rest = _without(access, loads, source=False) & _without_zeros(access, after.flows)
        outward = _Ends(None, access.cells, access.view, access.cells)
        cells = after.cells[access.view]
        yield _moves("store", after, access.lanes[rest], outward, rest, cells, leg=1 if both else None)


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
    held: Cells,
    leg: int | None = None,
) -> Flights:
    """Return the flights of some entries; `held` has the values, and a `leg` is one half of the time."""
    threads = lanes.astype(np.int64) - after.threads.first_lane
    start, end = ends.source[which].astype(np.int64), ends.target[which].astype(np.int64)
    at = (start if ends.source_view is not None else end).copy()
    inside = np.all((at >= 0) & (at < held.values.shape), axis=1)
    at[~inside] = 0
    known = inside & held.written[at[:, 0], at[:, 1]]
    if ends.source_view is None and len(end):
        # Where several threads store to one element, such as by an atomic addition, it holds no single one's value.
        _, first, count = np.unique(end, axis=0, return_inverse=True, return_counts=True)
        known &= count[first.reshape(-1)] == 1
    if ends.source_view is None or ends.target_view is None:
        drawn = after.threads.visible[threads]
        threads, start, end, at, known = threads[drawn], start[drawn], end[drawn], at[drawn], known[drawn]
    share, late = (1.0, 0.0) if leg is None else (0.5, 0.5 * leg)
    last_warp = (len(after.threads.role) - 1) // WARP_SIZE
    stagger = share * _STAGGER if last_warp else 0.0
    begin, travel = late + stagger * (threads // WARP_SIZE) / max(1, last_warp), share - stagger
    values = held.values[at[:, 0], at[:, 1]]
    return Flights(kind, threads, ends.source_view, start, ends.target_view, end, values, known, begin, travel)


def _at_barrier(kind: Kind, scene: Scene) -> Flights:
    """Return the threads that arrive at a barrier, one after the other, or that leave it, all together."""
    threads = np.flatnonzero(np.isin(scene.threads.role, (ACTIVE, ZERO_FILL)) & scene.threads.visible)
    count = len(threads)
    begin = np.linspace(0.0, _STAGGER, count) if kind == "arrive" else np.zeros(count)
    none, nothing = np.zeros((count, 2), np.int64), np.zeros(count, np.float32)
    return Flights(kind, threads, None, none, None, none, nothing, np.zeros(count, bool), begin, 1.0 - _STAGGER)


def _held(before: Scene, after: Scene, view: int, same: bool) -> Cells:
    """Return the contents from which a step reads: those before it, unless they are another block's or thread's."""
    old, new = before.cells[view], after.cells[view]
    own = new.view.place in ("shared", "local")
    return old if old.values.shape == new.values.shape and (not own or (same and old.owner == new.owner)) else new


def _split(after: Scene, flow: Flow) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which copies read their source in this step, and which are zeros stored without a read.

    The others were read into a register in an earlier step: in this one they leave their threads.
    """
    read = [a.lanes for a in after.accesses if a.view == flow.source_view and not a.writes]
    direct = np.isin(flow.lanes, np.concatenate(read) if read else []) & ~flow.zero
    return direct, flow.zero


def _without(access: Access, loads: list[tuple[Flow, NDArray[np.bool_]]], *, source: bool) -> NDArray[np.bool_]:
    """Return which entries of an access are not one end of a direct copy."""
    rest = np.ones(len(access.lanes), bool)
    for flow, direct in loads:
        if (flow.source_view if source else flow.target_view) == access.view:
            rest &= ~np.isin(access.lanes, flow.lanes[direct])
    return rest


def _without_zeros(access: Access, flows: tuple[Flow, ...]) -> NDArray[np.bool_]:
    zeros = [flow.lanes[flow.zero] for flow in flows if flow.target_view == access.view]
    return ~np.isin(access.lanes, np.concatenate(zeros) if zeros else [])
