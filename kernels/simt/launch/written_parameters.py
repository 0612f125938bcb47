"""Parameters of a kernel that it may assign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernels.frontend import ast
from kernels.frontend.types import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Parameter


def is_changed(parameter: Parameter) -> bool:
    """Whether a function can change what is given for this parameter."""
    return isinstance(parameter.type, Reference) and not parameter.type.const


def assigned_names(function: list[Any], changing: set[str]) -> Iterator[str]:
    """Names that may be assigned to by any of a function's nodes: also through addresses and references."""
    for node in function:
        match node:
            case ast.Assign(target=ast.Name(id=name)) | ast.Update(target=ast.Name(id=name)):
                yield name
            case ast.Unary(op="&", operand=ast.Name(id=name)):
                yield name
            case ast.Call() if node.function in changing:
                yield from (argument.id for argument in node.arguments if isinstance(argument, ast.Name))
            case ast.Variable(type=Reference(const=False), value=ast.Name(id=name)):
                yield name
