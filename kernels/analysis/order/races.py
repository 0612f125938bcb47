"""Races as they happen: the reads of a run that come too early or too late, and the step that shows each hazard.

A report of a data race names two accesses that nothing orders. Whether they go wrong depends on the order of warps: in
lockstep every thread writes its element before another one reads it. Here the accesses of one run are compared with
the order in which the source has them. With the barrier between line 23, `As[ty][tx] = …`, and line 28,
`sum += As[ty][k] * …`, missing, and warp 0 first, thread (0,5) reads As[5][2] in step 13, and thread (2,5), of warp 1,
writes it in step 21: the read is too early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

import numpy as np

from kernels.launch import WARP_SIZE
from kernels.trace.sorted_columns import rows_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.trace import Hazard, HazardAccess, Trace
    from kernels.trace.records import Access

    Numbers = NDArray[np.int64]

Order = Literal["unordered", "early", "late"]
"""Relation of the two accesses of a race: not ordered, but in the order of the source; the read before the write whose
value it needs; the read after a write that should come later."""


@dataclass(frozen=True, slots=True)
class Party:
    """A thread of a race, and its access."""

    lane: int
    access: Access


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses to one element that nothing orders, in the step that shows them."""

    step: int
    """Step of the later access in an unordered pair, else of the read."""
    block: int
    """Linear number of the block of that access."""
    array: int
    """Row of `Trace.arrays`."""
    index: int
    """Flat index of the element."""
    parties: tuple[Party, Party]
    """The reader first, where the order is early or late; else as reported."""
    order: Order


@dataclass(frozen=True, eq=False)
class WrongReads:
    """Reads of shared memory that a missing barrier makes wrong, a row for each, sorted by step, then lane."""

    step: Numbers
    lane: Numbers
    writer: Numbers
    """Lane whose write comes too late, or too soon."""
    index: Numbers
    """Flat index of the element."""
    array: Numbers
    """Row of `Trace.arrays`."""
    early: NDArray[np.bool_]
    """True if the read comes before the write whose value it needs."""
    pair: Numbers
    """Number of the pair of lines in `pairs_of(trace)`."""
    first: Mapping[int, int]
    """The first row of each pair that has one."""


_WRONG_READS: WeakKeyDictionary[Trace, WrongReads] = WeakKeyDictionary()
"""Results by trace, computed once."""


def pairs_of(trace: Trace) -> tuple[Hazard, ...]:
    """Return every hazard, those that are reported with another one too."""
    return tuple(pair for hazard in trace.hazards for pair in hazard.pairs)


def wrong_reads(trace: Trace) -> WrongReads:
    """Find the reads that a data race makes wrong in this run."""
    if trace not in _WRONG_READS:
        found = [_of_pair(trace, number, pair) for number, pair in enumerate(pairs_of(trace))]
        columns = [np.concatenate([np.zeros(0, np.int64), *(rows[n] for rows in found)]) for n in range(7)]
        order = np.lexsort((columns[1], columns[0]))
        step, lane, writer, index, array, early, pair = (column[order] for column in columns)
        numbers, rows = np.unique(pair, return_index=True)
        first = dict(zip(numbers.tolist(), rows.tolist(), strict=True))
        _WRONG_READS[trace] = WrongReads(step, lane, writer, index, array, early.astype(bool), pair, first)
    return _WRONG_READS[trace]


def shown_at(trace: Trace, number: int) -> tuple[int, int] | None:
    """Return (block, step) that shows a hazard, by its number in `pairs_of`: the first wrong read, if there is one.

    Without one it is the step of the report, in the block of its last access; None if it names no access.
    """
    wrong = wrong_reads(trace)
    row = wrong.first.get(number)
    return _reported_at(trace, pairs_of(trace)[number]) if row is None else _place_of(trace, wrong, row)


def hazard_shown_at(trace: Trace, hazard: Hazard) -> tuple[int, int] | None:
    """Return (block, step) that shows a hazard or, earlier, a wrong read of a race that is reported with it."""
    race = first_wrong_read(trace, hazard)
    return _reported_at(trace, hazard) if race is None else (race.block, race.step)


