"""Traversal of syntax trees: names, calls, and copies with replacements."""

from __future__ import annotations

from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, Any

from kernels.frontend.ast import Assign, Call, Declare, Expr, For, Member, Name, Update, While
from kernels.frontend.ast.traversal import all_nodes, children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Loop = For | While


def rewrite(node: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Copy an expression, top down; a part for which `change` returns an expression is replaced by it.

    An expression in which nothing is replaced is returned itself.
    """
    new = change(node)
    if new is not None:
        return new
    parts: dict[str, Any] = {}
    for name in node.__dataclass_fields__:
        copy = value = getattr(node, name)
        if hasattr(value, "span"):
            copy = rewrite(value, change)
        elif isinstance(value, tuple):
            copies = [rewrite(v, change) if hasattr(v, "span") else v for v in value]
            copy = value if all(map(is_, copies, value)) else tuple(copies)
        if copy is not value:
            parts[name] = copy
    return replace(node, **parts) if parts else node


def names_in(node: object) -> Iterator[str]:
    """Yield every name in a tree, built-ins as `threadIdx.x`."""
    if isinstance(node, Member):
        yield qualified_name(node)
    elif isinstance(node, Name):
        yield node.id
    else:
        for child in children(node):
            yield from names_in(child)


def qualified_name(node: Expr) -> str:
    """Return `threadIdx.x` for a member, a name for a name, "" for other expressions."""
    if isinstance(node, Name):
        return node.id
    if isinstance(node, Member):
        base = qualified_name(node.base)
        return f"{base}.{node.field}" if base else ""
    return ""


def calls_in(node: object) -> Iterator[Call]:
    """Yield every call in a tree."""
    return (part for part in all_nodes(node) if isinstance(part, Call))


def loop_variable(loop: Loop) -> str:
    """Return the name of a loop's control variable; "" if it has none."""
    if isinstance(loop, While):
        return ""
    if isinstance(loop.start, Declare):
        return loop.start.variables[0].name
    step = loop.step
    return qualified_name(step.target) if isinstance(step, Assign | Update) else ""


def has_barrier(node: object) -> bool:
    """Return whether a tree calls `__syncthreads` or a variant."""
    return any(call.function.startswith("__syncthreads") for call in calls_in(node))


def has_print(node: object) -> bool:
    """Return whether a tree calls printf."""
    return any(call.function == "printf" for call in calls_in(node))
