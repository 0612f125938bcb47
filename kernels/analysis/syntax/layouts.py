"""Layouts of references: elements per step of an index, and the offset of the member."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from kernels.analysis.syntax.source import source_of
from kernels.frontend import types
from kernels.frontend.ast import Binary, Cast, Expr, Index, Member, Name, Unary

if TYPE_CHECKING:
    from kernels.analysis.syntax.source import Place, Reference, Source
    from kernels.frontend.types import CType
    from kernels.trace import ArrayInfo, Trace


@dataclass(frozen=True, slots=True)
class Layout:
    """Scale and offset of an index, in elements of the array."""

    scale: int
    """Elements of one object: 4 for a float4."""
    member: int
    """Offset of the member in its object."""


def layout(trace: Trace, place: Place, reference: Reference, array: ArrayInfo) -> Layout | None:
    """Return the layout of a reference; None where its type is unknown or no whole number of elements."""
    kind = type_of(trace, place, reference.root)
    for _ in reference.indices or (None,):
        kind = _element_type(kind)
    if kind is None or isinstance(kind, types.Void | types.Named | types.Reference):
        return None
    size, offset = kind.size_bytes, 0
    for name in reference.fields:
        field = kind.field(name) if isinstance(kind, types.Struct) else None
        if field is None:
            return None
        kind, offset = field.type, offset + field.offset_bytes
    itemsize = array.dtype.itemsize
    return None if size % itemsize or offset % itemsize else Layout(size // itemsize, offset // itemsize)


def type_of(trace: Trace, place: Place, node: Expr) -> CType | None:
    """Return the type of an array, pointer or element; None for other expressions."""
    match node:
        case Name():
            return _declared_type(trace, place, node.id)
        case Cast():
            return node.type
        case Binary(op="+" | "-"):
            left = type_of(trace, place, node.left)
            return left if _element_type(left) is not None else type_of(trace, place, node.right)
        case Index():
            return _plain(_element_type(type_of(trace, place, node.base)))
        case Unary(op="*"):
            return _plain(_element_type(type_of(trace, place, node.operand)))
        case Unary(op="&"):
            inner = type_of(trace, place, node.operand)
            return None if inner is None else types.Pointer(inner)
        case Member():
            base = type_of(trace, place, node.base)
            field = base.field(node.field) if isinstance(base, types.Struct) else None
            return None if field is None else _plain(field.type)
    return None


def holds_pointers(trace: Trace, array: int) -> bool:
    """Return whether the elements of an array, by its position in the trace, are declared as pointers."""
    info = trace.arrays[array]
    return not info.parameter and info.dtype.kind in "iu" and info.name in _pointer_arrays(source_of(trace))


@lru_cache(maxsize=16)
def _pointer_arrays(source: Source) -> frozenset[str]:
    declared = {name: variable.type for place in source.places.values() for name, variable in place.visible.items()}
    return frozenset(name for name, kind in declared.items() if isinstance(_innermost(kind), types.Pointer))


def _innermost(kind: CType | None) -> CType | None:
    """Return the type of the elements of an array of any number of dimensions; None for other types."""
    found = None
    while isinstance(kind, types.Array):
        found = kind = kind.of
    return found


def _declared_type(trace: Trace, place: Place, name: str) -> CType | None:
    found = place.visible.get(name)
    if found is None:
        found = next((v for v in source_of(trace).program.variables if v.name == name), None)
    return None if found is None else _plain(found.type)


def _plain(kind: CType | None) -> CType | None:
    return kind.to if isinstance(kind, types.Reference) else kind


def _element_type(kind: CType | None) -> CType | None:
    """Return the type of the elements of a pointer or array."""
    if isinstance(kind, types.Pointer):
        return kind.to
    return kind.of if isinstance(kind, types.Array) else None
