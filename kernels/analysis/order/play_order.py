"""Play order: the order in which the steps of the blocks are shown, and what has happened at each moment of it.

A trace executes many blocks in one step; a viewer follows one block at a time. The order played is a permutation of
the pairs (block, step) that keeps the steps of each block in order, and keeps every two accesses of different blocks to
one element in the order of the run, if one of them writes. Each read then finds the value that it found in the run, so
the order played is an execution of the launch with the same values, and contents follow from the writes played so far.

A block is followed to its end, or until its next step accesses an element after an access by another block that has
not been played; then the first block of the schedule that can continue is followed. Blocks that share no written
element are therefore played one after another, in the schedule's order: by number, reversed or shuffled. Accesses of
one step are simultaneous: where two blocks depend on each other within one step, as in a race, they are played in the
schedule's order, and the values are those that the run left.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.simt.machine.schedule import block_sequence
from kernels.trace.accesses import accesses_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace

Contents = tuple["NDArray[np.generic]", "NDArray[np.bool_]"]
"""Values, and which of them are written; both in the array's shape."""

Need = tuple[int, int]
"""A block and a step of it that must be played first."""

_OWNED: Final = ("shared", "local")
"""Spaces in which each block or thread has its own copy."""


@dataclass(frozen=True, eq=False)
class PlayOrder:
    """Turns of blocks in the order played. A turn shows a block from its first step up to the block's next turn."""

    trace: Trace
    turn_blocks: NDArray[np.int32]
    """Block (linear number) of each turn."""
    turn_steps: NDArray[np.int64]
    """First step of each turn."""

    @cached_property
    def one_turn_each(self) -> bool:
        """True if blocks are played one after another."""
        return len(self.turn_blocks) == self.trace.launch.grid.count

    def turns(self, blocks: NDArray[np.integer], steps: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the number of the turn in which each block executes a step."""
        found: NDArray[np.int32]
        if self.one_turn_each:
            found = self._last_turns[blocks]
        else:
            key = blocks * self._scale + steps
            found = self._by_block[np.searchsorted(self._keys, key, side="right") - 1]
        return found

    def turn(self, block: int, step: int) -> int:
        """Return the number of the turn in which a block executes a step."""
        return int(self.turns(np.array([block], np.int64), np.array([step], np.int64))[0])

    @cached_property
    def turn_ends(self) -> NDArray[np.int64]:
        """The first step of each turn's block that the turn does not show; of its last turn the end of the run."""
        ends = np.full(len(self.turn_blocks), self.trace.steps, np.int64)
        earlier, later = self._by_block[:-1], self._by_block[1:]
        same = self.turn_blocks[earlier] == self.turn_blocks[later]
        ends[earlier[same]] = self.turn_steps[later[same]]
        return ends

    def moments(self, blocks: NDArray[np.integer], steps: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return numbers that grow in the order played, one for each step of a block."""
        found: NDArray[np.int64] = self.turns(blocks, steps) * self._scale + steps
        return found

    def happened(
        self, blocks: NDArray[np.integer], steps: NDArray[np.integer], block: int, step: int
    ) -> NDArray[np.bool_]:
        """Return which steps of blocks have been played when a step of a block is over."""
        turn, now = self.turns(blocks, steps), self.turn(block, step)
        played: NDArray[np.bool_] = (turn < now) | ((turn == now) & (steps <= step))
        return played

    def done(self, block: int, step: int) -> NDArray[np.bool_]:
        """Return for each block whether it has been played to its end before the turn of a step."""
        return self._last_turns < self.turn(block, step)

    def contents(self, array: int, block: int, step: int, lane: int = 0) -> Contents:
        """Return the contents of an array when a step of a block is over; of a local array, the lane's copy.

        `array` is a position in `Trace.arrays`.
        """
        trace, info = self.trace, self.trace.arrays[array]
        if info.space in _OWNED:
            return trace.contents(array, step, block if info.space == "shared" else lane)
        writes, initial = trace.writes(array), trace.initial[array]
        # Of several writes to an element the last in the run is the last played: NumPy assigns in this order.
        played = self.happened(self._writers(array), writes.step, block, step)
        values = np.zeros(info.size, info.dtype) if initial is None else initial.reshape(-1).copy()
        written = np.full(info.size, initial is not None)
        values[writes.index[played]] = writes.values[played]
        written[writes.index[played]] = True
        return values.reshape(info.shape), written.reshape(info.shape)

    # --- inside ----------------------------------------------------------------------------------------

    def _writers(self, array: int) -> NDArray[np.int64]:
        """Return the block of every write to an array."""
        if array not in self._known_writers:
            self._known_writers[array] = self.trace.writes(array).lane // np.int64(self.trace.launch.block.count)
        return self._known_writers[array]

    @cached_property
    def _known_writers(self) -> dict[int, NDArray[np.int64]]:
        return {}

    @property
    def _scale(self) -> np.int64:
        return np.int64(self.trace.steps + 1)

    @cached_property
    def _by_block(self) -> NDArray[np.int32]:
        """Turns, sorted by block and first step."""
        return np.lexsort((self.turn_steps, self.turn_blocks)).astype(np.int32)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        keys: NDArray[np.int64] = self.turn_blocks[self._by_block] * self._scale + self.turn_steps[self._by_block]
        return keys

    @cached_property
    def _last_turns(self) -> NDArray[np.int32]:
        """Last turn of each block."""
        last = np.zeros(self.trace.launch.grid.count, np.int32)
        last[self.turn_blocks] = np.arange(len(self.turn_blocks), dtype=np.int32)
        return last


def play_order(trace: Trace) -> PlayOrder:
    """Return the order in which the steps of the blocks of a trace are played."""
    needs, sequence = _needs(trace), scheduled_blocks(trace)
    if not needs:
        return PlayOrder(trace, sequence, np.zeros(len(sequence), np.int64))
    turns = _follow(sequence.tolist(), needs, trace.steps)
    blocks, steps = zip(*turns, strict=True)
    return PlayOrder(trace, np.array(blocks, np.int32), np.array(steps, np.int64))


def scheduled_blocks(trace: Trace) -> NDArray[np.int32]:
    """Return the blocks in the order in which the schedule of the run has them; by number for a recording of a GPU."""
    count = trace.launch.grid.count
    try:
        return np.array(block_sequence(trace.schedule, count), np.int32)
    except InputError:
        return np.arange(count, dtype=np.int32)


def _follow(sequence: list[int], needs: dict[int, list[tuple[int, list[Need]]]], end: int) -> list[Need]:
    """Return the turns, as (block, first step), of the blocks of a sequence; of those that are ready the first plays.

    `needs` are, by block, its steps that must wait for others, ascending, each with what they wait for.
    """
    # Example: block 0 reads in step 5 what block 1 writes in step 3, and block 1 reads in step 8 what block 0 writes in
    # step 6. Turns: (0, 0), which ends before step 5; (1, 0), before step 8; (0, 5), to the end; (1, 8).
    turns: list[Need] = []
    count = len(sequence)
    reached, at = [0] * count, [0] * count
    rank = [0] * count
    for place, block in enumerate(sequence):
        rank[block] = place
    waiting: dict[int, list[Need]] = {}
    pending: dict[int, int] = {}
    ready = list(range(count))  # ranks
    while ready or pending:
        if not ready:
            # What the earliest pending step waits for is in the same step: these blocks are simultaneous.
            block = min(pending, key=lambda b: (pending[b], rank[b]))
            del pending[block]
            at[block] += 1
            ready.append(rank[block])
        block = sequence[heapq.heappop(ready)]
        first, own, unmet = reached[block], needs.get(block, []), None
        while at[block] < len(own):
            unmet = next((need for need in own[at[block]][1] if reached[need[0]] <= need[1]), None)
            if unmet is not None:
                break
            at[block] += 1
        if unmet is not None:
            pending[block] = own[at[block]][0]
            waiting.setdefault(unmet[0], []).append((unmet[1], block))
        # A block without further needs is played to its end, beyond every step.
        reached[block] = end + 1 if unmet is None else pending[block]
        if reached[block] > first:
            turns.append((block, first))
            still = []
            for step, other in waiting.pop(block, []):
                if step >= reached[block]:
                    still.append((step, other))
                elif pending.pop(other, None) is not None:
                    heapq.heappush(ready, rank[other])
            if still:
                waiting[block] = still
    return turns


def _needs(trace: Trace) -> dict[int, list[tuple[int, list[Need]]]]:
    """Return, by block, its steps that must come after steps of other blocks, ascending, each with these steps."""
    written = {site.array for site in trace.sites if site.access != "read"}
    parts = [_conflicts(trace, n) for n in sorted(written) if trace.arrays[n].space not in _OWNED]
    rows = np.concatenate([np.zeros((0, 4), np.int64), *parts])
    if not len(rows):
        return {}
    # Of several steps of one block that a step waits for, the last is enough.
    rows = rows[np.lexsort((-rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))]
    rows = rows[np.append(True, (np.diff(rows[:, :3], axis=0) != 0).any(axis=1))]
    found: dict[int, list[tuple[int, list[Need]]]] = {}
    for block, step, other, other_step in rows.tolist():
        own = found.setdefault(block, [])
        if not own or own[-1][0] != step:
            own.append((step, []))
        own[-1][1].append((other, other_step))
    return found


def _conflicts(trace: Trace, array: int) -> NDArray[np.int64]:
    """Return (block, step, other block, other step) of accesses that follow a conflicting one by another block.

    Two accesses to an element conflict if one of them writes. Pairs that follow from others are left out: a write comes
    after the last write and the reads since, a read after the last write.
    """
    step, lane, index, writes = accesses_in_order(trace, array)
    block = lane // np.int64(trace.launch.block.count)
    owner = np.full(trace.arrays[array].size, -1, np.int64)
    owner[index] = block
    several = np.zeros(len(owner), bool)
    several[index[owner[index] != block]] = True
    kept = np.flatnonzero(several[index])
    kept = kept[np.argsort(index[kept], kind="stable")]
    step, block, index, writes = step[kept], block[kept], index[kept], writes[kept]
    rows = np.arange(len(kept))
    last_write = np.append(-1, np.maximum.accumulate(np.where(writes, rows, -1)))[:-1]
    next_write = np.append(np.minimum.accumulate(np.where(writes, rows, len(rows))[::-1])[::-1], len(rows))[1:]
    after = last_write >= 0
    reads = ~writes & (next_write < len(rows))
    later = np.concatenate([rows[after], next_write[reads]])
    earlier = np.concatenate([last_write[after], rows[reads]])
    pairs = (index[later] == index[earlier]) & (block[later] != block[earlier])
    later, earlier = later[pairs], earlier[pairs]
    return np.stack([block[later], step[later], block[earlier], step[earlier]], axis=1).astype(np.int64)
