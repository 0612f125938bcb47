"""Classes of equal requests: the cost of many requests, of which one of each class is counted.

Two requests of a site have equal costs if the same lanes access elements at the same distances, and their first bytes
lie at the same place in a cache line. In a launch most requests are alike: each warp of `A[row * n + k]` reads one
element, so 32 classes, one for each position in a line, contain all of its requests in all rounds of k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.metrics.counts import NUMBERS
from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.metrics.requests import (
    NO_ADDRESS,
    WIDEST_BYTES,
    Requests,
    contention_by_request,
    cut,
    sectors_by_request,
    wavefronts_by_request,
)
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.trace import ArrayInfo, Site

    Table = NDArray[np.int64]

_WEIGHTS: Final = np.array([pow(0x5851F42D4C957F2D, lane, 1 << 62) for lane in range(1, WARP_SIZE + 1)])
"""Odd weights of the lanes: rows that differ in one lane have different sums modulo 2**64. They are the powers of
Knuth's multiplier: loading NumPy's random numbers for 32 of them would delay the window's start.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """Accesses of a lane set to `index`, and again at distances from it."""

    lanes: NDArray[np.int32]
    index: NDArray[np.signedinteger]
    """First element of each lane."""
    shifts: dict[int, int]
    """Number of times, by the distance in elements that is added to every index."""

    @property
    def times(self) -> int:
        """Number of instructions."""
        return sum(self.shifts.values())


def count_requests(launch: Launch, site: Site, array: ArrayInfo, accesses: Sequence[Repeated]) -> Table:
    """Return the numbers of a MemoryCount, from `requests` to `contention`, of accesses of one site."""
    rows, owner, lanes_of = _rows(launch, array, accesses)
    times = np.array([each.times for each in accesses], np.int64)
    size = site.width * array.dtype.itemsize
    part = min(size & -size, WIDEST_BYTES)
    pieces = size // part
    total = np.zeros(len(NUMBERS), np.int64)
    total[0] = int(times[owner].sum()) * pieces
    total[1] = int((times[owner] * lanes_of).sum()) * pieces
    total[2] = total[1] * part
    atomic = site.access == "atomic"
    if array.space not in ("global", "shared") and not atomic:
        return total
    address, count = _classes(rows, owner, accesses, array.dtype.itemsize)
    zeros = np.zeros(len(address), np.int64)
    whole = Requests(size, zeros.astype(np.int32), zeros, address, stores=site.access == "write")
    requests, count = cut(whole, part), np.repeat(count, pieces)
    if array.space == "global":
        total[3:6] = [int(costs @ count) for costs in sectors_by_request(requests)]
    elif array.space == "shared":
        total[6:8] = [int(costs @ count) for costs in wavefronts_by_request(requests)]
    if atomic:
        total[8] = int(contention_by_request(requests) @ count)
    return total


def _rows(launch: Launch, array: ArrayInfo, accesses: Sequence[Repeated]) -> tuple[Table, Table, Table]:
    """Return the addresses of each request without a shift, the access it belongs to, and its lanes."""
    item = np.int64(array.dtype.itemsize)  # an index of 32 bits becomes an address of 64
    parts = [_rows_of(launch, each.lanes, each.index * item + array.address) for each in accesses]
    rows, lanes_of = (np.concatenate(column) for column in zip(*parts, strict=True))
    return rows, np.repeat(np.arange(len(parts)), [len(part) for part, _ in parts]), lanes_of


def _rows_of(launch: Launch, lanes: NDArray[np.int32], address: Table) -> tuple[Table, Table]:
    """Return the addresses of each request of a lane set, and its lanes."""
    threads, count = launch.block.count, len(lanes)
    first, last = int(lanes[0]), int(lanes[-1])
    if last - first == count - 1 and not (threads % WARP_SIZE or first % WARP_SIZE or count % WARP_SIZE):
        return address.reshape(-1, WARP_SIZE), np.full(count // WARP_SIZE, WARP_SIZE)  # whole warps
    block, thread = np.divmod(lanes.astype(np.int64), threads)
    warp = block * launch.warps_per_block + thread // WARP_SIZE
    # Lane sets are sorted, so the lanes of one request are neighbours.
    begins = np.diff(warp, prepend=-1) != 0
    at = np.flatnonzero(begins)
    rows = np.full((len(at), WARP_SIZE), NO_ADDRESS)
    rows[np.cumsum(begins) - 1, thread % WARP_SIZE] = address
    return rows, np.diff(at, append=count)


def _classes(rows: Table, owner: Table, accesses: Sequence[Repeated], itemsize: int) -> tuple[Table, Table]:
    """Return one request of each class, and the number of requests in it."""
    least = rows.min(axis=1)
    place = least % LINE_BYTES
    shapes = np.where(rows < NO_ADDRESS, rows - least[:, None], NO_ADDRESS)
    shape, example = _distinct_rows(shapes)
    # Requests of one access that are in one class stay together for every shift of it.
    key, rows_each = np.unique((owner * len(example) + shape) * LINE_BYTES + place, return_counts=True)
    owner, inside = np.divmod(key, len(example) * LINE_BYTES)
    shape, place = np.divmod(inside, LINE_BYTES)
    moves = [_moves(each, itemsize) for each in accesses]
    count = np.array([len(by) for by, _ in moves])
    begin = np.cumsum(count) - count
    moved, times = (np.concatenate(column) for column in zip(*moves, strict=True))
    repeated = np.repeat(np.arange(len(key)), count[owner])
    within = np.arange(len(repeated)) - np.repeat(np.cumsum(count[owner]) - count[owner], count[owner])
    at = begin[owner[repeated]] + within
    final = shape[repeated] * LINE_BYTES + (place[repeated] + moved[at]) % LINE_BYTES
    distinct, inverse = np.unique(final, return_inverse=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, inverse, rows_each[repeated] * times[at])
    shape, place = np.divmod(distinct, LINE_BYTES)
    found = shapes[example[shape]]
    return np.where(found < NO_ADDRESS, found + place[:, None], NO_ADDRESS), total


def _moves(access: Repeated, itemsize: int) -> tuple[Table, Table]:
    """Return the distinct distances in a line by which an access is repeated, in bytes, and how often each."""
    shift = np.fromiter(access.shifts.keys(), np.int64, len(access.shifts))
    times = np.fromiter(access.shifts.values(), np.int64, len(access.shifts))
    by = shift * itemsize % LINE_BYTES
    total = np.zeros(LINE_BYTES, np.int64)
    np.add.at(total, by, times)
    distinct = np.flatnonzero(total)
    return distinct, total[distinct]


def _distinct_rows(rows: Table) -> tuple[Table, Table]:
    """Return for each row the number of its distinct row, and one row of each number."""
    _, first, kind = np.unique(rows @ _WEIGHTS, return_index=True, return_inverse=True)
    if not np.array_equal(rows, rows[first[kind]]):  # a collision: two different rows have the same weighted sum
        every = np.arange(len(rows))
        return every, every
    return kind, first
