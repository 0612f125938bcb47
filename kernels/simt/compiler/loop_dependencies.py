"""Loop dependencies: the variables in a loop's condition, and all variables that their values depend on.

Example: `while (i < n) { i += step; total += x[i]; }` depends on i, n and step; not on total.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernels.frontend.ast import Expr, Statement

    Repeated = ast.For | ast.While

_PLAIN: Final = (
    ast.Name,
    ast.Number,
    ast.Unary,
    ast.Binary,
    ast.Conditional,
    ast.Assign,
    ast.Update,
    ast.Index,
    ast.Member,
    ast.Cast,
    ast.SizeOf,
)
"""Expressions whose value depends only on their parts, and on the memory that they read."""

_OF_ARGUMENTS: Final = frozenset(
    ("min", "max", "abs", "fabs", "fabsf", "fmin", "fminf", "fmax", "fmaxf", "sqrt", "sqrtf")
)
"""Functions whose value depends only on their arguments."""

_LEAVES: Final = ""
"""The name under which break, continue and return are listed among changed variables."""


def deciding_names(loop: Repeated, meaning: Callable[[str], int | str]) -> set[str] | None:
    """Return the names that a loop's condition depends on; None if it depends on anything else, such as a call.

    `meaning` returns the same for two names of one variable.
    """
    changes = [
        (set(map(meaning, names)), parts) for part in round_statements(loop) for names, parts in _changes(part, ())
    ]
    own = () if loop.condition is None else (loop.condition,)
    deciding: set[str] = set()
    left = [*own, *(part for names, parts in changes if _LEAVES in names for part in parts)]
    while left:
        for node in below(left.pop()):
            if isinstance(node, ast.Call) and node.function in _OF_ARGUMENTS:
                continue
            if not isinstance(node, _PLAIN) or (isinstance(node, ast.Unary) and node.op == "&"):
                return None
            if isinstance(node, ast.Name) and node.id not in deciding:
                deciding.add(node.id)
                left += [part for names, parts in changes if meaning(node.id) in names for part in parts]
    return deciding


def round_statements(loop: Repeated) -> list[Statement]:
    """Return the statements that each round of a loop executes."""
    parts = loop.condition, loop.step if isinstance(loop, ast.For) else None
    return [*(ast.Do(part.span, part) for part in parts if part is not None), loop.body]


def _changes(node: Statement | None, guards: tuple[Expr, ...]) -> Iterator[tuple[set[str], tuple[Expr, ...]]]:
    """Yield (changed variables, expressions that they depend on) for each part, the conditions around it included."""
    match node:
        case ast.Block(body=body):
            for child in body:
                yield from _changes(child, guards)
        case ast.If(condition=test):
            yield _changed_names(test), (test, *guards)
            for branch in (node.then, node.otherwise):
                yield from _changes(branch, (test, *guards))
        case ast.For() | ast.While():
            yield from _changes(node.start if isinstance(node, ast.For) else None, guards)
            inside = guards if node.condition is None else (node.condition, *guards)
            for part in round_statements(node):
                yield from _changes(part, inside)
        case ast.Switch(value=value):
            yield _changed_names(value), (value, *guards)
            for case in node.cases:
                yield from _changes(ast.Block(node.span, case.body), (value, *guards))
        case ast.Do(expression=expression):
            yield _changed_names(expression), (expression, *guards)
        case ast.Declare(variables=variables):
            for variable in variables:
                values = variable.value if isinstance(variable.value, tuple) else (variable.value,)
                for given in values:
                    if given is not None:
                        yield _changed_names(given) | {variable.name}, (given, *guards)
        case ast.Break() | ast.Continue() | ast.Return():
            yield {_LEAVES}, guards


def _changed_names(expression: Expr) -> set[str]:
    """Return the variables that an expression may assign to, also through their address or a reference."""
    found: set[str | None] = set()
    for node in below(expression):
        match node:
            case ast.Assign(target=target) | ast.Update(target=target) | ast.Unary(op="&", operand=target):
                found.add(_root(target))
            case ast.Call():
                found |= {_root(argument) for argument in node.arguments}
    return {name for name in found if name is not None}


def _root(target: Any) -> str | None:
    """Return the variable that an lvalue is, or is a part of; None for memory and values."""
    while isinstance(target, ast.Member | ast.Cast):
        target = target.base if isinstance(target, ast.Member) else target.operand
    return target.id if isinstance(target, ast.Name) else None
