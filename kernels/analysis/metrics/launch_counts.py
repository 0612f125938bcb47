"""Counts of a launch, summed while it runs: the numbers of `kernels.analysis.metrics.counts` without a recorded trace.

Only the values that decide addresses and branches are computed (`kernels.simt.machine.skipped_values`). An access
whose indices differ from an earlier one's by a constant is a pattern and a distance: its requests are counted once for
each distance within a cache line (`request_classes`), and its elements once for each distance (`element_counts`).
All other accesses are collected, and counted when there are many. So the memory does not grow with the length of the
run, and the counts are those of a trace: no number is estimated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.metrics.counts import Counts, Issued, MemoryCount, Reuse, sum_counts
from kernels.analysis.metrics.element_counts import ElementCounts
from kernels.analysis.metrics.floating_point import UNKNOWN, float_operations
from kernels.analysis.metrics.memory_history import ElementReads, LineCount, Totals
from kernels.analysis.metrics.request_classes import Repeated, count_requests
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from kernels.simt.machine.affine_index import Pattern
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.machine import Machine
    from kernels.trace import Trace
    from kernels.trace.records import Access

    Table = NDArray[np.int64]

_AT_ONCE: Final = 1 << 20
"""Lanes of collected accesses after which they are counted."""

_MOST_PATTERN_LANES: Final = 1 << 23
"""Lanes of patterns after which they are counted; those of the present batch occur again."""

_MOST_DISTANCES: Final = 1 << 20
"""Distinct distances of patterns after which they are counted."""


@dataclass(frozen=True, slots=True)
class StatementCount:
    """Warps that executed one statement, over the whole launch."""

    statement: int
    """Position in the trace's statements."""
    warps: int
    lanes: int
    split: int
    """Executions by a part of a warp: by fewer lanes than the warp has threads."""


@dataclass(frozen=True, eq=False)
class LaunchCounts:
    """All counts of one launch; of a run that ended early, those until then."""

    trace: Trace
    """The tables of the run, without steps and outputs."""
    counts: Counts
    totals: Totals
    """Counts by array, and floating-point operations."""
    lines: tuple[LineCount, ...]
    """Counts of each source line, ascending."""
    statements: tuple[StatementCount, ...]
    """Executions of each statement, in the order of the trace's statements."""
    touches: Mapping[tuple[int, Access], Table]
    """By array (its position in the trace) and kind of access: the accesses to each element over all copies."""

    def reads(self, array: int) -> ElementReads:
        """Return the reads of each element of an array."""
        info = self.trace.arrays[array]
        found = self.touches.get((array, "read"))
        return ElementReads(array, np.zeros(info.shape, np.int64) if found is None else found)