def first_wrong_read(trace: Trace, hazard: Hazard) -> Race | None:
    """Return the first wrong read of a hazard, or of a race that is reported with it, in this run."""
    wrong, pairs = wrong_reads(trace), hazard.pairs
    rows = [wrong.first[n] for n, pair in enumerate(pairs_of(trace)) if n in wrong.first and pair in pairs]
    return _wrong_read(trace, min(rows)) if rows else None


def _reported_at(trace: Trace, hazard: Hazard) -> tuple[int, int] | None:
    if not hazard.accesses:
        return None
    return trace.launch.grid.linear(*hazard.accesses[-1].block), hazard.step


def _place_of(trace: Trace, wrong: WrongReads, row: int) -> tuple[int, int]:
    return int(wrong.lane[row]) // trace.launch.block.count, int(wrong.step[row])


def race_at(trace: Trace, step: int, block: int) -> Race | None:
    """Return the race that a step shows in a block: its first wrong read, else a race that is reported there."""
    rows = _wrong_rows(trace, step, block)
    if len(rows):
        return _wrong_read(trace, int(rows[0]))
    for number, pair in enumerate(pairs_of(trace)):
        if pair.kind == "data-race" and pair.step == step and shown_at(trace, number) == (block, step):
            race = _reported(trace, pair, block)
            if race is not None:
                return race
    return None


def _wrong_read(trace: Trace, row: int) -> Race:
    wrong = wrong_reads(trace)
    block, step = _place_of(trace, wrong, row)
    parties = Party(int(wrong.lane[row]), "read"), Party(int(wrong.writer[row]), "write")
    order: Order = "early" if wrong.early[row] else "late"
    return Race(step, block, int(wrong.array[row]), int(wrong.index[row]), parties, order)


