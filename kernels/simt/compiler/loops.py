"""Loops: rounds are repeated until no lane is active; lanes that leave early wait in slots.

Example: `while (i < n) { if (x[i] < 0) break; ++i; }` with 4 lanes, in the first round:

    test      i < n is false in lane 3    active: 0, 1, 2
    break     x[i] < 0 in lane 1          active: 0, 2       break_slot: 1
    ++i       lanes 0 and 2

No round has more lanes than the one before. All 4 lanes continue after the loop. If the loop contains a return,
only the lanes that failed the test and those in the break slot continue.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import INT
from kernels.simt.compiler import declarations
from kernels.simt.compiler.calls.missing_return import discard_value
from kernels.simt.compiler.compiled_values import Loop
from kernels.simt.compiler.expressions.operators import condition
from kernels.simt.compiler.index import intervals
from kernels.simt.compiler.infinite_loops import InfiniteLoopCheck
from kernels.simt.machine import interleaving
from kernels.simt.machine.lanes import EMPTY, Active, Group, LoopRun
from kernels.simt.machine.steps import Step, after, flat, sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from kernels.frontend.ast import Expr, Statement
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.recorder import Tally
    from kernels.simt.machine.steps import Barrier, Plain, Run, Waiting

    Head = Callable[[Group, Active, bool], tuple[Active, Active]]
    """Evaluates the test; the flag is True for the first test. Returns (continuing lanes, exiting lanes)."""


def for_loop(c: Context, node: ast.For) -> Step:
    """Compile `for (start; condition; step)`."""
    loop = _for(c, node)
    if loop is not None:
        return loop
    assert node.start is not None
    return c.compile_step(ast.Block(node.span, (node.start, replace(node, start=None))))


def _for(c: Context, node: ast.For) -> Step | None:
    """Compile a loop; None if its declarators have to be separate statements before it."""
    with c.hoisting() as before, c.scope(deeper=1):
        number = c.new_statement(node.header, "loop")
        start = declarations.for_start(c, node.start) if node.start is not None else None
        if start is None and node.start is not None:
            return None
        test = None
        if node.condition is not None:
            with c.hoisting() as waits:
                test = condition(c, node.condition).run
            if waits:
                # `for (s; f(); t) b` with a barrier in f becomes `for (s; ; t) { if (!f()) break; b }`.
                body = ast.Block(node.span, (_break_unless(node.condition), node.body))
                return c.compile_step(ast.For(node.span, node.header, node.start, None, node.step, body))
        # Lanes that have left the loop skip the step expression, but they cannot see the counter any more: it is
        # assigned as a whole.
        with c.conditional(deeper=0), c.hoisting() as between:
            if node.step is not None:
                discard_value(c, node.step)
            step = c.compile(node.step).run if node.step is not None else None
        start, step = intervals.follow_counter(c, node, start, step)
        alone = test is None and step is None  # for (;;)
        loop = _loop(c, number, node, start, test, step, test_first=True, may_wait=alone, between=flat(between))
        return after(before, loop)


def while_loop(c: Context, node: ast.While) -> Step:
    """Compile `while (condition)` and `do … while (condition)`."""
    c.machine.spins |= _does_nothing(c, node.body)
    with c.scope(deeper=1):
        number = c.new_statement(node.header, "loop")
        with c.hoisting() as waits:
            test = condition(c, node.condition).run
        between: list[Step] = []
        if waits and node.first and _continues(node.body):  # a continue goes to the test
            between = flat(waits)
        elif waits:
            return _with_test_inside(c, node)
        return _loop(c, number, node, None, test, None, test_first=not node.first, may_wait=True, between=between)


def _does_nothing(c: Context, node: Statement) -> bool:
    """Return whether a loop with this body does nothing but wait for other threads."""
    if isinstance(node, ast.Block):
        return all(_does_nothing(c, child) for child in node.body)
    if isinstance(node, ast.Do) and isinstance(node.expression, ast.Call):
        return node.expression.function == "__nanosleep" or node.expression.function in c.registry.fences
    return False


def _break_unless(test: Expr) -> ast.If:
    """Return `if (!test) break;`: the head of a loop cannot wait at a barrier, a statement can."""
    return ast.If(test.span, test.span, ast.Unary(test.span, "!", test), ast.Break(test.span), None)


def _with_test_inside(c: Context, node: ast.While) -> Step:
    """Compile a loop whose test waits at a barrier, with the test as the first or last statement of the body."""
    inside = (node.body, _break_unless(node.condition)) if node.first else (_break_unless(node.condition), node.body)
    true = ast.Number(node.header, 1, INT)
    return c.compile_step(ast.While(node.span, node.header, true, ast.Block(node.span, inside)))


def _continues(node: Statement | None) -> bool:
    """Return whether a statement contains a continue of the loop around it."""
    match node:
        case ast.Continue():
            return True
        case ast.Block():
            return any(_continues(child) for child in node.body)
        case ast.If():
            return _continues(node.then) or _continues(node.otherwise)
        case ast.Switch():
            return any(_continues(child) for case in node.cases for child in case.body)
    return False


def _loop(
    c: Context,
    number: int,
    node: ast.For | ast.While,
    start: Run | None,
    test: Run | None,
    step: Run | None,
    *,
    test_first: bool,
    may_wait: bool,
    between: list[Step],
) -> Step:
    """Compile a loop; each test is a step, together with the start or the step expression before it.

    Parameters
    ----------
    test_first : bool
        False for `do … while`.
    may_wait : bool
        The loop may wait for other threads, such as `while (flag == 0);`.
    between : list of Step
        Steps before each test except the first.
    """
    frame, recorder = c.frames[-1], c.machine.recorder
    loop = Loop(c.slot(), c.slot(), number)
    frame.loops.append(loop)
    loop_check = InfiniteLoopCheck(c, node)
    with c.scope(deeper=1):
        inner = c.compile_step(node.body)
    frame.loops.pop()
    if loop.returns and frame.loops:
        frame.loops[-1].returns = True

    def head(group: Group, mask: Active, first: bool) -> tuple[Active, Active]:
        """Return (continuing lanes, exiting lanes)."""
        recorder.step(number, group, mask)
        before = start if first else step
        if before is not None:
            before(group, mask)
        return (mask, EMPTY) if test is None else group.split(mask, test(group, mask))

    if may_wait:
        c.machine.spin_loops.add(number)
    if inner.waiting is not None or between:
        wait, steps_between = inner.generator(), sequence(between).generator() if between else None
        return Step(
            None, _waiting(recorder, loop, wait, head, loop_check, test_first, between=steps_between), loop.returns
        )
    assert inner.plain is not None
    idle = may_wait and _does_nothing(c, node.body)
    # A spinning thread has to yield, so that its loop is a generator although it contains no barrier.
    if may_wait and c.machine.assumptions.interleaving:
        wait = interleaving.yielding_body(number, c.machine.statements[number].span, inner.plain, idle=idle)
        return Step(None, _waiting(recorder, loop, wait, head, loop_check, test_first, phases=False), loop.returns)
    test_ = interleaving.detect_spinning(c.machine, number, head) if idle else head
    return Step(_plain(loop, inner.plain, test_, loop_check, test_first), None, loop.returns)


def _plain(loop: Loop, body: Plain, head: Head, loop_check: InfiniteLoopCheck, test_first: bool) -> Plain:
    """Return a loop whose body contains no barrier."""
    break_slot, continue_slot, jumps, returns = loop.break_slot, loop.continue_slot, loop.jumps, loop.returns

    def run(group: Group, mask: Active) -> Active:
        # `mask` are the lanes of the next round. `left` are those that failed a test; they are collected only if some
        # lanes may return, because otherwise all lanes of `entered` continue after the loop.
        values, entered = group.values, mask
        left: Active = EMPTY
        values[break_slot] = EMPTY
        first, loop_run = True, LoopRun(loop.statement)
        group.loops.append(loop_run)
        while True:
            if test_first or not first:
                mask, out = head(group, mask, first)
                if returns:
                    left = group.union(left, out)
                if mask is EMPTY:
                    break
            first = False
            loop_run.rounds += 1
            if loop_run.rounds >= loop_run.next_check:
                loop_check.check(group, mask, loop_run)
            values[continue_slot] = EMPTY
            # The body returns the lanes that reached its end; lanes that executed a continue join them.
            mask = body(group, mask)
            if jumps:
                mask = group.union(mask, values[continue_slot])
            if mask is EMPTY:
                break
        group.loops.pop()
        # Without a return every lane that entered the loop continues after it.
        return group.union(left, values[break_slot]) if returns else entered

    return run


def _waiting(
    recorder: Tally,
    loop: Loop,
    body: Waiting,
    head: Head,
    loop_check: InfiniteLoopCheck,
    test_first: bool,
    *,
    phases: bool = True,
    between: Waiting | None = None,
) -> Waiting:
    """Return the same loop as a generator; the outermost one numbers the `phases` between barriers."""
    break_slot, continue_slot, jumps, returns = loop.break_slot, loop.continue_slot, loop.jumps, loop.returns

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        values, entered = group.values, mask
        left: Active = EMPTY
        values[break_slot] = EMPTY
        first, outermost, loop_run = True, phases and group.phase < 0, LoopRun(loop.statement)
        group.loops.append(loop_run)
        while True:
            # The trace numbers the rounds of the outermost loop with a barrier: those of a tiled product are its tiles.
            if outermost:
                group.phase += 1
            if between is not None and not first:
                mask = yield from between(group, mask)
            if test_first or not first:
                mask, out = head(group, mask, first)
                if returns:
                    left = group.union(left, out)
                if mask is EMPTY:
                    if outermost:
                        recorder.leave_phase()
                    break
            first = False
            loop_run.rounds += 1
            if loop_run.rounds >= loop_run.next_check:
                loop_check.check(group, mask, loop_run)
            values[continue_slot] = EMPTY
            mask = yield from body(group, mask)
            if jumps:
                mask = group.union(mask, values[continue_slot])
            if mask is EMPTY:
                break
        group.loops.pop()
        if outermost:
            group.phase = -1
        return group.union(left, values[break_slot]) if returns else entered

    return wait
