"""Copies of tiles that arrive at a barrier by their bytes: `cp.async.bulk.tensor` and `mbarrier.expect_tx`.

A phase that expects bytes has one more arrival missing; the last byte of the copies that arrive in it makes that
arrival. The copies are written when a thread waits for the phase and all expected bytes are on their way, so that a
wrong number of bytes ends in a wait for ever (PTX ISA, "mbarrier: tracking of asynchronous operations").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import INT, LONG, ULONG, VOID
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.addresses import as_address, base_address, split_by_array
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.load_store import copy_announcer, exchanger, saver
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.intrinsics.async_copies import COPY_TYPES
from kernels.simt.libraries.libcudacxx.barrier_objects import MISSING_BITS, BarrierObject
from kernels.simt.machine.barrier_phases import CopyInFlight
from kernels.simt.machine.hazards import Place
from kernels.tensor_map import MapFields, array_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory

_CHUNK: Final = 16
"""Bytes that are copied at once."""


class _Source:
    """An array of the grid that tiles are copied from."""

    def __init__(self, c: Context, memory: Memory, span: Span) -> None:
        self._memory, self._span, self._item = memory, span, memory.kind.size_bytes
        self._width = _CHUNK // self._item
        self._site = c.site(span, memory, "read", self._width, memory.kind)

    def words(self, group: Group, lanes: Active, one: int, begin: int) -> list[Any]:
        """Return four words, read by one lane, from a position in bytes on."""
        index = np.full(group.size, begin // self._item, np.int64)
        found = np.asarray(self._memory.read(group, lanes, index, self._site, self._span, self._width))
        return list(np.ascontiguousarray(found[one]).reshape(-1).view(np.uint32))


def _expect(c: Context, node: Call) -> Code:
    """Compile `__phase_expect(word, bytes)`."""
    pointer, size = operands(c, node, 2)
    barrier, count = BarrierObject(c, node, pointer), convert(c, size, LONG, node.span).run
    element = Element(pointer.memory, pointer, ULONG, node.span, False)
    add_arrival = exchanger(c, element, lambda old, more: old + (more << MISSING_BITS))

    def run(group: Group, mask: Active) -> Value:
        place = barrier.place(group, mask)
        keys = barrier.keys(group, place, barrier.phase(group, mask, place))
        sizes = np.broadcast_to(np.asarray(count(group, mask), np.int64), (group.size,))
        for at, lanes in _each(group, mask):
            if c.machine.phases.expect(int(keys[at]), int(sizes[at])):
                add_arrival(group, lanes, place, (1,))
        return 0

    return Code(run, VOID, None, False)


def _copy_tile(c: Context, node: Call) -> Code:
    """Compile `__phase_copy_tile(to, map, x, y, word)`: a tile from (x, y) on, with zeros outside of the array."""
    to, source, column, row, pointer = operands(c, node, 5)
    barrier, statement, span = BarrierObject(c, node, pointer), c.statement, node.span
    kind = COPY_TYPES[_CHUNK]
    element = Element(to.memory, to, kind, span, const=False)
    put, announce = saver(c, element), copy_announcer(c, element)
    map_at, target, zero = as_address(source).run, to.run, np.uint32(0)
    corner = convert(c, column, INT, span).run, convert(c, row, INT, span).run
    arrays = {array_key(m.info.name): _Source(c, m, span) for m in c.machine.memories if m.info.space == "global"}

    def fields_of(group: Group, lanes: Active) -> MapFields:
        address = np.broadcast_to(np.asarray(map_at(group, lanes), np.int64), (group.size,))
        ((number, _, offset),) = split_by_array(group, lanes, address)
        found = None
        if 0 <= number < len(c.machine.memories):
            memory, base = c.machine.memories[number], group.bases[number]
            at = 0 if lanes is None else int(lanes.where[0])
            begin = int(offset[at]) + (0 if base is None else int(base[at]) * memory.info.dtype.itemsize)
            found = MapFields.unpack(memory.data.view(np.uint8)[begin : begin + 64].copy().view(np.uint64))
        if found is None or found.array not in arrays:
            raise c.refuse(span, "cp.async.bulk.tensor takes the address of a tensor map: give tensor_map(ARRAY, …)")
        return found

    def chunks(group: Group, lanes: Active, fields: MapFields, x: int, y: int) -> Iterator[tuple[int, list[Any]]]:
        """Yield for each 16 bytes of the tile their offset, before the swizzle, and their four words."""
        count, per_row = _CHUNK // fields.item, fields.box_columns * fields.item // _CHUNK
        one, source = 0 if lanes is None else int(lanes.where[0]), arrays[fields.array]
        for line in range(fields.box_rows):
            row = (y + line) * fields.columns
            for chunk in range(per_row):
                first = x + chunk * count
                outside = not 0 <= y + line < fields.rows or first >= fields.columns or first + count <= 0
                if not outside and not 0 <= first <= fields.columns - count:
                    raise c.unsupported(span, "tile that begins or ends inside of 16 bytes at the edge of its array")
                words = [zero] * 4 if outside else source.words(group, lanes, one, (row + first) * fields.item)
                yield (line * per_row + chunk) * _CHUNK, words

    def run(group: Group, mask: Active) -> Value:
        place = barrier.place(group, mask)
        keys = barrier.keys(group, place, barrier.phase(group, mask, place))
        to_address = np.broadcast_to(np.asarray(target(group, mask), np.int64), (group.size,))
        corners = [np.broadcast_to(np.asarray(each(group, mask), np.int64), (group.size,)) for each in corner]
        for at, lanes in _each(group, mask):
            fields = fields_of(group, lanes)
            begin, moves = int(to_address[at]), []
            _check_alignment(c, node, group, at, begin)
            for offset, words in chunks(group, lanes, fields, int(corners[0][at]), int(corners[1][at])):
                where = begin + _swizzled(begin, offset, fields.swizzle_bytes, c)
                value = tuple(np.full(group.size, word, np.uint32) for word in words)
                position = np.full(group.size, where, np.int64)
                announce(group, lanes, position, value)
                moves.append((position, value))
            bits = np.zeros(group.size, bool)
            bits[at] = True
            size = fields.box_columns * fields.box_rows * fields.item

            def write(group: Group, lanes: Active, _address: Value, values: Value) -> None:
                for position, value in values:
                    put(group, lanes, position, value)

            def arrive(group: Group, lanes: Active, place: Value = place) -> None:
                barrier.arrive(group, lanes, place, 1)

            copy = CopyInFlight(group, statement, write, bits, 0, moves, keys, size, arrive)
            c.machine.phases.issue(copy)
        return 0

    return Code(run, VOID, None, False)


def _each(group: Group, mask: Active) -> Iterator[tuple[int, Active]]:
    """Yield each active lane, by its position, and as a set."""
    for at in range(group.size) if mask is None else mask.where.tolist():
        bits = np.zeros(group.size, bool)
        bits[at] = True
        yield at, group.narrow(mask, bits)


def _swizzled(begin: int, offset: int, swizzle_bytes: int, c: Context) -> int:
    """Return the offset of a chunk: bits 4 and up of its shared address are XORed with bits 7 and up."""
    if not swizzle_bytes:
        return offset
    at = _shared_address(c, begin)[1] + offset
    return (at ^ at >> 3 & swizzle_bytes - _CHUNK) - at + offset


def _shared_address(c: Context, pointer: int) -> tuple[str, int]:
    """Return the array that a pointer points into, and its address in shared memory; 0 where it points to none."""
    for memory in c.machine.memories:
        offset = pointer - base_address(memory)
        if memory.info.space == "shared" and 0 <= offset < memory.size * memory.kind.size_bytes:
            return memory.info.name, memory.info.address + offset
    return "", 0


def _check_alignment(c: Context, node: Call, group: Group, at: int, begin: int) -> None:
    """Report a tile at an address that is no multiple of 128 bytes (PTX ISA, "cp.async.bulk.tensor")."""
    name, address = _shared_address(c, begin)
    if address % 128:
        lane, hazards = int(group.lanes[at]), c.machine.hazards
        hazards.report(
            "misaligned-access",
            Place(node.span, "shared", name),
            c.machine.recorder.current,
            1,
            ((lane, node.span, "write"),),
            lambda: (
                f"{hazards.name(lane)} copies a tile to shared address {address}, which is no multiple of 128: declare "
                "the array __align__(128)"
            ),
        )


BULK_COPIES: Final[dict[str, Compile]] = {"__phase_expect": _expect, "__phase_copy_tile": _copy_tile}
"""By name."""
