"""Memory counts of a trace up to any frame, in the order played (`kernels.analysis.order.play_order`).

At a frame everything has happened that was played before it, and the frame's own step of its block. The counts are read
from prefix sums, which are computed once on first use, so that those of any frame take the time of a binary search for
each site.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.metrics.counts import NUMBERS, Issued, MemoryCount, sum_counts
from kernels.analysis.metrics.floating_point import UNKNOWN, float_operations
from kernels.analysis.metrics.pattern_groups import LINE_BYTES, patterns
from kernels.analysis.metrics.requests import (
    NO_ADDRESS,
    SECTOR_BYTES,
    accesses_of,
    contention_by_request,
    requests_by_group,
    sectors_by_request,
    warps,
    wavefronts_by_request,
)
from kernels.analysis.order.playlist import Frame
from kernels.trace.accesses import in_parts
from kernels.trace.records import widen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.analysis.metrics.requests import Requests
    from kernels.analysis.order.play_order import PlayOrder
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space

    Table = NDArray[np.int64]

_CHECKPOINT: Final = 1 << 16
"""Least accesses between two stored tables of reads per element."""

_CHECKPOINT_BYTES: Final = 1 << 26
"""Most bytes of these tables for one array."""

_KEPT_BLOCKS: Final = 4
"""Blocks whose executions are kept after they were asked for, and warps whose accesses are."""

_TURN_BYTES: Final = 1 << 26
"""Most bytes of the table of executions before each turn."""


@dataclass(frozen=True, slots=True)
class LineCount:
    """Counts of one source line, all arrays and kinds of access together."""

    line: int
    executions: int
    """Warps that executed a statement of the line (Nsight Compute: Instructions Executed, here of statements)."""
    requests: int
    sectors: int
    ideal_sectors: int
    wavefronts: int
    ideal_wavefronts: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of all warps up to a frame."""

    arrays: tuple[MemoryCount, ...]
    """By array and kind of access."""
    flops: int | None
    """Executed floating-point operations of all threads, those on zeros beyond the edges of a matrix included; None if
    the source does not determine them."""

    def requests(self, space: Space, *kinds: Access) -> int:
        """Return the requests to a memory space, of some kinds of access or of all."""
        return sum(c.requests for c in self._of(space, kinds))

    @property
    def global_loads(self) -> int:
        """Requests that read global memory."""
        return self.requests("global", "read")

    def sectors_of(self, *kinds: Access) -> int:
        """Return the sectors of global memory of some kinds of access."""
        return sum(c.sectors for c in self._of("global", kinds))

    @property
    def sectors(self) -> int:
        """Sectors of global memory, of all kinds of access."""
        return sum(c.sectors for c in self.arrays)

    @property
    def ideal_sectors(self) -> int:
        """Sectors if the distinct elements of each request were contiguous."""
        return sum(c.ideal_sectors for c in self.arrays)

    @property
    def used_bytes(self) -> int:
        """Distinct bytes that each request to global memory accesses; the sectors move `sector_bytes`."""
        return sum(c.used_bytes for c in self.arrays)

    @property
    def wavefronts(self) -> int:
        """Wavefronts of shared memory."""
        return sum(c.wavefronts for c in self.arrays)

    @property
    def ideal_wavefronts(self) -> int:
        """Wavefronts without bank conflicts."""
        return sum(c.ideal_wavefronts for c in self.arrays)

    @property
    def sector_bytes(self) -> int:
        """Global traffic: 32 bytes for each sector; caches are not modelled."""
        return self.sectors * SECTOR_BYTES

    @property
    def accessed_bytes(self) -> int:
        """Bytes of global memory that the threads ask for; an element that two lanes read counts twice."""
        return sum(c.bytes for c in self._of("global", ()))

    @property
    def intensity(self) -> float | None:
        """Arithmetic intensity: FLOP per byte of global traffic; None without traffic or without known operations."""
        return None if self.flops is None or not self.sectors else self.flops / self.sector_bytes

    def _of(self, space: Space, kinds: tuple[Access, ...]) -> Iterable[MemoryCount]:
        return (c for c in self.arrays if c.space == space and (not kinds or c.access in kinds))


