"""What an index counts: the size, in elements, of the objects that a mention of an array steps over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.analysis.syntax import source_of
from kernels.frontend import types
from kernels.frontend.ast import Binary, Cast, Expr, Index, Member, Name, Unary

if TYPE_CHECKING:
    from kernels.analysis.syntax import Place, Reference
    from kernels.frontend.types import CType
    from kernels.trace import ArrayInfo, Trace


@dataclass(frozen=True, slots=True)
class Layout:
    """An index counts `scale` elements; a member begins `member` elements after its object."""

    scale: int
    member: int


def layout(trace: Trace, place: Place, reference: Reference, array: ArrayInfo) -> Layout | None:
    """Return how a mention of an array steps; None where the types do not tell it, or it is no whole elements."""
    kind = type_of(trace, place, reference.root)
    for _ in reference.indices or (None,):
        kind = _pointed(kind)
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
    """Return the type of an expression that leads to an array or pointer; None where it is anything else."""
    match node:
        case Name():
            return _declared(trace, place, node.id)
        case Cast():
            return node.type
        case Binary(op="+" | "-"):
            left = type_of(trace, place, node.left)
            return left if _pointed(left) is not None else type_of(trace, place, node.right)
        case Index():
            return _plain(_pointed(type_of(trace, place, node.base)))
        case Unary(op="*"):
            return _plain(_pointed(type_of(trace, place, node.operand)))
        case Unary(op="&"):
            inner = type_of(trace, place, node.operand)
            return None if inner is None else types.Pointer(inner)
        case Member():
            base = type_of(trace, place, node.base)
            field = base.field(node.field) if isinstance(base, types.Struct) else None
            return None if field is None else _plain(field.type)
    return None


def _declared(trace: Trace, place: Place, name: str) -> CType | None:
    found = place.visible.get(name)
    if found is None:
        found = next((v for v in source_of(trace).program.variables if v.name == name), None)
    return None if found is None else _plain(found.type)


def _plain(kind: CType | None) -> CType | None:
    return kind.to if isinstance(kind, types.Reference) else kind


def _pointed(kind: CType | None) -> CType | None:
    """Return what a pointer or array leads to."""
    if isinstance(kind, types.Pointer):
        return kind.to
    return kind.of if isinstance(kind, types.Array) else None
