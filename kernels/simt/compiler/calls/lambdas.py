"""Lambdas: captures by copy are copied at the expression; each call compiles the body inline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.headers.cooperative_groups import is_group
from kernels.frontend.types import Array, Pointer, Struct, struct
from kernels.simt.compiler.compiled_values import Bundle, Closure, Code, Element, Variable
from kernels.simt.compiler.expressions.lvalues import value_of
from kernels.simt.compiler.expressions.variables import assign_to, new_variable
from kernels.simt.machine.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


def lambda_value(c: Context, node: ast.Lambda) -> Code:
    """Compile a lambda expression: it copies the captures. Its value is empty; its type identifies the lambda."""
    kind = replace(struct(f"lambda of {node.span.line}:{node.span.column}", ()), closure=True)
    runs: list[Run] = []
    with c.scope():
        own = [(name, c.compile(value)) for name, value in node.values]
        for name in _copied_names(c, node):
            runs.append(_copy(c, name, node))
        for name, value in own:
            held = Pointer(value.type.of) if isinstance(value.type, Array) else value.type
            variable = new_variable(c, name, held, node.span, const=not node.mutable)
            runs.append(assign_to(c, variable, value, node.span))
        c.calls.lambdas[kind] = Closure(node.code, c.visible())

    def run(group: Group, mask: Active) -> Value:
        for copy in runs:
            copy(group, mask)
        return ()

    return Code(run, kind, None, not runs)


def _copied_names(c: Context, node: ast.Lambda) -> Iterator[str]:
    """Yield the variables that are copied: those listed, and with [=] all that the body uses."""
    names = list(node.copies)
    if node.by_value:
        names += [part.id for part in below(node.code.body) if isinstance(part, ast.Name)]
    for name in dict.fromkeys(names):
        symbol = c.find(name)
        if isinstance(symbol, Memory) and symbol.info.space == "local":
            raise c.unsupported(node.span, f"copy of the array '{name}' in a lambda; capture it with &")
        if isinstance(symbol, Variable | Bundle | Element):
            yield name


def _copy(c: Context, name: str, node: ast.Lambda) -> Run:
    symbol = c.find(name)
    assert isinstance(symbol, Variable | Bundle | Element)
    value = value_of(c, symbol, node.span)
    return assign_to(c, new_variable(c, name, value.type, node.span, const=not node.mutable), value, node.span)


def is_stateless(kind: CType) -> bool:
    """Return whether values of a type need no variable: groups of threads and lambdas."""
    return is_group(kind) or (isinstance(kind, Struct) and kind.closure)
