"""The device's heap while a kernel runs: blocks that `malloc` and `new` allocate.

Each place in the source that allocates has one array (`Heap`), in which its blocks follow one another and are never
reused. The addresses that the program sees are spaced wider: every block has a slot of `SLOT` bytes, so that an index
beyond a block is in no other block, however large it is.

Example: `int *p = new int[4]` of two threads at one place gives blocks 1 and 2, elements 0 to 3 and 4 to 7 of the
array. Their addresses are 1.5 and 2.5 slots; `p[4]` of the first thread is out of bounds, and not `p[0]` of the second.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.machine.affine_index import AffineIndex
from kernels.simt.machine.arithmetic import Value, poison
from kernels.simt.machine.memory import Memory
from kernels.simt.machine.observer import HeapBlock

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.frontend.types import Scalar
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.recorder import Tally
    from kernels.trace.records import Access, ArrayInfo

NAMED: Final = "heap of line "
"""First words of the names of these arrays."""

HEAP_BYTES: Final = 8 << 20
"""Maximum bytes allocated at a time, by all places together: cudaLimitMallocHeapSize, unless the host changes it."""

CAPACITY: Final = 32 << 20
"""Maximum number of bytes that one place allocates over the whole run, freed blocks included."""

SLOT: Final = 1 << 25
"""Bytes of addresses that a block has; it begins in the middle of them, so that negative indices are caught, too."""

_MOST_BLOCKS: Final = (1 << 18) - 1
"""Slots in the addresses of one array (`compiler.addresses`)."""


class Blocks:
    """The blocks of one place, by number; block 0 is none, and the target of addresses that were never allocated."""

    def __init__(self) -> None:
        self.count = 1
        """Blocks, block 0 included; the arrays below have room for more."""
        self.start = np.zeros(64, np.int64)
        """First element in the place's array."""
        self.size = np.zeros(64, np.int64)
        """Elements."""
        self.freed = np.full(64, -1, np.int64)
        """Line that freed the block; -1 while it is allocated."""

    def add(self, starts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
        """Add blocks and return their numbers."""
        first, self.count = self.count, self.count + len(starts)
        while self.count > len(self.start):
            self.start, self.size = (np.append(a, np.zeros_like(a)) for a in (self.start, self.size))
            self.freed = np.append(self.freed, np.full_like(self.freed, -1))
        numbers = np.arange(first, self.count)
        self.start[numbers], self.size[numbers] = starts, sizes
        return numbers


class Heap(Memory):
    """The blocks that one place in the source allocates."""

    on_heap = True

    def __init__(self, number: int, info: ArrayInfo, kind: Scalar, recorder: Tally) -> None:
        super().__init__(number, info, kind, recorder)
        self.blocks = Blocks()
        self.used = 0
        self.data = np.zeros(self.size, info.dtype)  # of which the system allocates pages when they are used
        self._written = np.zeros(self.size, bool)
        self._block: NDArray[Any] = np.zeros(0, np.int64)
        """The block that each lane's index names, in the access under way."""
        self._within: NDArray[Any] = np.zeros(0, np.int64)
        """Each lane's position in that block."""

    # --- allocation

    def allocate(self, sizes_bytes: NDArray[Any], row: int) -> NDArray[np.int64] | None:
        """Return the byte offsets of new blocks, one for each size; None where there is no room for them.

        A block takes `row` elements of the array, or, where that is 0, as many as it needs.
        """
        item = self.kind.size_bytes
        sizes = -(-sizes_bytes // item)
        align = max(16 // item, 1)
        reserved = np.full(len(sizes), row) if row else -(-np.maximum(sizes, 1) // align) * align
        starts = self.used + np.cumsum(reserved) - reserved
        end = self.used + int(reserved.sum())
        if end > self.size or self.blocks.count + len(sizes) > _MOST_BLOCKS:
            return None
        self.data[self.used : end] = poison(self.kind)
        self.used = end
        return self.blocks.add(starts, sizes) * SLOT + SLOT // 2

    def free(self, offset: int, line: int) -> int | None:
        """Free the block that begins at an offset; return its size, -1 where it is freed, None where none begins."""
        block, within = divmod(offset - SLOT // 2, SLOT)
        if within or not 0 < block < self.blocks.count:
            return None
        if self.blocks.freed[block] >= 0:
            return -1
        self.blocks.freed[block] = line
        return int(self.blocks.size[block]) * self.kind.size_bytes

    @property
    def used_contents(self) -> NDArray[Any]:
        """The elements that are allocated so far."""
        return self.data[: self.used]

    def final_info(self) -> ArrayInfo:
        """Return the array's description in the trace, as long as its allocated part."""
        first, *rest = self.info.shape
        rows = -(-self.used // (self.info.size // first))
        return replace(self.info, shape=(max(rows, 1), *rest))

    # --- accesses: indices are counted in slots

    def locate(self, index: int) -> int:
        """Return the position of an index in the array; -1 where it is in no allocated block."""
        block, within = divmod(index, SLOT // self.kind.size_bytes)
        within -= SLOT // self.kind.size_bytes // 2
        blocks = self.blocks
        contained = 0 < block < blocks.count and blocks.freed[block] < 0 and 0 <= within < blocks.size[block]
        return int(blocks.start[block]) + within if contained else -1

    def _positions(self, group: Group, index: Value, width: int) -> NDArray[Any]:
        """Return the position of each lane's index in the array; -1 where it is in no allocated block."""
        indices = index.vector if type(index) is AffineIndex else index
        at = indices if type(indices) is np.ndarray else np.full(group.size, indices, np.int64)
        blocks, slot = self.blocks, SLOT // self.kind.size_bytes
        block, within = np.divmod(at, slot)
        within = within - slot // 2
        block = np.where((block > 0) & (block < blocks.count), block, 0)
        contained = (blocks.freed[block] < 0) & (within >= 0) & (within + width <= blocks.size[block])
        self._block, self._within = block, within
        return np.where(contained, blocks.start[block] + within, -1)

    def read(self, group: Group, mask: Active, index: Value, site: int, span: Span, width: int = 1) -> Value:
        """Value of one element for each active lane, of `width` elements a row a lane."""
        return super().read(group, mask, self._positions(group, index, width), site, span, width)

    def write(
        self, group: Group, mask: Active, index: Value, value: Value, site: int, span: Span, width: int = 1
    ) -> None:
        """Store a value for each active lane."""
        super().write(group, mask, self._positions(group, index, width), value, site, span, width)

    def issue_copy(
        self, group: Group, mask: Active, index: Value, value: Value, site: int, span: Span, width: int = 1
    ) -> None:
        """Issue a copy, whose write is made later."""
        super().issue_copy(group, mask, self._positions(group, index, width), value, site, span, width)

    def atomic(
        self,
        group: Group,
        mask: Active,
        index: Value,
        operands: tuple[Value, ...],
        combine: Any,
        site: int,
        span: Span,
        dtype: np.dtype[Any],
        width: int = 1,
    ) -> Value:
        """Change the element of each lane atomically; returns the old values."""
        positions = self._positions(group, index, width)
        return super().atomic(group, mask, positions, operands, combine, site, span, dtype, width)

    def _complete(self) -> bool:
        """Return False: elements that are not allocated yet are never written."""
        return False

    def _announce_outside(
        self, group: Group, mask: Active, chosen: NDArray[Any], access: Access, span: Span, width: int = 1
    ) -> NDArray[np.bool_]:
        """Announce the lanes that name no block, a part beyond one, or a freed one; returns the other active lanes."""
        inside: NDArray[np.bool_] = chosen >= 0
        self._recorder.count_out_of_bounds()
        observer = self._recorder.checkers.memcheck
        if observer is None:
            return inside
        bad = np.flatnonzero(~inside)
        at = bad if mask is None else mask.where[bad]
        freed = self.blocks.freed[self._block[at]] >= 0
        for some in (freed, ~freed):
            if some.any():
                number, index = self._block[at[some][0]], int(self._within[at[some][0]])
                block = HeapBlock(int(self.blocks.size[number]), int(self.blocks.freed[number]))
                observer.outside(self._bad_access(group, mask, bad[some], index, access, span, width, block))
        return inside

    def _announce_misaligned(
        self, group: Group, mask: Active, chosen: NDArray[Any], access: Access, span: Span, width: int
    ) -> None:
        """Announce the lanes whose access of several elements does not begin at a multiple of its size."""
        super()._announce_misaligned(group, mask, np.where(chosen < 0, 0, chosen), access, span, width)
