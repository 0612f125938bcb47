"""Scopes: the declarations that are visible at each statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.ast import Block, Declare, For, If, Statement, Switch, While

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Function, Parameter, Variable

    Visible = Mapping[str, Variable | Parameter]


def scopes(function: Function) -> Iterator[tuple[Statement, Visible]]:
    """Yield every statement of a function with the visible names and their declarations, in order.

    The names of a declaration are visible in the declaration itself, those of a loop's head in the head.
    """
    yield from _walk(function.body, {parameter.name: parameter for parameter in function.parameters})


def _walk(node: Statement | None, visible: dict[str, Variable | Parameter]) -> Iterator[tuple[Statement, Visible]]:
    """Yield the statements in a node; a declaration adds to the `visible` names of its block."""
    if node is None:
        return
    match node:
        case Block():
            inner = dict(visible)
            for child in node.body:
                yield from _walk(child, inner)
        case Declare():
            for variable in node.variables:  # removed first, so that the order is that of the innermost declarations
                visible.pop(variable.name, None)
                visible[variable.name] = variable
            yield node, dict(visible)
        case If():
            yield node, visible.copy()
            for branch in (node.then, node.otherwise):
                yield from _walk(branch, dict(visible))
        case For():
            inner = dict(visible)
            if isinstance(node.start, Declare):
                inner.update({variable.name: variable for variable in node.start.variables})
            yield node, dict(inner)
            yield from _walk(node.body, inner)
        case While():
            yield node, visible.copy()
            yield from _walk(node.body, dict(visible))
        case Switch():
            yield node, visible.copy()
            inner = dict(visible)
            for case in node.cases:
                for child in case.body:
                    yield from _walk(child, inner)
        case _:
            yield node, dict(visible)
