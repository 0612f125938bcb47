"""Synchronisation events of a run, and the test which pairs of accesses they leave unordered.

An access comes before another one if a chain of the following leads from it to the other:

- the program order of one thread;
- a barrier: `__syncthreads()` for all threads of a block, `__syncwarp()` for the lanes that pass it together, the
  barrier of a part of a block for its threads, the phase of a barrier object from those that arrive to those that wait
  for its end (CUDA C++ Programming Guide, "Synchronization Functions", "Asynchronous Barrier");
- release and acquire: an atomic of a thread passes what came before the last fence of that thread to every thread whose
  atomic touches the same element later (ibid., "Memory Fence Functions"; PTX ISA, "Release and Acquire Patterns");
- the atomic itself, with or without a fence: it comes before what those threads do after theirs (PTX ISA, "Causality
  Order": observation, then program order). So the last block of a reduction may reset the counter.

A fence by all threads of a block followed by a barrier counts for each of them. `__threadfence_block()` reaches the
threads of its block only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.checkers.racecheck.happens_before import PARTIAL, Event, LaneClasses, Pairs, Propagation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Threads

_TABLE_BYTES: Final = 1 << 25
"""Bytes of the table of lane classes × accesses; if more are needed, the accesses are judged in portions."""


class SynchronisationOrder:
    """The events of a run, in order, and the test which accesses they leave unordered."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self.events: list[Event] = []

    def are_unordered(
        self, first: NDArray[Any], first_clock: NDArray[Any], second: NDArray[Any], second_clock: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Return which pairs of accesses (lanes and clocks, the earlier first) are not ordered.

        The lanes of every pair must be of one block, or those of every pair of two blocks.
        """
        clocks = np.array([event.clock for event in self.events])
        since = np.searchsorted(clocks, first_clock)
        until = np.searchsorted(clocks, second_clock, side="right")  # an atomic acquires before its access
        # No event in between: no order. Only the other pairs need the propagation.
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
                racy[between] = self._within_block(pairs)
            else:
                racy[between] = self._between_blocks(pairs)
        return racy

    def _within_block(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Judge pairs of lanes of one block, with no barrier of the block in between.

        A lane is ordered after accesses of its block through its warp or, by an atomic, through its block; so the
        columns of each warp or block are numbered from 0, and one small table serves all of them. Only if a block
        touches several elements by atomics can the order lead through another block and back: block 0 releases to `a`,
        block 1 acquires from `a` and releases to `b`, block 0 acquires from `b`. The pairs of such blocks that are left
        are judged again, in one table.
        """
        begin, end = int(pairs.since.min()), int(pairs.until.max())
        by_counting = _ordered_by_counting(self._threads, pairs, begin, self.events[begin:end])
        if by_counting is not None:
            return ~by_counting
        atomics = [event for event in self.events[begin:end] if event.kind == "atomic"]
        # Without atomics and partial barriers, only `__syncwarp()` and fences are left in between: no order leads out
        # of a warp.
        beyond = atomics or any(event.kind in PARTIAL for event in self.events[begin:end])
        owner_of = self._threads.block_of if beyond else self._threads.warp_of
        owner = owner_of(pairs.first)
        racy = np.ones(len(owner), bool)
        near = np.flatnonzero(owner == owner_of(pairs.second))
        if len(near):
            some = pairs.select(near)
            classes = LaneClasses.singletons(self._threads, self._lanes(some, begin, end))
            racy[near] = ~self._are_ordered(some, classes, owner[near], local=True)
        again = np.flatnonzero(
            racy & np.isin(self._threads.block_of(pairs.first), self._blocks_at_several_elements(atomics))
        )
        if len(again):
            some = pairs.select(again)
            classes = LaneClasses.singletons(self._threads, self._lanes(some, begin, end))
            racy[again] = ~self._are_ordered(some, classes, np.zeros(len(again), np.int64), local=False)
        return racy

    def _between_blocks(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Judge pairs of lanes of different blocks."""
        lanes = self._lanes(pairs, 0, len(self.events))
        classes = LaneClasses.equivalent(self._threads, lanes, self.events)
        return ~self._are_ordered(pairs, classes, np.zeros(len(pairs.first), np.int64), local=False)

    def _are_ordered(
        self, pairs: Pairs, classes: LaneClasses, owner: NDArray[Any], *, local: bool
    ) -> NDArray[np.bool_]:
        """Return which pairs are ordered; accesses of one `owner` need different columns of the table."""
        span = len(self.events) + 1
        # Accesses of one class between the same two events have the same successors: one column for all of them.
        sources, position, number = np.unique(
            (classes.of(pairs.first) * span + pairs.since) * 2 + pairs.atomic,
            return_index=True,
            return_inverse=True,
        )
        column = _ranks(owner[position])
        known = np.zeros(len(pairs.first), bool)
        # The table has a row for each class; its columns are divided so that it stays below the limit.
        most = max(1, _TABLE_BYTES // classes.count)
        for start in range(0, int(column.max()) + 1, most):
            some = np.flatnonzero((column >= start) & (column < start + most))
            propagation = Propagation(
                self._threads,
                classes,
                sources[some] // 2 // span,
                sources[some] // 2 % span,
                column[some] - start,
                (sources[some] % 2).astype(bool),
                local=local,
            )
            mine = column[number]
            ready = np.flatnonzero((mine >= start) & (mine < start + most))
            # In the order of the second accesses: each pair is read off the table when the propagation reaches its
            # second access.
            ready = ready[np.argsort(pairs.until[ready], kind="stable")]
            cuts = np.searchsorted(pairs.until[ready], np.arange(span + 1))
            begin = int(pairs.since[ready].min())
            propagation.replay_locks(self.events[:begin])
            for turn in range(begin, int(pairs.until[ready].max())):
                propagation.apply(turn, self.events[turn])
                now = ready[cuts[turn + 1] : cuts[turn + 2]]
                known[now] = propagation.are_ordered_after(pairs.second[now], mine[now] - start)
        return known

    def _lanes(self, pairs: Pairs, begin: int, end: int) -> NDArray[np.int64]:
        """Return the lanes through which an order can lead: those of the pairs, of their warps, and of atomics."""
        events = self.events[begin:end]
        locks = [event.lanes for event in self.events[:begin] if event.locks]
        lanes = np.unique(np.concatenate([pairs.first, pairs.second, *_lanes_of(events, "atomic"), *locks]))
        for kind, unit in (
            *((kind, self._threads.block_of) for kind in PARTIAL),
            ("warp", self._threads.warp_of),
        ):
            sets = _lanes_of(events, kind)
            if sets:
                # An order may lead through any lane that shares a barrier with one of the pairs.
                everyone = np.unique(np.concatenate(sets))
                lanes = np.union1d(lanes, everyone[np.isin(unit(everyone), unit(lanes))])
        return lanes.astype(np.int64)

    def _blocks_at_several_elements(self, atomics: list[Event]) -> NDArray[Any]:
        """Return the blocks whose atomics touch more than one element."""
        touched = {
            (block, event.array, at)
            for event in atomics
            for block, at in zip(self._threads.block_of(event.lanes).tolist(), event.elements, strict=True)
        }
        blocks = np.array([block for block, _, _ in touched], np.int64)
        distinct, counts = np.unique(blocks, return_counts=True)
        return distinct[counts > 1]


def _lanes_of(events: list[Event], kind: str) -> list[NDArray[np.int32]]:
    # Lane sets recur: each is listed once.
    return list({id(event.lanes): event.lanes for event in events if event.kind == kind}.values())


def _ranks(owner: NDArray[Any]) -> NDArray[np.int64]:
    """Return the rank of each entry among those of the same owner."""
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    ranks = np.empty(len(owner), np.int64)
    ranks[order] = np.arange(len(owner)) - np.repeat(starts, np.diff(np.r_[starts, len(owner)]))
    return ranks


def _ordered_by_counting(
    threads: Threads, pairs: Pairs, begin: int, events: Sequence[Event]
) -> NDArray[np.bool_] | None:
    """Return which pairs of accesses are ordered, if all events are barriers at which always the same lanes meet.

    Then the lanes fall into parties, and two accesses are ordered exactly if both lanes are of one party that has met
    in between: no table is needed. Example: `__syncwarp()` in a loop of 1000 rounds. None for any other events.
    `events` are those from number `begin` on.
    """
    kinds = {event.kind for event in events}
    if kinds not in ({"warp"}, {"party"}):
        return None
    lanes = np.concatenate([event.lanes for event in events]).astype(np.int64)
    key = np.concatenate([_parties(threads, event) for event in events])
    turn = np.repeat(np.arange(len(events)), [len(event.lanes) for event in events])
    _, key = np.unique(key, return_inverse=True)
    members, first, number = np.unique(lanes, return_index=True, return_inverse=True)
    party = key[first]
    if (party[number] != key).any():
        return None  # a lane that belongs to different parties
    many = int(key.max()) + 1
    meetings, arrived = np.unique(turn * many + key, return_counts=True)
    if (arrived != np.bincount(party, minlength=many)[meetings % many]).any():
        return None
    span = len(events) + 1
    times = np.sort(meetings % many * span + meetings // many)
    one, two = _party_of(pairs.first, members, party), _party_of(pairs.second, members, party)
    since, until = pairs.since - begin, pairs.until - begin
    between = np.searchsorted(times, one * span + until) > np.searchsorted(times, one * span + since)
    found: NDArray[np.bool_] = (one == two) & (one >= 0) & between
    return found


def _parties(threads: Threads, event: Event) -> NDArray[np.int64]:
    """Return the number of each lane's party."""
    if event.kind == "party":
        assert event.at is not None
        return event.at
    named: Any = 1 << 32 if event.at is None else event.at
    key: NDArray[np.int64] = threads.warp_of(event.lanes).astype(np.int64) * (1 << 33) + named
    return key


def _party_of(lanes: NDArray[Any], members: NDArray[np.int64], party: NDArray[Any]) -> NDArray[np.int64]:
    """Return the party of lanes; -1 for lanes without one."""
    at = np.minimum(np.searchsorted(members, lanes), len(members) - 1)
    found: NDArray[np.int64] = np.where(members[at] == lanes, party[at], -1)
    return found