class LaunchCounter:
    """Counts a run while it executes (`kernels.simt.Options.counter`); `result` returns the counts after it."""

    def begin(self, machine: Machine) -> None:
        """Start, or start again: forget what has been counted."""
        self._machine = machine
        self._steps: Counter[tuple[int, int]] = Counter()
        self._executed: dict[int, Table] = {}
        self._patterns: dict[tuple[int, Pattern], dict[int, int]] = {}
        self._uniform: dict[tuple[int, int], dict[int, int]] = {}
        self._collected: dict[int, list[Repeated]] = {}
        self._latest: dict[tuple[int, int], Repeated] = {}
        self._collected_lanes = self._pattern_lanes = self._distances = 0
        self._numbers: dict[int, Table] = {}
        self._elements: dict[tuple[int, Access], ElementCounts] = {}

    # --- events ------------------------------------------------------------------------------------------

    def step(self, statement: int, row: int) -> None:
        """Count a step of a lane set."""
        self._steps[statement, row] += 1

    def access(self, site: int, row: int, index: Value, outside: bool) -> None:
        """Count accesses at an index for each lane, or at one for all lanes of a set."""
        if type(index) is not np.ndarray:
            self._count_distance(self._uniform.setdefault((site, row), {}), index)
            return
        before = self._latest.get((site, row))
        if before is not None and not outside and (shift := _distance(before.index, index)) is not None:
            self._count_distance(before.shifts, shift)
            return
        found = Repeated(self._machine.recorder.masks[row], index, {0: 1})
        if not outside:
            self._latest[site, row] = found
        self._collected.setdefault(site, []).append(found)
        self._collected_lanes += len(index)
        if self._collected_lanes >= _AT_ONCE:
            self._flush()

    def affine_access(self, site: int, pattern: Pattern, shift: int) -> None:
        """Count accesses of a pattern at a distance."""
        shifts = self._patterns.get((site, pattern))
        if shifts is None:
            shifts = self._patterns[site, pattern] = {}
            self._pattern_lanes += len(pattern.lanes)
        self._count_distance(shifts, shift)

    def end_batch(self) -> None:
        """Count what was collected."""
        self._flush()

    def _count_distance(self, shifts: dict[int, int], shift: int) -> None:
        if shift in shifts:
            shifts[shift] += 1
            return
        shifts[shift] = 1
        self._distances += 1
        if self._distances >= _MOST_DISTANCES or self._pattern_lanes >= _MOST_PATTERN_LANES:
            self._flush()

    # --- sums --------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Count what was collected."""
        collected, masks = self._collected, self._machine.recorder.masks
        for (site, pattern), shifts in self._patterns.items():
            collected.setdefault(site, []).append(Repeated(pattern.lanes, pattern.index, shifts))
        for (site, row), shifts in self._uniform.items():
            lanes = masks[row]
            collected.setdefault(site, []).append(Repeated(lanes, np.zeros(len(lanes), np.int64), shifts))
        for number, accesses in collected.items():
            for part in _parts(accesses):
                self._count(number, part)
        self._count_steps()
        self._patterns, self._uniform, self._collected, self._latest = {}, {}, {}, {}
        self._collected_lanes = self._pattern_lanes = self._distances = 0

    def _count(self, number: int, accesses: list[Repeated]) -> None:
        machine = self._machine
        site, memory = machine.sites[number], machine.memories[machine.sites[number].array]
        total = count_requests(machine.launch, site, memory.info, accesses)
        self._numbers[number] = self._numbers.get(number, 0) + total
        key = site.array, site.access
        if key not in self._elements:
            self._elements[key] = ElementCounts(machine.launch, memory.info)
        for access in accesses:
            self._elements[key].add(access, site.width)

    def _count_steps(self) -> None:
        """Count the warps and the lanes that executed each statement, and the warps of which only a part did."""
        launch, masks = self._machine.launch, self._machine.recorder.masks
        sizes: dict[int, tuple[int, int, int]] = {}
        for (statement, row), times in self._steps.items():
            if row not in sizes:
                block, thread = np.divmod(masks[row], launch.block.count)
                warp = block * np.int64(launch.warps_per_block) + thread // WARP_SIZE
                first = np.flatnonzero(np.diff(warp, prepend=-1))  # position of the first lane of each warp
                lanes = np.diff(first, append=len(warp))
                whole = np.minimum(WARP_SIZE, launch.block.count - thread[first] // WARP_SIZE * WARP_SIZE)
                sizes[row] = len(first), len(warp), int(np.count_nonzero(lanes < whole))
            self._executed[statement] = self._executed.get(statement, 0) + np.multiply(sizes[row], times)
        self._steps.clear()

    def result(self, trace: Trace) -> LaunchCounts:
        """Return the counts; `trace` is what the run returned."""
        self._flush()
        arrays, lines, sites = sum_counts(self._memory_counts(trace))
        executed = {statement: tuple(row.tolist()) for statement, row in sorted(self._executed.items())}
        issued: dict[int, list[int]] = {}
        for statement, (warps, lanes, _) in executed.items():
            row = issued.setdefault(trace.statements[statement].span.line, [0, 0])
            row[0] += warps
            row[1] += lanes
        by_line = tuple(Issued(line, *row) for line, row in sorted(issued.items()))
        operations = float_operations(trace)
        known = all(operations[statement] != UNKNOWN for statement in executed)
        flops = sum(lanes * operations[statement] for statement, (_, lanes, _) in executed.items()) if known else None
        found = Counts(arrays, lines, sites, tuple(self._reuse(trace)), by_line)
        touches = {
            (array, access): each.by_element[: trace.arrays[array].size].reshape(trace.arrays[array].shape)
            for (array, access), each in self._elements.items()
        }
        statements = tuple(StatementCount(statement, *row) for statement, row in executed.items())
        return LaunchCounts(trace, found, Totals(arrays, flops), _lines(by_line, lines), statements, touches)

    def _memory_counts(self, trace: Trace) -> list[MemoryCount]:
        found = []
        for number, site in enumerate(trace.sites):
            if number in self._numbers:
                array, place = trace.arrays[site.array], (site.span.line, site.span.column)
                found.append(MemoryCount(array.name, array.space, site.access, *place, *self._numbers[number].tolist()))
        return found

    def _reuse(self, trace: Trace) -> list[Reuse]:
        found = []
        for array, access in dict.fromkeys((site.array, site.access) for site in trace.sites):
            each = self._elements.get((array, access))
            if each is not None:
                info = trace.arrays[array]
                found.append(Reuse(info.name, info.space, access, each.accesses, each.elements))
        return found


def _distance(one: NDArray[np.signedinteger], other: NDArray[np.signedinteger]) -> int | None:
    """Return the number by which all elements of two vectors differ; None if they differ in other ways."""
    shift = int(other[0]) - int(one[0])
    if int(other[-1]) - int(one[-1]) != shift:
        return None
    return shift if np.array_equal(other, one + shift) else None


def _parts(accesses: list[Repeated]) -> Iterator[list[Repeated]]:
    """Split accesses into parts of a limited number of lanes, which bounds the memory of the tables made for each."""
    part: list[Repeated] = []
    lanes = 0
    for access in accesses:
        if lanes >= _AT_ONCE:
            yield part
            part, lanes = [], 0
        part.append(access)
        lanes += len(access.lanes)
    yield part


def _lines(issued: tuple[Issued, ...], by_kind: tuple[MemoryCount, ...]) -> tuple[LineCount, ...]:
    """Return executions and costs of each line, all arrays and kinds of access together."""
    rows = {each.line: [each.warps, 0, 0, 0, 0, 0] for each in issued}
    for count in by_kind:
        row = rows.setdefault(count.line, [0] * 6)
        costs = (count.requests, count.sectors, count.ideal_sectors, count.wavefronts, count.ideal_wavefronts)
        row[1:] = [number + cost for number, cost in zip(row[1:], costs, strict=True)]
    return tuple(LineCount(line, *row) for line, row in sorted(rows.items()))
