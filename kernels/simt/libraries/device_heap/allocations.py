"""Compiles `malloc`, `free`, `new` and `delete` on the device; a new block is uninitialised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import UINT, ULONG, VOID, CType, Pointer, size_of
from kernels.simt.compiler.calls.device_helpers import helper_call
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.addresses import NULL, as_address, base_address, split_by_array
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.libraries.device_heap.heap import CAPACITY, HEAP_BYTES, NAMED, Heap
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.recorder import EarlyStop

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_NEW_VALUE: Final = """template <typename T> __device__ T *allocate(T value) {
    T *place = (T *)malloc(sizeof(T));
    if (place) *place = value;
    return place;
}"""
_NEW: Final = "template <typename T> __device__ T *allocate() { return (T *)malloc(sizeof(T)); }"
_NEW_ARRAY: Final = "template <typename T> __device__ T *allocate(size_t n) { return (T *)malloc(n * sizeof(T)); }"
_NEW_ZEROED_ARRAY: Final = """template <typename T> __device__ T *allocate(size_t n) {
    T *place = (T *)malloc(n * sizeof(T));
    if (place) for (size_t i = 0; i < n; ++i) place[i] = T();
    return place;
}"""
_ALIGNED: Final = 16
_ADVICE: Final = "allocate once, before the loop, or less"


@dataclass(slots=True)
class _HeapUsage:
    """The bytes of the device's heap that are allocated at this point of the run."""

    size_bytes: int = 0


def _malloc(c: Context, node: Call) -> Code:
    """Compile `malloc(bytes)`; a template argument is the type to which the result is cast."""
    (argument,) = operands(c, node, 1)
    kind = c.complete(node.template[0]) if node.template else UINT  # type: ignore[arg-type]
    if not size_of(kind):
        kind = UINT
    size = convert(c, argument, ULONG, node.span)
    heap, row = _heap(c, node, kind, size)
    first, sizes, usage = base_address(heap), size.run, c.state_of(_HeapUsage)

    def run(group: Group, mask: Active) -> Value:
        count = group.active(mask)
        requested = np.asarray(sizes(group, mask))
        requested = (
            np.full(count, requested) if not requested.ndim else requested if mask is None else requested[mask.where]
        )
        requested = requested.astype(np.uint64)
        fits = (requested > 0) & (requested <= HEAP_BYTES)
        reserved = np.where(fits, -(-requested.astype(np.int64) // _ALIGNED) * _ALIGNED, 0)
        fits &= usage.size_bytes + np.cumsum(reserved) <= HEAP_BYTES
        addresses = np.full(count, NULL, np.int64)
        if fits.any():
            offsets = heap.allocate(requested[fits].astype(np.int64), row)
            if offsets is None:
                raise EarlyStop(f"stopped after {heap.info.name} allocated {CAPACITY >> 20} MiB", "memory", _ADVICE)
            usage.size_bytes += int(reserved[fits].sum())
            addresses[fits] = first + offsets
        if mask is None:
            return addresses
        result = np.full(group.size, NULL, np.int64)
        result[mask.where] = addresses
        return result

    return Code(run, Pointer(kind if node.template else VOID), None, False)


def _heap(c: Context, node: Call, kind: CType, size: Code) -> tuple[Heap, int]:
    """Return the array for the blocks of this place, and the elements of a row; 0 where their sizes may differ."""
    item_bytes = size_of(kind)
    count, row = CAPACITY // item_bytes, 0
    shape: tuple[int, ...] = (count,)
    if size.constant is not None and 0 < size.constant <= CAPACITY and not size.constant % item_bytes:
        row = int(size.constant) // item_bytes
        while row * item_bytes % _ALIGNED and item_bytes % 4 == 0:
            row += 1
        shape = (count // row, row) if row > 1 else (count,)
    heap = c.array(f"{NAMED}{node.span.source_span.line}", "global", kind, node.span, shape, kept_as=Heap)
    assert isinstance(heap, Heap)
    return heap, row * item_bytes // heap.kind.size_bytes


def _free(c: Context, node: Call) -> Code:
    """Compile `free(pointer)`; null is ignored, a pointer that is not the beginning of an allocated block reported."""
    (code,) = operands(c, node, 1)
    addresses = convert(c, code, Pointer(VOID), node.span, explicit=True)
    run_address, span, usage = as_address(addresses).run, node.span, c.state_of(_HeapUsage)

    def run(group: Group, mask: Active) -> Value:
        address = np.asarray(run_address(group, mask))
        address = address if address.ndim else np.full(group.size, address, np.int64)
        for number, lanes, offsets in split_by_array(group, mask, address):
            if number < 0:
                continue
            where = np.arange(group.size) if lanes is None else lanes.where
            memory = c.machine.memories[number] if number < len(c.machine.memories) else None
            for lane in where.tolist():
                freed_bytes = (
                    memory.free(int(offsets[lane]), span.source_span.line) if isinstance(memory, Heap) else None
                )
                if freed_bytes is not None and freed_bytes >= 0:
                    usage.size_bytes -= -(-freed_bytes // _ALIGNED) * _ALIGNED
                    continue
                name = memory.info.name if memory is not None else "nothing"
                _report(c, span, int(group.lanes[lane]), name, again=freed_bytes is not None)
        return 0

    return Code(run, VOID, None, False)


def _report(c: Context, span: Span, lane: int, name: str, *, again: bool) -> None:
    kind, reason = ("invalid-free", "no malloc or new returned it")
    if again:
        kind, reason = "double-free", "it has been freed already"
    c.machine.hazards.report(
        kind,
        Place(span, "global", name),
        c.machine.recorder.current,
        1,
        ((lane, span, "write"),),
        lambda: f"{c.machine.hazards.name(lane)} frees a pointer into {name}: {reason}",
    )


def _new(c: Context, node: Call) -> Code:
    return c.compile(helper_call(c, _NEW_VALUE if node.arguments else _NEW, node))


def _new_array(text: str) -> Compile:
    def compile_array(c: Context, node: Call) -> Code:
        count = c.compile(node.arguments[0]).constant  # blocks of equal size are rows of their array
        size = "n" if count is None else f"{int(count)}ull"
        return c.compile(helper_call(c, text.replace("malloc(n ", f"malloc({size} "), node))

    return compile_array


ALLOCATIONS: Final[dict[str, Compile]] = {
    "malloc": _malloc,
    "free": _free,
    "new": _new,
    "new[]": _new_array(_NEW_ARRAY),
    "new[]{}": _new_array(_NEW_ZEROED_ARRAY),
}
"""By name; those of `new` are the parser's."""
