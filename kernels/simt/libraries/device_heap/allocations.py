"""Compiles `malloc`, `free`, `new` and `delete` on the device; a new block is uninitialised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import UINT, ULONG, VOID, CType, Pointer, size_of
from kernels.simt.compiler.addresses import NULL, as_address, base_address, split_by_array
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.device_helpers import helper_call
from kernels.simt.compiler.elementwise import operands
from kernels.simt.compiler.operators import convert
from kernels.simt.libraries.device_heap.heap import CAPACITY, HEAP_BYTES, NAMED, Heap
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.recorder import EarlyStop

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_ONE: Final = """template <typename T> __device__ T *made(T value) {
    T *place = (T *)malloc(sizeof(T));
    if (place) *place = value;
    return place;
}"""
_PLAIN: Final = "template <typename T> __device__ T *made() { return (T *)malloc(sizeof(T)); }"
_SEVERAL: Final = "template <typename T> __device__ T *made(size_t n) { return (T *)malloc(n * sizeof(T)); }"
_FILLED: Final = """template <typename T> __device__ T *made(size_t n) {
    T *place = (T *)malloc(n * sizeof(T));
    if (place) for (size_t i = 0; i < n; ++i) place[i] = T();
    return place;
}"""
_ALIGNED: Final = 16
_ADVICE: Final = "allocate once, in front of the loop, or less"


@dataclass(slots=True)
class _HeapUsage:
    """The bytes of the device's heap that are allocated at this point of the run."""

    size_bytes: int = 0


def _malloc(c: Context, node: Call) -> Code:
    """Compile `malloc(bytes)`; a type that is given says what its result is cast to."""
    (asked,) = operands(c, node, 1)
    kind = c.complete(node.template[0]) if node.template else UINT  # type: ignore[arg-type]
    if not size_of(kind):
        kind = UINT
    size = convert(c, asked, ULONG, node.span)
    heap, row = _heap(c, node, kind, size)
    first, sizes, usage = base_address(heap), size.run, c.state_of(_HeapUsage)

    def run(group: Group, mask: Active) -> Value:
        count = group.active(mask)
        wanted = np.asarray(sizes(group, mask))
        wanted = np.full(count, wanted) if not wanted.ndim else wanted if mask is None else wanted[mask.where]
        wanted = wanted.astype(np.uint64)
        fits = (wanted > 0) & (wanted <= HEAP_BYTES)
        taken = np.where(fits, -(-wanted.astype(np.int64) // _ALIGNED) * _ALIGNED, 0)
        fits &= usage.size_bytes + np.cumsum(taken) <= HEAP_BYTES
        found = np.full(count, NULL, np.int64)
        if fits.any():
            offsets = heap.allocate(wanted[fits].astype(np.int64), row)
            if offsets is None:
                raise EarlyStop(f"stopped after {heap.info.name} gave out {CAPACITY >> 20} MiB", "memory", _ADVICE)
            usage.size_bytes += int(taken[fits].sum())
            found[fits] = first + offsets
        if mask is None:
            return found
        result = np.full(group.size, NULL, np.int64)
        result[mask.where] = found
        return result

    return Code(run, Pointer(kind if node.template else VOID), None, False)


def _heap(c: Context, node: Call, kind: CType, size: Code) -> tuple[Heap, int]:
    """Return the array for what this place allocates, and the elements of a row where its blocks are of one size."""
    whole = size_of(kind)
    count, row = CAPACITY // whole, 0
    shape: tuple[int, ...] = (count,)
    if size.constant is not None and 0 < size.constant <= CAPACITY and not size.constant % whole:
        row = int(size.constant) // whole
        while row * whole % _ALIGNED and whole % 4 == 0:
            row += 1
        shape = (count // row, row) if row > 1 else (count,)
    heap = c.array(f"{NAMED}{node.span.source_span.line}", "global", kind, node.span, shape, kept_as=Heap)
    assert isinstance(heap, Heap)
    return heap, row * whole // heap.kind.size_bytes


def _free(c: Context, node: Call) -> Code:
    """Compile `free(pointer)`: of null, nothing; of what is no block, or is one no longer, a report."""
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
                freed = memory.free(int(offsets[lane]), span.source_span.line) if isinstance(memory, Heap) else None
                if freed is not None and freed >= 0:
                    usage.size_bytes -= -(-freed // _ALIGNED) * _ALIGNED
                    continue
                name = memory.info.name if memory is not None else "nothing"
                _report(c, span, int(group.lanes[lane]), name, again=freed is not None)
        return 0

    return Code(run, VOID, None, False)


def _report(c: Context, span: Span, lane: int, name: str, *, again: bool) -> None:
    kind, why = ("invalid-free", "no malloc or new gave it")
    if again:
        kind, why = "double-free", "it is freed already"
    c.machine.hazards.report(
        kind,
        Place(span, "global", name),
        c.machine.recorder.current,
        1,
        ((lane, span, "write"),),
        lambda: f"{c.machine.hazards.name(lane)} frees a pointer into {name}: {why}",
    )


def _new(c: Context, node: Call) -> Code:
    return c.compile(helper_call(c, _ONE if node.arguments else _PLAIN, node))


def _new_array(text: str) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        known = c.compile(node.arguments[0]).constant  # blocks of one size are rows of their array
        size = "n" if known is None else f"{int(known)}ull"
        return c.compile(helper_call(c, text.replace("malloc(n ", f"malloc({size} "), node))

    return compiled


ALLOCATIONS: Final[dict[str, Compile]] = {
    "malloc": _malloc,
    "free": _free,
    "new": _new,
    "new[]": _new_array(_SEVERAL),
    "new[]{}": _new_array(_FILLED),
}
"""By name; `new` as the reader calls it."""