def hazard_lanes(trace: Trace, step: int, block: int) -> Numbers:
    """Return the threads of a block that take part in a hazard in this step: all with a wrong read, or as reported."""
    wrong, rows, threads = wrong_reads(trace), _wrong_rows(trace, step, block), trace.launch.block.count
    lanes = [*wrong.lane[rows].tolist(), *wrong.writer[rows].tolist()]
    for number, pair in enumerate(pairs_of(trace)):
        if number not in wrong.first and pair.step == step:
            lanes += [_lane(trace, access) for access in pair.accesses]
    return np.unique([lane for lane in lanes if lane // threads == block]).astype(np.int64)


def _wrong_rows(trace: Trace, step: int, block: int) -> Numbers:
    """Return the rows of the wrong reads of a block in a step."""
    wrong = wrong_reads(trace)
    rows = rows_between(wrong.step, step, step + 1)
    found: Numbers = rows.start + np.flatnonzero(wrong.lane[rows] // trace.launch.block.count == block)
    return found


def _reported(trace: Trace, pair: Hazard, block: int) -> Race | None:
    """Return a race as it was reported; None for accesses of two blocks, of which a picture shows one."""
    lanes = [_lane(trace, access) for access in pair.accesses]
    array = next((n for n, a in enumerate(trace.arrays) if (a.name, a.space) == (pair.array, pair.space)), -1)
    if len(lanes) != 2 or array < 0 or {lane // trace.launch.block.count for lane in lanes} != {block}:
        return None
    first, second = (Party(lane, a.access) for lane, a in zip(lanes, pair.accesses, strict=True))
    return Race(pair.step, block, array, pair.index, (first, second), "unordered")


def _lane(trace: Trace, access: HazardAccess) -> int:
    launch = trace.launch
    return launch.grid.linear(*access.block) * launch.block.count + launch.block.linear(*access.thread)


def _of_pair(trace: Trace, number: int, pair: Hazard) -> tuple[Numbers, ...]:
    """Return the columns of `WrongReads` for one pair of lines: a plain read and a write of one shared array."""
    nothing = (np.zeros(0, np.int64),) * 7
    by_access = {access.access: access for access in pair.accesses}
    if pair.kind != "data-race" or pair.space != "shared" or set(by_access) != {"read", "write"}:
        return nothing
    reads = _events(trace, pair, by_access["read"])
    writes = _events(trace, pair, by_access["write"])
    if not len(reads[0]) or not len(writes[0]) or not _once_in_a_phase(writes):
        return nothing
    # Writes sorted by element, then step: the neighbours of a read are the last write before it, and the next one.
    order = np.lexsort((writes[1], writes[0]))
    writes = tuple(column[order] for column in writes)
    steps = trace.steps + 1
    after = np.searchsorted(writes[0] * steps + writes[1], reads[0] * steps + reads[1], side="right")
    rows: list[tuple[Numbers, Numbers, Numbers]] = []
    for is_early, at in ((True, after), (False, after - 1)):
        inside = (at >= 0) & (at < len(order))
        read, write = np.flatnonzero(inside), at[inside]
        r, w = tuple(column[read] for column in reads), tuple(column[write] for column in writes)
        # A barrier of the block between the two would have ended one epoch; the lanes of a warp run in lockstep.
        unordered = (r[0] == w[0]) & (r[1] != w[1]) & (r[3] == w[3]) & (_warps(trace, r[2]) != _warps(trace, w[2]))
        turned = (w[4] < r[4]) if is_early else (r[4] < w[4])
        keep = unordered & turned
        rows.append((read[keep], write[keep], np.full(int(keep.sum()), is_early, np.int64)))
    read, write, early = (np.concatenate(columns) for columns in zip(*rows, strict=True))
    size = trace.arrays[int(reads[5][0])].size
    return (
        reads[1][read],
        reads[2][read],
        writes[2][write],
        reads[0][read] % size,
        reads[5][read],
        early,
        np.full(len(read), number, np.int64),
    )


def _warps(trace: Trace, lanes: Numbers) -> Numbers:
    """Return the number of each lane's warp in its block."""
    found: Numbers = lanes % trace.launch.block.count // WARP_SIZE
    return found


def _events(trace: Trace, pair: Hazard, access: HazardAccess) -> tuple[Numbers, ...]:
    """Return the accesses of one line to the array of a pair.

    Columns: element with its block, step, lane, barriers passed, place in the order of the source, array.
    """
    threads = trace.launch.block.count
    sites = [
        number
        for number, site in enumerate(trace.sites)
        if site.access == access.access
        and (trace.arrays[site.array].name, trace.arrays[site.array].space) == (pair.array, pair.space)
        and (site.span.source_span.line, site.span.source_span.file) == (access.line, access.file)
    ]
    places = sorted(range(len(trace.statements)), key=lambda n: _place(trace, n))
    rank = np.argsort(places)
    columns: list[list[Numbers]] = [[np.zeros(0, np.int64)] for _ in range(6)]
    for number in np.flatnonzero(np.isin(trace.group_site, sites)):
        group = trace.group(int(number))
        lanes, elements = group.element_lanes.astype(np.int64), group.elements
        inside = (elements >= 0) & (elements < group.array.size)
        lanes, elements = lanes[inside], elements[inside]
        phase, statement = int(trace.step_phase[group.step]), int(trace.step_statement[group.step])
        place = (phase + 1) * len(places) + int(rank[statement])
        parts = (group.step, int(trace.step_epoch[group.step]), place, group.site.array)
        step, epoch, order, array = (np.full(len(lanes), part, np.int64) for part in parts)
        row = (lanes // threads * group.array.size + elements, step, lanes, epoch, order, array)
        for column, part in zip(columns, row, strict=True):
            column.append(part)
    return tuple(np.concatenate(column) for column in columns)


def _place(trace: Trace, statement: int) -> tuple[int, int]:
    span = trace.statements[statement].span
    return span.line, span.column


def _once_in_a_phase(writes: tuple[Numbers, ...]) -> bool:
    """Return whether no thread executes a write twice in a phase.

    In a loop inside of a phase the order of the source does not tell which access comes first.
    """
    events = np.unique(np.stack([writes[1], writes[2], writes[4]]), axis=1)
    return bool(np.unique(events[1:], axis=1).shape[1] == events.shape[1])
