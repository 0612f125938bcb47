"""Which declaration a name means at a statement: the innermost one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.ast import Block, Declare, For, If, Statement, Switch, While

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Function, Parameter, Variable

    Visible = Mapping[str, Variable | Parameter]


def scopes(function: Function) -> Iterator[tuple[Statement, Visible]]:
    """Yield every statement of a function with the names it knows and the declaration of each, in order.

    A declaration knows its own names, the header of a loop those that it declares.
    """
    yield from _walk(function.body, {parameter.name: parameter for parameter in function.parameters})


def _walk(node: Statement | None, known: dict[str, Variable | Parameter]) -> Iterator[tuple[Statement, Visible]]:
    """Walk below a node; a declaration adds to `known`, which is its block's."""
    if node is None:
        return
    match node:
        case Block():
            inner = dict(known)
            for child in node.body:
                yield from _walk(child, inner)
        case Declare():
            for variable in node.variables:  # anew, so that names are in the order of their declarations
                known.pop(variable.name, None)
                known[variable.name] = variable
            yield node, dict(known)
        case If():
            yield node, known.copy()
            for branch in (node.then, node.otherwise):
                yield from _walk(branch, dict(known))
        case For():
            inner = dict(known)
            if isinstance(node.start, Declare):
                inner.update({variable.name: variable for variable in node.start.variables})
            yield node, dict(inner)
            yield from _walk(node.body, inner)
        case While():
            yield node, known.copy()
            yield from _walk(node.body, dict(known))
        case Switch():
            yield node, known.copy()
            inner = dict(known)
            for case in node.cases:
                for child in case.body:
                    yield from _walk(child, inner)
        case _:
            yield node, dict(known)
