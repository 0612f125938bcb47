"""Requests of warps as tables of byte addresses, and their cost in sectors and wavefronts.

A *request* is one memory instruction of one warp. Global memory is accessed in *sectors* of 32 bytes (CUDA C++
Programming Guide, "Device Memory Accesses"): a request costs one for each sector that its lanes access. Shared memory
has 32 *banks* of four bytes, each of which serves one word per cycle; lanes that read the same word share it
(Programming Guide, "Shared Memory"). A request takes one or more *passes*, and a pass as many *wavefronts* as the
busiest bank has distinct words. So 32 lanes that read a float each with a stride of two floats touch 16 banks with two
words each: two wavefronts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.trace import Trace

    Table = NDArray[np.int64]

SECTOR_BYTES: Final = 32
BANKS: Final = 32
BANK_BYTES: Final = 4

WIDEST_BYTES: Final = 16
"""The largest access of one lane by one instruction."""

NO_ADDRESS: Final = 1 << 62
"""The address of an inactive lane; divided by a sector or word size it is still larger than that of any address."""


@dataclass(frozen=True, eq=False)
class Requests:
    """Requests of one size, in the order of execution; those of one step are sorted by warp."""

    size: int
    """Bytes per lane."""
    step: NDArray[np.int32]
    warp: NDArray[np.int64]
    """Number of the warp in the grid."""
    address: Table
    """A row for each request, a column for each lane: the first byte, or NO_ADDRESS. Every row has an active lane."""
    stores: bool = False
    """Whether the requests are stores."""

    def __len__(self) -> int:
        return len(self.address)

    def rows(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Requests:
        """Return some of the requests."""
        return replace(self, step=self.step[keep], warp=self.warp[keep], address=self.address[keep])


def requests_of(trace: Trace, number: int, groups: NDArray[np.intp] | None = None) -> Requests:
    """Return the requests of a site (by number), or of some of its access groups; see `requests_by_group`."""
    chosen = np.flatnonzero(trace.group_site == number) if groups is None else groups
    return requests_by_group(trace, number, chosen)[0]


def requests_by_group(
    trace: Trace, number: int, groups: NDArray[np.intp], warp: int | None = None
) -> tuple[Requests, NDArray[np.intp]]:
    """Return the requests of some access groups of a site (by number), and the group of each.

    An access that no single instruction can make is several requests, of the largest power of two that divides its size
    and at most 16 bytes. With `warp`, only the requests of this warp (number in the grid) are returned.
    """
    site = trace.sites[number]
    array = trace.arrays[site.array]
    group, lane, index = accesses_of(trace, groups) if warp is None else _accesses_of_warp(trace, groups, warp)
    of_warp = warps(trace, lane)
    # Lane sets are sorted, so the lanes of one request are neighbours.
    request = np.cumsum((np.diff(group, prepend=-1) != 0) | (np.diff(of_warp, prepend=-1) != 0)) - 1
    first = np.flatnonzero(np.diff(request, prepend=-1))
    address = np.full((len(first), WARP_SIZE), NO_ADDRESS)
    address[request, lane % trace.launch.block.count % WARP_SIZE] = array.address + index * array.dtype.itemsize
    whole_size, step = site.width * array.dtype.itemsize, trace.group_step[group[first]]
    whole = Requests(whole_size, step, of_warp[first], address, stores=site.access == "write")
    size = min(whole.size & -whole.size, WIDEST_BYTES)
    return cut(whole, size), np.repeat(group[first], whole.size // size)


def accesses_of(
    trace: Trace, groups: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int64]]:
    """Return group, lane and first element of every access of some groups, one group after the other."""
    first, mask = trace.group_first[groups], trace.group_mask[groups]
    lengths = trace.group_first[groups + 1] - first
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    lane = trace.mask_lanes[np.repeat(trace.mask_first[mask], lengths) + within]
    index = trace.index[np.repeat(first, lengths) + within]
    return np.repeat(groups, lengths), lane, index.astype(np.int64)


def _accesses_of_warp(
    trace: Trace, groups: NDArray[np.intp], warp: int
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int64]]:
    """Return what `accesses_of` does, of one warp; reads only the warp's lanes of each group."""
    block, inside = divmod(warp, trace.launch.warps_per_block)
    begin = block * trace.launch.block.count + inside * WARP_SIZE
    end = min(begin + WARP_SIZE, (block + 1) * trace.launch.block.count)
    parts = []
    for group in groups.tolist():
        lanes = trace.masks[trace.group_mask[group]]
        first, last = (int(n) for n in np.searchsorted(lanes, [begin, end]))
        at = int(trace.group_first[group])
        index = trace.index[at + first : at + last].astype(np.int64)
        parts.append((np.full(last - first, group, np.intp), lanes[first:last], index))
    empty = (np.zeros(0, np.intp), np.zeros(0, np.int32), np.zeros(0, np.int64))
    group_of, lane, index = (np.concatenate(column) for column in zip(empty, *parts, strict=True))
    return group_of, lane, index


