"""What was copied into shared memory, by whom, and from where: one table read off a trace.

A *load* is a write to shared memory by a statement that also reads global memory. A thread that takes part
without reading, or that stores a zero by a statement of its own, *fills* its element: the boundary rule is
about such threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads in order of `key` = step · lanes + lane; `source` is -1 where the thread filled without reading.

    `site` is the site of the global read (of the read that the statement would have made, for a fill),
    `source` the flat element read, `array` and `target` the shared array and the flat element written.
    """

    lanes: int
    key: NDArray[np.int64]
    site: NDArray[np.int32]
    source: NDArray[np.int64]
    array: NDArray[np.int32]
    target: NDArray[np.int64]

    def find(self, step: NDArray[np.integer], lane: NDArray[np.integer], array: int) -> NDArray[np.int64]:
        """Row of the load by which each (step, lane) wrote the shared array, or -1."""
        if not len(self.key):
            return np.full(len(step), -1)
        key = step.astype(np.int64) * self.lanes + lane
        row = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where((self.key[row] == key) & (self.array[row] == array), row, -1)

    def rows(self, step: int, first_lane: int, last_lane: int) -> slice:
        """Rows of one step, of lanes first_lane … last_lane - 1."""
        low, high = np.searchsorted(self.key, [step * self.lanes + first_lane, step * self.lanes + last_lane])
        return slice(int(low), int(high))


def collect_loads(trace: Trace) -> Loads:
    """Read the table off a trace; statements with several global reads are told by their first."""
    parts = [
        _loads_of_group(trace, int(group), sites)
        for number, sites in _filling_sites(trace).items()
        for group in np.flatnonzero(trace.group_site == number)
    ]
    if not parts:
        none = np.zeros(0, np.int64)
        return Loads(
            trace.launch.thread_count, none, none.astype(np.int32), none, none.astype(np.int32), none
        )
    key, read_site, source, array, target = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(key, kind="stable")
    return Loads(
        trace.launch.thread_count,
        key[order],
        read_site[order].astype(np.int32),
        source[order],
        array[order].astype(np.int32),
        target[order],
    )


def _filling_sites(trace: Trace) -> dict[int, list[int]]:
    """Sites that write a shared array, each with the global reads of its statement.

    A statement that reads nothing, but fills an array that another fills from global memory, goes with that
    other's reads.
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
        elif site.access == "write" and space == "shared":
            writes.append(number)
    found = {n: reads[trace.sites[n].statement] for n in writes if trace.sites[n].statement in reads}
    by_array = {trace.sites[n].array: sites for n, sites in found.items()}
    for n in writes:
        site = trace.sites[n]
        if site.statement not in reading_anything and site.array in by_array:
            found[n] = by_array[site.array]
    return found


def _loads_of_group(trace: Trace, number: int, candidates: list[int]) -> tuple[NDArray[np.int64], ...]:
    group = trace.group(number)
    lanes, target = group.lanes, group.index
    if trace.sites[candidates[0]].statement != group.site.statement and group.values is not None:
        zero = group.values == 0
        lanes, target = lanes[zero], target[zero]
    count = len(lanes)
    source = np.full(count, -1, np.int64)
    read_site = np.full(count, candidates[0], np.int64)
    first, last = np.searchsorted(trace.group_step, [group.step, group.step + 1])
    for other in range(first, last):
        if trace.group_site[other] not in candidates or not count:
            continue
        read = trace.group(other)
        at = np.searchsorted(lanes, read.lanes)
        at = np.minimum(at, count - 1)
        hit = (lanes[at] == read.lanes) & (source[at] < 0)
        source[at[hit]] = read.index[hit]
        read_site[at[hit]] = trace.group_site[other]
    key = group.step * np.int64(trace.launch.thread_count) + lanes
    return key, read_site, source, np.full(count, group.site.array, np.int64), target
