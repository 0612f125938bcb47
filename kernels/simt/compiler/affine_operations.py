"""Operations on compiled integers that keep them sums of the thread's coordinates; see `machine.affine`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.affine import Derived, Linear

if TYPE_CHECKING:
    from kernels.simt.compiler.compiled_values import Code

DERIVING: Final = ("/", "%", "&", ">>")
"""Operators that make a new coordinate out of others and a number: `threadIdx.x % 16` moves no more than they do."""


def linear(code: Code) -> Linear:
    """Return any integer as a sum; one of which nothing is known is a sum of itself."""
    if code.constant is not None:
        return Linear(int(code.constant))
    return code.index.affine or Linear(0, terms=((code.run, 1),))


def combined(op: str, left: Code, right: Code) -> Linear | None:
    """Return the result of an operation that does not wrap; None where no coordinate is in it, or it is no sum."""
    if left.index.affine is None and right.index.affine is None:
        return None
    first, second = linear(left), linear(right)
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
        case _ if op in DERIVING and right.constant and not first.terms:
            found = Linear(0, frozenset({(Derived(op, first, second.number), 1)}))
        case _:
            return None
    return found if found is not None and found.coordinates else None


def sum_of(base: Code, index: Code, factor: int) -> Linear | None:
    """Return base + index·factor, computed in 64 bits; None where no coordinate is in it."""
    if base.index.affine is None and index.index.affine is None:
        return None
    moved = linear(index).times(factor)
    found = linear(base) if moved is None else linear(base).plus(moved)
    return found if found.coordinates else None
