"""Ways through expressions and statements: parts, names, calls, and copies with changes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from kernels.frontend.ast import Assign, Call, Declare, Expr, For, Member, Name, Update, While

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Loop = For | While


def children(node: object) -> Iterator[Expr]:
    """Yield the direct parts of an expression (or of a statement) that are nodes themselves."""
    for field in fields(node):  # type: ignore[arg-type]
        yield from _nodes(getattr(node, field.name))


def _nodes(value: Any) -> Iterator[Expr]:
    if isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)
    elif hasattr(value, "span"):
        yield value


def rebuilt(node: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Copy an expression, each part replaced by what `change` gives for it, from the top down."""
    new = change(node)
    if new is not None:
        return new
    parts: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if hasattr(value, "span"):
            parts[field.name] = rebuilt(value, change)
        elif isinstance(value, tuple):
            parts[field.name] = tuple(rebuilt(v, change) if hasattr(v, "span") else v for v in value)
    return replace(node, **parts)


def names_in(node: object) -> Iterator[str]:
    """Yield every name, built-ins by their full spelling."""
    if isinstance(node, Member):
        yield spelled(node)
    elif isinstance(node, Name):
        yield node.id
    else:
        for child in children(node):
            yield from names_in(child)


def spelled(node: Expr) -> str:
    """Return `threadIdx.x` for the member, a name for a name, nothing for the rest."""
    if isinstance(node, Name):
        return node.id
    if isinstance(node, Member):
        base = spelled(node.base)
        return f"{base}.{node.field}" if base else ""
    return ""


def calls_in(node: object) -> Iterator[Call]:
    """Yield every call."""
    if isinstance(node, Call):
        yield node
    for child in children(node):
        yield from calls_in(child)


def loop_variable(loop: Loop) -> str:
    """Name of the variable that a loop counts with; empty where it has none."""
    if isinstance(loop, While):
        return ""
    if isinstance(loop.start, Declare):
        return loop.start.variables[0].name
    step = loop.step
    return spelled(step.target) if isinstance(step, Assign | Update) else ""


def has_barrier(node: object) -> bool:
    """Whether `__syncthreads` (or a variant) is called below a node."""
    return any(call.function.startswith("__syncthreads") for call in calls_in(node))


def has_print(node: object) -> bool:
    """Whether printf is called below a node."""
    return any(call.function == "printf" for call in calls_in(node))
