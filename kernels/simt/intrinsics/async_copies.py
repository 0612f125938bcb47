"""Asynchronous copies from global to shared memory: `cp.async` in inline PTX, and the `__pipeline_` functions.

A copy reads its source when it is issued. It writes, and is recorded, when the thread waits for it: until then shared
memory has the old contents, as it may on a GPU (PTX ISA, "cp.async"). Since it may also write at once, racecheck gets a
write at the issue, too.

A thread's copies belong to the copy group that it commits next; `wait(n)` completes all groups but the latest n (PTX
ISA, "cp.async.wait_group"). Example with two buffers: issue tile 0, commit; issue tile 1, commit; wait(1) completes
tile 0, while tile 1 is in flight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.frontend.types import INT, LONG, UINT, ULONG, VECTORS, VOID, Pointer
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.addresses import base_address, memory_number, pointee
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.load_store import choose, copy_announcer, loader, saver, zero_value
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.machine.arithmetic import Value, ndarray
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.expressions.load_store import Save
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    TakeCopies = Callable[[Group, Active], "list[CopyInFlight]"]

COPY_TYPES: Final[dict[int, CType]] = {4: UINT, 8: VECTORS["uint2"], 16: VECTORS["uint4"]}
"""Type of the element, by the bytes of a copy."""

COPY: Final = re.compile(
    r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\d+B)?\s*"
    r"\[\s*%(\d+)\s*\]\s*,\s*\[\s*%(\d+)\s*\]\s*,\s*(%?\d+)\s*(?:,\s*(%?\d+)\s*)?;?"
)


@dataclass(slots=True)
class _Copy:
    """A copy in flight."""

    put: Save
    """Writes it."""
    lanes: NDArray[np.bool_]
    """The lanes whose part has not been written."""
    address: Value
    value: Value
    committed: NDArray[np.int32]
    """Groups that each lane had committed before: the number of the copy's group."""


class CopyInFlight(NamedTuple):
    """A copy that has read its source: the function that writes it, the lanes, address and value."""

    put: Save
    lanes: NDArray[np.bool_]
    address: Value
    value: Value


class _Pipeline:
    """The copies of a group of lanes that are in flight, in the order of issue."""

    __slots__ = ("committed", "copies")

    def __init__(self, size: int) -> None:
        self.committed = np.zeros(size, np.int32)
        self.copies: list[_Copy] = []

    def commit(self, mask: Active) -> None:
        """Commit the copy group of the active lanes."""
        self.committed = self.committed + (np.int32(1) if mask is None else mask.bits.astype(np.int32))

    def wait(self, group: Group, mask: Active, latest: Value) -> None:
        """Write the copies of all committed groups but the `latest`; all copies, if that is -1."""
        for copy in self.copies:
            # A copy belongs to the group with the number of groups committed before it: group g is complete if g <
            # committed - latest. With latest = -1 this includes the group that is not committed yet
            # (cp.async.wait_all).
            ready = copy.lanes & (copy.committed < self.committed - latest)
            lanes = group.narrow(mask, ready)
            if lanes is not EMPTY:
                copy.put(group, lanes, copy.address, copy.value)
                # Only the lanes that wait: other lanes of the group may wait for their parts later, in another branch.
                copy.lanes = copy.lanes & ~(ready if lanes is None else lanes.bits)
        self.copies = [copy for copy in self.copies if copy.lanes.any()]


def issue(c: Context, target: Code, source: Code, size: Value, read_bytes: Code | None, span: Span) -> Run:
    """Compile a copy of `size` bytes, of which `taken` are read and the rest are zero."""
    if pointee(source.type) is None or pointee(target.type) is None:
        raise c.refuse(span, "a copy needs a pointer to global and an address in shared memory")
    if size not in COPY_TYPES:
        raise c.refuse(span, f"an asynchronous copy moves 4, 8 or 16 bytes, known when it is compiled, not {size}")
    kind, slot = COPY_TYPES[size], _slot(c)
    fetch = loader(c, Element(source.memory, source, kind, span, const=True))
    element = Element(target.memory, target, kind, span, const=False)
    put, announce = saver(c, element), copy_announcer(c, element)
    where, place = source.run, target.run
    count = None if read_bytes is None else read_bytes.run

    def issue(group: Group, mask: Active) -> Value:
        # `reading` are the lanes that read the source: those with 0 source bytes may have an address out of bounds.
        reading, size_read = mask, size if count is None else count(group, mask)
        if count is not None:
            if np.any(_of(mask, (size_read != 0) & (size_read != size))):
                raise c.unsupported(span, f"copy that reads neither 0 nor {size} of its {size} bytes")
            # PTX allows fewer source bytes, the rest is zero-filled: 0 bytes is the usual bounds check of a tile.
            reading, _ = group.split(mask, size_read == size)
        value = zero_value(kind)
        if reading is not EMPTY:
            value = fetch(group, reading, where(group, reading))
            if reading is not mask and reading is not None:
                value = choose(kind, reading.bits, value, zero_value(kind))
        pipeline = _of_group(group, slot)
        lanes = np.ones(group.size, bool) if mask is None else mask.bits
        address = place(group, mask)
        # From here on the write may happen, for racecheck; the machine performs it in `_Pipeline.wait`.
        announce(group, mask, address, value)
        pipeline.copies.append(_Copy(put, lanes, address, value, pipeline.committed))

    return issue


