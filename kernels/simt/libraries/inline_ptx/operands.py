"""The operands of an `asm`: inputs are read once, before the first instruction, outputs assigned after the last.

PTX leaves an output undefined in lanes whose guard skipped every instruction that writes it. Example: after
`@p ld.global.f32 %0, [%1];` lanes where `p` is false have no value in the variable of `%0`, whatever it held before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT, UINT, ULONG, USHORT, Array, Pointer, Scalar
from kernels.simt.compiler.compiled_values import Code, Element, IndexFacts, Variable, constant
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.expressions.variables import assign_variable, read_variable
from kernels.simt.intrinsics.load_store import assignment
from kernels.simt.machine.arithmetic import poison
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_CONSTRAINTS: Final = {"h": USHORT, "r": UINT, "l": ULONG, "f": FLOAT, "d": DOUBLE}


def constraint_type(c: Context, constraint: str, operand: Expr) -> Scalar | None:
    """Return the type of an operand's constraint, None for a constant (`n`)."""
    letter = constraint[-1:]
    if constraint in ("n", "i"):
        return None
    if letter not in _CONSTRAINTS or constraint.rstrip(letter) not in ("", "=", "+", "=&", "+&"):
        raise c.unsupported(operand.span, f'operand "{constraint}" of asm; "h", "r", "l", "f", "d" and "n" are')
    return _CONSTRAINTS[letter]


def input_value(c: Context, expected: Scalar | None, operand: Expr, begins: list[Run]) -> Code:
    """Compile the value of an operand.

    An operand that is not pure, such as a load, is evaluated once, in a run that is added to `begins`.

    Raises
    ------
    SourceError
        For a value of another type than that of the constraint.
    """
    code = c.compile(operand)
    kind = code.type
    if expected is None:
        if code.constant is None:
            raise c.refuse(operand.span, 'an operand "n" must be known when it is compiled')
        return code
    if isinstance(kind, Pointer | Array) and expected is ULONG:
        kind = Pointer(kind.of) if isinstance(kind, Array) else kind
        code = Code(code.run, kind, code.constant, code.pure, code.memory, index=IndexFacts(affine=code.index.affine))
    elif isinstance(kind, Scalar) and kind.size_bytes <= expected.size_bytes and _is_same_class(kind, expected):
        code = convert(c, code, expected, operand.span)
    else:
        raise c.refuse(operand.span, f"this operand of asm is {expected}, not {kind}")
    if code.pure:
        return code
    if code.fma.factors is not None:  # so that a sum after the asm can still be fused with it
        product = Variable("%", expected, c.slot(), c.level, ("%", operand.span, ""), block=c.blocks.current)
        begins.append(assign_variable(c, product, code, operand.span))
        return read_variable(c, product, operand.span)
    slot, run = c.slot(), code.run

    def store(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)

    begins.append(store)
    return Code(lambda group, mask: group.values[slot], code.type, None, True, code.memory)


def assign_output(c: Context, target: Expr, variable: Variable) -> Run:
    """Compile the assignment of an output in the lanes where an instruction wrote it; other lanes lose their value."""
    kind, slot, value_lanes = variable.type, variable.slot, variable.value_lanes
    assert isinstance(kind, Scalar)
    place = locate(c, target)
    expected = place.kind if isinstance(place, Element) else place.type
    value = Code(lambda group, mask: group.values[slot], kind, None, False)
    if value_lanes < 0:
        value = read_variable(c, variable, target.span)
    if isinstance(expected, Pointer):
        value = convert(c, value, expected, target.span, explicit=True)
    elif not isinstance(expected, Scalar) or not _is_same_class(expected, kind):
        raise c.refuse(target.span, f"this output of asm is {kind}, not {expected}")
    if value_lanes < 0:
        return assignment(c, target, value, target.span).run
    unset = constant(poison(kind), kind)
    with c.conditional():
        put = assignment(c, target, value, target.span).run
        clear = assignment(c, target, unset, target.span).run
    lanes_slot = place.value_lanes if isinstance(place, Variable) else -1

    def finish(group: Group, mask: Active) -> Value:
        yes, no = group.split(mask, group.values[value_lanes])
        if yes is not EMPTY:
            put(group, yes)
        if no is not EMPTY:
            clear(group, no)
            if lanes_slot >= 0:
                before = group.values[lanes_slot]
                group.values[lanes_slot] = False if no is None else np.logical_and(before, ~no.bits)

    return finish


def _is_same_class(kind: Scalar, expected: Scalar) -> bool:
    """Return whether both are integers, or the same type of floating point."""
    return kind is expected or "f" not in (kind.dtype.kind, expected.dtype.kind)
