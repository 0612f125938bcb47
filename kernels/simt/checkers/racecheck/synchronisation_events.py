"""Synchronisation events of a run, and the question which pairs of accesses they leave unordered.

An access comes before another one when a chain leads from it to the other: the order of its own thread, a
`__syncthreads()` for all threads of a block, a `__syncwarp()` for the lanes that pass it together, the barrier of a
part of a block for the threads that meet there, the phase of a barrier for the threads that wait, after those that
arrived, and a *release*: a thread's atomic passes on, to every thread whose atomic meets the same element later, what
came before the last fence of that thread (CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA, "Memory
Consistency Model", release and acquire patterns). With or without a fence it comes itself before what those threads do
then (ibid., causality order: observed, then in program order), so the last block may reset the counter. A fence of a
whole block's threads followed by a barrier counts for each of them. `__threadfence_block()` reaches the threads of its
block only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.checkers.racecheck.barrier_participants import ordered
from kernels.simt.checkers.racecheck.happens_before import PARTIAL, Event, Knowers, Pairs, Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Threads

_CELLS: Final = 1 << 25
"""Bytes of the table of who knows of which access; where more are needed the accesses are taken in turns."""


class Order:
    """The events of a run, in order, and the question which accesses they leave unordered."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self.events: list[Event] = []

    def unordered(
        self, first: NDArray[Any], first_clock: NDArray[Any], second: NDArray[Any], second_clock: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Tell for pairs of accesses (lanes and clocks, the earlier first) which have no order.

        Either both lanes of every pair are of one block, or no pair's are.
        """
        clocks = np.array([event.clock for event in self.events])
        since = np.searchsorted(clocks, first_clock)
        until = np.searchsorted(clocks, second_clock, side="right")  # an atomic takes before it is made
        racy = np.ones(len(first), bool)
        between = np.flatnonzero(since < until)
        if len(between):
            pairs = Pairs(
                first[between],
                since[between],
                second[between],
                until[between],
                clocks[since[between]] == first_clock[between],
            )
            block = self._threads.block_of
            inside = bool((block(pairs.first[:1]) == block(pairs.second[:1])).all())
            if inside:
                racy[between] = self._inside(pairs)
            else:
                racy[between] = self._across(pairs)
        return racy

    def _inside(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Judge lanes of one block; no barrier of the block lies between them.

        What a lane knows of its block it has from its warp or, by an atomic, from its block, so the accesses of
        every warp or block can be numbered from 0. Only a block that meets several elements by atomics could
        hear of its own accesses through another block.
        """
        begin, end = int(pairs.since.min()), int(pairs.until.max())
        met = ordered(self._threads, pairs, begin, self.events[begin:end])
        if met is not None:
            return ~met
        atomics = [event for event in self.events[begin:end] if event.kind == "atomic"]
        beyond = atomics or any(event.kind in PARTIAL for event in self.events[begin:end])
        owner_of = self._threads.block_of if beyond else self._threads.warp_of
        owner = owner_of(pairs.first)
        racy = np.ones(len(owner), bool)
        near = np.flatnonzero(owner == owner_of(pairs.second))
        if len(near):
            some = pairs.chosen(near)
            knowers = Knowers.each(self._threads, self._lanes(some, begin, end))
            racy[near] = ~self._known(some, knowers, owner[near], local=True)
        again = np.flatnonzero(racy & np.isin(self._threads.block_of(pairs.first), self._roundabout(atomics)))
        if len(again):
            some = pairs.chosen(again)
            knowers = Knowers.each(self._threads, self._lanes(some, begin, end))
            racy[again] = ~self._known(some, knowers, np.zeros(len(again), np.int64), local=False)
        return racy

    def _across(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Judge lanes of different blocks; lanes of a block that do the same are one."""
        lanes = self._lanes(pairs, 0, len(self.events))
        knowers = Knowers.alike(self._threads, lanes, self.events)
        return ~self._known(pairs, knowers, np.zeros(len(pairs.first), np.int64), local=False)

    def _known(self, pairs: Pairs, knowers: Knowers, owner: NDArray[Any], *, local: bool) -> NDArray[np.bool_]:
        """Tell for each pair whether the second lane knows of the first one's access by then."""
        span = len(self.events) + 1
        sources, position, number = np.unique(
            (knowers.of(pairs.first) * span + pairs.since) * 2 + pairs.atomic,
            return_index=True,
            return_inverse=True,
        )
        column = _ranks(owner[position])
        known = np.zeros(len(pairs.first), bool)
        most = max(1, _CELLS // knowers.count)
        for start in range(0, int(column.max()) + 1, most):
            some = np.flatnonzero((column >= start) & (column < start + most))
            spread = Spread(
                self._threads,
                knowers,
                sources[some] // 2 // span,
                sources[some] // 2 % span,
                column[some] - start,
                (sources[some] % 2).astype(bool),
                local=local,
            )
            mine = column[number]
            asked = np.flatnonzero((mine >= start) & (mine < start + most))
            asked = asked[np.argsort(pairs.until[asked], kind="stable")]
            cuts = np.searchsorted(pairs.until[asked], np.arange(span + 1))
            begin = int(pairs.since[asked].min())
            spread.before(self.events[:begin])
            for turn in range(begin, int(pairs.until[asked].max())):
                spread.pass_on(turn, self.events[turn])
                now = asked[cuts[turn + 1] : cuts[turn + 2]]
                known[now] = spread.knows(pairs.second[now], mine[now] - start)
        return known

    def _lanes(self, pairs: Pairs, begin: int, end: int) -> NDArray[np.int64]:
        """Lanes through which an order can lead: both sides', those of their warps, and those of atomics."""
        events = self.events[begin:end]
        locks = [event.lanes for event in self.events[:begin] if event.locks]
        lanes = np.unique(np.concatenate([pairs.first, pairs.second, *_lanes_of(events, "atomic"), *locks]))
        for kind, unit in (
            *((kind, self._threads.block_of) for kind in PARTIAL),
            ("warp", self._threads.warp_of),
        ):
            sets = _lanes_of(events, kind)
            if sets:
                everyone = np.unique(np.concatenate(sets))
                lanes = np.union1d(lanes, everyone[np.isin(unit(everyone), unit(lanes))])
        return lanes.astype(np.int64)

    def _roundabout(self, atomics: list[Event]) -> NDArray[Any]:
        """Blocks whose atomics meet more than one element."""
        met = {
            (block, event.array, at)
            for event in atomics
            for block, at in zip(self._threads.block_of(event.lanes).tolist(), event.elements, strict=True)
        }
        blocks = np.array([block for block, _, _ in met], np.int64)
        distinct, counts = np.unique(blocks, return_counts=True)
        return distinct[counts > 1]


def _lanes_of(events: list[Event], kind: str) -> list[NDArray[np.int32]]:
    # Lane sets come back: each is looked at once.
    return list({id(event.lanes): event.lanes for event in events if event.kind == kind}.values())


def _ranks(owner: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each among those of the same owner."""
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    ranks = np.empty(len(owner), np.int64)
    ranks[order] = np.arange(len(owner)) - np.repeat(starts, np.diff(np.r_[starts, len(owner)]))
    return ranks
