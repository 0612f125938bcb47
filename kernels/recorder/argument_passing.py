"""Parameters and arguments as the rewritten text passes them: flattened structs, typed braces, references."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import AUTO, Array, Pointer, Reference, Scalar, Struct, value_type
from kernels.frontend.unparse.program import spell
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr, Function
    from kernels.frontend.types import CType


@dataclass(frozen=True, slots=True)
class FlatParameter:
    """A parameter of the kernel in the rewritten text: one of the source's, or one member of a struct."""

    name: str
    """The name of its argument: `n`, or `p.x` for a member."""
    spelling: str
    """The parameter's name in the text."""
    type: CType


def flat_parameters(kernel: Function) -> tuple[FlatParameter, ...]:
    """Return the kernel's parameters in order, structs as their members: each is then a number or a pointer."""
    found: list[FlatParameter] = []
    for parameter in kernel.parameters:
        if isinstance(parameter.type, Struct):
            for leaf in leaves(parameter.type):
                found.append(FlatParameter(parameter.name + leaf.path, f"ts_member{len(found)}", leaf.type))
        else:
            found.append(FlatParameter(parameter.name, parameter.name, parameter.type))
    return tuple(found)


def type_braces(node: Expr, kind: CType) -> Expr:
    """Return an expression in braces with the type that it initialises; any other expression as it is."""
    kind = value_type(kind)
    return replace(node, type=kind) if isinstance(node, ast.Construct) and node.type == AUTO else node


def bind_arguments(function: Function, arguments: tuple[Expr, ...]) -> list[tuple[Expr, bool]]:
    """Return the arguments of a call, each with whether the function takes a reference."""
    return [
        (type_braces(argument, parameter.type), isinstance(parameter.type, Reference))
        for argument, parameter in zip(arguments, function.parameters, strict=False)
    ]


def convert_member(node: Expr, kind: CType) -> Expr:
    """Cast a number before it initialises a member: values in braces must not be narrowed ([dcl.init.list])."""
    return ast.Cast(node.span, kind, node) if isinstance(kind, Scalar) else type_braces(node, kind)


def drop_const(node: Expr, kind: CType) -> Expr:
    """Cast an argument to a pointer type without const; other types leave it as it is."""
    return ast.Cast(node.span, kind, node) if isinstance(kind, Pointer) and not kind.const else node


def initializer_types(kind: Struct | Array, values: tuple[Expr, ...]) -> Iterator[CType]:
    """Yield the type that each value of an initializer list initialises; braces of inner arrays may be left out."""
    yield from _initializer_types(kind, list(reversed(values)))


def _initializer_types(kind: Struct | Array, values: list[Expr]) -> Iterator[CType]:
    """Consume values from the end of the list, which is in reverse order.

    With `struct { int a[2]; float b; }`, the list {1, 2, 3} gives int, int, float: inner braces may be left out.
    """
    parts = [f.type for f in kind.fields] if isinstance(kind, Struct) else [kind.of] * kind.length
    for part in parts:
        if not values:
            return
        if isinstance(part, Array) and not _has_braces(values[-1]):
            yield from _initializer_types(part, values)
        else:
            values.pop()
            yield part


def _has_braces(value: Expr) -> bool:
    return isinstance(value, ast.Construct) and (value.type == AUTO or isinstance(value.type, Array))


def name_in_text(variable: ast.Variable | ast.Parameter) -> str:
    """Return the name of a variable in the text; a parameter without a name gets one from its place."""
    return variable.name or f"ts_unnamed{variable.span.line}_{variable.span.column}"


def identifier(name: str) -> str:
    """Return a C identifier for a qualified name: `S_n` for `S::n`."""
    return re.sub(r"\W", "_", name)


def has_mixed_auto(node: ast.Statement | None) -> bool:
    """Return whether one `auto` declares variables of several types, as a structured binding does."""
    kinds = [v.type for v in node.variables] if isinstance(node, ast.Declare) else []
    return len(kinds) > 1 and any(value_type(kind) == AUTO for kind in kinds)


def is_conversion(function: Function) -> bool:
    """Return whether a member function is a conversion function, which C++ calls implicitly."""
    return function.name.rpartition("::")[2].startswith("operator ")


def conversion_head(function: Function, owner: str = "") -> str:
    """Return the head of a conversion function, for inside its struct or, with `owner`, outside."""
    this = function.parameters[0].type
    const = " const" if isinstance(this, Reference) and this.const else ""
    return f"__device__ {owner}operator {spell(value_type(function.returns))}(){const}"
