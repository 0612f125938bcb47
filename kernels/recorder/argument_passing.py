"""What is given where: to the kernel of a text, to functions that are called, to the members of a struct."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import AUTO, Array, Pointer, Reference, Scalar, Struct
from kernels.frontend.unparse.program import spell
from kernels.simt.compiler.structs import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr, Function
    from kernels.frontend.types import CType


@dataclass(frozen=True, slots=True)
class Handed:
    """What the kernel of the text takes: a parameter, or a member of one; `name` is what an argument goes by."""

    name: str
    spelling: str
    type: CType


def handed(kernel: Function) -> tuple[Handed, ...]:
    """Return the kernel's parameters in order, structs as their members, so that everything is a number or an array."""
    found: list[Handed] = []
    for parameter in kernel.parameters:
        if isinstance(parameter.type, Struct):
            for leaf in leaves(parameter.type):
                found.append(Handed(parameter.name + leaf.path, f"ts_member{len(found)}", leaf.type))
        else:
            found.append(Handed(parameter.name, parameter.name, parameter.type))
    return tuple(found)


def typed(node: Expr, kind: CType) -> Expr:
    """Return an expression with the type that its braces make, where they have none of their own."""
    kind = value_of(kind)
    return replace(node, type=kind) if isinstance(node, ast.Construct) and node.type == AUTO else node


def passed(function: Function, arguments: tuple[Expr, ...]) -> list[tuple[Expr, bool]]:
    """Return the arguments of a call, each with whether the function takes a reference."""
    return [
        (typed(argument, parameter.type), isinstance(parameter.type, Reference))
        for argument, parameter in zip(arguments, function.parameters, strict=False)
    ]


def converted(node: Expr, kind: CType) -> Expr:
    """Convert a member's value before the braces do, which would not narrow it."""
    return ast.Cast(node.span, kind, node) if isinstance(kind, Scalar) else typed(node, kind)


def pointing(node: Expr, kind: CType) -> Expr:
    """Return a pointer to what may be const as one to what is not."""
    return ast.Cast(node.span, kind, node) if isinstance(kind, Pointer) and not kind.const else node


def items(kind: Struct | Array, values: tuple[Expr, ...]) -> Iterator[CType]:
    """Yield the type of each value in braces: members, and elements of arrays that have no braces of their own."""
    yield from _items(kind, list(reversed(values)))


def _items(kind: Struct | Array, left: list[Expr]) -> Iterator[CType]:
    parts = [f.type for f in kind.fields] if isinstance(kind, Struct) else [kind.of] * kind.length
    for part in parts:
        if not left:
            return
        if isinstance(part, Array) and not _has_braces(left[-1]):
            yield from _items(part, left)
        else:
            left.pop()
            yield part


def _has_braces(value: Expr) -> bool:
    return isinstance(value, ast.Construct) and (value.type == AUTO or isinstance(value.type, Array))


def spelling(one: ast.Variable | ast.Parameter) -> str:
    """Return what a name is in the text, where parameters that have none need one."""
    return one.name or f"ts_unnamed{one.span.line}_{one.span.column}"


def own_name(name: str) -> str:
    """Return a name that C has for one of a struct, `S::n`."""
    return re.sub(r"\W", "_", name)


def value_of(kind: CType) -> CType:
    """Return the type of the value of what a function returns: nobody uses it as a place."""
    return kind.to if isinstance(kind, Reference) else kind


def is_split(node: ast.Statement | None) -> bool:
    """Whether a declaration has several types behind one `auto`, as the names of a struct's parts have."""
    kinds = [v.type for v in node.variables] if isinstance(node, ast.Declare) else []
    return len(kinds) > 1 and any(value_of(kind) == AUTO for kind in kinds)


def is_conversion(function: Function) -> bool:
    """Whether a member function converts a struct to something else; C++ calls it where that is needed."""
    return function.name.rpartition("::")[2].startswith("operator ")


def conversion(function: Function, owner: str = "") -> str:
    """Return the head of a conversion function, for inside its struct or, with `owner`, outside."""
    this = function.parameters[0].type
    const = " const" if isinstance(this, Reference) and this.const else ""
    return f"__device__ {owner}operator {spell(value_of(function.returns))}(){const}"
