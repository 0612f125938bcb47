"""Requests, sectors, wavefronts, reuse and divergence, counted from a trace; the metrics are Nsight Compute's.

The cost of one request is computed in `kernels.analysis.metrics.requests`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.metrics.element_counts import IntegerSet, lanes_per_copy
from kernels.analysis.metrics.pattern_groups import LINE_BYTES, pattern_groups
from kernels.analysis.metrics.requests import (
    NO_ADDRESS,
    accesses_of,
    contention,
    efficiency,
    requests_of,
    sectors,
    warps,
    wavefronts,
)
from kernels.trace.records import widen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from kernels.analysis.metrics.requests import Requests
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Accesses of one kind to one array."""

    array: str
    space: Space
    access: Access
    line: int
    """0 in counts of a whole array."""
    column: int
    """0 in counts of a whole line or array."""
    requests: int
    """Instructions executed by warps."""
    accesses: int
    """Accesses of single threads."""
    bytes: int
    sectors: int
    """Sectors of global memory, 0 for other spaces."""
    ideal_sectors: int
    """Sectors if the distinct elements of each request were contiguous."""
    used_bytes: int
    """Distinct bytes that each request to global memory accesses, 0 for other spaces."""
    wavefronts: int
    """Wavefronts of shared memory, 0 for other spaces."""
    ideal_wavefronts: int
    """Wavefronts without bank conflicts."""
    contention: int
    """For atomics: over all requests, the sum of the most lanes at one element, which are serialised."""

    @property
    def efficiency(self) -> float:
        """Bytes used of bytes moved, or ideal wavefronts of actual ones; 1.0 where there are none."""
        return efficiency(
            used_bytes=self.used_bytes,
            sectors=self.sectors,
            ideal_wavefronts=self.ideal_wavefronts,
            wavefronts=self.wavefronts,
        )

    @property
    def excess_wavefronts(self) -> int:
        """Wavefronts that bank conflicts add."""
        return self.wavefronts - self.ideal_wavefronts


NUMBERS: Final = tuple(field.name for field in fields(MemoryCount))[5:]
"""Names of the numbers of a MemoryCount, from `requests` to `contention`."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """Accesses to an array, and the distinct elements accessed, over all copies of a shared or local array."""

    array: str
    space: Space
    access: Access
    accesses: int
    elements: int

    @property
    def per_element(self) -> float:
        """Accesses per accessed element."""
        return self.accesses / self.elements if self.elements else 0.0


@dataclass(frozen=True, slots=True)
class Issued:
    """Warps that executed the statements of one line, and their active lanes."""

    line: int
    warps: int
    lanes: int

    @property
    def active_lanes(self) -> float:
        """Mean active lanes of the warps that execute the statement; 32 without divergence."""
        return self.lanes / self.warps


@dataclass(frozen=True, slots=True)
class Counts:
    """All counts of a trace; those of memory are separate for each kind of access."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    sites: tuple[MemoryCount, ...]
    reuse: tuple[Reuse, ...]
    issued: tuple[Issued, ...]


def counts(trace: Trace) -> Counts:
    """Count a trace, in memory that does not grow with its length."""
    by_site = (count_site(trace, number, _parts_of(trace, number)) for number in range(len(trace.sites)))
    arrays, lines, sites = sum_counts(by_site)
    return Counts(arrays, lines, sites, tuple(_reuse(trace)), tuple(_issued(trace)))


def count_site(trace: Trace, number: int, parts: Iterable[tuple[int, Requests]]) -> MemoryCount:
    """Count the requests of a site, given in parts of one size, each with its number of repetitions."""
    site = trace.sites[number]
    array = trace.arrays[site.array]
    total = np.zeros(len(NUMBERS), np.int64)
    for times, requests in parts:
        accesses = int((requests.address < NO_ADDRESS).sum())
        moved = sectors(requests) if array.space == "global" else (0, 0, 0)
        waves = wavefronts(requests) if array.space == "shared" else (0, 0)
        queue = contention(requests) if site.access == "atomic" else 0
        total += times * np.array((len(requests), accesses, accesses * requests.size, *moved, *waves, queue))
    return MemoryCount(array.name, array.space, site.access, site.span.line, site.span.column, *(int(n) for n in total))