@dataclass(frozen=True, slots=True, eq=False)
class ElementReads:
    """Reads of each element of an array up to a frame."""

    array: int
    """Position in the trace."""
    reads: NDArray[np.int64]
    """In the array's shape; over all copies of a shared or local array."""

    @property
    def total(self) -> int:
        """Reads of all elements."""
        return int(self.reads.sum())

    @property
    def elements(self) -> int:
        """Elements that have been read."""
        return int(np.count_nonzero(self.reads))

    @property
    def average(self) -> float:
        """Reads per element that has been read; 0.0 without reads."""
        return self.total / self.elements if self.elements else 0.0

    @property
    def most(self) -> int:
        """Reads of the element that was read most often."""
        return int(self.reads.max(initial=0))

    @property
    def even(self) -> bool:
        """True if all elements that have been read have the same number of reads."""
        return self.total == self.elements * self.most


@dataclass(frozen=True, slots=True, eq=False)
class _PrefixSums:
    """Sums of the rows whose key is at most a number."""

    keys: Table
    """Ascending."""
    sums: Table
    """A row of zeros, then the sum of the first row, of the first two, and so on."""

    @classmethod
    def of(cls, keys: Table, rows: Table) -> _PrefixSums:
        order = np.argsort(keys, kind="stable")
        sums = np.zeros((len(rows) + 1, rows.shape[1]), np.int64)
        np.cumsum(rows[order], axis=0, out=sums[1:])
        return cls(keys[order], sums)

    def up_to(self, key: int) -> Table:
        found: Table = self.sums[int(np.searchsorted(self.keys, key, side="right"))]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Reads:
    """Read elements of one array in an order of time, with tables of the reads before every n-th of them."""

    keys: Table
    """Distinct keys of time, ascending."""
    first: Table
    """First row of `elements` of each key, and at the end their number."""
    elements: NDArray[np.int32]
    every: int
    tables: NDArray[np.int64]

    @classmethod
    def of(cls, keys: Table, elements: NDArray[np.int32], size: int) -> _Reads:
        order = np.argsort(keys, kind="stable")
        elements = elements[order]
        distinct, first = np.unique(keys[order], return_index=True)
        affordable = max(1, _CHECKPOINT_BYTES // max(1, 8 * size))
        every = max(_CHECKPOINT, -(-len(elements) // affordable))
        tables = np.zeros((len(elements) // every + 1, size), np.int64)
        for number in range(1, len(tables)):
            part = elements[(number - 1) * every : number * every]
            tables[number] = tables[number - 1] + np.bincount(part, minlength=size)
        return cls(distinct, np.append(first, len(elements)).astype(np.int64), elements, every, tables)

    def up_to(self, key: int) -> Table:
        end = int(self.first[int(np.searchsorted(self.keys, key, side="right"))])
        table = self.tables[end // self.every]
        found: Table = table + np.bincount(self.elements[end // self.every * self.every : end], minlength=len(table))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _SiteRows:
    """Counts of one site: a row for each of its access groups and each block that takes part."""

    step: Table
    block: Table
    numbers: Table
    """[rows, NUMBERS]: the numbers of a MemoryCount."""


@dataclass(frozen=True, eq=False)
class MemoryHistory:
    """Memory counts of a trace up to any frame; the step -1 of a block is before its first turn."""

    order: PlayOrder

    @property
    def trace(self) -> Trace:
        """Trace that is played."""
        return self.order.trace

    # --- counts of accesses ------------------------------------------------------------------------------

    def sites(self, frame: Frame) -> tuple[MemoryCount, ...]:
        """Return the counts of each site that has requests up to a frame."""
        return self._counted(self._sums, self._key(frame))

    def warp_totals(self, frame: Frame, warp: int) -> Totals:
        """Return the counts of one warp (number in the grid) of the frame's block up to a frame, without operations."""
        return Totals(sum_counts(self._counted(self._sums_of_warp(warp), frame.step))[0], None)

    def _counted(self, sums: dict[int, _PrefixSums], key: int) -> tuple[MemoryCount, ...]:
        found = []
        for number, site in enumerate(self.trace.sites):
            if number in sums and (numbers := sums[number].up_to(key).tolist())[0]:
                array = self.trace.arrays[site.array]
                place = site.span.line, site.span.column
                found.append(MemoryCount(array.name, array.space, site.access, *place, *numbers))
        return tuple(found)

    def totals(self, frame: Frame) -> Totals:
        """Return the counts by array, and the floating-point operations, up to a frame."""
        return Totals(sum_counts(self.sites(frame))[0], self._flops(frame))

    def lines(self, frame: Frame) -> tuple[LineCount, ...]:
        """Return the counts of each source line that is executed up to a frame, ascending."""
        numbers: dict[int, list[int]] = {}
        for statement, (warps_, _) in enumerate(self._executions(frame).tolist()):
            if warps_:
                line = self.trace.statements[statement].span.line
                numbers.setdefault(line, [0] * 6)[0] += warps_
        for count in self.sites(frame):
            row = numbers.setdefault(count.line, [0] * 6)
            costs = (count.requests, count.sectors, count.ideal_sectors, count.wavefronts, count.ideal_wavefronts)
            for at, number in enumerate(costs, 1):
                row[at] += number
        return tuple(LineCount(line, *row) for line, row in sorted(numbers.items()))

    def issued(self, frame: Frame) -> tuple[Issued, ...]:
        """Return the executing warps and their active lanes of each line up to a frame."""
        found: dict[int, list[int]] = {}
        for statement, (warps_, lanes) in enumerate(self._executions(frame).tolist()):
            if warps_:
                row = found.setdefault(self.trace.statements[statement].span.line, [0, 0])
                row[0] += warps_
                row[1] += lanes
        return tuple(Issued(line, *row) for line, row in sorted(found.items()))

    @property
    def end(self) -> Frame:
        """Frame after which everything has been played."""
        return Frame(int(self.order.turn_blocks[-1]), self.trace.steps - 1)

    def _flops(self, frame: Frame) -> int | None:
        lanes = self._executions(frame)[:, 1]
        if (lanes[self._operations == UNKNOWN] > 0).any():
            return None
        return int((lanes * self._operations).sum())

    @cached_property
    def _operations(self) -> Table:
        return np.array(float_operations(self.trace), np.int64).reshape(-1)

    # --- reads of elements -------------------------------------------------------------------------------

    @cached_property
    def global_inputs(self) -> tuple[int, ...]:
        """Arrays of global memory that the run reads, by their positions in the trace."""
        trace = self.trace
        sites = [trace.sites[number] for number in np.unique(trace.group_site).tolist()]
        read = {site.array for site in sites if site.access == "read"}
        return tuple(n for n, array in enumerate(trace.arrays) if n in read and array.space == "global")

    def reads(self, array: int, frame: Frame) -> ElementReads:
        """Return the number of reads of each element of an array (by its position in the trace) up to a frame."""
        if array not in self._known_reads:
            self._known_reads[array] = self._reads_in_order(array)
        table = self._known_reads[array].up_to(self._key(frame))
        return ElementReads(array, table.reshape(self.trace.arrays[array].shape))

    @cached_property
    def _known_reads(self) -> dict[int, _Reads]:
        return {}

    def _reads_in_order(self, array: int) -> _Reads:
        trace, size = self.trace, self.trace.arrays[array].size
        keys, elements = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        for number, site in enumerate(trace.sites):
            if site.array != array or site.access != "read":
                continue
            for part in in_parts(trace, np.flatnonzero(trace.group_site == number)):
                group, lane, index = accesses_of(trace, part)
                key = self.order.moments(lane // np.int64(trace.launch.block.count), trace.group_step[group])
                index = widen(index, site.width)
                inside = (index >= 0) & (index < size)
                keys.append(np.repeat(key, site.width)[inside])
                elements.append(index[inside].astype(np.int32))
        return _Reads.of(np.concatenate(keys), np.concatenate(elements), size)

    # --- prefix sums of accesses -------------------------------------------------------------------------

    def _key(self, frame: Frame) -> int:
        return int(self.order.moments(np.array([frame.block]), np.array([max(frame.step, 0)]))[0]) + min(frame.step, 0)

    @cached_property
    def _sums(self) -> dict[int, _PrefixSums]:
        return {
            number: _PrefixSums.of(self.order.moments(rows.block, rows.step), rows.numbers)
            for number, rows in self._rows.items()
        }

    @cached_property
    def _rows(self) -> dict[int, _SiteRows]:
        return {number: self._rows_of_site(number) for number in np.unique(self.trace.group_site).tolist()}

    def _rows_of_site(self, number: int) -> _SiteRows:
        trace, item = self.trace, self.trace.arrays[self.trace.sites[number].array].dtype.itemsize
        parts = []
        for examples, members, pattern in patterns(trace, number, LINE_BYTES // item):
            # Count each pattern once; a member has the counts of its example, which has the same lanes.
            example, block, numbers = self._counts_by_block(number, examples)
            first = np.searchsorted(example, np.arange(len(examples) + 1))
            lengths = np.diff(first)[pattern]
            within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            rows = np.repeat(first[pattern], lengths) + within
            step = np.repeat(trace.group_step[members].astype(np.int64), lengths)
            parts.append((step, block[rows], numbers[rows]))
        step, block, numbers = (np.concatenate(column) for column in zip(*parts, strict=True))
        return _SiteRows(step, block, numbers)

    def _counts_by_block(self, number: int, groups: NDArray[np.intp]) -> tuple[Table, Table, Table]:
        """Return position in `groups`, block, and counts of each block of some access groups, sorted by both."""
        trace = self.trace
        # `requests_by_group` keeps the order of the groups: number them, so that they are sorted in any case.
        position = np.argsort(groups, kind="stable")
        requests, group = requests_by_group(trace, number, groups[position])
        at = position[np.searchsorted(groups[position], group)]
        block = requests.warp // trace.launch.warps_per_block
        table = self._numbers(number, requests)
        key = at * np.int64(trace.launch.grid.count) + block
        order = np.argsort(key, kind="stable")
        begins = np.flatnonzero(np.diff(key[order], prepend=-1))
        first = order[begins]
        summed = np.add.reduceat(table[order], begins, axis=0) if len(begins) else table[:0]
        return at[first], block[first], summed

    def _numbers(self, number: int, requests: Requests) -> Table:
        """Return the numbers of a MemoryCount for each request of a site: [requests, NUMBERS]."""
        site = self.trace.sites[number]
        space = self.trace.arrays[site.array].space
        accesses = (requests.address < NO_ADDRESS).sum(axis=1)
        table = np.zeros((len(requests), len(NUMBERS)), np.int64)
        table[:, 0], table[:, 1], table[:, 2] = 1, accesses, accesses * requests.size
        if space == "global":
            table[:, 3], table[:, 4], table[:, 5] = sectors_by_request(requests)
        if space == "shared":
            table[:, 6], table[:, 7] = wavefronts_by_request(requests)
        if site.access == "atomic":
            table[:, 8] = contention_by_request(requests)
        return table

    def _sums_of_warp(self, warp: int) -> dict[int, _PrefixSums]:
        """Return the counts of each site by one warp, by step; those of the last few warps are kept."""
        known, trace = self._known_warps, self.trace
        if warp not in known:
            here = np.append(0, np.cumsum(warps(trace, trace.mask_lanes) == warp))[trace.mask_first]
            takes_part, found = np.diff(here) > 0, {}
            for number in np.unique(trace.group_site).tolist():
                groups = np.flatnonzero((trace.group_site == number) & takes_part[trace.group_mask])
                requests, _ = requests_by_group(trace, number, groups, warp)
                found[number] = _PrefixSums.of(requests.step.astype(np.int64), self._numbers(number, requests))
            while len(known) >= _KEPT_BLOCKS:
                known.pop(next(iter(known)))
            known[warp] = found
        return known[warp]

    @cached_property
    def _known_warps(self) -> dict[int, dict[int, _PrefixSums]]:
        return {}

    # --- executions of statements ------------------------------------------------------------------------

    def _executions(self, frame: Frame) -> Table:
        """Return (warps, lanes) that executed each statement up to a frame."""
        order = self.order
        now = order.turn(frame.block, max(frame.step, 0))
        known, every = now // self._turns_each, self._turns_each
        found: Table = self._executions_before[known].copy()
        for turn in range(known * every, now):
            found += self._executions_of_turn(turn, order.turn_ends[turn] - 1)
        return found + self._executions_of_turn(now, frame.step)

    def _executions_of_turn(self, turn: int, last: int) -> Table:
        """Return (warps, lanes) that executed each statement in a turn, up to a step."""
        found = np.zeros((len(self.trace.statements), 2), np.int64)
        before = int(self.order.turn_steps[turn]) - 1
        for statement, rows in self._executions_in(int(self.order.turn_blocks[turn])).items():
            found[statement] = rows.up_to(last) - rows.up_to(before)
        return found

    def _executions_in(self, block: int) -> dict[int, _PrefixSums]:
        """Return the executions of each statement by one block; the last few blocks are kept."""
        known = self._known_executions
        if block not in known:
            steps = self.trace.block_steps(block)
            mask, owner, warp_count, lane_count = self._mask_blocks
            here = owner == block
            per_mask = np.zeros((len(self.trace.masks), 2), np.int64)
            per_mask[mask[here]] = np.stack([warp_count[here], lane_count[here]], axis=1)
            while len(known) >= _KEPT_BLOCKS:
                known.pop(next(iter(known)))
            known[block] = self._sums_of(steps, per_mask[self.trace.step_mask[steps]])
        return known[block]

    def _sums_of(self, steps: NDArray[np.integer], rows: Table) -> dict[int, _PrefixSums]:
        statement = self.trace.step_statement[steps]
        return {
            number: _PrefixSums.of(steps[statement == number].astype(np.int64), rows[statement == number])
            for number in np.unique(statement).tolist()
        }

    @cached_property
    def _mask_blocks(self) -> tuple[Table, Table, Table, Table]:
        """Mask, block, warps and lanes of every block of every lane set; sorted by mask, then block."""
        trace = self.trace
        lanes = trace.mask_lanes
        mask = np.repeat(np.arange(len(trace.masks)), np.diff(trace.mask_first))
        block = lanes // np.int64(trace.launch.block.count)
        warp = warps(trace, lanes)
        new_mask = np.diff(mask, prepend=-1) != 0
        # Lane sets are sorted, so the lanes of a warp and the warps of a block are neighbours.
        new_warp = new_mask | (np.diff(warp, prepend=-1) != 0)
        begins = np.flatnonzero(new_mask | (np.diff(block, prepend=-1) != 0))
        warp_count = np.add.reduceat(new_warp.astype(np.int64), begins) if len(begins) else np.zeros(0, np.int64)
        return mask[begins], block[begins], warp_count, np.diff(begins, append=len(lanes))

    @cached_property
    def _turns_each(self) -> int:
        """Turns between two rows of `_executions_before`."""
        whole = len(self.order.turn_blocks) * len(self.trace.statements) * 16
        return max(1, -(-whole // _TURN_BYTES))

    @cached_property
    def _executions_before(self) -> Table:
        """[turns, statements, 2]: warps and lanes that executed each statement before every n-th turn."""
        trace, every = self.trace, self._turns_each
        mask, block, warp_count, lane_count = self._mask_blocks
        first = np.searchsorted(mask, np.arange(len(trace.masks) + 1))
        rows = len(self.order.turn_blocks) // every + 2
        found = np.zeros((rows, len(trace.statements), 2), np.int64)
        # Steps of one statement and lane set have the same blocks, warps and lanes.
        key = trace.step_statement.astype(np.int64) * (len(trace.masks) + 1) + trace.step_mask
        by_key = np.argsort(key, kind="stable")
        for steps in np.split(by_key, np.flatnonzero(np.diff(key[by_key])) + 1):
            number = int(trace.step_mask[steps[0]])
            of_mask = slice(first[number], first[number + 1])
            turn = self.order.turns(np.repeat(block[of_mask], len(steps)), np.tile(steps, of_mask.stop - of_mask.start))
            table = found[:, int(trace.step_statement[steps[0]])]
            np.add.at(table[:, 0], turn // every + 1, np.repeat(warp_count[of_mask], len(steps)))
            np.add.at(table[:, 1], turn // every + 1, np.repeat(lane_count[of_mask], len(steps)))
        total: Table = np.cumsum(found, axis=0)
        return total

    @cached_property
    def _known_executions(self) -> dict[int, dict[int, _PrefixSums]]:
        return {}
