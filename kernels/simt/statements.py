"""Compiles statements: each takes the active lanes and gives back those that go on with the next statement.

Only what contains a barrier becomes a generator, which yields at each barrier; the rest is plain closures.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kernels.simt import declarations, functions, groups, intervals, jumps, loops, switches, turns
from kernels.simt.addresses import roaming
from kernels.simt.assembly import assembly
from kernels.simt.barriers import BARRIERS, barrier
from kernels.simt.code import Element, Loop, Reconsider
from kernels.simt.contraction import keep_returned
from kernels.simt.lanes import EMPTY, Active, Group
from kernels.simt.operators import condition, convert
from kernels.simt.overloads import NoneFits
from kernels.simt.places import locate, operator_call
from kernels.simt.steps import Step, nothing, sequence
from kernels.simt.transfers import choose
from kernels.source import nodes
from kernels.source.types import AUTO, INT, Array, Pointer, Reference, Struct, Void

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.simt.code import Code, Run
    from kernels.simt.context import Context
    from kernels.simt.steps import Barrier
    from kernels.source.nodes import Expr, Statement
    from kernels.trace.records import StatementKind

BLOCK_FENCE: Final = "__threadfence_block"
FENCES: Final = frozenset(("__threadfence", BLOCK_FENCE, "__threadfence_system"))
"""Calls that order a thread's own accesses; each is a statement of its own kind."""


def statement(c: Context, node: Statement) -> Step:
    """Compile any statement."""
    match node:
        case nodes.Block() if jumps.has_labels(node):
            return jumps.labelled(c, node, statement)
        case nodes.Block():
            with c.scope():
                return sequence([statement(c, child) for child in node.body])
        case nodes.Declare():
            with c.hoisting() as before:
                step = declarations.declare(c, node)
            return after(before, step)
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
        case nodes.Goto():
            return jumps.goto(c, node)
        case nodes.Label():
            raise c.unsupported(node.span, "label in a switch; put braces around what it stands in")
        case nodes.Return():
            return _return(c, node)
        case nodes.Switch():
            return switches.switch(c, node)
        case nodes.Assembly():
            return assembly(c, node)


def after(before: list[Step], step: Step) -> Step:
    """Put what was taken out of a statement in front of it."""
    return sequence([*before, step]) if before else step


