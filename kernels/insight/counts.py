"""Requests, sectors, wavefronts, reuse and divergence, in Nsight Compute's words, counted from a trace.

A *request* is one warp-wide instruction that accesses memory. Global memory moves in *sectors* of 32 bytes (CUDA
C++ Programming Guide, "Device Memory Accesses"); a request costs one sector for each that its active lanes touch.
Shared memory has 32 *banks*, each four bytes wide and serving one word a cycle; lanes that read the same word share
it (Programming Guide, "Shared Memory"). A request costs as many *wavefronts* as its busiest bank has different
words; 8-byte accesses are made half a warp at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace
    from kernels.trace.records import Access, Space

SECTOR_BYTES: Final = 32
BANKS: Final = 32
BANK_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Accesses of one kind to one array, on one line or (line 0) on all.

    `accesses` are those of single threads, `bytes` what they move. `sectors` are zero but for global memory,
    `wavefronts` but for shared. The ideal is what the same requests would cost if the different elements that
    they touch lay side by side. `contention` (atomics) adds up, over the requests, the most lanes that meet at
    one element: they go one after another.
    """

    array: str
    space: Space
    access: Access
    line: int
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
    """All counts of a trace: by array and by line (both also by kind of access), reuse, divergence by line."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    reuse: tuple[Reuse, ...]
    issued: tuple[Issued, ...]


def counts(trace: Trace) -> Counts:
    """Count everything; takes about a second for five million accesses."""
    rows = _Rows.of(trace)
    sites = [_count_site(trace, rows, number) for number in range(len(trace.sites))]
    found = [count for count in sites if count.requests]
    return Counts(
        _summed(found, by_line=False),
        _summed(found, by_line=True),
        tuple(_reuse(trace, rows)),
        tuple(_issued(trace)),
    )


def touches(trace: Trace, array: int, access: Access | None = None) -> NDArray[np.int64]:
    """Count accesses to each element of an array (of all its copies), of one kind or all; the array's shape."""
    rows, info = _Rows.of(trace), trace.arrays[array]
    wanted = [n for n, s in enumerate(trace.sites) if s.array == array and access in (None, s.access)]
    index = rows.index[np.isin(rows.site, wanted)]
    inside = index[(index >= 0) & (index < info.size)]
    return np.bincount(inside, minlength=info.size).reshape(info.shape)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Single accesses: the group, the site, the lane, the element."""

    group: NDArray[np.int64]
    site: NDArray[np.int32]
    lane: NDArray[np.int32]
    index: NDArray[np.int64]

    @classmethod
    def of(cls, trace: Trace) -> _Rows:
        lengths = np.diff(trace.group_first)
        group = np.repeat(np.arange(len(lengths)), lengths)
        lane = np.concatenate([np.zeros(0, np.int32), *(trace.masks[m] for m in trace.group_mask)])
        return cls(group, trace.group_site[group], lane, trace.index.astype(np.int64))

    def of_site(self, number: int) -> _Rows:
        mine = self.site == number
        return _Rows(self.group[mine], self.site[mine], self.lane[mine], self.index[mine])


def _warps(trace: Trace, lanes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the warp of each lane, numbered through the grid: warps do not reach across blocks."""
    size = trace.launch.block.count
    return lanes // size * np.int64(trace.launch.warps_per_block) + lanes % size // WARP_SIZE


