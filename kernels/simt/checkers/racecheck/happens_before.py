"""Happens-before: the order of accesses that the events between them establish.

For each access in question the set of lanes that are ordered after it is propagated from event to event: at a barrier
every participant takes over the sets of all participants; a fence makes what a thread knows releasable; an atomic
carries what is releasable to the threads whose atomics touch the same element later (PTX ISA, "Memory Consistency
Model": release and acquire patterns, causality order).

Example: thread 0 of block 0 runs `data = 1; __threadfence(); atomicExch(&flag, 1);`, thread 0 of block 1 reads the flag
with an atomic, and then `data`.

    event                        lanes that are ordered after the write of `data`
    (the write itself)           {block 0's thread 0}
    fence by block 0's thread    the same; the write is releasable
    atomic on flag, block 0      the same; element `flag` carries the write
    atomic on flag, block 1      {block 0's thread 0, block 1's thread 0}

The read of `data` by block 1 follows, so the two are ordered. Without the fence nothing is releasable: a race.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Threads

    Element = tuple[int, int]
    """Array, and index over all its copies."""

EventKind = Literal["block", "warp", "party", "arrive", "wait", "fence", "block-fence", "atomic"]

PARTIAL: Final[tuple[EventKind, ...]] = ("party", "arrive", "wait")
"""Kinds that order lanes of different warps of a block."""


class Event(NamedTuple):
    """An event that orders accesses."""

    clock: int
    """Position among the accesses and events of the run."""
    kind: EventKind
    lanes: NDArray[np.int32]
    """The lanes that take part."""
    array: int = -1
    """For an atomic: the array's number."""
    at: NDArray[np.int64] | None = None
    """For each lane. An atomic: the element that it touches, over all copies of the array. A warp barrier: its mask;
    only lanes with equal masks wait for each other (None: all of a warp do). A party: the number of its barrier. An
    arrival or a wait: the number of the phase; those who wait are ordered after those who arrive."""
    block_scope: bool = False
    """The atomic is atomic, and ordered, for the threads of its block only."""
    acquires_at_fence: bool = False
    """The atomic acquires with the next fence of its thread, not at once (a relaxed load, atomicCAS)."""
    locks: bool = False
    """The atomic may take a lock."""
    loads: bool = False
    """The atomic changes nothing, so no later atomic is ordered after it."""

    @property
    def elements(self) -> list[int]:
        """Elements that the lanes' atomics meet."""
        return [] if self.at is None else self.at.tolist()


class Pairs(NamedTuple):
    """Pairs of accesses, the earlier first."""

    first: NDArray[Any]
    """Lanes of the first accesses."""
    since: NDArray[np.intp]
    """Events before each first access."""
    second: NDArray[Any]
    until: NDArray[np.intp]
    atomic: NDArray[np.bool_]
    """First accesses that are themselves an event: an atomic."""

    def select(self, keep: NDArray[Any]) -> Pairs:
        """Return some of the pairs."""
        return Pairs(*(part[keep] for part in self))


