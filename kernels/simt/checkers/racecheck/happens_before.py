"""Happens-before: which accesses are ordered before which, by the events between them.

For each access in question the set of lanes (`Knowers`) that are ordered after it is propagated from event to event:
at a barrier every participant learns what any participant knew; at a fence a thread marks what it knows as released;
an atomic hands what was released on to the threads whose atomics meet the same element later.

Example: thread 0 of block 0 runs `data = 1; __threadfence(); atomicExch(&flag, 1);`, thread 0 of block 1 reads the flag
with an atomic, and then `data`.

    event                        lanes that are ordered after the write of `data`
    (the write itself)           {block 0's thread 0}
    fence by block 0's thread    the same; the write is released
    atomic on flag, block 0      the same; element `flag` carries the write
    atomic on flag, block 1      {block 0's thread 0, block 1's thread 0}

The read of `data` by block 1 follows, so the two are ordered. Without the fence nothing is released: a race.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from kernels.simt.checkers.racecheck.lock_coverage import Bare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Threads

EventKind = Literal["block", "warp", "party", "arrive", "wait", "fence", "block-fence", "atomic"]

PARTIAL: Final[tuple[EventKind, ...]] = ("party", "arrive", "wait")
"""Kinds that order lanes of different warps of a block."""


class Event(NamedTuple):
    """Something that orders: when, what, and the lanes that took part.

    `array` and `at` name the element that each lane's atomic meets, over all copies of the array; for a warp's
    barrier `at` tells lanes apart that do not wait for each other (None: all of a warp do). A party are the threads
    of a block that meet at a barrier of their own: `at` says which. Who waits comes behind those who arrive at the
    same `at`, the phase of a barrier. A `narrow` atomic is one for the threads of its block only; a `late` one,
    as one that `locks` is, takes what others have handed on with the next fence of its thread; one that only `loads`
    is itself before nothing.
    """

    clock: int
    kind: EventKind
    lanes: NDArray[np.int32]
    array: int = -1
    at: NDArray[np.int64] | None = None
    narrow: bool = False
    late: bool = False
    locks: bool = False
    loads: bool = False

    @property
    def elements(self) -> list[int]:
        """Elements that the lanes' atomics meet."""
        return [] if self.at is None else self.at.tolist()


class Pairs(NamedTuple):
    """Pairs of accesses: lanes, and how many events had gone by before each; which first ones are `atomic`."""

    first: NDArray[Any]
    since: NDArray[np.intp]
    second: NDArray[Any]
    until: NDArray[np.intp]
    atomic: NDArray[np.bool_]

    def chosen(self, keep: NDArray[Any]) -> Pairs:
        """Return some of the pairs."""
        return Pairs(*(part[keep] for part in self))


