"""The operands of an `asm`: inputs are read once, before the first instruction, outputs assigned after the last.

Lanes whose guard kept every instruction from writing an output have no value there afterwards: PTX leaves it open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT, UINT, ULONG, USHORT, Array, Pointer, Scalar
from kernels.simt.compiler.compiled_values import Code, Element, IndexFacts, Variable, constant
from kernels.simt.compiler.lvalues import locate
from kernels.simt.compiler.operators import convert
from kernels.simt.compiler.variables import assign_variable, read_variable
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


def required(c: Context, constraint: str, operand: Expr) -> Scalar | None:
    """Return the type of an operand's constraint, None for a constant (`n`)."""
    letter = constraint[-1:]
    if constraint in ("n", "i"):
        return None
    if letter not in _CONSTRAINTS or constraint.rstrip(letter) not in ("", "=", "+", "=&", "+&"):
        raise c.unsupported(operand.span, f'operand "{constraint}" of asm; "h", "r", "l", "f", "d" and "n" are')
    return _CONSTRAINTS[letter]


def given_value(c: Context, wanted: Scalar | None, operand: Expr, begins: list[Run]) -> Code:
    """Compile the value of an operand; where reading it can be noticed, it is read once, in what is added to `begins`.

    Raises
    ------
    SourceError
        For a value of another type than the constraint says.
    """
    code = c.compile(operand)
    kind = code.type
    if wanted is None:
        if code.constant is None:
            raise c.refuse(operand.span, 'an operand "n" must be known when it is compiled')
        return code
    if isinstance(kind, Pointer | Array) and wanted is ULONG:
        kind = Pointer(kind.of) if isinstance(kind, Array) else kind
        code = Code(code.run, kind, code.constant, code.pure, code.memory, index=IndexFacts(affine=code.index.affine))
    elif isinstance(kind, Scalar) and kind.size_bytes <= wanted.size_bytes and _is_like(kind, wanted):
        code = convert(c, code, wanted, operand.span)
    else:
        raise c.refuse(operand.span, f"this operand of asm is {wanted}, not {kind}")
    if code.pure:
        return code
    if code.fma.factors is not None:  # which a sum in the asm is fused with, as in CUDA C
        held = Variable("%", wanted, c.slot(), c.level, ("%", operand.span, ""), block=c.blocks.current)
        begins.append(assign_variable(c, held, code, operand.span))
        return read_variable(c, held, operand.span)
    slot, run = c.slot(), code.run

    def hold(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)

    begins.append(hold)
    return Code(lambda group, mask: group.values[slot], code.type, None, True, code.memory)


def assign_output(c: Context, target: Expr, variable: Variable) -> Run:
    """Compile the assignment of an output, by the lanes that have a value for it."""
    kind, slot, value_lanes = variable.type, variable.slot, variable.value_lanes
    assert isinstance(kind, Scalar)
    place = locate(c, target)
    wanted = place.kind if isinstance(place, Element) else place.type
    value = Code(lambda group, mask: group.values[slot], kind, None, False)
    if value_lanes < 0:
        value = read_variable(c, variable, target.span)
    if isinstance(wanted, Pointer):
        value = convert(c, value, wanted, target.span, explicit=True)
    elif not isinstance(wanted, Scalar) or not _is_like(wanted, kind):
        raise c.refuse(target.span, f"this output of asm is {kind}, not {wanted}")
    if value_lanes < 0:
        return assignment(c, target, value, target.span).run
    nothing = constant(poison(kind), kind)
    with c.conditional():
        put = assignment(c, target, value, target.span).run
        lose = assignment(c, target, nothing, target.span).run
    known = place.value_lanes if isinstance(place, Variable) else -1

    def finish(group: Group, mask: Active) -> Value:
        yes, no = group.split(mask, group.values[value_lanes])
        if yes is not EMPTY:
            put(group, yes)
        if no is not EMPTY:
            lose(group, no)
            if known >= 0:
                before = group.values[known]
                group.values[known] = False if no is None else np.logical_and(before, ~no.bits)

    return finish


def _is_like(kind: Scalar, wanted: Scalar) -> bool:
    """Return whether both are integers, or the same type of float."""
    return kind is wanted or "f" not in (kind.dtype.kind, wanted.dtype.kind)