@dataclass(frozen=True, slots=True)
class LaneClasses:
    """Equivalence classes of lanes: those of a class are always ordered after the same accesses."""

    lanes: NDArray[np.int64]
    """All lanes concerned, ascending."""
    number: NDArray[np.int64]
    """The class of each of them."""
    block: NDArray[np.int64]
    """The block of each class."""
    warp: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.block)

    @classmethod
    def singletons(cls, threads: Threads, lanes: NDArray[np.int64]) -> LaneClasses:
        """Return a class for every lane."""
        return cls(lanes, np.arange(len(lanes)), threads.block_of(lanes), threads.warp_of(lanes))

    @classmethod
    def equivalent(cls, threads: Threads, lanes: NDArray[np.int64], events: list[Event]) -> LaneClasses:
        """Return a class for the lanes of a block that take part in the same fences and in no other event alone.

        They are ordered after different accesses between two barriers only, and no other block can observe that before
        the next barrier makes them equal. Example: in a block of 256 threads all execute a fence, and thread 0 an
        atomic: 2 classes instead of 256.
        """
        # A random number for each event; lanes with equal sums took part in the same events (but for a probability of
        # 2^-63 for each pair). Lanes of other events get a unique number.
        random = np.random.default_rng(0)
        signature = np.zeros(len(lanes), np.uint64)
        alone = np.zeros(len(lanes), bool)
        for event in events:
            if event.kind in ("atomic", "warp", *PARTIAL):
                alone |= np.isin(lanes, event.lanes)
            elif event.kind != "block":
                signature[np.isin(lanes, event.lanes)] += random.integers(1 << 63, dtype=np.uint64)
        signature[alone] = lanes[alone].astype(np.uint64) | np.uint64(1 << 63)
        block = threads.block_of(lanes)
        order = np.lexsort((signature, block))
        new = np.r_[True, (np.diff(block[order]) != 0) | (signature[order][1:] != signature[order][:-1])]
        number = np.empty(len(lanes), np.int64)
        number[order] = np.cumsum(new) - 1
        heads = lanes[order[new]]
        return cls(lanes, number, threads.block_of(heads), threads.warp_of(heads))

    def of(self, lanes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the class of each lane."""
        return self.number[np.searchsorted(self.lanes, lanes)]

    def among(self, lanes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the classes of lanes, ascending; lanes that are not concerned are left out."""
        return np.unique(self.number[np.isin(self.lanes, lanes)])


class LockCoverage:
    """Accesses that a lock does not protect: those between the atomicCAS that takes it and the next fence.

    Nothing orders such an access after the atomicCAS, so it may conflict with those of the lock's previous and next
    owners. Which order it had in this run is chance, so releasing the lock must not carry these accesses. Example:

        while (atomicCAS(&lock, 0, 1)) ;
        n += 1;                             unprotected: no fence since the atomicCAS
        __threadfence();
        m += 1;                             protected
        __threadfence();  atomicExch(&lock, 0);

    State is stored twice: for fences of the device (True), and for those of the device or a block (False).
    """

    def __init__(self, classes: LaneClasses) -> None:
        self._classes = classes
        self._open: dict[bool, dict[int, frozenset[Element]]] = {True: {}, False: {}}
        """By class: the locks that it has touched since its last fence."""
        self._columns: dict[bool, dict[Element, list[int]]] = {True: {}, False: {}}
        """By lock: the accesses made meanwhile."""

    def apply(self, event: Event) -> None:
        """Update the open locks by an atomic that locks, a fence, or a barrier of a block or of a part of one."""
        if event.kind == "atomic" and event.locks:
            here = np.isin(event.lanes, self._classes.lanes)
            rows = self._classes.of(event.lanes[here]).tolist()
            elements = np.array(event.elements)[here].tolist()
            for row, at in zip(rows, elements, strict=True):
                for opened in self._open.values():
                    opened[row] = opened.get(row, frozenset()) | {(event.array, at)}
        elif event.kind in ("fence", "block-fence") and any(self._open.values()):
            rows = self._classes.among(event.lanes).tolist()
            for device_scope, opened in self._open.items():
                for row in rows if event.kind == "fence" or not device_scope else ():
                    opened.pop(row, None)
        elif event.kind == "block" and any(self._open.values()):
            self._share(self._classes.among(event.lanes))
        elif event.kind == "party" and event.at is not None and any(self._open.values()):
            for party in np.unique(event.at):
                self._share(self._classes.among(event.lanes[event.at == party]))

    def add(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Add accesses that classes make now."""
        for device_scope, opened in self._open.items():
            if opened:
                for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
                    for element in opened.get(row, ()):
                        self._columns[device_scope].setdefault(element, []).append(column)

    def of(self, element: Element, *, device_scope: bool) -> list[int]:
        """Return the columns of the accesses that a lock does not protect."""
        return self._columns[device_scope].get(element, [])

    def _share(self, rows: Iterable[int]) -> None:
        """Share a lock that one thread has acquired with all threads of its block that pass the same barrier."""
        block = self._classes.block
        for opened in self._open.values():
            for owner in {int(block[row]) for row in opened}:
                members = [row for row in rows if block[row] == owner]
                locks = frozenset[tuple[int, int]]().union(*(opened.get(row, ()) for row in members))
                if locks:
                    opened.update(dict.fromkeys(members, locks))


class Propagation:
    """A table of lane classes × accesses, to which events are applied in order."""

    def __init__(
        self,
        threads: Threads,
        classes: LaneClasses,
        source: NDArray[np.int64],
        since: NDArray[np.int64],
        column: NDArray[np.int64],
        atomic: NDArray[np.bool_],
        *,
        local: bool,
    ) -> None:
        """Begin with no access.

        Parameters
        ----------
        source, since, column, atomic : vectors
            For each access: the class that makes it, the number of events before, its column in the table, and whether
            it is itself an event.
        local : bool
            Whether all accesses are of one block's own pairs, so that columns are numbered for each block (or warp)
            separately, and elements carry accesses only within a block.
        """
        self._threads = threads
        self._classes = classes
        self._source = source
        self._since = since
        self._column = column
        self._atomic = atomic
        self._local = local
        self._known = np.zeros((classes.count, int(column.max()) + 1), bool)
        """Accesses that are ordered before the next access of each class."""
        self._releasable = {True: np.zeros(0, bool), False: np.zeros(0, bool)}
        """The part of `_known` that precedes a fence of the device (True), or of the block (False); allocated, as the
        next table, at the first fence. Most kernels have none."""
        self._acquired = {True: np.zeros(0, bool), False: np.zeros(0, bool)}
        """Accesses that become known with the next fence that reaches as device_scope."""
        self._carried: dict[tuple[Any, ...], NDArray[np.bool_]] = {}
        """By element or phase: the accesses that were released there."""
        self._observed: dict[tuple[Any, ...], NDArray[np.bool_]] = {}
        """By element: the atomics in question that have changed it."""
        self._locks = LockCoverage(classes)

    def are_ordered_after(self, lanes: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each lane is ordered after the access in a column."""
        known: NDArray[np.bool_] = self._known[self._classes.of(lanes), columns]
        return known

    def replay_locks(self, events: list[Event]) -> None:
        """Apply the locks and fences among events that are older than every access."""
        if any(event.locks for event in events):
            for event in events:
                self._locks.apply(event)

    def apply(self, turn: int, event: Event) -> None:
        """Apply an event."""
        # Accesses are entered before the event that follows them: a fence or barrier covers all accesses of its thread
        # before it.
        begun = self._since == turn
        self._known[self._source[begun], self._column[begun]] = True
        self._locks.add(self._source[begun], self._column[begun])
        self._locks.apply(event)
        if event.kind == "block":
            # `__syncthreads()` also makes what any thread of the block has released, or may release, releasable by all:
            # fence by all, barrier, atomic by thread 0 is the pattern of the last block.
            blocks = np.unique(self._threads.block_of(event.lanes))
            rows = np.flatnonzero(np.isin(self._classes.block, blocks))
            for table in (self._known, *self._releasable.values()):
                _share(table, rows, self._classes.block[rows])
        elif event.kind == "atomic":
            self._pass_atomic(event, begun & self._atomic)
        elif event.kind == "warp":
            here = np.isin(event.lanes, self._classes.lanes)
            rows = self._classes.of(event.lanes[here])
            party = 0 if event.at is None else event.at[here]
            # `__syncwarp()` orders memory among participating lanes only, and is no fence for others (CUDA C++
            # Programming Guide, "Synchronization Functions"): the releasable sets stay.
            _share(self._known, rows, self._classes.warp[rows] * (1 << 32) + party)
        elif event.kind == "party":
            assert event.at is not None
            here = np.isin(event.lanes, self._classes.lanes)
            rows = self._classes.of(event.lanes[here])
            for table in (self._known, *self._releasable.values()):
                _share(table, rows, event.at[here])
        elif event.kind in ("arrive", "wait"):
            self._pass_phase(event)
        else:
            rows = self._classes.among(event.lanes)
            # First acquire, then release: what a relaxed atomic has read becomes known at this fence, and releasable by
            # it.
            for device, acquired in self._acquired.items():
                if acquired.size and (event.kind == "fence" or not device):
                    self._known[rows] |= acquired[rows]
            for device, table in self._releasable.items():
                # Both tables are allocated at the first fence of either scope.
                if not table.size:
                    table = self._releasable[device] = np.zeros_like(self._known)
                if event.kind == "fence" or not device:
                    table[rows] |= self._known[rows]

    def _pass_phase(self, event: Event) -> None:
        """Carry what arriving lanes know with their phases, and pass it to the lanes that have waited for the end."""
        assert event.at is not None
        here = np.isin(event.lanes, self._classes.lanes)
        rows, phases = self._classes.of(event.lanes[here]), event.at[here]
        for name, table in (("known", self._known), *self._releasable.items()):
            for phase in np.unique(phases).tolist() if table.size else ():
                mine = rows[phases == phase]
                carried = self._carried.get(("phase", name, phase))
                if event.kind == "arrive":
                    now = np.logical_or.reduce(table[mine], axis=0)
                    self._carried["phase", name, phase] = now if carried is None else carried | now
                elif carried is not None:
                    table[mine] |= carried

    def _pass_atomic(self, event: Event, begun: NDArray[np.bool_]) -> None:
        """Apply an atomic, lane by lane in lane order: acquire what the element carries, then release.

        An element carries what threads with a fence have released, and the earlier atomics on it themselves: they are
        ordered before this one, with or without a fence. `begun` marks the accesses that are the event itself.
        """
        by_device, by_block = self._releasable[True], self._releasable[False]
        if not (by_block.size or self._observed or begun.any()):
            return
        here = np.flatnonzero(np.isin(event.lanes, self._classes.lanes))
        rows = self._classes.of(event.lanes[here])
        can_release = np.logical_or.reduce(by_block[rows], axis=1) if by_block.size else np.zeros(len(rows), bool)
        owners = self._threads.block_of(event.lanes[here]).tolist()
        elements = np.array(event.elements)[here].tolist()
        # A load is ordered after earlier changes, but nothing is ordered after a load.
        itself: dict[int, list[int]] = {}
        for row, column in zip(self._source[begun].tolist(), self._column[begun].tolist(), strict=True):
            itself.setdefault(row, []).extend([] if event.loads else [column])
        for device_scope in (True, False) if event.acquires_at_fence and by_block.size else ():
            if not self._acquired[device_scope].size:
                self._acquired[device_scope] = np.zeros_like(self._known)
        for row, owner, at, releases in zip(rows.tolist(), owners, elements, can_release.tolist(), strict=True):
            # Fences of the device release to all threads; fences of a block, and atomics of block scope, to the block.
            everywhere = (event.array, at, owner) if self._local else (event.array, at)
            reach = ((True, everywhere, by_device), (False, (event.array, at, owner, "block"), by_block))
            reached = reach[1:] if event.block_scope else reach
            self._pass_earlier_atomics(row, [key for _, key, _ in reached], itself.get(row))
            for device_scope, key, table in reached:
                carried = self._carried.get(key)
                if carried is not None:
                    (self._acquired[device_scope] if event.acquires_at_fence else self._known)[row] |= carried
                if releases and table[row].any():
                    released = table[row].copy()
                    # Releasing a lock does not carry accesses that the lock does not protect (`LockCoverage`).
                    released[self._locks.of((event.array, at), device_scope=device_scope)] = False
                    self._carried[key] = released if carried is None else carried | released

    def _pass_earlier_atomics(self, row: int, keys: list[tuple[Any, ...]], itself: list[int] | None) -> None:
        """Order a class after the earlier atomics on an element, and add its own to them."""
        earlier = [atomics for key in keys if (atomics := self._observed.get(key)) is not None]
        if not earlier and not itself:
            return
        now = np.logical_or.reduce(earlier, axis=0) if earlier else np.zeros(self._known.shape[1], bool)
        self._known[row] |= now
        if itself:
            now[itself] = True
        self._observed.update(dict.fromkeys(keys, now))


def _share(table: NDArray[np.bool_], rows: NDArray[np.intp], owner: NDArray[Any]) -> None:
    """Replace the rows of each owner by their union."""
    if not len(rows) or not table.size:
        return
    # One reduction over the rows sorted by owner, instead of a loop over thousands of warps.
    order = np.argsort(owner, kind="stable")
    rows, owner = rows[order], owner[order]
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    joined = np.logical_or.reduceat(table[rows], starts, axis=0)
    table[rows] = np.repeat(joined, np.diff(np.r_[starts, len(rows)]), axis=0)