@dataclass(frozen=True, slots=True)
class Knowers:
    """Who can know something: lanes, or several lanes of a block that always know the same.

    `lanes` is sorted, `number` says which knower each of them is, `block` and `warp` where each knower belongs.
    """

    lanes: NDArray[np.int64]
    number: NDArray[np.int64]
    block: NDArray[np.int64]
    warp: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of knowers."""
        return len(self.block)

    @classmethod
    def each(cls, threads: Threads, lanes: NDArray[np.int64]) -> Knowers:
        """Every lane on its own."""
        return cls(lanes, np.arange(len(lanes)), threads.block_of(lanes), threads.warp_of(lanes))

    @classmethod
    def alike(cls, threads: Threads, lanes: NDArray[np.int64], events: list[Event]) -> Knowers:
        """Lanes of a block that take part in the same fences, and in nothing else of their own, are one.

        They differ in what they know between two barriers only, and nobody outside their block hears of that
        before the next barrier has made them equal.
        """
        random = np.random.default_rng(0)
        sign = np.zeros(len(lanes), np.uint64)
        own = np.zeros(len(lanes), bool)
        for event in events:
            if event.kind in ("atomic", "warp", *PARTIAL):
                own |= np.isin(lanes, event.lanes)
            elif event.kind != "block":
                sign[np.isin(lanes, event.lanes)] += random.integers(1 << 63, dtype=np.uint64)
        sign[own] = lanes[own].astype(np.uint64) | np.uint64(1 << 63)
        block = threads.block_of(lanes)
        order = np.lexsort((sign, block))
        new = np.r_[True, (np.diff(block[order]) != 0) | (sign[order][1:] != sign[order][:-1])]
        number = np.empty(len(lanes), np.int64)
        number[order] = np.cumsum(new) - 1
        heads = lanes[order[new]]
        return cls(lanes, number, threads.block_of(heads), threads.warp_of(heads))

    def of(self, lanes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the knower that each lane is."""
        return self.number[np.searchsorted(self.lanes, lanes)]

    def among(self, lanes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the knowers among lanes of which some may be unknown, ascending."""
        return np.unique(self.number[np.isin(self.lanes, lanes)])


class Spread:
    """A table of knowers and accesses.

    `_known` is what came before a knower's next access; `_fenced` the part of it that an atomic hands on, to
    everyone (`True`) and to the own block; `_taken` what was handed on, by everyone and by the own block, to be
    known from the next fence that reaches as far. With `local` everyone means the own block. `atomic` are accesses
    that are the event of that turn: whose atomic meets the element later comes behind them (`_made`).
    """

    def __init__(
        self,
        threads: Threads,
        knowers: Knowers,
        source: NDArray[np.int64],
        since: NDArray[np.int64],
        column: NDArray[np.int64],
        atomic: NDArray[np.bool_],
        *,
        local: bool,
    ) -> None:
        self._threads = threads
        self._knowers = knowers
        self._source = source
        self._since = since
        self._column = column
        self._atomic = atomic
        self._local = local
        self._known = np.zeros((knowers.count, int(column.max()) + 1), bool)
        self._fenced = {True: np.zeros(0, bool), False: np.zeros(0, bool)}
        self._taken = {True: np.zeros(0, bool), False: np.zeros(0, bool)}
        self._given: dict[tuple[Any, ...], NDArray[np.bool_]] = {}
        self._made: dict[tuple[Any, ...], NDArray[np.bool_]] = {}
        self._bare = Bare(knowers)

    def knows(self, lanes: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which lanes know of which access."""
        known: NDArray[np.bool_] = self._known[self._knowers.of(lanes), columns]
        return known

    def before(self, events: list[Event]) -> None:
        """Let events take place that are older than every access."""
        if any(event.locks for event in events):
            for event in events:
                self._bare.see(event)

    def pass_on(self, turn: int, event: Event) -> None:
        """Let an event take place."""
        begun = self._since == turn
        self._known[self._source[begun], self._column[begun]] = True
        self._bare.begin(self._source[begun], self._column[begun])
        self._bare.see(event)
        if event.kind == "block":
            blocks = np.unique(self._threads.block_of(event.lanes))
            rows = np.flatnonzero(np.isin(self._knowers.block, blocks))
            for table in (self._known, *self._fenced.values()):
                _share(table, rows, self._knowers.block[rows])
        elif event.kind == "atomic":
            self._meet(event, begun & self._atomic)
        elif event.kind == "warp":
            here = np.isin(event.lanes, self._knowers.lanes)
            rows = self._knowers.of(event.lanes[here])
            party = 0 if event.at is None else event.at[here]
            _share(self._known, rows, self._knowers.warp[rows] * (1 << 32) + party)
        elif event.kind == "party":
            assert event.at is not None
            here = np.isin(event.lanes, self._knowers.lanes)
            rows = self._knowers.of(event.lanes[here])
            for table in (self._known, *self._fenced.values()):
                _share(table, rows, event.at[here])
        elif event.kind in ("arrive", "wait"):
            self._phase(event)
        else:
            rows = self._knowers.among(event.lanes)
            for device, taken in self._taken.items():
                if taken.size and (event.kind == "fence" or not device):
                    self._known[rows] |= taken[rows]
            for device, table in self._fenced.items():
                if not table.size:
                    table = self._fenced[device] = np.zeros_like(self._known)
                if event.kind == "fence" or not device:
                    table[rows] |= self._known[rows]

    def _phase(self, event: Event) -> None:
        """Leave what arriving lanes know with the phases that they arrive in, or give it to lanes that have waited."""
        assert event.at is not None
        here = np.isin(event.lanes, self._knowers.lanes)
        rows, phases = self._knowers.of(event.lanes[here]), event.at[here]
        for name, table in (("known", self._known), *self._fenced.items()):
            for phase in np.unique(phases).tolist() if table.size else ():
                mine = rows[phases == phase]
                given = self._given.get(("phase", name, phase))
                if event.kind == "arrive":
                    now = np.logical_or.reduce(table[mine], axis=0)
                    self._given["phase", name, phase] = now if given is None else given | now
                elif given is not None:
                    table[mine] |= given

    def _meet(self, event: Event, begun: NDArray[np.bool_]) -> None:
        """Lane after lane, take what others have left at an element, then leave the own there.

        That is what they have handed on, and their atomics of that element: they come before this one. `begun` are
        the accesses that are the event itself.
        """
        device, block = self._fenced[True], self._fenced[False]
        if not (block.size or self._made or begun.any()):
            return
        here = np.flatnonzero(np.isin(event.lanes, self._knowers.lanes))
        rows = self._knowers.of(event.lanes[here])
        live = np.logical_or.reduce(block[rows], axis=1) if block.size else np.zeros(len(rows), bool)
        owners = self._threads.block_of(event.lanes[here]).tolist()
        elements = np.array(event.elements)[here].tolist()
        itself: dict[int, list[int]] = {}
        for row, column in zip(self._source[begun].tolist(), self._column[begun].tolist(), strict=True):
            itself.setdefault(row, []).extend([] if event.loads else [column])
        for far in (True, False) if event.late and block.size else ():
            if not self._taken[far].size:
                self._taken[far] = np.zeros_like(self._known)
        for row, owner, at, has in zip(rows.tolist(), owners, elements, live.tolist(), strict=True):
            everyone = (event.array, at, owner) if self._local else (event.array, at)
            reach = ((True, everyone, device), (False, (event.array, at, owner, "block"), block))
            reached = reach[1:] if event.narrow else reach
            self._observe(row, [key for _, key, _ in reached], itself.get(row))
            for far, key, table in reached:
                given = self._given.get(key)
                if given is not None:
                    (self._taken[far] if event.late else self._known)[row] |= given
                if has and table[row].any():
                    gives = table[row].copy()
                    gives[self._bare.of((event.array, at), far=far)] = False
                    self._given[key] = gives if given is None else given | gives

    def _observe(self, row: int, keys: list[tuple[Any, ...]], itself: list[int] | None) -> None:
        """Let a knower know of the atomics that came before its own at an element, and leave that there, too."""
        earlier = [made for key in keys if (made := self._made.get(key)) is not None]
        if not earlier and not itself:
            return
        now = np.logical_or.reduce(earlier, axis=0) if earlier else np.zeros(self._known.shape[1], bool)
        self._known[row] |= now
        if itself:
            now[itself] = True
        self._made.update(dict.fromkeys(keys, now))


def _share(table: NDArray[np.bool_], rows: NDArray[np.intp], owner: NDArray[Any]) -> None:
    """Let all rows of one owner know what any of them knows."""
    if not len(rows) or not table.size:
        return
    order = np.argsort(owner, kind="stable")
    rows, owner = rows[order], owner[order]
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    joined = np.logical_or.reduceat(table[rows], starts, axis=0)
    table[rows] = np.repeat(joined, np.diff(np.r_[starts, len(rows)]), axis=0)