def warps(trace: Trace, lanes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the number in the grid of each lane's warp: a block's first thread begins a new warp."""
    size = trace.launch.block.count
    return lanes // size * np.int64(trace.launch.warps_per_block) + lanes % size // WARP_SIZE


def lanes(trace: Trace, warp: Table, column: Table) -> Table:
    """Return the lanes at some positions of some warps."""
    block, inside = np.divmod(warp, trace.launch.warps_per_block)
    found: Table = block * trace.launch.block.count + inside * WARP_SIZE + column
    return found


def efficiency(*, used_bytes: int, sectors: int, ideal_wavefronts: int, wavefronts: int) -> float:
    """Return the bytes used of those that the sectors move; without sectors, the ideal wavefronts of the actual ones.

    Four floats in four sectors are 16 of 128 bytes: 0.125. Without sectors and wavefronts it is 1.0.
    """
    if sectors:
        return used_bytes / (sectors * SECTOR_BYTES)
    return ideal_wavefronts / wavefronts if wavefronts else 1.0


def sectors(requests: Requests) -> tuple[int, int, int]:
    """Return the sums of `sectors_by_request`."""
    touched, ideal, used = sectors_by_request(requests)
    return int(touched.sum()), int(ideal.sum()), int(used.sum())


def sectors_by_request(requests: Requests) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for each request the accessed sectors, those that its bytes would take if contiguous, and these bytes.

    Nsight Compute calls the second number ideal: the sectors "needed, given each not predicated-off thread performed
    the operation of given width" (Nsight Compute documentation, Source Page, "Information on Memory Operations",
    `memory_l2_theoretical_sectors_global_ideal`). An element that several lanes read is counted once.
    """
    touched, used = _distinct(requests.address // SECTOR_BYTES), _distinct(requests.address) * requests.size
    return touched, -(-used // SECTOR_BYTES), used


def wavefronts(requests: Requests) -> tuple[int, int]:
    """Return the sums of `wavefronts_by_request`."""
    waves, ideal = wavefronts_by_request(requests)
    return int(waves.sum()), int(ideal.sum())


def wavefronts_by_request(requests: Requests) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each request the wavefronts, and those without bank conflicts: one for each pass."""
    waves, ideal = np.zeros((2, len(requests)), np.int64)
    for rows, part in passes(requests.address, requests.size, stores=requests.stores):
        busiest = _busiest(part, requests.size).reshape(len(rows), WARP_SIZE // part.shape[1])
        waves[rows] = busiest.sum(axis=1)
        ideal[rows] = np.count_nonzero(busiest, axis=1)
    return waves, ideal


def passes(address: Table, size: int, *, stores: bool) -> Iterator[tuple[NDArray[np.intp], Table]]:
    """Split requests to shared memory into passes: (requests, table of the lanes that are processed together).

    The passes of one request are neighbouring rows of its table.

    A pass moves at most 128 bytes. Accesses of 4 bytes or fewer take one. Those of 8 bytes are made half a warp
    at a time, those of 16 a quarter; two neighbouring parts of a load are merged if every lane of the warp reads the
    same address as lane ^ 1, or every lane the same as lane ^ 2, where one of the two that is inactive agrees with any
    address. All four quarters are never merged, and no parts of a store.

    The rule is NVIDIA's description for compute capability 7 (developer forum, "Unexpected shared memory bank
    conflict", answer 2). Nsight Compute confirms it on an H200: in the tiled product of 16×16 blocks a warp reads two
    different 16-byte words, one in each half, in 2 wavefronts; in M·Mᵀ the quarters differ, and each conflicts with
    itself alone; where one half of the warp is paired and the other is not, or in another way, there are four passes.
    Of inactive lanes: 556 loads and 128 stores of one warp each on an H200, whose addresses and inactive lanes were
    guards as of edges, every second lane and so on, and random ones, took as many wavefronts in the data pipe
    (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld`, `…_st`) as counted here. The counter by instruction
    (`smsp__sass_l1tex_data_pipe_…`) gives other numbers for 148 of the loads: it is not the pipe's.
    """
    if size <= BANK_BYTES:
        yield np.arange(len(address)), address
        return
    part = WARP_SIZE * BANK_BYTES // size
    together = np.full(len(address), not stores) & (_has_pairs(address, 1) | _has_pairs(address, 2))
    yield np.flatnonzero(together), address[together].reshape(-1, 2 * part)
    yield np.flatnonzero(~together), address[~together].reshape(-1, part)


def contention(requests: Requests) -> int:
    """Return the sum of `contention_by_request`."""
    return int(contention_by_request(requests).sum())


def contention_by_request(requests: Requests) -> NDArray[np.int64]:
    """Return for each request the most lanes at one address, which are serialised."""
    ordered = np.sort(requests.address, axis=1)
    column = np.arange(WARP_SIZE)
    begins = np.where(np.diff(ordered, axis=1, prepend=-NO_ADDRESS) != 0, column, 0)
    length = column - np.maximum.accumulate(begins, axis=1) + 1
    most: NDArray[np.int64] = np.where(ordered < NO_ADDRESS, length, 0).max(axis=1, initial=0)
    return most


def cut(requests: Requests, size: int) -> Requests:
    """Split each request into several of a smaller size."""
    count = requests.size // size
    begins = np.arange(count)[:, None] * size
    address = np.where(requests.address[:, None] < NO_ADDRESS, requests.address[:, None] + begins, NO_ADDRESS)
    step, warp = np.repeat(requests.step, count), np.repeat(requests.warp, count)
    return replace(requests, size=size, step=step, warp=warp, address=address.reshape(-1, WARP_SIZE))


def _distinct(rows: Table) -> NDArray[np.int64]:
    """Count the distinct entries of each row, without inactive lanes."""
    ordered = np.sort(rows, axis=1)
    new = np.diff(ordered, axis=1, prepend=-NO_ADDRESS) != 0
    active = ordered < NO_ADDRESS // SECTOR_BYTES
    count: NDArray[np.int64] = (new & active).sum(axis=1, dtype=np.int64)
    return count


def _busiest(address: Table, size: int) -> NDArray[np.int64]:
    """Return the most distinct words of one bank for each pass; 0 without active lanes."""
    wide = max(1, size // BANK_BYTES)
    words = (address[:, :, None] // BANK_BYTES + np.arange(wide)).reshape(len(address), wide * address.shape[1])
    words.sort(axis=1)
    new = (np.diff(words, axis=1, prepend=-NO_ADDRESS) != 0) & (words < NO_ADDRESS // BANK_BYTES)
    row, column = np.nonzero(new)
    load = np.bincount(row * BANKS + words[row, column] % BANKS, minlength=len(address) * BANKS)
    busiest: NDArray[np.int64] = load.reshape(-1, BANKS).max(axis=1, initial=0)
    return busiest


def _has_pairs(address: Table, apart: int) -> NDArray[np.bool_]:
    """Return whether all lanes of each row have the address of the lane whose number differs in one bit."""
    partner = address[:, np.arange(address.shape[1]) ^ apart]
    equal: NDArray[np.bool_] = ((address == partner) | (address == NO_ADDRESS) | (partner == NO_ADDRESS)).all(axis=1)
    return equal