def _do(c: Context, node: nodes.Do) -> Step:
    node_expression = _as_call(c, node, groups.in_other_words(c, node.expression))
    if isinstance(node_expression, nodes.Call):
        if node_expression.function in BARRIERS and node_expression.function not in c.functions:
            return barrier(c, node, node_expression)
        if functions.is_own(c, node_expression):
            with suppress(NoneFits):  # then it may be CUDA's function of that name
                return functions.call_statement(c, node, node_expression)
    number = c.new_statement(node.span, _kind(c, node_expression))
    if isinstance(node_expression, nodes.Call) and node_expression.function == BLOCK_FENCE:
        c.block_fences.add(number)
    with c.hoisting() as before:
        run = c.compile(node_expression).run
    begin = c.recorder.step

    def do(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        run(group, mask)
        return mask

    return after(before, Step(do))


def _as_call(c: Context, node: nodes.Do, expression: Expr) -> Expr:
    """Return the call that `a += b` of structs is, where the file declares such an operator."""
    if not isinstance(expression, nodes.Assign):
        return expression
    name = f"operator{expression.op}"
    if not any(function.rpartition("::")[2] == name for function in c.functions):
        return expression
    c.new_statement(node.span, "do")
    target = locate(c, expression.target)
    kind = target.kind if isinstance(target, Element) else target.type
    if not isinstance(kind, Struct) or (name == "operator=" and c.member(kind, name) is None):
        return expression
    return operator_call(c, expression, kind)


def _kind(c: Context, node: Expr) -> StatementKind:
    if not isinstance(node, nodes.Call) or node.function in c.functions:
        return "do"
    if node.function == "__syncwarp":
        return "warp-barrier"
    return "fence" if node.function in FENCES else "do"


def _if(c: Context, node: nodes.If) -> Step:
    number, begin = c.new_statement(node.header, "branch"), c.recorder.step
    with c.hoisting() as before:
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

        return after(before, Step(None, wait, jumps))
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

    return after(before, Step(run, None, jumps))


def _for(c: Context, node: nodes.For) -> Step:
    with c.hoisting() as before, c.scope(deeper=1):
        number = c.new_statement(node.header, "loop")
        start = declarations.start(c, node.start) if node.start is not None else None
        test = None
        if node.condition is not None:
            with c.hoisting() as waits:
                test = condition(c, node.condition).run
            if waits:
                body = nodes.Block(node.span, (_unless(node.condition), node.body))
                return statement(c, nodes.For(node.span, node.header, node.start, None, node.step, body))
        with c.conditional(deeper=0):
            step = c.compile(node.step).run if node.step is not None else None
        start, step = intervals.count(c, node, start, step)
        alone = test is None and step is None  # for (;;)
        return after(before, _loop(c, number, node.body, start, test, step, test_first=True, may_wait=alone))


def _while(c: Context, node: nodes.While) -> Step:
    c.spins |= _does_nothing(node.body)
    with c.scope(deeper=1):
        number = c.new_statement(node.header, "loop")
        with c.hoisting() as waits:
            test = condition(c, node.condition).run
        if waits:
            return _tested_inside(c, node)
        return _loop(c, number, node.body, None, test, None, test_first=not node.first, may_wait=True)


def _does_nothing(node: Statement) -> bool:
    """Whether a loop with this body only waits for what other threads do."""
    if isinstance(node, nodes.Block):
        return all(_does_nothing(child) for child in node.body)
    if isinstance(node, nodes.Do) and isinstance(node.expression, nodes.Call):
        return node.expression.function in ("__nanosleep", *FENCES)
    return False


def _unless(test: Expr) -> nodes.If:
    """Return `if (!test) break;`, which may wait at a barrier where the head of a loop cannot."""
    return nodes.If(test.span, test.span, nodes.Unary(test.span, "!", test), nodes.Break(test.span), None)


def _tested_inside(c: Context, node: nodes.While) -> Step:
    """Compile a loop whose test waits at a barrier: the test becomes the first or last statement inside."""
    if node.first and _continues(node.body):
        raise c.unsupported(
            node.header, "do … while with a barrier in its test and continue inside; use a plain while"
        )
    inside = (node.body, _unless(node.condition)) if node.first else (_unless(node.condition), node.body)
    true = nodes.Number(node.header, 1, INT)
    return statement(c, nodes.While(node.span, node.header, true, nodes.Block(node.span, inside)))


def _continues(node: Statement | None) -> bool:
    """Whether a continue of the loop around stands in a statement."""
    match node:
        case nodes.Continue():
            return True
        case nodes.Block():
            return any(_continues(child) for child in node.body)
        case nodes.If():
            return _continues(node.then) or _continues(node.otherwise)
        case nodes.Switch():
            return any(_continues(child) for case in node.cases for child in case.body)
    return False


def _loop(
    c: Context,
    number: int,
    body: Statement,
    start: Run | None,
    test: Run | None,
    step: Run | None,
    *,
    test_first: bool,
    may_wait: bool,
) -> Step:
    """Compile a loop; each test is a step, with the start or the step expression that comes before it.

    `may_wait` says that it can be one that waits for other threads.
    """
    frame, recorder = c.frames[-1], c.recorder
    loop = Loop(c.slot(), c.slot(), number)
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
    idle = may_wait and _does_nothing(body)
    if may_wait:
        c.may_wait.add(number)
    if may_wait and c.findings.turns:
        wait = turns.giving_way(number, c.statements[number].span, inner.plain, idle=idle)
        return Step(
            None, loops.waiting_loop(recorder, loop, wait, head, test_first, phases=False), loop.returns
        )
    test_ = turns.impatient(c, number, head) if idle else head
    return Step(loops.plain_loop(loop, inner.plain, test_, test_first), None, loop.returns)


def _leave(c: Context, node: nodes.Break | nodes.Continue) -> Step:
    frame = c.frames[-1]
    word = "break" if isinstance(node, nodes.Break) else "continue"
    if not frame.loops:
        raise c.refuse(node.span, f"{word} outside a loop")
    number, begin = c.new_statement(node.span, "jump"), c.recorder.step
    loop = frame.loops[-1]
    if word == "continue":
        around = [each for each in frame.loops if each.continued >= 0]
        if not around:
            raise c.refuse(node.span, "continue outside a loop")
        loop = around[-1]
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
        if not isinstance(returns, Void) and returns != AUTO:
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
    told = frame.function.returns != AUTO or frame.kind is not None
    kind = functions.returned(frame)
    if told and isinstance(kind, Void):
        raise c.refuse(node.span, f"{frame.function.name} returns nothing")
    if isinstance(frame.function.returns, Reference) and not frame.used and not isinstance(node, nodes.Call):

        def go(group: Group, mask: Active) -> Active:
            begin(number, group, mask)
            return EMPTY

        return Step(go, None, True)
    with c.hoisting() as before:
        code = convert(c, c.compile_as(node, kind), kind, node.span) if told else c.compile(node)
    if not told:
        kind = frame.kind = Pointer(code.type.of) if isinstance(code.type, Array) else code.type
    if isinstance(kind, Pointer):
        code = _returned_pointer(c, code)
    code = keep_returned(c, code, node.span)
    value, slot = code.run, frame.result

    def leave(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        new, old = value(group, mask), group.values[slot]
        group.values[slot] = new if old is None or mask is None else choose(kind, mask.bits, new, old)
        return EMPTY

    return after(before, Step(leave, None, True))


def _returned_pointer(c: Context, code: Code) -> Code:
    """Note where a returned pointer points; one that can point into several arrays is an address."""
    frame = c.frames[-1]
    key = ("return", frame.function.span)
    if key in c.findings.roaming:
        return roaming(code)
    if code.memory is None or frame.memory not in (None, code.memory):
        c.findings.roaming.add(key)
        raise Reconsider
    frame.memory = code.memory
    return code