def _count_site(trace: Trace, rows: _Rows, number: int) -> MemoryCount:
    site = trace.sites[number]
    array = trace.arrays[site.array]
    mine, size = rows.of_site(number), array.dtype.itemsize
    request = _requests(trace, mine)
    count = int(request[-1]) + 1 if len(request) else 0
    address = array.address + mine.index * size
    sectors = ideal_sectors = waves = ideal_waves = contention = 0
    if array.space == "global":
        sectors = _pairs(request, address // SECTOR_BYTES)
        ideal_sectors = int((-(-_distinct(request, mine.index, count) * size // SECTOR_BYTES)).sum())
    elif array.space == "shared":
        waves, ideal_waves = _wavefronts(trace, mine, request, address, size)
    if site.access == "atomic":
        contention = _contention(request, mine.index, count)
    return MemoryCount(
        array.name, array.space, site.access, site.span.line, count, len(mine.index), len(mine.index) * size,
        sectors, ideal_sectors, waves, ideal_waves, contention,
    )  # fmt: skip


def _requests(trace: Trace, mine: _Rows) -> NDArray[np.int64]:
    """Give every row the number of its request; rows of one are neighbours, for lane sets are sorted."""
    warp = _warps(trace, mine.lane)
    new = (np.diff(mine.group, prepend=-1) != 0) | (np.diff(warp, prepend=-1) != 0)
    return np.cumsum(new) - 1


def _unique_pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `first` of every different pair; `first` ascends."""
    order = np.lexsort((second, first))
    a, b = first[order], second[order]
    new = np.ones(len(a), bool)
    new[1:] = (np.diff(a) != 0) | (np.diff(b) != 0)
    return a[new]


def _pairs(request: NDArray[np.int64], what: NDArray[np.int64]) -> int:
    return len(_unique_pairs(request, what))


def _distinct(request: NDArray[np.int64], what: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Count different values in each request."""
    return np.bincount(_unique_pairs(request, what), minlength=count)


def _wavefronts(
    trace: Trace, mine: _Rows, request: NDArray[np.int64], address: NDArray[np.int64], size: int
) -> tuple[int, int]:
    """Return wavefronts, and those that different words alone would need."""
    if not len(request):
        return 0, 0
    wide = max(1, size // BANK_BYTES)
    # 8-byte accesses go by half warps: the half tells passes of one request apart.
    lane = mine.lane % trace.launch.block.count % WARP_SIZE
    turn = request * wide + lane // (WARP_SIZE // wide)
    turn = np.repeat(turn, wide)
    word = (address[:, None] // BANK_BYTES + np.arange(wide)).reshape(-1)
    order = np.lexsort((word, turn))
    turn, word = turn[order], word[order]
    new = np.ones(len(turn), bool)
    new[1:] = (np.diff(turn) != 0) | (np.diff(word) != 0)
    turn, word = turn[new], word[new]
    conflicts = np.bincount(np.unique(turn, return_inverse=True)[1] * BANKS + word % BANKS)
    conflicts = np.pad(conflicts, (0, -len(conflicts) % BANKS)).reshape(-1, BANKS).max(axis=1)
    ideal = -(-np.bincount(np.unique(turn, return_inverse=True)[1]) // BANKS)
    return int(conflicts.sum()), int(ideal.sum())


def _contention(request: NDArray[np.int64], index: NDArray[np.int64], count: int) -> int:
    """Add up the most lanes of each request that meet at one element."""
    order = np.lexsort((index, request))
    a, b = request[order], index[order]
    new = np.ones(len(a), bool)
    new[1:] = (np.diff(a) != 0) | (np.diff(b) != 0)
    lanes = np.diff(np.append(np.flatnonzero(new), len(a)))
    most = np.zeros(count, np.int64)
    np.maximum.at(most, a[new], lanes)
    return int(most.sum())


def _summed(found: list[MemoryCount], *, by_line: bool) -> tuple[MemoryCount, ...]:
    """Add up the sites of an array (and a line), each kind of access by itself, in order of appearance."""
    groups: dict[tuple[str, str, int], list[MemoryCount]] = {}
    for count in found:
        groups.setdefault((count.array, count.access, count.line if by_line else 0), []).append(count)
    return tuple(
        MemoryCount(
            array, members[0].space, members[0].access, line,
            *(sum(getattr(c, name) for c in members) for name in MemoryCount.__slots__[4:]),
        )
        for (array, _, line), members in groups.items()
    )  # fmt: skip


def _reuse(trace: Trace, rows: _Rows) -> list[Reuse]:
    found = []
    kinds = dict.fromkeys((site.array, site.access) for site in trace.sites)
    for array, access in kinds:
        info = trace.arrays[array]
        wanted = [n for n, s in enumerate(trace.sites) if (s.array, s.access) == (array, access)]
        mine = np.isin(rows.site, wanted)
        lane = rows.lane[mine]
        owner = {"shared": lane // trace.launch.block.count, "local": lane}.get(
            info.space, np.zeros_like(lane)
        )
        if len(lane):
            elements = len(np.unique(owner.astype(np.int64) * info.size + rows.index[mine]))
            found.append(Reuse(info.name, info.space, access, len(lane), elements))
    return found


def _issued(trace: Trace) -> list[Issued]:
    lanes = np.array([len(mask) for mask in trace.masks], np.int64)
    warps = np.array([1 + np.count_nonzero(np.diff(_warps(trace, m))) for m in trace.masks], np.int64)
    line_of = np.array([s.span.line for s in trace.statements], np.int64)
    found = []
    lines = line_of[trace.step_statement] if trace.steps else np.zeros(0, np.int64)
    for line in np.unique(lines):
        masks = trace.step_mask[lines == line]
        found.append(Issued(int(line), int(warps[masks].sum()), int(lanes[masks].sum())))
    return found
