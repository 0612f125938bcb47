"""Switch: lanes enter at their case and continue into the next case until a break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.types import BOOL, promote
from kernels.simt.compiler.compiled_values import Code, Loop
from kernels.simt.compiler.expressions.operators import apply_binary, convert, scalar
from kernels.simt.compiler.expressions.user_conversions import as_number
from kernels.simt.machine.arithmetic import is_float
from kernels.simt.machine.lanes import EMPTY, Active, Group
from kernels.simt.machine.steps import Step, after, sequence

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.frontend import ast
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Barrier, Run


def switch(c: Context, node: ast.Switch) -> Step:
    """Compile a switch statement."""
    number, begin = c.new_statement(node.header, "branch"), c.machine.recorder.step
    with c.hoisting() as before:
        value = as_number(c, c.compile(node.value), node.header)
    kind = promote(scalar(c, value, node.header))
    if is_float(kind):
        raise c.refuse(node.header, f"switch needs an integer, not {kind}")
    slot, compute = c.slot(), convert(c, value, kind, node.header).run
    selector = Code(lambda group, mask: group.values[slot], kind)
    frame = c.frames[-1]
    loop = Loop(c.slot(), -1)
    frame.loops.append(loop)
    # Two levels: lanes are inactive in a case that is not theirs, and after a break in it.
    with c.scope(deeper=2):
        tests = [_test(c, case, selector) for case in node.cases]
        bodies = [sequence([c.compile_step(child) for child in case.body]) for case in node.cases]
    frame.loops.pop()
    if loop.returns and frame.loops:
        frame.loops[-1].returns = True
    jumps = any(body.jumps for body in bodies)
    defaults = [number for number, case in enumerate(node.cases) if case.default]
    broken = loop.break_slot

    def enter(group: Group, mask: Active) -> list[Active]:
        """Return the lanes that enter at each case."""
        begin(number, group, mask)
        group.values[slot] = compute(group, mask)
        group.values[broken] = EMPTY
        # Each lane enters at the first case that matches. `default` takes the rest wherever it stands in the source.
        entering, rest = [], mask
        for test in tests:
            chosen: Active = EMPTY
            if rest is not EMPTY and test is not None:
                chosen, rest = group.split(rest, test(group, rest))
            entering.append(chosen)
        for case in defaults:
            entering[case] = group.union(entering[case], rest)
            rest = EMPTY
        group.values[broken] = rest
        return entering

    def leave(group: Group, mask: Active, entered: Active) -> Active:
        return group.union(mask, group.values[broken]) if jumps else entered

    if any(body.waiting for body in bodies):
        waits = [body.generator() for body in bodies]

        def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            entered = mask
            running: Active = EMPTY
            # Lanes from the case before fall through and join those that enter here.
            for chosen, body in zip(enter(group, mask), waits, strict=True):
                running = group.union(running, chosen)
                if running is not EMPTY:
                    running = yield from body(group, running)
            return leave(group, running, entered)

        return after(before, Step(None, wait, jumps))
    plain = [body.plain for body in bodies]

    def run(group: Group, mask: Active) -> Active:
        entered = mask
        running: Active = EMPTY
        for chosen, body in zip(enter(group, mask), plain, strict=True):
            running = group.union(running, chosen)
            if running is not EMPTY and body is not None:
                running = body(group, running)
        return leave(group, running, entered)

    return after(before, Step(run, None, jumps))


def _test(c: Context, case: ast.Case, selector: Code) -> Run | None:
    """Compile the comparison of the value with a case's labels; None for `default` alone."""
    found: Code | None = None
    for label in case.values:
        code = c.compile(label)
        if code.constant is None:
            raise c.refuse(label.span, "a case label must be known before the kernel runs")
        same = apply_binary(c, "==", selector, code, label.span)
        found = same if found is None else apply_binary(c, "|", found, same, label.span)
    return None if found is None else convert(c, found, BOOL, case.span).run