def sum_counts(
    memory_counts: Iterable[MemoryCount],
) -> tuple[tuple[MemoryCount, ...], tuple[MemoryCount, ...], tuple[MemoryCount, ...]]:
    """Sum the counts of sites by array, by line and by site, separately by kind of access, in order of appearance."""
    used = [count for count in memory_counts if count.requests]
    return (
        _sum_by(used, lambda count: (0, 0)),
        _sum_by(used, lambda count: (count.line, 0)),
        _sum_by(used, lambda count: (count.line, count.column)),
    )


def touches(trace: Trace, array: int, access: Access | None = None) -> NDArray[np.int64]:
    """Return the number of accesses to each element of an array, over all its copies, in the array's shape."""
    info = trace.arrays[array]
    total = np.zeros(info.size, np.int64)
    for number, site in enumerate(trace.sites):
        if site.array == array and access in (None, site.access):
            for times, groups in pattern_groups(trace, number):
                index = widen(accesses_of(trace, groups)[2], site.width)
                inside = index[(index >= 0) & (index < info.size)]
                total += times * np.bincount(inside, minlength=info.size)
    return total.reshape(info.shape)


def _parts_of(trace: Trace, number: int) -> Iterator[tuple[int, Requests]]:
    item = trace.arrays[trace.sites[number].array].dtype.itemsize
    for times, groups in pattern_groups(trace, number, LINE_BYTES // item):
        yield times, requests_of(trace, number, groups)


def _sum_by(
    memory_counts: list[MemoryCount], place: Callable[[MemoryCount], tuple[int, int]]
) -> tuple[MemoryCount, ...]:
    groups: dict[tuple[str, str, int, int], list[MemoryCount]] = {}
    for count in memory_counts:
        groups.setdefault((count.array, count.access, *place(count)), []).append(count)
    return tuple(
        MemoryCount(
            array,
            members[0].space,
            members[0].access,
            line,
            column,
            *(sum(getattr(count, name) for count in members) for name in NUMBERS),
        )
        for (array, _, line, column), members in groups.items()
    )


def _reuse(trace: Trace) -> list[Reuse]:
    found = []
    for array, access in dict.fromkeys((site.array, site.access) for site in trace.sites):
        info, accesses = trace.arrays[array], 0
        lanes_each = lanes_per_copy(trace.launch, info.space)
        elements = IntegerSet(-(-trace.launch.thread_count // lanes_each) * info.size)
        for number, site in enumerate(trace.sites):
            if (site.array, site.access) != (array, access):
                continue
            for times, groups in pattern_groups(trace, number):
                _, lane, index = accesses_of(trace, groups)
                accesses += times * len(index) * site.width
                owner = np.repeat(lane // np.int64(lanes_each), site.width)
                elements.add(owner * info.size + widen(index, site.width))
        if accesses:
            found.append(Reuse(info.name, info.space, access, accesses, len(elements)))
    return found


def _issued(trace: Trace) -> list[Issued]:
    lanes = np.array([len(mask) for mask in trace.masks], np.int64)
    warp_count = np.array([1 + np.count_nonzero(np.diff(warps(trace, m))) for m in trace.masks], np.int64)
    line_of = np.array([s.span.line for s in trace.statements], np.int64)
    found = []
    # A warp counts once per step, whichever of its lanes take part: that is what the hardware issues.
    lines = line_of[trace.step_statement] if trace.steps else np.zeros(0, np.int64)
    for line in np.unique(lines):
        masks = trace.step_mask[lines == line]
        found.append(Issued(int(line), int(warp_count[masks].sum()), int(lanes[masks].sum())))
    return found
