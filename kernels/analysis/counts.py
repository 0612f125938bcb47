"""Requests, sectors, wavefronts, reuse and divergence, in Nsight Compute's words, counted from a trace.

What a request costs is worked out in `kernels.analysis.requests`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.pattern_groups import LINE_BYTES, pattern_groups
from kernels.analysis.requests import NONE, accesses_of, contention, requests_of, sectors, warps, wavefronts
from kernels.trace.records import widened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from kernels.analysis.requests import Requests
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space

_MARKS: Final = 1 << 26
"""Bytes of the longest table that marks which elements of an array were touched."""


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Accesses of one kind to one array: by one expression, by all of a line (column 0), or by all (line 0).

    `accesses` are those of single threads, `bytes` what they move. `sectors` are zero but for global memory,
    `wavefronts` but for shared. The ideal is what the same requests would cost if the different elements that
    they touch lay side by side. `contention` (atomics) adds up, over the requests, the most lanes that meet at
    one element: they go one after another.
    """

    array: str
    space: Space
    access: Access
    line: int
    column: int
    requests: int
    accesses: int
    bytes: int
    sectors: int
    ideal_sectors: int
    wavefronts: int
    ideal_wavefronts: int
    contention: int

    @property
    def efficiency(self) -> float:
        """Ideal sectors (or wavefronts) over actual ones, 1.0 where there are none."""
        cost = self.sectors or self.wavefronts
        return (self.ideal_sectors or self.ideal_wavefronts) / cost if cost else 1.0

    @property
    def excess_wavefronts(self) -> int:
        """Wavefronts that bank conflicts add."""
        return self.wavefronts - self.ideal_wavefronts


@dataclass(frozen=True, slots=True)
class Reuse:
    """How often the elements of an array are used: accesses over different elements touched (of all copies)."""

    array: str
    space: Space
    access: Access
    accesses: int
    elements: int

    @property
    def per_element(self) -> float:
        """Accesses for each element that is touched at all."""
        return self.accesses / self.elements if self.elements else 0.0


@dataclass(frozen=True, slots=True)
class Issued:
    """Warps that executed the statements of one line, and their active lanes."""

    line: int
    warps: int
    lanes: int

    @property
    def active_lanes(self) -> float:
        """Active lanes for each warp that executes the statement; 32 without divergence."""
        return self.lanes / self.warps


@dataclass(frozen=True, slots=True)
class Counts:
    """All counts of a trace: by array, by line, by site (all by kind of access); reuse; divergence by line."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    sites: tuple[MemoryCount, ...]
    reuse: tuple[Reuse, ...]
    issued: tuple[Issued, ...]


def counts(trace: Trace) -> Counts:
    """Count everything, in memory that does not grow with the trace."""
    by_site = (count_site(trace, number, _asked(trace, number)) for number in range(len(trace.sites)))
    arrays, lines, sites = summed(by_site)
    return Counts(arrays, lines, sites, tuple(_reuse(trace)), tuple(_issued(trace)))


def count_site(trace: Trace, number: int, parts: Iterable[tuple[int, Requests]]) -> MemoryCount:
    """Count what a site asks for, given as requests of one size each, and how often they are made."""
    site = trace.sites[number]
    array = trace.arrays[site.array]
    total = np.zeros(8, np.int64)
    for times, asked in parts:
        accesses = int((asked.address < NONE).sum())
        moved = sectors(asked) if array.space == "global" else (0, 0)
        waves = wavefronts(asked) if array.space == "shared" else (0, 0)
        queue = contention(asked) if site.access == "atomic" else 0
        total += times * np.array((len(asked), accesses, accesses * asked.size, *moved, *waves, queue))
    return MemoryCount(array.name, array.space, site.access, site.span.line, site.span.column, *(int(n) for n in total))


def summed(
    found: Iterable[MemoryCount],
) -> tuple[tuple[MemoryCount, ...], tuple[MemoryCount, ...], tuple[MemoryCount, ...]]:
    """Add sites up by array, by line and by place, each kind of access by itself, in order of appearance."""
    used = [count for count in found if count.requests]
    return (
        _added(used, lambda count: (0, 0)),
        _added(used, lambda count: (count.line, 0)),
        _added(used, lambda count: (count.line, count.column)),
    )


def touches(trace: Trace, array: int, access: Access | None = None) -> NDArray[np.int64]:
    """Count accesses to each element of an array (of all its copies), of one kind or all; the array's shape."""
    info = trace.arrays[array]
    total = np.zeros(info.size, np.int64)
    for number, site in enumerate(trace.sites):
        if site.array == array and access in (None, site.access):
            for times, groups in pattern_groups(trace, number):
                index = widened(accesses_of(trace, groups)[2], site.width)
                inside = index[(index >= 0) & (index < info.size)]
                total += times * np.bincount(inside, minlength=info.size)
    return total.reshape(info.shape)


