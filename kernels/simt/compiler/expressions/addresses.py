"""Pointer values: offsets into one array that is known at compile time, or addresses for roaming pointers.

Most pointers stay in one array, and their values are element offsets into it. A pointer that can point into
several arrays has the number of the array in its upper bits and a byte offset in the lower ones.

Example: `float *p = flag ? A : B;` with A and B as arrays 0 and 1. The address of A[2] is (0 + 1)·2^44 + 2^43 + 8, that
of B[2] is (1 + 1)·2^44 + 2^43 + 8: an access splits its lanes by the upper bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import LONG, ULONG, Array, FunctionPointer, Named, Pointer, Scalar, Struct, Void
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.machine.arithmetic import ndarray

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory

_NUMBER: Final = 44
"""Bits below the number of the array."""

_MIDDLE: Final = 1 << (_NUMBER - 1)
"""Address of byte 0 within the range of an array: the middle, so that a pointer can also point before the array."""

NULL: Final = 0


def base_address(memory: Memory) -> int:
    """Return the address of an array's first byte, which is never 0."""
    return ((memory.number + 1) << _NUMBER) + _MIDDLE


def memory_number(address: Value) -> Value:
    """Return the number of the array that an address points into; -1 for a null pointer."""
    return (address >> _NUMBER) - 1


def as_address(code: Code) -> Code:
    """Convert a pointer or array to a pointer whose value is an address."""
    kind = code.type
    if isinstance(kind, Array):
        kind = Pointer(kind.of)
    if code.memory is None:
        return Code(code.run, kind, code.constant, code.pure)
    first, size, run = base_address(code.memory), code.memory.kind.size_bytes, code.run
    if code.constant is not None:
        return constant(first + code.constant * size, kind)

    def address(group: Group, mask: Active) -> Value:
        offset = run(group, mask)
        if type(offset) is ndarray:
            return np.multiply(offset, size, dtype=np.int64) + first
        return first + offset * size

    return Code(address, kind, None, code.pure)


def stride(c: Context, memory: Memory | None, kind: CType) -> int:
    """Return the distance of neighbouring objects of a type: in elements, or, without a memory, in bytes."""
    kind = c.complete(kind)
    size = 1 if isinstance(kind, Void | Named) else kind.size_bytes
    if memory is None:
        return size
    if size % memory.kind.size_bytes:
        c.recompile_elements(memory, size)
    return size // memory.kind.size_bytes


def is_null(code: Code) -> bool:
    """Return whether this is the literal 0, which every pointer can be compared with and set to."""
    return isinstance(code.type, Scalar) and code.constant is not None and code.constant == 0


def pointee(kind: CType) -> CType | None:
    """Return the type that a pointer points to, or the elements' of an array; None for any other type."""
    if isinstance(kind, Pointer):
        return kind.to
    return kind.of if isinstance(kind, Array) else None


def to_pointer(c: Context, code: Code, target: Pointer, span: Span, *, explicit: bool) -> Code:
    """Convert to a pointer; `explicit` for a cast, otherwise only as C++ converts implicitly."""
    source = pointee(code.type)
    if source is None:
        if is_null(code):
            return constant(NULL, target)
        if explicit and (code.type in (LONG, ULONG) or isinstance(code.type, FunctionPointer)):
            return Code(code.run, target, code.constant, code.pure)
        raise c.refuse(span, f"{code.type} cannot become {target}")
    const = isinstance(code.type, Pointer) and code.type.const
    constant_memory = code.memory is not None and code.memory.constant  # which no thread can write to
    if const and not (target.const or explicit or constant_memory):
        raise c.refuse(span, f"{code.type} cannot become {target}: it would drop const")
    source, wanted = c.complete(source), c.complete(target.to)
    derived = isinstance(source, Struct) and source.derives(wanted)
    if source != wanted and not (explicit or derived or isinstance(target.to, Void)):
        raise c.refuse(span, f"{code.type} cannot become {target} without a cast: write ({target})")
    return Code(code.run, target, code.constant, code.pure, code.memory)


def to_number(code: Code) -> Code:
    """Convert a pointer to its address as an integer."""
    address = as_address(code)
    return Code(address.run, LONG, address.constant, address.pure)


def split_by_array(group: Group, mask: Active, address: Value) -> list[tuple[int, Active, Value]]:
    """Split the active lanes by array: (number of the array, lanes, byte offsets of all lanes in it)."""
    if type(address) is not ndarray:
        number = memory_number(address)
        return [(number, mask, address - ((number + 1) << _NUMBER) - _MIDDLE)]
    numbers = memory_number(address)
    found: list[tuple[int, Active, Any]] = []
    for number in np.unique(numbers if mask is None else numbers[mask.where]).tolist():
        lanes = group.narrow(mask, numbers == number)
        found.append((number, lanes, address - (((number + 1) << _NUMBER) + _MIDDLE)))
    return found
