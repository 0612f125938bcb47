"""Affine integers: operations and loops that keep a value a sum of thread coordinates (`machine.affine`).

Example: `int column = t * 16 + threadIdx.x` in a loop over t. Its coordinates, 1·threadIdx.x, are the same in each
round, and t·16 is one number in a slot. So no round computes a vector for the index `column`: the vector of threadIdx.x
is computed once, and the number is added where it is needed (`compiler.index_patterns`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.affine import DerivedCoordinate, Linear

if TYPE_CHECKING:
    from kernels.simt.compiler.compiled_values import Code, Variable
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

DERIVED_COORDINATES: Final = ("/", "%", "&", ">>")
"""Operators that make a new coordinate of a sum of coordinates and a constant: `threadIdx.x % 16`."""


def as_linear(code: Code) -> Linear:
    """Return an integer as a sum: of coordinates and numbers where that is known, else of itself alone."""
    if code.constant is not None:
        return Linear(int(code.constant))
    return code.index.affine or Linear(0, terms=((code.run, 1),))


def affine_result(op: str, left: Code, right: Code) -> Linear | None:
    """Return the sum that an operation without overflow gives; None if it has no coordinate, or is no sum."""
    if left.index.affine is None and right.index.affine is None:
        return None
    first, second = as_linear(left), as_linear(right)
    match op:
        case "+":
            found: Linear | None = first.plus(second)
        case "-":
            minus = second.times(-1)
            found = first if minus is None else first.plus(minus)
        case "*" if right.constant is not None:
            found = first.times(second.number)
        case "*" if left.constant is not None:
            found = second.times(first.number)
        case "<<" if right.constant is not None:
            found = first.times(1 << second.number)
        # A new coordinate, only if nothing but thread indices and numbers is in it: it must not change from round to
        # round. `(threadIdx.x + k) % 16` is no sum.
        case _ if op in DERIVED_COORDINATES and right.constant and not first.terms:
            found = Linear(0, frozenset({(DerivedCoordinate(op, first, second.number), 1)}))
        case _:
            return None
    return found if found is not None and found.coordinates else None


def affine_address(base: Code, index: Code, factor: int) -> Linear | None:
    """Return base + index·factor, computed in 64 bits; None if it has no coordinate."""
    if base.index.affine is None and index.index.affine is None:
        return None
    moved = as_linear(index).times(factor)
    found = as_linear(base) if moved is None else as_linear(base).plus(moved)
    return found if found.coordinates else None


def follow_assignment(c: Context, variable: Variable, value: Code, put: Run) -> Run:
    """Keep a variable affine whose only assignment is `put`; returns the run that replaces `put`."""
    affine = value.index.affine
    if affine is None or not affine.terms:
        variable.affine = affine
        return put
    return _keep_rest(c.slot(), variable, affine, put) if value.pure else put


def follow_counter(c: Context, variable: Variable, value: Code, by: int, start: Run, step: Run) -> tuple[Run, Run]:
    """Keep a loop's counter affine, which starts with `value` and changes by `by` in each round.

    Returns the runs that replace `start` and `step`.
    """
    affine = value.index.affine
    if affine is None or not value.pure:
        return start, step
    slot = c.slot()
    begin = _keep_rest(slot, variable, affine, start)

    def move(group: Group, mask: Active) -> Value:
        step(group, mask)
        group.values[slot] = group.values[slot] + by

    return begin, move


def _keep_rest(slot: int, variable: Variable, affine: Linear, put: Run) -> Run:
    """Let `put` save the part of the value that is no coordinate in a slot: the same number for all lanes."""
    rest = affine.rest()
    variable.affine = Linear(0, affine.coordinates, ((lambda group, mask: group.values[slot], 1),))

    def run(group: Group, mask: Active) -> Value:
        new = put(group, mask)
        group.values[slot] = rest(group, mask)
        return new

    return run
