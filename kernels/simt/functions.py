"""Compiles calls of the file's own `__device__` functions: the body goes into the place of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt import statements
from kernels.simt.context import Code, Frame
from kernels.simt.declarations import new_variable
from kernels.simt.places import assign_variable
from kernels.simt.steps import Step
from kernels.simt.values import poison
from kernels.source.types import Pointer, Scalar, Void

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.simt.context import Context, Run
    from kernels.simt.lanes import Active, Group
    from kernels.simt.steps import Barrier
    from kernels.simt.values import Value
    from kernels.source import nodes


def call(c: Context, function: nodes.Function, node: nodes.Call) -> Code:
    """Compile a call inside an expression; afterwards the caller's statement goes on as a step of its own."""
    caller = c.statement
    binds, body, result = _inline(c, function, node)
    run_body = body.plain
    if run_body is None:
        raise c.unsupported(
            node.span, f"call of {function.name}, which holds a barrier, inside an expression"
        )
    returns = function.returns
    nothing = poison(returns) if isinstance(returns, Scalar) else 0
    begin = c.recorder.step

    def run(group: Group, mask: Active) -> Value:
        for bind in binds:
            bind(group, mask)
        group.values[result] = None
        run_body(group, mask)
        begin(caller, group, mask)
        value = group.values[result]
        return nothing if value is None else value

    return Code(run, returns, None, False)


def call_statement(c: Context, node: nodes.Do, called: nodes.Call) -> Step:
    """Compile a call that is a statement; the function may hold barriers."""
    number = c.new_statement(node.span, "do")
    binds, body, result = _inline(c, c.functions[called.function], called)
    begin = c.recorder.step

    def enter(group: Group, mask: Active) -> None:
        begin(number, group, mask)
        for bind in binds:
            bind(group, mask)
        group.values[result] = None

    if body.plain is not None:
        run_body = body.plain

        def run(group: Group, mask: Active) -> Active:
            enter(group, mask)
            run_body(group, mask)
            return mask

        return Step(run)
    wait_body = body.generator()

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        enter(group, mask)
        yield from wait_body(group, mask)
        return mask

    return Step(None, wait)


def _inline(c: Context, function: nodes.Function, node: nodes.Call) -> tuple[list[Run], Step, int]:
    """Compile arguments and body; returns what sets the parameters, the body, and the slot of the result."""
    if function.kernel:
        raise c.unsupported(node.span, f"launch of the kernel {function.name} from device code")
    if any(frame.function is function for frame in c.frames):
        raise c.unsupported(node.span, f"recursion: {function.name} calls itself")
    if len(node.arguments) != len(function.parameters):
        raise c.refuse(
            node.span,
            f"{function.name} takes {len(function.parameters)} arguments, {len(node.arguments)} are given",
        )
    if not isinstance(function.returns, Scalar | Void):
        raise c.unsupported(function.span, f"function that returns {function.returns}")
    caller = c.statement
    arguments = [c.compile(argument) for argument in node.arguments]
    frame = Frame(function, c.slot())
    c.frames.append(frame)
    with c.only_globals(), c.scope(deeper=1):
        binds = []
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            if not isinstance(parameter.type, Scalar | Pointer):
                raise c.unsupported(parameter.span, f"parameter of type {parameter.type}")
            variable = new_variable(c, parameter.name, parameter.type, parameter.span)
            binds.append(assign_variable(c, variable, argument, node.span))
        body = statements.statement(c, function.body)
    c.frames.pop()
    c.statement = caller
    return binds, body, frame.result
