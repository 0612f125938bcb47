"""Ranks: how late the compiler knows a value, by which nvcc puts the terms of a sum into an order of its own.

Of two products that are added, it fuses the one that comes first then. LLVM's Reassociate, of which this is a part,
lets what is known earlier come first: literals have rank 0, the kernel's parameters follow in order, what is computed
comes right behind the latest of its operands. What cannot be moved, such as reads, writes, calls and divisions, has its
rank from its place in the program, higher in each later block of straight code. What differs from block to block is
known at the beginning of that in which the ways meet.

A minus sign in a product makes a difference of the sum, -a * b + c * d is c * d - a * b, and those keep their order
(of two such products that are added it is the first that is subtracted).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.types import HALF

if TYPE_CHECKING:
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code, Variable
    from kernels.simt.compiler.context import Context

INDICES: int = 1
"""The rank of threadIdx and its like."""
PARAMETERS: int = 3
"""The rank of a kernel's first parameter."""


def next_rank(c: Context) -> int:
    """Return the rank of what stays where it stands."""
    c.blocks.rank += 1
    return c.blocks.rank


def rank(c: Context, code: Code) -> int:
    """Return the rank of a value."""
    if _is_literal(code):
        return 0
    return code.fma.rank if code.fma.rank >= 0 else next_rank(c)


def rank_above(c: Context, *operands: Code) -> int:
    """Return the rank of what is computed of these."""
    return 1 + max(rank(c, code) for code in operands)


def variable_rank(c: Context, variable: Variable) -> int:
    """Return the rank of what a variable holds here."""
    return variable.rank if c.blocks.is_open(variable.stretch) else c.blocks.first_rank


def product_negated(left: Code, right: Code) -> bool:
    """Whether an odd number of minus signs stands before a product's factors; a literal takes in those beside it."""
    if _is_literal(left) or _is_literal(right):
        number = left.constant if _is_literal(left) else right.constant
        return bool(number < 0) != (right if _is_literal(left) else left).fma.negated
    return _factor_negated(left) != _factor_negated(right)


def right_first(c: Context, op: str, left: Code, right: Code, kind: CType) -> bool:
    """Whether it is the right one of two products, added or subtracted, that is fused."""
    if kind == HALF:  # its operators are assembly, which LLVM leaves as it is
        return False
    subtracted = right.fma.negated != (op == "-")
    if left.fma.negated and subtracted:
        return op == "+"
    if left.fma.negated or subtracted:
        return left.fma.negated
    return rank(c, right) < rank(c, left)


def _factor_negated(code: Code) -> bool:
    return code.fma.negated and not any(map(_is_literal, code.fma.factors or ()))


def _is_literal(code: Code) -> bool:
    return code.constant is not None and not code.from_launch
