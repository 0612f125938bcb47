"""Reassociation rank: the order in which nvcc adds the terms of a sum, which decides the product that it fuses.

LLVM's Reassociate pass sorts the terms of a sum by rank, the lowest first. Of two products that are added, the first is
fused with the sum into an FMA, and the second is rounded before. Literals have rank 0, the kernel's parameters follow
in order, and a computed value has 1 + the highest rank of its operands. Values that cannot be moved (loads, calls,
divisions) have a rank by their position, which is higher in each later basic block. A variable that was assigned in
several blocks has the rank of the block in which they join.

Example: `float t = x[i]; s = t * t + a * b;` with the parameters a and b, of ranks 3 and 4. a·b has rank 5, and t, a
load, has a rank above 65 536. So nvcc computes fma(a, b, t·t), although t·t is written first.

A minus sign before a product turns the sum into a difference, -a * b + c * d is c * d - a * b, and a difference is not
reordered (of two negated products that are added, the first is subtracted).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.types import HALF

if TYPE_CHECKING:
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code, Variable
    from kernels.simt.compiler.context import Context

INDICES: int = 1
"""The rank of threadIdx, blockIdx, blockDim and gridDim."""
PARAMETERS: int = 3
"""The rank of a kernel's first parameter."""


def next_rank(c: Context) -> int:
    """Return the rank of the next value that is not moved."""
    c.blocks.rank += 1
    return c.blocks.rank


def rank(c: Context, code: Code) -> int:
    """Return the rank of a value."""
    if _is_literal(code):
        return 0
    return code.fma.rank if code.fma.rank >= 0 else next_rank(c)


def rank_above(c: Context, *operands: Code) -> int:
    """Return the rank of a value computed from these operands."""
    return 1 + max([rank(c, code) for code in operands])


def variable_rank(c: Context, variable: Variable) -> int:
    """Return the rank of a variable's value here: the one assigned last, or the first of a block where several join."""
    return variable.rank if variable.scope in c.blocks.open_scopes else c.blocks.first_rank


def product_negated(left: Code, right: Code) -> bool:
    """Return whether a product has an odd number of minus signs; one next to a literal is part of the literal."""
    if _is_literal(left) or _is_literal(right):
        number = left.constant if _is_literal(left) else right.constant
        return bool(number < 0) != (right if _is_literal(left) else left).fma.negated
    return _factor_negated(left) != _factor_negated(right)


def right_first(c: Context, op: str, left: Code, right: Code, kind: CType) -> bool:
    """Return whether nvcc fuses the right one of two products that are added or subtracted."""
    if kind == HALF:  # its operators are inline assembly, which LLVM does not reorder
        return False
    # The minuend of a difference is fused: q of -p + q, p of p - q. Of -p - q it is p, of -p + -q it is q. Only p + q
    # is ordered by rank.
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
