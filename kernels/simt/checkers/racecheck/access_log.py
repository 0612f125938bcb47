"""Access log: notes, one for each instruction, and rows, one for each access of one lane.

A note is cheap: it refers to the vectors of lanes and indices that the machine has computed anyway. Rows are built only
for the elements on which accesses can conflict. Example: 64 threads execute `s[t] = A[t]`. One note says site 1, clock
7, lanes 0 to 63, start 0 to 63, values A[0] to A[63]. If another note touches `s[3]` from another thread, `gather`
builds a row (key of s[3], clock 7, lane 3, value) from this one, and a row from the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    """The accesses of one site in one step."""

    clock: int
    """Position among the accesses and events of the run."""
    step: int
    site: int
    place: int
    """Number of (line, kind) in the array (`ArrayState.place`)."""
    access: Access
    width: int
    lanes: NDArray[np.int32]
    start: NDArray[Any]
    """Lane i accesses `width` elements from `start[i] + shift`; the vector may be shared with other notes."""
    values: NDArray[Any] | None
    """The stored values, a row for each lane; None for a read, an atomic, and where repetitions stored other values."""
    shift: int = 0
    own: Coordinates | None = None
    """The coordinates that `start` consists of, if they give every lane a different element."""
    in_flight: bool = False
    """The write of an asynchronous copy that was issued before the last barrier and may complete at any time."""

    @property
    def first(self) -> NDArray[Any]:
        """The first element of each lane."""
        return self.start + self.shift if self.shift else self.start

    def select(self, keep: NDArray[np.bool_]) -> Note:
        """Return the note of some of its lanes."""
        if keep.all():
            return self
        values = None if self.values is None else self.values[keep]
        return self._replace(lanes=self.lanes[keep], start=self.start[keep], values=values)


@dataclass(frozen=True, slots=True)
class Atomics:
    """Sites of atomics that differ from a plain `atomicAdd`: atomic for all threads, relaxed, changing the element."""

    block_scope: set[int] = field(default_factory=set)
    """Atomic for the threads of the block only (`atomicAdd_block`)."""
    loads: set[int] = field(default_factory=set)
    """Change nothing."""
    acquire_at_fence: set[int] = field(default_factory=set)
    """Acquire with the next fence of their thread only (PTX ISA, "Release and Acquire Patterns")."""
    compare_and_swap: set[int] = field(default_factory=set)
    locks: set[int] = field(default_factory=set)
    """May take a lock: they acquire at the fence, and nothing orders later accesses of the thread before that fence."""


class Kind(NamedTuple):
    """The kind of access at a place."""

    access: Access
    compare_and_swap: bool = False
    block_scope: bool = False
    """Atomic for the threads of its block only."""
    loads: bool = False
    """Atomic, and changes nothing."""


class Part(NamedTuple):
    """The accesses of a note that are inside the array, one entry for each element."""

    note: Note
    at: NDArray[Any]
    """Element, over all copies of the array."""
    lanes: NDArray[np.int32]
    values: NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Threads:
    """The division of lanes into blocks and warps."""

    block: int
    """Threads of a block."""
    warps: int
    """Warps of a block."""

    @classmethod
    def of(cls, launch: Launch) -> Threads:
        """Return the division that a launch makes."""
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
    """Numbers of elements over all copies of an array; those of a shared array are contiguous, ordered by block."""

    def __init__(self, info: ArrayInfo, threads: Threads, notes: Iterable[Note]) -> None:
        self._info = info
        self._threads = threads
        self._offsets: dict[int, NDArray[Any]] = {}
        self._base = 0
        self.copies = 1
        # Only the blocks between the first and the last lane of the notes have copies: a barrier of one block of a
        # large grid needs a table of one copy.
        if info.space == "shared":
            sets = {id(note.lanes): note.lanes for note in notes}
            self._base = min(int(lanes[0]) for lanes in sets.values()) // threads.block
            self.copies = max(int(lanes[-1]) for lanes in sets.values()) // threads.block - self._base + 1

    @property
    def size(self) -> int:
        """Elements of all copies."""
        return self.copies * self._info.size

    def part(self, note: Note) -> Part:
        """Expand a note to its elements; those outside the array are left out."""
        index, lanes, values = note.first, note.lanes, note.values
        offsets = self._offset(lanes) if self.copies > 1 else None
        if note.width > 1:
            index = (index.astype(np.int64)[:, None] + np.arange(note.width)).reshape(-1)
            lanes = np.repeat(lanes, note.width)
            offsets = None if offsets is None else np.repeat(offsets, note.width)
        if values is not None:
            values = values.reshape(-1)
        # Accesses out of bounds are memcheck's; here they would be counted for a neighbouring copy.
        if int(index.min()) < 0 or int(index.max()) >= self._info.size:
            inside = (index >= 0) & (index < self._info.size)
            index, lanes = index[inside], lanes[inside]
            offsets = None if offsets is None else offsets[inside]
            values = None if values is None else values[inside]
        return Part(note, index if offsets is None else index + offsets, lanes, values)

    def elements(self, note: Note) -> NDArray[np.int64]:
        """Return every element that a note touches, over all copies; `size` for those outside the array."""
        index = (note.first.astype(np.int64)[:, None] + np.arange(note.width)).reshape(-1)
        outside = (index < 0) | (index >= self._info.size)
        if self.copies > 1:
            index += np.repeat(self._offset(note.lanes), note.width)
        # An element of its own past the end, so that every access keeps its position.
        index[outside] = self.size
        return index

    def element_numbers(self, lanes: NDArray[np.int32], index: NDArray[Any]) -> NDArray[np.int64]:
        """Return the numbers of single elements over all copies."""
        at = index.astype(np.int64)
        if self.copies > 1:
            at += (self._threads.block_of(lanes).astype(np.int64) - self._base) * self._info.size
        return at

    def _offset(self, lanes: NDArray[np.int32]) -> NDArray[Any]:
        # The same few lane sets recur in every step.
        if id(lanes) not in self._offsets:
            copy = self._threads.block_of(lanes).astype(np.int64) - self._base
            self._offsets[id(lanes)] = copy * self._info.size
        return self._offsets[id(lanes)]


@dataclass(frozen=True, slots=True)
class Rows:
    """Single accesses, sorted by key and clock; accesses with one key touch the same element and may race."""

    key: NDArray[np.int64]
    note: NDArray[np.int64]
    place: NDArray[np.int64]
    clock: NDArray[np.int64]
    lane: NDArray[np.int64]
    at: NDArray[np.int64]
    value: NDArray[np.uint64]
    keys: int
    """Number of distinct keys."""

    def select(self, keep: NDArray[Any]) -> Rows:
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
        For each part the positions of the chosen accesses.
    by_block : int
        0, or the threads of a block: accesses of different blocks to one element get different keys.
    """
    number = np.repeat(np.arange(len(parts)), [len(chosen) for chosen in keep])
    at = np.concatenate([part.at[chosen] for part, chosen in zip(parts, keep, strict=True)]).astype(np.int64)
    lane = np.concatenate([part.lanes[chosen] for part, chosen in zip(parts, keep, strict=True)])
    lane = lane.astype(np.int64)
    value = np.concatenate([_bits(part, chosen) for part, chosen in zip(parts, keep, strict=True)])
    # The pair (element, block) as one number: within a block only its own accesses can race before a barrier.
    element = at * (int(lane.max()) // by_block + 1) + lane // by_block if by_block else at
    distinct, key = np.unique(element, return_inverse=True)
    clock = np.array([part.note.clock for part in parts])[number]
    # By key, then by clock: the users of an element are consecutive, the earliest first.
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
    """Return the bits of the stored values as integers, to compare values of any type."""
    if part.values is not None:
        values = np.ascontiguousarray(part.values[chosen])
        return values.view(f"u{values.itemsize}").astype(np.uint64)
    if part.note.access != "write":
        return np.zeros(len(chosen), np.uint64)
    # A note that stands for repetitions with other values: a different pseudo-value for each lane, so none are equal.
    lanes: NDArray[np.uint64] = part.lanes[chosen].astype(np.uint64)
    return lanes + np.uint64(1 << 63)
