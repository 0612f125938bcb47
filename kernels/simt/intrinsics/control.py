"""Functions that neither compute nor access memory: assert, clock, sleep, and std::move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import LONG, UINT, VOID
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.elementwise import no_operation, operands
from kernels.simt.compiler.expressions.operators import condition, convert
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group


def _assert(c: Context, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise c.refuse(node.span, "assert takes 1 argument")
    holds = condition(c, node.arguments[0]).run
    hazards, recorder, place, span = c.machine.hazards, c.machine.recorder, Place(node.span), node.span
    text = c.text(node.span)

    def run(group: Group, mask: Active) -> Value:
        _, failed = group.split(mask, holds(group, mask))
        if failed is not EMPTY:
            lane = int(group.lanes[0 if failed is None else failed.where[0]])
            hazards.report(
                "assertion",
                place,
                recorder.current,
                group.active(failed),
                ((lane, span, "read"),),
                lambda: f"{text} does not hold for {hazards.name(lane)}",
            )
        return 0

    return Code(run, VOID, None, False)


def _clock(c: Context, node: Call) -> Code:
    """Compile `clock()`: the number of the step. It increases, but is not a time."""
    operands(c, node, 0)
    c.machine.reads_clock = True
    recorder = c.machine.recorder
    return Code(lambda group, mask: recorder.current, LONG, None, False)


def _identity(c: Context, node: Call) -> Code:
    """Compile `std::move(x)` or `std::forward(x)`: x itself."""
    (code,) = operands(c, node, 1)
    return code


def _sleep(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1)
    run = convert(c, code, UINT, node.span).run
    return Code(run, VOID, None, False)


CONTROL: Final[dict[str, Compile]] = {
    "assert": _assert,
    "clock": _clock,
    "clock64": _clock,
    "__prof_trigger": _sleep,
    "__nanosleep": _sleep,
    "move": _identity,
    "forward": _identity,
    # Dependencies between grids of a stream: a launch is simulated alone, with complete inputs.
    "cudaGridDependencySynchronize": no_operation,
    "cudaTriggerProgrammaticLaunchCompletion": no_operation,
}
"""By name."""


# --- Memory fences, as separate statements or within a statement
# A fence orders the accesses of its thread before it ahead of those after it, for the threads of the block or all
# threads (CUDA C++ Programming Guide, "Memory Fence Functions").


FENCES: Final = {"__threadfence": False, "__threadfence_block": True, "__threadfence_system": False}
"""Fences, and whether they reach the threads of the block only."""


def fence(c: Context, span: Span, *, block: bool) -> Callable[[Group, Active], None]:
    """Compile a fence within a statement; `block`: it reaches the threads of the block only."""
    caller = c.statement
    number = c.new_statement(span, "fence")
    c.statement = caller
    if block:
        c.racecheck.block_fences.add(number)
    recorder = c.machine.recorder
    return lambda group, mask: recorder.fence(number, group, mask)
