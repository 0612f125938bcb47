"""Layout of structs: the leaves that registers contain, and the parts that one access moves.

Example: `struct P { float2 p; int n; }` has the leaves .p.x, .p.y and .n, each in its own register. A load moves
two parts: p by one access of 8 bytes, since float2 is aligned to its size, and n by one of 4 bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import gcd
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.atomics import Atomic
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.headers.wmma import Fragment
from kernels.frontend.types import (
    BOOL,
    LONG,
    UCHAR,
    UINT,
    ULONG,
    UNNAMED,
    USHORT,
    VECTORS,
    Array,
    Named,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
)
from kernels.simt.machine.arithmetic import ndarray
from kernels.simt.machine.skipped_values import Skipped
from kernels.trace.structs import Field, Structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.types import CType
    from kernels.simt.machine.arithmetic import Value

_WORDS: Final = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}
"""By size in bytes: the type of the elements of memory that contains members of several types."""

_VECTOR_BYTES: Final = (2, 4, 8, 16)
"""Sizes in bytes that one instruction can move (PTX ISA, ld and st with .v2 and .v4)."""

_MOST_FIELDS: Final = 256
"""Maximum number of numbers in a struct that a trace names; larger structs are shown as words."""

DIMENSIONS: Final = frozenset((VECTORS["dim3"], VECTORS["uint3"]))
"""Types that are implicitly converted to each other, as in `dim3 b = blockIdx`."""

_UNNAMED: Final = re.compile(rf"{UNNAMED}\d+")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or pointer inside a struct."""

    path: str
    """Path in C: ".a.x"."""
    type: Scalar | Pointer
    offset: int
    """Bytes from the beginning of the struct."""

    @property
    def scalar(self) -> Scalar:
        """The type of its values in registers; that of an address for a pointer."""
        if isinstance(self.type, Atomic):
            return self.type.plain
        return self.type if isinstance(self.type, Scalar) else LONG


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a value that one access moves."""

    offset: int
    """Bytes from the beginning of the value."""
    size: int
    """Size in bytes."""
    first: int
    """Number of the first leaf."""
    last: int
    """Number of the last leaf plus one."""


@cache
def leaves(kind: CType) -> tuple[Leaf, ...]:
    """Return every number and pointer in a type, depth first."""
    match kind:
        case Scalar() | Pointer():
            return (Leaf("", kind, 0),)
        case Array():
            size = kind.size_bytes // max(kind.length, 1)
            return tuple(
                Leaf(f"[{i}]{leaf.path}", leaf.type, i * size + leaf.offset)
                for i in range(kind.length)
                for leaf in leaves(kind.of)
            )
        case Struct(union=True):
            kind_of_word = word_type(gcd(kind.size_bytes, kind.align_bytes))
            size = kind_of_word.size_bytes
            return tuple(Leaf(f"[{i}]", kind_of_word, i * size) for i in range(kind.size_bytes // size))
        case Struct():
            return tuple(
                Leaf(f".{field.name}{leaf.path}", leaf.type, field.offset_bytes + leaf.offset)
                for field in kind.fields
                for leaf in leaves(field.type)
            )
        case Reference():
            return leaves(kind.to)
    return ()


def leaf_range(kind: Struct, name: str) -> tuple[int, int]:
    """Return the leaves of a member: the first, and one more than the last."""
    first = 0
    for field in kind.fields:
        count = len(leaves(field.type))
        if field.name == name:
            return first, first + count
        first += count
    raise KeyError(name)


@cache
def layout(kind: CType, element: Scalar) -> Structure | None:
    """Return the names and offsets of the numbers in an object; None if it is a single element of the array.

    None also for `wmma` fragments, unions and the largest structs: they are shown as words. A word of a fragment of
    bfloat16 is one.
    """
    if isinstance(kind, Fragment) and kind.element == BF16:
        kind = BF16
    if isinstance(kind, Void | Named | Fragment) or len(leaves(kind)) > _MOST_FIELDS:
        return None
    if isinstance(kind, Struct) and kind.union:
        return None
    fields = tuple(_fields(kind, "", 0))
    if not fields or fields == (Field("", element.dtype, 0),):
        return None
    return Structure(str(kind), _bytes(kind), fields)


def _fields(kind: CType, path: str, offset: int) -> Iterator[Field]:
    """Yield the fields of a type; a member without a name is named by the members in it."""
    if isinstance(kind, Array):
        size = kind.size_bytes // max(kind.length, 1)
        for i in range(kind.length):
            yield from _fields(kind.of, f"{path}[{i}]", offset + i * size)
    elif isinstance(kind, Struct) and not kind.union and kind != BF16:
        for field in kind.fields:
            inner = field.type
            name = f".{field.name}"
            if _UNNAMED.fullmatch(field.name) and isinstance(inner, Struct):
                name = f".{'|'.join(f.name for f in inner.fields)}" if inner.union else ""
            yield from _fields(inner, path + name, offset + field.offset_bytes)
    else:
        found = leaves(kind)
        for leaf in found:  # several for the words of a union
            inside = f"[{leaf.offset // leaf.scalar.size_bytes}]" if len(found) > 1 else ""
            pointer = isinstance(leaf.type, Pointer)
            yield Field(path + inside, leaf.scalar.dtype, offset + leaf.offset, pointer, kind == BF16)


@cache
def parts(kind: CType) -> tuple[Part, ...]:
    """Return the accesses that move a value of this type.

    A vector type that is aligned to its size is moved by one access, any other struct member by member
    (CUDA C++ Programming Guide, "Device Memory Accesses": size and alignment requirement).
    """
    if isinstance(kind, Struct) and not (kind.size_bytes == kind.align_bytes and kind.size_bytes in _VECTOR_BYTES):
        if kind.union:
            return tuple(Part(f.offset, f.scalar.size_bytes, i, i + 1) for i, f in enumerate(leaves(kind)))
        found: list[Part] = []
        for field in kind.fields:
            start = found[-1].last if found else 0
            found += [
                Part(field.offset_bytes + p.offset, p.size, start + p.first, start + p.last) for p in parts(field.type)
            ]
        return tuple(found)
    if isinstance(kind, Array):
        inner, count = parts(kind.of), len(leaves(kind.of))
        size = kind.size_bytes // max(kind.length, 1)
        return tuple(
            Part(i * size + p.offset, p.size, i * count + p.first, i * count + p.last)
            for i in range(kind.length)
            for p in inner
        )
    size = 0 if not leaves(kind) else _bytes(kind)
    return (Part(0, size, 0, len(leaves(kind))),)


@cache
def element_type(kind: CType) -> Scalar:
    """Return the type of the elements of memory for such values: that of the leaves if all have the same."""
    found = leaves(kind)
    scalars = {leaf.scalar for leaf in found}
    if len(scalars) == 1:
        only = scalars.pop()
        if _bytes(kind) == len(found) * only.size_bytes:
            return only
    size = _bytes(kind)
    for leaf in found:
        size = gcd(size, gcd(leaf.offset, leaf.scalar.size_bytes))
    return word_type(size)


def word_type(size_bytes: int) -> Scalar:
    """Return the unsigned type of a size."""
    return _WORDS[gcd(size_bytes, 8)]


def split(units: Value, part: Part, kind: CType, element: Scalar) -> list[Value]:
    """Extract the leaves of a part from its elements, one row for each lane."""
    if type(units) is Skipped:
        return [units.reinterpret(leaf.scalar) for leaf in leaves(kind)[part.first : part.last]]
    size = element.size_bytes
    found: list[Value] = []
    for leaf in leaves(kind)[part.first : part.last]:
        start = (leaf.offset - part.offset) // size
        columns = np.ascontiguousarray(units[:, start : start + leaf.scalar.size_bytes // size])
        found.append(_reinterpret(columns, leaf.scalar)[:, 0])
    return found


def join(values: Sequence[Value], part: Part, kind: CType, element: Scalar, lanes: int) -> Value:
    """Return the elements of a part from its leaves, one row for each lane; gaps between members are 0."""
    for value in values:
        if type(value) is Skipped:
            return value.merge(*values)
    size = element.size_bytes
    units = np.zeros((lanes, part.size // size), element.dtype)
    for leaf, value in zip(leaves(kind)[part.first : part.last], values, strict=True):
        column = value if type(value) is ndarray else np.full(lanes, value, leaf.scalar.dtype)
        start = (leaf.offset - part.offset) // size
        count = leaf.scalar.size_bytes // size
        units[:, start : start + count] = _reinterpret(np.ascontiguousarray(column).reshape(-1, 1), element)
    return units


def pack(values: Sequence[Value], kind: CType, element: Scalar) -> NDArray[Any]:
    """Return the elements of an object from its leaves."""
    size = element.size_bytes
    units = np.zeros(max(_bytes(kind) // size, 1), element.dtype)
    for part in parts(kind):
        start = part.offset // size
        held = join(values[part.first : part.last], part, kind, element, 1)[0]
        units[start : start + len(held)] = held
    return units


def _reinterpret(columns: NDArray[Any], kind: Scalar) -> NDArray[Any]:
    """Reinterpret bits as another type; for bool, any byte but 0 is true."""
    if columns.dtype == kind.dtype:
        return columns
    if kind == BOOL:
        return np.asarray(columns.view(np.uint8) != 0)
    return columns.view(kind.dtype)


def _bytes(kind: CType) -> int:
    size = getattr(kind, "size_bytes", 0)
    assert isinstance(size, int)
    return size