def _of(mask: Active, bits: Value) -> Value:
    return bits if mask is None or type(bits) is not ndarray else bits[mask.where]


def commit(c: Context) -> Run:
    """Compile the end of a group of copies."""
    slot = _slot(c)
    return lambda group, mask: _of_group(group, slot).commit(mask)


def wait(c: Context, latest: Code) -> Run:
    """Compile the wait for all groups of copies but the latest."""
    slot, count = _slot(c), latest.run
    return lambda group, mask: _of_group(group, slot).wait(group, mask, count(group, mask))


def take_copies(c: Context) -> TakeCopies:
    """Compile the removal of the active lanes' copies from the pipeline; the caller writes them."""
    slot = _slot(c)

    def take(group: Group, mask: Active) -> list[CopyInFlight]:
        pipeline = _of_group(group, slot)
        lanes = np.ones(group.size, bool) if mask is None else mask.bits
        removed = [
            CopyInFlight(copy.put, copy.lanes & lanes, copy.address, copy.value)
            for copy in pipeline.copies
            if (copy.lanes & lanes).any()
        ]
        for copy in pipeline.copies:
            copy.lanes = copy.lanes & ~lanes
        pipeline.copies = [copy for copy in pipeline.copies if copy.lanes.any()]
        return removed

    return take


@dataclass(slots=True)
class _PipelineSlot:
    """The register that holds the pipeline of a group."""

    slot: int = -1


def _slot(c: Context) -> int:
    pipeline = c.state_of(_PipelineSlot)
    if pipeline.slot < 0:
        pipeline.slot = c.slot()
    return pipeline.slot


def _of_group(group: Group, slot: int) -> _Pipeline:
    if group.values[slot] is None:
        group.values[slot] = _Pipeline(group.size)
    found: _Pipeline = group.values[slot]
    return found


def pointer_to_shared(c: Context, code: Code, span: Span) -> Code:
    """Turn a byte address in shared memory into a pointer."""
    number = convert(c, code, LONG, span)
    arrays = sorted(
        (memory.info.address, base_address(memory)) for memory in c.machine.memories if memory.info.space == "shared"
    )
    if not arrays:
        raise c.refuse(span, "this copies into shared memory, but none is declared")
    starts, firsts = (np.array(column, np.int64) for column in zip(*arrays, strict=True))
    run = number.run

    def address(group: Group, mask: Active) -> Value:
        byte = run(group, mask)
        # The shared array that contains the byte is the last one that begins at or before it.
        which = np.maximum(np.searchsorted(starts, byte, side="right") - 1, 0)
        found: Any = firsts[which] + (byte - starts[which])
        return found if type(byte) is ndarray else int(found)

    return Code(address, Pointer(UINT), None, number.pure)


def shared_address(c: Context, node: Call) -> Code:
    """Compile `__cvta_generic_to_shared(pointer)`: the byte address in the block's shared memory."""
    (code,) = operands(c, node, 1)
    memory = code.memory
    if pointee(code.type) is None or (memory is not None and memory.info.space != "shared"):
        raise c.refuse(node.span, f"{node.function} needs a pointer into shared memory")
    if memory is None:
        return _roaming_to_shared(c, code, node)
    first, size, run = memory.info.address, memory.kind.size_bytes, code.run

    def address(group: Group, mask: Active) -> Value:
        offset = run(group, mask)
        if type(offset) is ndarray:
            return (offset.astype(np.int64) * size + first).view(np.uint64)
        return offset * size + first

    return Code(address, ULONG, None, code.pure)


def _roaming_to_shared(c: Context, code: Code, node: Call) -> Code:
    """Compile the byte address of a pointer whose value identifies its array."""
    run = code.run

    def address(group: Group, mask: Active) -> Value:
        pointer = np.asarray(run(group, mask), np.int64)
        shared = [memory for memory in c.machine.memories if memory.info.space == "shared"]
        numbers, byte = memory_number(pointer), np.full_like(pointer, -1)
        for memory in shared:
            byte = np.where(numbers == memory.number, pointer - base_address(memory) + memory.info.address, byte)
        if ((byte if mask is None or not byte.ndim else byte[mask.where]) < 0).any():
            raise c.refuse(node.span, f"{node.function} needs a pointer into shared memory")
        return byte.view(np.uint64) if byte.ndim else int(byte)

    return Code(address, ULONG, None, code.pure)


def _copy_call(c: Context, node: Call) -> Code:
    """Compile `__pipeline_memcpy_async(target, source, size, zeros)`."""
    codes = operands(c, node, 3, 4)
    size, read_bytes = codes[2].constant, None
    if len(codes) == 4:
        zeros = convert(c, codes[3], INT, node.span).run
        read_bytes = Code(lambda group, mask: size - zeros(group, mask), INT)
    return Code(issue(c, codes[0], codes[1], size, read_bytes, node.span), VOID, None, False)


def _commit_call(c: Context, node: Call) -> Code:
    operands(c, node, 0)
    return Code(commit(c), VOID, None, False)


def _wait_call(c: Context, node: Call) -> Code:
    (latest,) = operands(c, node, 1)
    return Code(wait(c, convert(c, latest, INT, node.span)), VOID, None, False)


COPIES: Final[dict[str, Compile]] = {
    "__cvta_generic_to_shared": shared_address,
    "__pipeline_memcpy_async": _copy_call,
    "__pipeline_commit": _commit_call,
    "__pipeline_wait_prior": _wait_call,
}
"""By name."""