def _asked(trace: Trace, number: int) -> Iterator[tuple[int, Requests]]:
    item = trace.arrays[trace.sites[number].array].dtype.itemsize
    for times, groups in pattern_groups(trace, number, LINE_BYTES // item):
        yield times, requests_of(trace, number, groups)


def _added(found: list[MemoryCount], place: Callable[[MemoryCount], tuple[int, int]]) -> tuple[MemoryCount, ...]:
    groups: dict[tuple[str, str, int, int], list[MemoryCount]] = {}
    for count in found:
        groups.setdefault((count.array, count.access, *place(count)), []).append(count)
    numbers = [field.name for field in fields(MemoryCount)][5:]
    return tuple(
        MemoryCount(
            array,
            members[0].space,
            members[0].access,
            line,
            column,
            *(sum(getattr(count, name) for count in members) for name in numbers),
        )
        for (array, _, line, column), members in groups.items()
    )


def _reuse(trace: Trace) -> list[Reuse]:
    lanes_of = {"shared": trace.launch.block.count, "local": 1}
    found = []
    for array, access in dict.fromkeys((site.array, site.access) for site in trace.sites):
        info, accesses = trace.arrays[array], 0
        lanes_each = lanes_of.get(info.space, trace.launch.thread_count)
        seen = _Seen(-(-trace.launch.thread_count // lanes_each) * info.size)
        for number, site in enumerate(trace.sites):
            if (site.array, site.access) != (array, access):
                continue
            for times, groups in pattern_groups(trace, number):
                _, lane, index = accesses_of(trace, groups)
                accesses += times * len(index) * site.width
                owner = np.repeat(lane // np.int64(lanes_each), site.width)
                seen.add(owner * info.size + widened(index, site.width))
        if accesses:
            found.append(Reuse(info.name, info.space, access, accesses, len(seen)))
    return found


class _Seen:
    """A set of whole numbers: those below `size` as marks in a table where that is not too long, others one by one."""

    def __init__(self, size: int) -> None:
        self.marks = np.zeros(size if size <= _MARKS else 0, np.bool_)
        self.others = np.zeros(0, np.int64)

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Put numbers into the set."""
        marked = (numbers >= 0) & (numbers < len(self.marks))
        if marked.all():
            self.marks[numbers] = True
        else:
            self.marks[numbers[marked]] = True
            self.others = np.union1d(self.others, numbers[~marked])

    def __len__(self) -> int:
        return int(np.count_nonzero(self.marks)) + len(self.others)


def _issued(trace: Trace) -> list[Issued]:
    lanes = np.array([len(mask) for mask in trace.masks], np.int64)
    warp_count = np.array([1 + np.count_nonzero(np.diff(warps(trace, m))) for m in trace.masks], np.int64)
    line_of = np.array([s.span.line for s in trace.statements], np.int64)
    found = []
    lines = line_of[trace.step_statement] if trace.steps else np.zeros(0, np.int64)
    for line in np.unique(lines):
        masks = trace.step_mask[lines == line]
        found.append(Issued(int(line), int(warp_count[masks].sum()), int(lanes[masks].sum())))
    return found
