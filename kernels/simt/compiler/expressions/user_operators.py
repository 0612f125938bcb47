"""User operators: the calls that operators on structs mean, and the lvalues that these calls return.

Example: `a += b` for a struct V with the member `V &operator+=(const V &)` is the call `a.operator+=(b)`; its lvalue is
a.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import AUTO, INT, Array, Struct, value_type
from kernels.simt.compiler.calls.overload_resolution import NoneFits
from kernels.simt.compiler.compiled_values import Element
from kernels.simt.compiler.expressions.lvalues import chosen_lvalue, locate
from kernels.simt.compiler.hoisting import trial

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context

_OBJECTS: Final = (
    ast.Name,
    ast.Index,
    ast.Member,
    ast.Unary,
    ast.Binary,
    ast.Call,
    ast.Assign,
    ast.Update,
    ast.Construct,
)
"""Expressions that can be a struct."""


def operator_place(c: Context, node: Expr) -> Place | None:
    """Return the lvalue of `a += b`, `++a` or `a << b` by an operator of the file; None for any other expression.

    It is compiled once for a statement: in `a << b << c` the call for `a << b` would run twice otherwise.
    """
    kept = c.known_lvalue(node)
    if kept is not None:
        return kept
    call = None
    match node:
        case ast.Assign():
            call = assignment_call(c, node, _kind(c, node.target))
        case ast.Update(prefix=True):  # x++ returns a copy, which is no lvalue
            kind = _kind(c, node.target)
            call = operator_call(c, node, kind) if isinstance(kind, Struct) else None
        case ast.Binary() if f"operator{node.op}" in c.functions.reference_operators:
            return _binary_operator_place(c, node, _kind(c, node.left))
    return None if call is None else c.remember_lvalue(node, locate(c, call))


def _binary_operator_place(c: Context, node: ast.Binary, kind: CType) -> Place | None:
    """Return the lvalue of a binary operator: of a function outside of the struct if it fits, otherwise of a member."""
    if not isinstance(kind, Struct):
        return None
    name, operands = f"operator{node.op}", (node.left, node.right)
    member = c.member(kind, name) is not None
    if name in c.functions:
        with suppress(NoneFits) if member else nullcontext():
            return c.remember_lvalue(node, locate(c, ast.Call(node.span, name, operands)))
    return c.remember_lvalue(node, locate(c, ast.Call(node.span, f".{name}", operands))) if member else None


def _kind(c: Context, node: Expr) -> CType:
    if not isinstance(node, _OBJECTS):
        with trial(c):
            return c.compile(node).type
    with trial(c):
        found = locate(c, node)
    return found.kind if isinstance(found, Element) else found.type


def assignment_call(c: Context, node: ast.Assign, kind: CType) -> ast.Call | None:
    """Return the call that `a += b`, or `a = b` with a declared operator, means for a struct; None for any other."""
    if not isinstance(kind, Struct):
        return None
    if node.op == "=":
        own = None if node.initial else c.member(kind, "operator=")
        if own is None:
            return None
        if _is_object_of(c, node.value, kind) and not any(
            _takes_own_type(operator, kind) for operator in c.functions[own]
        ):
            return None
    return operator_call(c, node, kind)


def memberwise_assignment(c: Context, node: ast.Assign, kind: CType) -> Expr | None:
    """Return `a.x = b.x, a.y = b.y` for `a = b` if a member has an `operator=`; otherwise None."""
    value = node.value
    points = isinstance(value, ast.Unary) and value.op == "*"
    if node.op != "=" or node.initial or not (points or isinstance(value, ast.Name | ast.Index | ast.Member)):
        return None
    if not isinstance(kind, Struct) or kind.union or not _has_own(c, kind):
        return None
    parts: list[Expr] = []
    for field in kind.fields:
        kind_of_field = field.type.element if isinstance(field.type, Array) else field.type
        for place in np.ndindex(*(field.type.shape if isinstance(field.type, Array) else ())):
            to, source = (
                _element_of(ast.Member(node.span, whole, field.name), place) for whole in (node.target, value)
            )
            part = ast.Assign(node.span, "=", to, source)
            parts.append(
                part
                if c.member(kind_of_field, "operator=") is not None
                else memberwise_assignment(c, part, kind_of_field) or part
            )
    return reduce(lambda done, part: ast.Binary(node.span, ",", done, part), parts)


def _element_of(whole: Expr, place: tuple[int, ...]) -> Expr:
    for number in place:
        whole = ast.Index(whole.span, whole, ast.Number(whole.span, number, INT))
    return whole


def _has_own(c: Context, kind: Struct) -> bool:
    """Return whether a member of a struct, at any depth, has an `operator=`."""
    inner = [field.type.element if isinstance(field.type, Array) else field.type for field in kind.fields]
    structs = [one for one in inner if isinstance(one, Struct)]
    return any(c.member(one, "operator=") is not None or _has_own(c, one) for one in structs)


def _takes_own_type(operator: ast.Function | ast.Template, kind: Struct) -> bool:
    """Return whether an `operator=` of a struct takes an object of the same struct, so that it replaces the copy."""
    if isinstance(operator, ast.Template):
        return True
    taken = operator.parameters[-1].type
    return value_type(taken) == kind


def _is_object_of(c: Context, value: Expr, kind: Struct) -> bool:
    """Return whether a value is an object of a struct, without a conversion."""
    if isinstance(value, ast.Construct):
        return value.type in (AUTO, kind)
    points = isinstance(value, ast.Unary) and value.op == "*"
    return (points or isinstance(value, ast.Name | ast.Index | ast.Member)) and _kind(c, value) == kind


def operator_call(c: Context, node: ast.Assign | ast.Update, kind: Struct) -> ast.Call:
    """Return the call that `a += b` or `++x` means for a struct: of a member function or of one outside.

    `x++` has a second argument, 0, as in C++.
    """
    name = f"operator{node.op}"
    member = c.member(kind, name) is not None
    if isinstance(node, ast.Assign):
        values: tuple[Expr, ...] = (chosen_lvalue(node.target), node.value)
    else:
        values = (node.target,) if node.prefix else (node.target, ast.Number(node.span, 0, INT))
    return ast.Call(node.span, f".{name}" if member else name, values)
