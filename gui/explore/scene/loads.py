"""Table of copies from global into shared memory: lane, step, source and target of each.

A *load* is a write to shared memory by a statement that also reads global memory, or that stores a variable which
another statement read from there. A thread that takes part without reading, or that stores a zero by a separate
statement, *fills* its element: the boundary rule is about such threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gui.explore.scene.register_copies import carried_reads, carried_sources
from kernels.trace.records import widened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.trace import Site, Trace


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads, one row an element, in order of `key` = step · lanes + lane; `source` is -1 for a fill without reading.

    `site` is the site of the global read (of the read that the statement would have made, for a fill),
    `source` the flat element read, `array` and `target` the shared array and the flat element written, `part`
    the place of that element in an access that is several elements wide.
    """

    lanes: int
    key: NDArray[np.int64]
    site: NDArray[np.int32]
    source: NDArray[np.int64]
    array: NDArray[np.int32]
    target: NDArray[np.int64]
    part: NDArray[np.int64]

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
    """A site that writes a shared array, its global reads, and whether a variable carries the value."""

    site: int
    reads: list[int]
    carried: bool = False


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
    carried = {n: carried_reads(trace, trace.sites[n], reads) for n in rest if trace.sites[n].width == 1}
    found += [_Filling(n, sites, carried=True) for n, sites in carried.items() if sites]
    by_array = {trace.sites[filling.site].array: filling.reads for filling in found}
    for n in rest:
        if not carried.get(n) and trace.sites[n].array in by_array:
            found.append(_Filling(n, by_array[trace.sites[n].array]))
    return found


def _loads_of_group(trace: Trace, number: int, filling: _Filling) -> tuple[NDArray[np.int64], ...]:
    group, candidates = trace.group(number), filling.reads
    lanes, index, values = group.lanes, group.index, group.values
    if filling.carried:
        lanes, index, source, read_site = carried_sources(trace, number, candidates)
    else:
        if trace.sites[candidates[0]].statement != group.site.statement and values is not None:
            zero = (values.reshape(len(lanes), -1) == 0).all(axis=1)
            lanes, index = lanes[zero], index[zero]
        source, read_site = _sources(trace, number, lanes, candidates)
    width = group.site.width
    key = group.step * np.int64(trace.launch.thread_count) + np.repeat(lanes, width)
    part = np.tile(np.arange(width), len(lanes))
    array = np.full(len(key), group.site.array, np.int64)
    return key, read_site.reshape(-1), source.reshape(-1), array, widened(index, width), part


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
    taken = np.zeros(count, np.int64)
    first, last = np.searchsorted(trace.group_step, [group.step, group.step + 1])
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
            hit = (lanes[at] == read.lanes) & (taken[at] < width)
            row = at[hit]
            source[row, taken[row]] = read.index[hit] + part
            read_site[row, taken[row]] = trace.group_site[other]
            taken[row] += 1
    rest = (source < 0) & (taken > 0)[:, None]
    return np.where(rest, source[:, :1], source), np.where(rest, read_site[:, :1], read_site)
