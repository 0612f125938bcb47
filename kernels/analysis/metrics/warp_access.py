"""Memory accesses of one warp in one step: its lanes, the sectors, lines and banks that they use, and their cost.

The counts are Nsight Compute's and those of `kernels.analysis.metrics.requests`, so that the accesses of all steps and
warps add up to `kernels.analysis.metrics.counts`. Sectors are counted for global memory, wavefronts for shared memory;
local and constant memory have requests and bytes only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.metrics.requests import (
    BANK_BYTES,
    BANKS,
    NO_ADDRESS,
    SECTOR_BYTES,
    contention_by_request,
    efficiency,
    passes,
    requests_by_group,
    sectors_by_request,
    warps,
    wavefronts_by_request,
)
from kernels.launch import WARP_SIZE
from kernels.trace.sorted_columns import rows_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.metrics.requests import Requests
    from kernels.trace import ArrayInfo, Site, Trace


@dataclass(frozen=True, slots=True, eq=False)
class BankUse:
    """Banks of shared memory that a request uses; an entry for each word of four bytes that each lane accesses."""

    lane: NDArray[np.int64]
    """Number of the lane in its warp."""
    word: NDArray[np.int64]
    """Byte address in shared memory / 4."""
    bank: NDArray[np.int64]
    """0 … 31: the word modulo 32."""
    part: NDArray[np.int64]
    """Number of the pass; a request of 8 or 16 bytes per lane is served in passes over parts of the warp."""
    ways: NDArray[np.int64]
    """[passes, banks]: distinct words of each bank; the largest of a pass is its number of wavefronts."""

    @property
    def wavefront(self) -> NDArray[np.int64]:
        """Number of the wavefront that serves each entry, from 0.

        A pass begins after the wavefronts of the passes before it, and in it each bank serves its words in the order of
        the lanes that access them first: that order is ours, NVIDIA documents only the number of wavefronts.
        """
        words = np.stack([self.part, self.bank, self.word])
        distinct, first, of = np.unique(words, axis=1, return_index=True, return_inverse=True)
        order = np.lexsort((first, distinct[1], distinct[0]))
        bank = (distinct[0] * BANKS + distinct[1])[order]
        place = np.arange(len(order))
        way = np.zeros_like(place)
        way[order] = place - np.searchsorted(bank, bank)
        most = self.ways.max(axis=1)
        found: NDArray[np.int64] = ((np.cumsum(most) - most)[distinct[0]] + way)[of.reshape(-1)]
        return found

    @property
    def conflict(self) -> int:
        """Largest number of distinct words of one bank in one pass: n of an n-way bank conflict, 1 without one."""
        return int(self.ways.max(initial=0))

    @property
    def colliding(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Return (bank, lanes) of each bank that serves several words in one pass, and the lanes that want them."""
        found = []
        for part, bank in np.argwhere(self.ways > 1).tolist():
            lanes = self.lane[(self.part == part) & (self.bank == bank)]
            found.append((bank, tuple(np.unique(lanes).tolist())))
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class WarpRequest:
    """One request: a memory instruction of one warp."""

    size: int
    """Bytes per lane."""
    lanes: NDArray[np.int64]
    """Numbers of the active lanes in their warp, ascending."""
    addresses: NDArray[np.int64]
    """First byte of each of these lanes' accesses, in the address space of the array."""
    sectors: int
    """Sectors of 32 bytes, 0 outside of global memory."""
    ideal_sectors: int
    used_bytes: int
    """Distinct bytes, 0 outside of global memory."""
    wavefronts: int
    """Wavefronts, 0 outside of shared memory."""
    ideal_wavefronts: int
    contention: int
    """Of an atomic: the most lanes at one address, which are serialised; else 0."""
    banks: BankUse | None
    """Banks of shared memory; None for other spaces."""

    @property
    def lane_sectors(self) -> NDArray[np.int64]:
        """Sector of each lane: its address / 32."""
        return self.addresses // SECTOR_BYTES

    @property
    def lane_lines(self) -> NDArray[np.int64]:
        """128-byte line of each lane: its address / 128."""
        return self.addresses // LINE_BYTES


