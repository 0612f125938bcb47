"""Short circuit across barriers: `&&`, `||` and `?:` with a barrier in an operand are hoisted as an `if`.

Example: `x = t < 32 && block_any(f);` runs `if (t < 32) value = block_any(f); else value = false;` before the statement
`x = value;`. Without a barrier the operators are plain closures (`compiler.expressions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.load_store import choose
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.steps import Step, after

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Barrier, Waiting


class Branch(NamedTuple):
    """An operand that only some lanes evaluate."""

    before: Sequence[Any]
    """Steps hoisted from the operand."""
    value: Code


def hoist_choice(c: Context, test: Code, then: Branch, otherwise: Branch) -> Code:
    """Hoist a choice between two values of one type; returns the read of its result."""
    assert c.hoisted is not None
    caller, slot, kind, begin = c.statement, c.slot(), then.value.type, c.machine.recorder.step
    bits_of, first, second = test.run, _evaluation(c, then, slot), _evaluation(c, otherwise, slot)

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(caller, group, mask)
        bits = bits_of(group, mask)
        yes, no = group.split(mask, bits)
        if yes is not EMPTY:
            yield from first(group, yes)
        # Both operands use one slot, and the second may replace it as a whole: the value of the first is kept.
        if no is not EMPTY:
            value = group.values[slot]
            yield from second(group, no)
            if yes is not EMPTY:
                group.values[slot] = choose(kind, bits, value, group.values[slot])
        return mask

    def result(group: Group, mask: Active) -> Value:
        return group.values[slot]

    c.hoisted.append(Step(None, wait))
    return Code(result, kind, None, True, then.value.memory)


def _evaluation(c: Context, arm: Branch, slot: int) -> Waiting:
    """Compile one operand: the steps hoisted from it, then its value into the slot."""
    caller, begin, value = c.statement, c.machine.recorder.step, arm.value.run

    def keep(group: Group, mask: Active) -> Active:
        if arm.before:
            begin(caller, group, mask)
        group.values[slot] = value(group, mask)
        return mask

    return after(arm.before, Step(keep)).generator()
