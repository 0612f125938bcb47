"""Missing return: reports of functions that end without a `return` although their value is used.

Using the value is undefined behaviour (C++, [stmt.return]). A call whose value is discarded is correct.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.compiled_values import Frame
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Barrier


def discard_value(c: Context, node: Expr) -> None:
    """Record that the value of an expression is not used."""
    if isinstance(node, ast.Call | ast.Assign):
        c.calls.unused_values.add((type(node), node.span))
    elif isinstance(node, ast.Binary) and node.op == ",":
        discard_value(c, node.right)


def check_return(c: Context, node: ast.Call, frame: Frame, body: Step) -> Step:
    """Return the body of a function whose value is used, with a report if lanes reach its end."""
    last = frame.function.body.body[-1:]
    if last and isinstance(last[0], ast.Return):
        return body
    if (ast.Call, node.span) in c.calls.unused_values or _is_unused_variable(c, node):
        return body
    tell = _reporter(c, node, frame)
    plain, waiting = body.plain, body.waiting
    if plain is not None:

        def run(group: Group, mask: Active) -> Active:
            left = plain(group, mask)
            if left is not EMPTY:
                tell(group, left)
            return left

        return Step(run, None, body.jumps)
    assert waiting is not None

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        left = yield from waiting(group, mask)
        if left is not EMPTY:
            tell(group, left)
        return left

    return Step(None, wait, body.jumps)


def _is_unused_variable(c: Context, node: ast.Call) -> bool:
    """Return whether a call initialises a variable that is never used."""
    tree = c.frames[-1].nodes()
    kept = [
        variable.name
        for part in tree
        if isinstance(part, ast.Declare)
        for variable in part.variables
        if isinstance(variable.value, ast.Call) and variable.value.span == node.span
    ]
    return bool(kept) and not any(isinstance(part, ast.Name) and part.id in kept for part in tree)


def _reporter(c: Context, node: ast.Call, frame: Frame) -> Callable[[Group, Active], None]:
    hazards, recorder, function, span = c.machine.hazards, c.machine.recorder, frame.function, node.span

    def tell(group: Group, mask: Active) -> None:
        lane = int(group.lanes[0 if mask is None else mask.where[0]])
        hazards.report(
            "uninitialised-read",
            Place(span, "register", function.name),
            recorder.current,
            group.active(mask),
            ((lane, span, "read"),),
            lambda: (
                f"{hazards.name(lane)} reaches the end of {function.name} ({function.span.where}) without a "
                "return, and its value goes into an expression: return one on every way through it"
            ),
        )

    return tell