@dataclass(frozen=True, slots=True, eq=False)
class WarpAccess:
    """Accesses of one warp at one site in one step."""

    site: Site
    array: ArrayInfo
    step: int
    warp: int
    """Number of the warp in the grid."""
    requests: tuple[WarpRequest, ...]
    """Several where one instruction cannot make the access, or where the step executes the site several times."""

    @property
    def accesses(self) -> int:
        """Accesses of single lanes."""
        return sum(len(request.lanes) for request in self.requests)

    @property
    def bytes(self) -> int:
        """Bytes that the lanes access; an element that two lanes access counts twice."""
        return sum(len(request.lanes) * request.size for request in self.requests)

    @property
    def sectors(self) -> int:
        """Sectors of global memory, 0 for other spaces."""
        return sum(request.sectors for request in self.requests)

    @property
    def ideal_sectors(self) -> int:
        """Sectors if the distinct elements of each request were contiguous."""
        return sum(request.ideal_sectors for request in self.requests)

    @property
    def used_bytes(self) -> int:
        """Distinct bytes that each request to global memory accesses, 0 for other spaces."""
        return sum(request.used_bytes for request in self.requests)

    @property
    def wavefronts(self) -> int:
        """Wavefronts of shared memory, 0 for other spaces."""
        return sum(request.wavefronts for request in self.requests)

    @property
    def ideal_wavefronts(self) -> int:
        """Wavefronts without bank conflicts."""
        return sum(request.ideal_wavefronts for request in self.requests)

    @property
    def contention(self) -> int:
        """For atomics: the sum over the requests of the most lanes at one address."""
        return sum(request.contention for request in self.requests)

    @property
    def efficiency(self) -> float:
        """Bytes used of bytes moved, or ideal wavefronts of actual ones; 1.0 where there are none."""
        return efficiency(
            used_bytes=self.used_bytes,
            sectors=self.sectors,
            ideal_wavefronts=self.ideal_wavefronts,
            wavefronts=self.wavefronts,
        )


def warps_in(trace: Trace, step: int, block: int | None = None) -> tuple[int, ...]:
    """Return the warps (numbers in the grid) that take part in a step, ascending; with `block`, only its warps."""
    rows = rows_between(trace.group_step, step, step + 1)
    # Threads that wait in a loop for others, as at an mbarrier, access memory in the step in which those run.
    masks = np.unique([int(trace.step_mask[step]), *trace.group_mask[rows].tolist()]).tolist()
    found = np.unique(np.concatenate([warps(trace, trace.masks[mask]) for mask in masks]))
    if block is not None:
        found = found[found // trace.launch.warps_per_block == block]
    return tuple(found.tolist())


def warp_accesses(trace: Trace, step: int, warp: int) -> tuple[WarpAccess, ...]:
    """Return the accesses of a warp (number in the grid) in a step, one for each site, in order of execution."""
    rows, found = rows_between(trace.group_step, step, step + 1), []
    for number in dict.fromkeys(trace.group_site[rows].tolist()):
        groups = rows.start + np.flatnonzero(trace.group_site[rows] == number)
        requests, _ = requests_by_group(trace, number, groups, warp)
        if len(requests):
            site = trace.sites[number]
            array = trace.arrays[site.array]
            found.append(WarpAccess(site, array, step, warp, _split(requests, site, array)))
    return tuple(found)


def _split(requests: Requests, site: Site, array: ArrayInfo) -> tuple[WarpRequest, ...]:
    none = np.zeros((3, len(requests)), np.int64)
    moved = sectors_by_request(requests) if array.space == "global" else none
    served = wavefronts_by_request(requests) if array.space == "shared" else none[:2]
    queue = contention_by_request(requests) if site.access == "atomic" else none[0]
    found = []
    for row, address in enumerate(requests.address):
        lanes = np.flatnonzero(address < NO_ADDRESS)
        banks = _bank_use(address, requests) if array.space == "shared" else None
        touched, ideal, used, waves, ideal_waves, most = (int(column[row]) for column in (*moved, *served, queue))
        costs = touched, ideal, used, waves, ideal_waves, most
        found.append(WarpRequest(requests.size, lanes, address[lanes], *costs, banks))
    return tuple(found)


def _bank_use(address: NDArray[np.int64], requests: Requests) -> BankUse:
    """Return the banks that one of the requests uses; `address` has an entry for each lane of the warp."""
    size = requests.size
    tables = passes(address[None], size, stores=requests.stores)
    lanes_each = next(table.shape[1] for rows, table in tables if len(rows))
    active = np.flatnonzero(address < NO_ADDRESS)
    words = max(1, size // BANK_BYTES)
    lane = np.repeat(active, words)
    word = (address[active, None] // BANK_BYTES + np.arange(words)).reshape(-1)
    part = lane // lanes_each
    distinct = np.unique(np.stack([part, word]), axis=1)
    ways = np.zeros((WARP_SIZE // lanes_each, BANKS), np.int64)
    np.add.at(ways, (distinct[0], distinct[1] % BANKS), 1)
    return BankUse(lane, word, word % BANKS, part, ways)
