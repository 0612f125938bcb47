"""Access log: notes, one for each instruction, and rows, one for each access of one lane.

A note costs little: it refers to the vectors of lanes and indices that the machine has anyway. Rows are made only of
the elements on which accesses can conflict. Example: 64 threads execute `s[t] = A[t]`. One note says site 1, clock 7,
lanes 0 to 63, start 0 to 63, values A[0] to A[63]. If another note touches `s[3]` from another thread, `gather` makes
a row (key of s[3], clock 7, lane 3, value) of this one, and a row of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.simt.machine.affine import Coordinates
    from kernels.trace.records import Access, ArrayInfo


class Note(NamedTuple):
    """What one site did in one step.

    `clock` counts accesses and events of the run; `place` numbers (line, access) in its array; lane i touched
    `width` elements from `start[i] + shift`: the vector may be shared with other notes. `values` has a row a
    lane; it is None for a read, an atomic, and where the values of several times were not the same. `own` is what
    makes `start`, where that gives every lane an element of its own. `flying`: the write of an asynchronous copy
    that was issued before the last barrier, and may come at any time until it is waited for.
    """

    clock: int
    step: int
    site: int
    place: int
    access: Access
    width: int
    lanes: NDArray[np.int32]
    start: NDArray[Any]
    values: NDArray[Any] | None
    shift: int = 0
    own: Coordinates | None = None
    flying: bool = False

    @property
    def first(self) -> NDArray[Any]:
        """Where each lane begins."""
        return self.start + self.shift if self.shift else self.start


class Kind(NamedTuple):
    """What a place does: `compares` and swaps, is atomic for a block only (`narrow`), or atomic and `loads` only."""

    access: Access
    compares: bool = False
    narrow: bool = False
    loads: bool = False


class Part(NamedTuple):
    """A note element by element, inside the array: where (over all copies), by whom, and what was stored."""

    note: Note
    at: NDArray[Any]
    lanes: NDArray[np.int32]
    values: NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Threads:
    """Which block and which warp a lane belongs to."""

    block: int
    warps: int

    @classmethod
    def of(cls, launch: Launch) -> Threads:
        """Read them off a launch."""
        return cls(launch.block.count, launch.warps_per_block)

    def block_of(self, lanes: NDArray[Any]) -> NDArray[Any]:
        """Return the block of each lane."""
        blocks: NDArray[Any] = lanes // self.block
        return blocks

    def warp_of(self, lanes: NDArray[Any]) -> NDArray[Any]:
        """Return the number of each lane's warp in the grid."""
        warps: NDArray[Any] = lanes // self.block * self.warps + lanes % self.block // WARP_SIZE
        return warps


