"""Refuses operators and accesses of types whose library is not installed.

Calls of a library's functions are refused by their names; `a + b` of two `half2` and `x = 1` of an atomic object name
no function. Without these rules an atomic object would be compiled as the plain number that it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from kernels.frontend.headers.atomics import Atomic
from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import VECTORS
from kernels.simt.compiler.registry import ObjectRules, not_installed
from kernels.simt.intrinsics.load_store import named_element

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Expr, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Element, Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Registry

_OBJECTS: Final[dict[str, type[CType]]] = {"libcudacxx": Atomic}
"""By library: the class of types whose objects only it can access."""

_OPERANDS: Final[dict[str, tuple[CType, ...]]] = {"half_bfloat16": (VECTORS["half2"], BF16, BF162)}
"""By library: the types whose operators it implements."""


def refuse_types(registry: Registry, library: str) -> None:
    """Enter rules that refuse each use of a library's types, with the library's name."""
    if library in _OBJECTS:
        _refuse_objects(registry, library, _OBJECTS[library])
    if library in _OPERANDS:
        kinds = _OPERANDS[library]
        registry.operators.append(lambda op, left, right: _operator(kinds, op, left, right))


def _operator(kinds: tuple[CType, ...], op: str, left: CType, right: CType) -> str:
    """Return the name of an operator function, by which `Registry.library_of` finds the library; "" for other types."""
    return next((f"{kind}.operator{op}" for kind in (left, right) if kind in kinds), "")


def _refuse_objects(registry: Registry, library: str, of: type[CType]) -> None:
    def refuse(c: Context, span: Span, kind: object) -> NoReturn:
        raise not_installed(c, span, str(kind), library)

    def load(c: Context, element: Element) -> NoReturn:
        refuse(c, element.span, element.kind)

    def assign(c: Context, element: Element, op: str, value: Any, span: Span, *, gives_new: bool = True) -> NoReturn:
        refuse(c, span, element.kind)

    def refer(c: Context, place: Place, kind: CType, span: Span) -> NoReturn:
        refuse(c, span, kind)

    def refuse_member(c: Context, node: Call) -> Expr:
        element = named_element(c, node.arguments[0]) if node.function[0] == "." else None
        if element is not None and isinstance(element.kind, of):
            refuse(c, node.span, element.kind)
        return node

    registry.objects[of] = ObjectRules(load, assign, refer)
    registry.rewrites.insert(0, refuse_member)
