"""Compiles statements: each takes the active lanes and gives back those that go on with the next statement.

Only what contains a barrier becomes a generator, which yields at each barrier; the rest is plain closures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt import declarations, functions, loops
from kernels.simt.context import Loop
from kernels.simt.lanes import EMPTY, Active, Group
from kernels.simt.operators import condition, convert, scalar
from kernels.simt.steps import Barrier, Step, nothing, sequence
from kernels.simt.values import select
from kernels.source import nodes
from kernels.source.types import Scalar, Void

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.simt.context import Context, Run
    from kernels.source.nodes import Expr, Statement
    from kernels.trace.records import StatementKind

FENCES: Final = frozenset(("__threadfence", "__threadfence_block", "__threadfence_system"))
"""Calls that order a thread's own accesses; each is a statement of its own kind."""


def statement(c: Context, node: Statement) -> Step:
    """Compile any statement."""
    match node:
        case nodes.Block():
            with c.scope():
                return sequence([statement(c, child) for child in node.body])
        case nodes.Declare():
            return Step(declarations.declare(c, node))
        case nodes.Do():
            return _do(c, node)
        case nodes.If():
            return _if(c, node)
        case nodes.For():
            return _for(c, node)
        case nodes.While():
            return _while(c, node)
        case nodes.Break() | nodes.Continue():
            return _leave(c, node)
        case nodes.Return():
            return _return(c, node)
        case _:
            raise c.unsupported(node.span, f"{type(node).__name__.lower()} statement")


def _do(c: Context, node: nodes.Do) -> Step:
    node_expression = node.expression
    if isinstance(node_expression, nodes.Call):
        if node_expression.function == "__syncthreads" and "__syncthreads" not in c.functions:
            return _barrier(c, node, node_expression)
        if node_expression.function in c.functions:
            return functions.call_statement(c, node, node_expression)
    number = c.new_statement(node.span, _kind(c, node_expression))
    code = c.compile(node_expression)
    run, begin = code.run, c.recorder.step

    def do(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        run(group, mask)
        return mask

    return Step(do)


def _kind(c: Context, node: Expr) -> StatementKind:
    if not isinstance(node, nodes.Call) or node.function in c.functions:
        return "do"
    if node.function == "__syncwarp":
        return "warp-barrier"
    return "fence" if node.function in FENCES else "do"


def _barrier(c: Context, node: nodes.Do, call: nodes.Call) -> Step:
    if call.arguments:
        raise c.refuse(node.span, "__syncthreads() takes no arguments")
    number, begin, span = c.new_statement(node.span, "barrier"), c.recorder.step, node.span

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        yield Barrier(number, span, mask)
        return mask

    return Step(None, wait)


def _if(c: Context, node: nodes.If) -> Step:
    number, begin = c.new_statement(node.header, "branch"), c.recorder.step
    test = condition(c, node.condition).run
    with c.scope(deeper=1):
        then = statement(c, node.then)
    with c.scope(deeper=1):
        otherwise = statement(c, node.otherwise) if node.otherwise is not None else Step(nothing)
    jumps = then.jumps or otherwise.jumps
    if then.waiting or otherwise.waiting:
        wait_then, wait_otherwise = then.generator(), otherwise.generator()

        def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            begin(number, group, mask)
            yes, no = group.split(mask, test(group, mask))
            if yes is not EMPTY:
                yes = yield from wait_then(group, yes)
            if no is not EMPTY:
                no = yield from wait_otherwise(group, no)
            return group.union(yes, no) if jumps else mask

        return Step(None, wait, jumps)
    run_then, run_otherwise = then.plain, otherwise.plain
    assert run_then is not None
    assert run_otherwise is not None

    def run(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        yes, no = group.split(mask, test(group, mask))
        if yes is not EMPTY:
            yes = run_then(group, yes)
        if no is not EMPTY:
            no = run_otherwise(group, no)
        return group.union(yes, no) if jumps else mask

    return Step(run, None, jumps)


def _for(c: Context, node: nodes.For) -> Step:
    with c.scope(deeper=1):
        number = c.new_statement(node.header, "loop")
        start = declarations.start(c, node.start) if node.start is not None else None
        test = condition(c, node.condition).run if node.condition is not None else None
        step = c.compile(node.step).run if node.step is not None else None
        return _loop(c, number, node.body, start, test, step, test_first=True)


def _while(c: Context, node: nodes.While) -> Step:
    with c.scope(deeper=1):
        number = c.new_statement(node.header, "loop")
        test = condition(c, node.condition).run
        return _loop(c, number, node.body, None, test, None, test_first=not node.first)


def _loop(
    c: Context,
    number: int,
    body: Statement,
    start: Run | None,
    test: Run | None,
    step: Run | None,
    *,
    test_first: bool,
) -> Step:
    """Compile a loop; each test is a step, with the start or the step expression that comes before it."""
    frame, recorder = c.frames[-1], c.recorder
    loop = Loop(c.slot(), c.slot())
    frame.loops.append(loop)
    with c.scope(deeper=1):
        inner = statement(c, body)
    frame.loops.pop()
    if loop.returns and frame.loops:
        frame.loops[-1].returns = True

    def head(group: Group, mask: Active, first: bool) -> tuple[Active, Active]:
        """Return who goes round again, and who leaves."""
        recorder.step(number, group, mask)
        before = start if first else step
        if before is not None:
            before(group, mask)
        return (mask, EMPTY) if test is None else group.split(mask, test(group, mask))

    if inner.waiting is not None:
        return Step(None, loops.waiting_loop(recorder, loop, inner.waiting, head, test_first), loop.returns)
    assert inner.plain is not None
    return Step(loops.plain_loop(loop, inner.plain, head, test_first), None, loop.returns)


def _leave(c: Context, node: nodes.Break | nodes.Continue) -> Step:
    frame = c.frames[-1]
    word = "break" if isinstance(node, nodes.Break) else "continue"
    if not frame.loops:
        raise c.refuse(node.span, f"{word} outside a loop")
    number, begin = c.new_statement(node.span, "jump"), c.recorder.step
    loop = frame.loops[-1]
    loop.jumps = True
    slot = loop.broken if word == "break" else loop.continued

    def leave(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        group.values[slot] = group.union(group.values[slot], mask)
        return EMPTY

    return Step(leave, None, True)


def _return(c: Context, node: nodes.Return) -> Step:
    frame = c.frames[-1]
    number, begin = c.new_statement(node.span, "jump"), c.recorder.step
    if frame.loops:
        frame.loops[-1].returns = True
    returns = frame.function.returns
    if node.value is None:
        if not isinstance(returns, Void):
            raise c.refuse(node.span, f"{frame.function.name} must return {returns}")
        kernel = frame.function.kernel

        def leave(group: Group, mask: Active) -> Active:
            begin(number, group, mask)
            if kernel:
                group.exit(mask)
            return EMPTY

        return Step(leave, None, True)
    return _return_value(c, node.value, number)


def _return_value(c: Context, node: Expr, number: int) -> Step:
    frame, begin = c.frames[-1], c.recorder.step
    kind = frame.function.returns
    if not isinstance(kind, Scalar):
        raise c.unsupported(node.span, f"returning a value from a function of type {kind}")
    code = c.compile(node)
    scalar(c, code, node.span)
    value, slot, dtype = convert(c, code, kind, node.span).run, frame.result, kind.dtype

    def leave(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        new, old = value(group, mask), group.values[slot]
        group.values[slot] = (
            new if old is None else select(mask.bits, new, old, dtype) if mask is not None else new
        )
        return EMPTY

    return Step(leave, None, True)