class Layout:
    """Says where elements are: copies of a shared array lie one after another, the lowest block's first."""

    def __init__(self, info: ArrayInfo, threads: Threads, notes: Iterable[Note]) -> None:
        self._info = info
        self._threads = threads
        self._offsets: dict[int, NDArray[Any]] = {}
        self._base = 0
        self.copies = 1
        if info.space == "shared":
            sets = {id(note.lanes): note.lanes for note in notes}
            self._base = min(int(lanes[0]) for lanes in sets.values()) // threads.block
            self.copies = max(int(lanes[-1]) for lanes in sets.values()) // threads.block - self._base + 1

    @property
    def size(self) -> int:
        """Elements of all copies."""
        return self.copies * self._info.size

    def part(self, note: Note) -> Part:
        """Spread a note over its elements; what lies outside the array is left out."""
        index, lanes, values = note.first, note.lanes, note.values
        offsets = self._offset(lanes) if self.copies > 1 else None
        if note.width > 1:
            index = (index.astype(np.int64)[:, None] + np.arange(note.width)).reshape(-1)
            lanes = np.repeat(lanes, note.width)
            offsets = None if offsets is None else np.repeat(offsets, note.width)
        if values is not None:
            values = values.reshape(-1)
        if int(index.min()) < 0 or int(index.max()) >= self._info.size:
            inside = (index >= 0) & (index < self._info.size)
            index, lanes = index[inside], lanes[inside]
            offsets = None if offsets is None else offsets[inside]
            values = None if values is None else values[inside]
        return Part(note, index if offsets is None else index + offsets, lanes, values)

    def elements(self, note: Note) -> NDArray[np.int64]:
        """Return every element that a note touches, over all copies; `size` where it lies outside."""
        index = (note.first.astype(np.int64)[:, None] + np.arange(note.width)).reshape(-1)
        outside = (index < 0) | (index >= self._info.size)
        if self.copies > 1:
            index += np.repeat(self._offset(note.lanes), note.width)
        index[outside] = self.size
        return index

    def located(self, lanes: NDArray[np.int32], index: NDArray[Any]) -> NDArray[np.int64]:
        """Return where single elements are, over all copies."""
        at = index.astype(np.int64)
        if self.copies > 1:
            at += (self._threads.block_of(lanes).astype(np.int64) - self._base) * self._info.size
        return at

    def _offset(self, lanes: NDArray[np.int32]) -> NDArray[Any]:
        # The same few lane sets come back in every step.
        if id(lanes) not in self._offsets:
            copy = self._threads.block_of(lanes).astype(np.int64) - self._base
            self._offsets[id(lanes)] = copy * self._info.size
        return self._offsets[id(lanes)]


@dataclass(frozen=True, slots=True)
class Rows:
    """Single accesses, sorted by key and clock: equal keys are one element, judged on its own."""

    key: NDArray[np.int64]
    note: NDArray[np.int64]
    place: NDArray[np.int64]
    clock: NDArray[np.int64]
    lane: NDArray[np.int64]
    at: NDArray[np.int64]
    value: NDArray[np.uint64]
    keys: int

    def chosen(self, keep: NDArray[Any]) -> Rows:
        """Return some of the rows, under the same keys."""
        return Rows(
            self.key[keep],
            self.note[keep],
            self.place[keep],
            self.clock[keep],
            self.lane[keep],
            self.at[keep],
            self.value[keep],
            self.keys,
        )


def gather(parts: list[Part], keep: list[NDArray[Any]], by_block: int) -> Rows:
    """Return the chosen accesses of each part as rows.

    Parameters
    ----------
    parts : list of Part
    keep : list
        For each part the positions that are meant.
    by_block : int
        Threads a block where the same element used by two blocks counts as two; 0 where it is one.
    """
    number = np.repeat(np.arange(len(parts)), [len(chosen) for chosen in keep])
    at = np.concatenate([part.at[chosen] for part, chosen in zip(parts, keep, strict=True)]).astype(np.int64)
    lane = np.concatenate([part.lanes[chosen] for part, chosen in zip(parts, keep, strict=True)])
    lane = lane.astype(np.int64)
    value = np.concatenate([_bits(part, chosen) for part, chosen in zip(parts, keep, strict=True)])
    element = at * (int(lane.max()) // by_block + 1) + lane // by_block if by_block else at
    distinct, key = np.unique(element, return_inverse=True)
    clock = np.array([part.note.clock for part in parts])[number]
    order = np.lexsort((clock, key))
    place = np.array([part.note.place for part in parts])[number]
    return Rows(
        key[order],
        number[order],
        place[order],
        clock[order],
        lane[order],
        at[order],
        value[order],
        len(distinct),
    )


def _bits(part: Part, chosen: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the values stored as bits, so that equal values are equal whatever their type."""
    if part.values is not None:
        values = np.ascontiguousarray(part.values[chosen])
        return values.view(f"u{values.itemsize}").astype(np.uint64)
    if part.note.access != "write":
        return np.zeros(len(chosen), np.uint64)
    changed: NDArray[np.uint64] = part.lanes[chosen].astype(np.uint64)
    return changed + np.uint64(1 << 63)  # from one time to the next: no two are equal
