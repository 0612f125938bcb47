"""What comes before what: barriers of blocks and warps, and fences with atomics, between two accesses.

An access comes before another one when a chain leads from it to the other: the order of its own thread, a
`__syncthreads()` for all threads of a block, a `__syncwarp()` for the lanes that pass it together, and a
*release*: a thread's atomic hands on, to every thread whose atomic meets the same element later, what came
before the last fence of that thread (CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA, "Memory
Consistency Model", release and acquire patterns). A fence of a whole block's threads followed by a barrier
counts for each of them. `__threadfence_block()` reaches the threads of its block only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.races.notes import Threads

EventKind = Literal["block", "warp", "fence", "block-fence", "atomic"]

_CELLS: Final = 1 << 25
"""Bytes of the table of who knows of which access; where more are needed the accesses are taken in turns."""


class Event(NamedTuple):
    """Something that orders: when, what, and the lanes that took part.

    `array` and `at` name the element that each lane's atomic meets, over all copies of the array.
    """

    clock: int
    kind: EventKind
    lanes: NDArray[np.int32]
    array: int = -1
    at: NDArray[np.int64] | None = None


class Order:
    """The events of a run, in order, and the question which accesses they leave unordered."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self.events: list[Event] = []

    def unordered(
        self, first: NDArray[Any], first_clock: NDArray[Any], second: NDArray[Any], second_clock: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Tell for pairs of accesses (lanes and clocks, the earlier first) which have no order."""
        clocks = np.array([event.clock for event in self.events])
        since = np.searchsorted(clocks, first_clock)
        until = np.searchsorted(clocks, second_clock, side="right")  # an atomic takes before it is made
        racy = np.ones(len(first), bool)
        between = np.flatnonzero(since < until)
        if not len(between):
            return racy
        span = len(clocks) + 1
        sources, number = np.unique(first[between] * span + since[between], return_inverse=True)
        lanes = self._lanes(first[between], second[between])
        for start in range(0, len(sources), max(1, _CELLS // len(lanes))):
            some = slice(start, start + max(1, _CELLS // len(lanes)))
            asked = between[(number >= some.start) & (number < some.stop)]
            column = number[(number >= some.start) & (number < some.stop)] - start
            spread = _Spread(self._threads, lanes, sources[some] // span, sources[some] % span)
            due = np.argsort(until[asked], kind="stable")
            cuts = np.searchsorted(until[asked][due], np.arange(span + 1))
            for position in range(int((sources[some] % span).min()), int(until[asked].max())):
                spread.pass_on(position, self.events[position])
                now = due[cuts[position + 1] : cuts[position + 2]]
                if len(now):
                    racy[asked[now]] = ~spread.knows(second[asked[now]], column[now])
        return racy

    def _lanes(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
        """Lanes through which an order can lead: both sides', those of their warps, and those of atomics."""
        passing = [event.lanes for event in self.events if event.kind == "atomic"]
        lanes = np.unique(np.concatenate([first, second, *passing]))
        if any(event.kind == "warp" for event in self.events):
            everyone = np.unique(np.concatenate([e.lanes for e in self.events if e.kind == "warp"]))
            mates = np.isin(self._threads.warp_of(everyone), self._threads.warp_of(lanes))
            lanes = np.union1d(lanes, everyone[mates])
        return lanes.astype(np.int64)


class _Spread:
    """Which lane knows of which access, while the events go by.

    `_known` is what came before a lane's next access; `_fenced` the part of it that an atomic hands on, to
    everyone and to the lane's block.
    """

    def __init__(
        self, threads: Threads, lanes: NDArray[np.int64], source: NDArray[np.int64], since: NDArray[np.int64]
    ) -> None:
        self._threads = threads
        self._lanes = lanes
        self._source = np.searchsorted(lanes, source)
        self._since = since
        self._known = np.zeros((len(lanes), len(source)), bool)
        self._fenced = {True: np.zeros(0, bool), False: np.zeros(0, bool)}  # by: whole device
        self._given: dict[tuple[Any, ...], NDArray[np.bool_]] = {}

    def knows(self, lanes: NDArray[Any], sources: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which lanes know of which access."""
        known: NDArray[np.bool_] = self._known[np.searchsorted(self._lanes, lanes), sources]
        return known

    def pass_on(self, position: int, event: Event) -> None:
        """Let an event take place."""
        begun = np.flatnonzero(self._since == position)
        self._known[self._source[begun], begun] = True
        if event.kind == "block":
            blocks = np.unique(self._threads.block_of(event.lanes))
            own = self._threads.block_of(self._lanes)
            rows = np.flatnonzero(np.isin(own, blocks))
            for table in (self._known, *self._fenced.values()):
                _share(table, rows, own[rows])
            return
        rows = np.flatnonzero(np.isin(self._lanes, event.lanes))
        if event.kind == "warp":
            _share(self._known, rows, self._threads.warp_of(self._lanes[rows]))
        elif event.kind == "atomic":
            self._meet(event)
        else:
            for device, table in self._fenced.items():
                if not table.size:
                    table = self._fenced[device] = np.zeros_like(self._known)
                if event.kind == "fence" or not device:
                    table[rows] |= self._known[rows]

    def _meet(self, event: Event) -> None:
        """Lane after lane, take what others have handed on through an element, then hand on the own."""
        device, block = self._fenced[True], self._fenced[False]
        if not block.size or event.at is None:
            return
        rows = np.searchsorted(self._lanes, event.lanes)
        live = np.logical_or.reduce(block[rows], axis=1)
        owners = self._threads.block_of(event.lanes).tolist()
        for row, owner, at, has in zip(rows.tolist(), owners, event.at.tolist(), live.tolist(), strict=True):
            for key, table in (((event.array, at), device), ((event.array, at, owner), block)):
                given = self._given.get(key)
                if given is not None:
                    self._known[row] |= given
                if has and table[row].any():
                    self._given[key] = table[row].copy() if given is None else given | table[row]


def _share(table: NDArray[np.bool_], rows: NDArray[np.intp], owner: NDArray[Any]) -> None:
    """Let all rows of one owner, which lie side by side, know what any of them knows."""
    if not len(rows) or not table.size:
        return
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    joined = np.logical_or.reduceat(table[rows], starts, axis=0)
    table[rows] = np.repeat(joined, np.diff(np.r_[starts, len(rows)]), axis=0)
