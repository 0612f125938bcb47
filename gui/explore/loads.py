"""What was copied into shared memory, by whom, and from where: one table read off a trace.

A *load* is a write to shared memory by a statement that also reads global memory. A thread that takes part
without reading fills its element with something else, in practice a zero: it is the thread that the
boundary rule is about.
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
    spaces = [trace.arrays[site.array].space for site in trace.sites]
    reading: dict[int, list[int]] = {}
    for number, site in enumerate(trace.sites):
        if spaces[number] == "global" and site.access == "read":
            reading.setdefault(site.statement, []).append(number)
    writing = [
        number
        for number, site in enumerate(trace.sites)
        if spaces[number] == "shared" and site.access == "write" and site.statement in reading
    ]
    parts = [
        _loads_of_group(trace, int(group), reading)
        for group in np.flatnonzero(np.isin(trace.group_site, writing))
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


def _loads_of_group(
    trace: Trace, number: int, reading: dict[int, list[int]]
) -> tuple[NDArray[np.int64], ...]:
    group = trace.group(number)
    count = len(group.lanes)
    source = np.full(count, -1, np.int64)
    candidates = reading[group.site.statement]
    read_site = np.full(count, candidates[0], np.int64)
    first, last = np.searchsorted(trace.group_step, [group.step, group.step + 1])
    for other in range(first, last):
        if trace.group_site[other] not in candidates:
            continue
        read = trace.group(other)
        at = np.searchsorted(group.lanes, read.lanes)
        at = np.minimum(at, count - 1)
        hit = (group.lanes[at] == read.lanes) & (source[at] < 0)
        source[at[hit]] = read.index[hit]
        read_site[at[hit]] = trace.group_site[other]
    key = group.step * np.int64(trace.launch.thread_count) + group.lanes
    return key, read_site, source, np.full(count, group.site.array, np.int64), group.index
