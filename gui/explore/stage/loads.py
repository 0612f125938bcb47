"""Table of copies from global into shared memory: lane, step, source and target of each.

A *load* is a write to shared memory by a statement that also reads global memory, or that stores a variable which
another statement read from there. A thread that takes part without reading, or that stores a zero by a separate
statement, *fills* its element. For example, `As[ty][tx] = row < M ? A[row * K + tx] : 0.0f` loads in threads with
row < M, and fills in the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.analysis.syntax.source import parts_at
from kernels.frontend.ast import Assign, Do, Name
from kernels.number_types import bfloat_to_float
from kernels.trace.records import widen
from kernels.trace.sorted_columns import rows_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.trace import Site, Trace


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads, an entry for each element, sorted by `key`."""

    lanes: int
    """Number of lanes of the launch."""
    key: NDArray[np.int64]
    """step · `lanes` + lane."""
    site: NDArray[np.int32]
    """Site of the global read; of a fill, the site of the read that the other threads make."""
    source: NDArray[np.int64]
    """Flat element that is read; -1 for a fill."""
    array: NDArray[np.int32]
    """Shared array that is written."""
    target: NDArray[np.int64]
    """Flat element that is written."""
    part: NDArray[np.int64]
    """Position of the element in an access that is several elements wide."""

    def find(
        self, step: NDArray[np.integer], lane: NDArray[np.integer], array: int, target: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Row of the load by which each (step, lane) wrote an element of the shared array, or -1."""
        key = step.astype(np.int64) * self.lanes + lane
        first, last = (np.searchsorted(self.key, key, side) for side in ("left", "right"))
        found = np.full(len(key), -1, np.int64)
        for beyond in range(int((last - first).max(initial=0))):
            row = np.minimum(first + beyond, len(self.key) - 1)
            hit = (first + beyond < last) & (self.array[row] == array) & (self.target[row] == target)
            found[hit] = row[hit]
        return found

    def rows(self, step: int, first_lane: int, last_lane: int) -> slice:
        """Rows of one step, of lanes first_lane … last_lane - 1."""
        low, high = np.searchsorted(self.key, [step * self.lanes + first_lane, step * self.lanes + last_lane])
        return slice(int(low), int(high))


def collect_loads(trace: Trace) -> Loads:
    """Collect the table from a trace; of several global reads in a statement the first is the source."""
    parts = [
        _loads_of_group(trace, int(group), filling)
        for filling in _fillings(trace)
        for group in np.flatnonzero(trace.group_site == filling.site)
    ]
    none = np.zeros(0, np.int64)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [none] * 6
    order = np.argsort(columns[0], kind="stable")
    key, site, source, array, target, part = (column[order] for column in columns)
    lanes = trace.launch.thread_count
    return Loads(lanes, key, site.astype(np.int32), source, array.astype(np.int32), target, part)


class _Filling(NamedTuple):
    """A site that writes a shared array."""

    site: int
    reads: list[int]
    """Sites of the global reads that its values come from."""
    by_register: bool = False
    """True if an earlier statement reads the value into a variable."""


def _fillings(trace: Trace) -> list[_Filling]:
    """Return the sites that write a shared array, each with the global reads of its statement.

    A statement that stores a variable goes with the reads that gave it. One that reads nothing, but fills an array
    that another fills from global memory, goes with that other's reads.
    """
    reads: dict[int, list[int]] = {}
    reading_anything: set[int] = set()
    writes: list[int] = []
    for number, site in enumerate(trace.sites):
        space = trace.arrays[site.array].space
        if site.access == "read":
            reading_anything.add(site.statement)
            if space == "global":
                reads.setdefault(site.statement, []).append(number)
        elif site.access == "write" and space == "shared" and trace.arrays[site.array].size:
            writes.append(number)
    found = [_Filling(n, reads[trace.sites[n].statement]) for n in writes if trace.sites[n].statement in reads]
    rest = [n for n in writes if trace.sites[n].statement not in reading_anything]
    by_register = {n: _reads_of_variable(trace, trace.sites[n], reads) for n in rest if trace.sites[n].width == 1}
    found += [_Filling(n, sites, by_register=True) for n, sites in by_register.items() if sites]
    by_array = {trace.sites[filling.site].array: filling.reads for filling in found}
    # A separate `else As[ty][tx] = 0.0f` reads nothing: its source is the array that the other statement reads.
    for n in rest:
        if not by_register.get(n) and trace.sites[n].array in by_array:
            found.append(_Filling(n, by_array[trace.sites[n].array]))
    return found


def _loads_of_group(trace: Trace, number: int, filling: _Filling) -> tuple[NDArray[np.int64], ...]:
    group, candidates = trace.group(number), filling.reads
    lanes, index, values = group.lanes, group.index, group.values
    if filling.by_register:
        lanes, index, source, read_site = _sources_of_variable(trace, number, candidates)
    else:
        if trace.sites[candidates[0]].statement != group.site.statement and values is not None:
            zero = (values.reshape(len(lanes), -1) == 0).all(axis=1)
            lanes, index = lanes[zero], index[zero]
        source, read_site = _sources(trace, number, lanes, candidates)
    width = group.site.width
    key = group.step * np.int64(trace.launch.thread_count) + np.repeat(lanes, width)
    part = np.tile(np.arange(width), len(lanes))
    array = np.full(len(key), group.site.array, np.int64)
    return key, read_site.reshape(-1), source.reshape(-1), array, widen(index, width), part


def _place(site: Site) -> tuple[Span, int, str]:
    """Return the key shared by the accesses to all members of a struct."""
    return site.span, site.array, site.access


def _sources(
    trace: Trace, number: int, lanes: NDArray[np.int32], candidates: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the element and site that each lane read for each element it wrote, paired in order.

    If fewer are read than written, the first is used for the rest. A struct is copied member by member: the second
    access that one place in the source makes goes with the second of another.
    """
    group = trace.group(number)
    width, count = group.site.width, len(lanes)
    source = np.full((count, width), -1, np.int64)
    read_site = np.full((count, width), candidates[0], np.int64)
    count_read = np.zeros(count, np.int64)
    rows = rows_between(trace.group_step, group.step, group.step + 1)
    first, last = rows.start, rows.stop
    places = [_place(trace.sites[site]) for site in trace.group_site[first:last]]
    before = places[: number - first].count(_place(group.site))
    for other in range(first, last):
        place = places[other - first]
        earlier = places[: other - first].count(place)
        if trace.group_site[other] not in candidates or not count or earlier < min(before, places.count(place) - 1):
            continue
        read = trace.group(other)
        at = np.minimum(np.searchsorted(lanes, read.lanes), count - 1)
        for part in range(min(read.site.width, width)):
            hit = (lanes[at] == read.lanes) & (count_read[at] < width)
            row = at[hit]
            source[row, count_read[row]] = read.index[hit] + part
            read_site[row, count_read[row]] = trace.group_site[other]
            count_read[row] += 1
    # One read stored to several elements, such as a float4 filled with one value.
    rest = (source < 0) & (count_read > 0)[:, None]
    return np.where(rest, source[:, :1], source), np.where(rest, read_site[:, :1], read_site)


def _reads_of_variable(trace: Trace, site: Site, reads: Mapping[int, list[int]]) -> list[int]:
    """Return the sites that read the variable that a store copies from a register; none if it was computed.

    `reads` are the sites of global reads by statement.
    """
    variable = _stored_variable(trace, site.statement)
    names = [n for n, register in enumerate(trace.registers) if register.title == variable]
    steps = trace.set_step[np.isin(trace.set_register, names)]
    return [s for statement in np.unique(trace.step_statement[steps]) for s in reads.get(int(statement), [])]


def _stored_variable(trace: Trace, statement: int) -> str:
    """Return the name of the variable that `array[…] = name` stores; empty for other statements."""
    for part in parts_at(trace, statement):
        value = part.expression if isinstance(part, Do) else None
        while isinstance(value, Assign):
            value = value.value  # of a = b = name, the last
        if isinstance(value, Name):
            return value.id
    return ""


def _sources_of_variable(
    trace: Trace, number: int, candidates: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sources of the values of a group of stores.

    A lane stores what it read last, but not before the store before this one. Lanes that store another value
    than they read are left out: it was computed. Zeros of lanes that read nothing are filled in.

    Returns
    -------
    Lanes, the elements they store to, those they read (-1: none) and the sites of these reads.
    """
    group = trace.group(number)
    lanes, values, step = group.lanes, group.values, group.step
    stores = trace.group_step[trace.group_site == trace.group_site[number]]
    before = stores[stores < step].max(initial=-1)
    source, read_site = np.full(len(lanes), -1, np.int64), np.full(len(lanes), candidates[0], np.int64)
    within = (trace.group_step > before) & (trace.group_step < step) & np.isin(trace.group_site, candidates)
    for other in np.flatnonzero(within):
        read = trace.group(int(other))
        at = np.minimum(np.searchsorted(lanes, read.lanes), len(lanes) - 1)
        hit = lanes[at] == read.lanes
        source[at[hit]], read_site[at[hit]] = read.index[hit], trace.group_site[other]
    # Lanes that read nothing get the most frequent site of the others, whose formula says what they would have read.
    read_site[source < 0] = np.bincount(read_site[source >= 0], minlength=1).argmax() or candidates[0]
    array = trace.sites[candidates[0]].array
    initial = trace.initial[array]
    if initial is not None and trace.arrays[array].bfloat16:
        initial = bfloat_to_float(initial)
    same = source >= 0
    if values is not None:
        stored = values.reshape(-1)
        if initial is not None:
            same &= source < initial.size
            same &= initial.reshape(-1)[np.where(same, source, 0)] == stored
        same |= (source < 0) & (stored == 0)
    return lanes[same], group.index[same], source[same], read_site[same]
