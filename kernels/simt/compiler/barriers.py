"""Barriers of a block or grid: `__syncthreads()`, those that combine a condition over the block, and `grid.sync()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import INT
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.operators import condition
from kernels.simt.machine.steps import Barrier, Step, Vote

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.frontend.ast import Call, Do
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

BARRIER: Final = "__syncthreads"
GRID_BARRIER: Final = "__grid_sync"
"""The function that `this_grid().sync()` is lowered to."""

BARRIERS: Final = (BARRIER, GRID_BARRIER)
"""Barriers of a block or grid without a value."""

VOTES: Final = ("__syncthreads_count", "__syncthreads_and", "__syncthreads_or")
"""Barriers that return the number of threads whose condition is true, or whether it is true for all or any."""


def barrier(c: Context, node: Do, call: Call) -> Step:
    """Compile `__syncthreads();`, or the barrier of a grid, all of whose blocks then run at once."""
    if call.arguments:
        raise c.refuse(node.span, "__syncthreads() takes no arguments")
    grid = call.function == GRID_BARRIER
    c.machine.waits_for_grid |= grid
    number, begin, span = c.new_statement(node.span, "barrier"), c.machine.recorder.step, node.span

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        yield Barrier(number, span, mask, None, grid)
        return mask

    return Step(None, wait)


def vote(c: Context, node: Call) -> Code:
    """Compile a barrier with a value: a step before the statement that it is part of."""
    if len(node.arguments) != 1:
        raise c.refuse(node.span, f"{node.function} takes 1 argument, {len(node.arguments)} are given")
    if c.hoisted is None:
        raise c.unsupported(node.span, f"{node.function} where some threads may skip it; call it in a statement before")
    caller, slot = c.statement, c.slot()
    number, begin, span = c.new_statement(node.span, "barrier"), c.machine.recorder.step, node.span
    test = condition(c, node.arguments[0]).run
    c.statement = caller
    kind = node.function.rpartition("_")[2]

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        yield Barrier(number, span, mask, Vote(kind, test(group, mask), slot))
        return mask

    def result(group: Group, mask: Active) -> Value:
        return group.values[slot]

    c.hoisted.append(Step(None, wait))
    return Code(result, INT)
