"""Operands of `mma.sync` in inline PTX: a result of one lane depends on registers of several lanes of its warp.

A warp multiplies 16 x k by k x 8 elements. The lanes of a group of four hold a row of the left factor and of the sums;
another group of four holds a column of the right factor (PTX ISA, "Matrix Fragments for mma.m16n8k16 with
floating point type", and the like for other depths). For example with k = 8 and tf32 factors, the sum in row 0 and
column 3 is in lane 1; its factors are in lanes 0 to 3 on the left, and in lanes 12 to 15 on the right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from kernels.frontend.ast import Assembly, Expr

_PRODUCT: Final = re.compile(
    r"\s*mma\.sync\.aligned\.m16n8k\d+\.row\.col\.(f16|f32|s32)\.\w+\.\w+\.\w+\s*"
    + r"\s*,\s*".join([r"\{([^}]*)\}"] * 4)
    + r"\s*;?\s*"
)
_OPERAND: Final = re.compile(r"%(\d+)")
_GROUP: Final = 4
"""Lanes that hold one row or column."""


class LaneOperand(NamedTuple):
    """An operand of the asm statement, in the registers of one lane."""

    expression: Expr
    lane: int
    """Lane of the launch."""


class MatrixProduct(NamedTuple):
    """The operands of an `mma.sync`, each register by its number among the operands of the asm statement."""

    results: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    sums: tuple[int, ...]
    halves: bool
    """True if a register of the results holds two neighbours of a row."""


def matrix_product(node: Assembly) -> MatrixProduct | None:
    """Return the operands of an asm statement that is an `mma.sync`; None for any other."""
    match = _PRODUCT.fullmatch(node.template)
    if match is None:
        return None
    results, left, right, sums = (tuple(map(int, _OPERAND.findall(text))) for text in match.groups()[1:])
    return MatrixProduct(results, left, right, sums, match[1] == "f16")


def operands_of_result(product: MatrixProduct, node: Assembly, output: int, lane: int) -> tuple[LaneOperand, ...]:
    """Return what an output operand of one lane is computed from: the earlier sum, then the left and right factors."""
    expressions = [expression for _, expression in (*node.outputs, *node.inputs)]
    number, first = product.results.index(output), lane - lane % WARP_SIZE
    # Registers alternate between the upper and the lower 8 rows of the left factor; those of the sums follow.
    lower = number if product.halves else number // 2
    row = lane // _GROUP * _GROUP
    columns = (0, 1) if product.halves else (number % 2,)
    found = [LaneOperand(expressions[product.sums[number]], lane)]
    found += [
        LaneOperand(expressions[register], row + own) for register in product.left[lower::2] for own in range(_GROUP)
    ]
    found += [
        LaneOperand(expressions[register], first + (lane % _GROUP * 2 + column) * _GROUP + own)
        for column in columns
        for register in product.right
        for own in range(_GROUP)
    ]
    return tuple(found)
