"""Operands of `mma.sync` in inline PTX: a result of one lane depends on registers of several lanes of its warp.

A warp multiplies 16 x k by k x 8 elements. For example with k = 8 and tf32 factors, the sum in row 0 and column 3 is in
lane 1; its factors are in lanes 0 to 3 on the left, and in lanes 12 to 15 on the right. The layout is the simulator's,
`kernels.simt.machine.fragments`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kernels.launch import WARP_SIZE
from kernels.simt.machine.fragments import left_factor, right_factor, sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.frontend.ast import Assembly, Expr

_PRODUCT: Final = re.compile(
    r"\s*mma\.sync\.aligned\.m16n8k\d+\.row\.col\.(f16|f32|s32)\.(f16|bf16|tf32|s8)\.\w+\.\w+\s*"
    + r"\s*,\s*".join([r"\{([^}]*)\}"] * 4)
    + r"\s*;?\s*"
)
_OPERAND: Final = re.compile(r"%(\d+)")

PACKED: Final = {"f16": 2, "bf16": 2, "tf32": 1, "s8": 4, "f32": 1, "s32": 1}
"""By type: numbers in a register."""


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
    factor_type: str
    """Type of the factors: "tf32"."""
    sum_type: str
    """Type of the sums: "f32"."""


class Holders(NamedTuple):
    """The holder of each element of a matrix; arrays are [rows, columns]."""

    lane: NDArray[np.int64]
    """Number of the lane in its warp."""
    register: NDArray[np.int64]
    """Position of the register among those of the matrix."""
    part: NDArray[np.int64]
    """Position in the register, among the numbers that are packed in it."""


class ProductHolders(NamedTuple):
    """The holders of the matrices of an `mma.sync`."""

    left: Holders
    """16 rows."""
    right: Holders
    """8 columns."""
    sums: Holders
    """Of the earlier sums and of the results, 16 x 8."""


def matrix_product(node: Assembly) -> MatrixProduct | None:
    """Return the operands of an asm statement that is an `mma.sync`; None for any other."""
    match = _PRODUCT.fullmatch(node.template)
    if match is None:
        return None
    results, left, right, onto = (tuple(map(int, _OPERAND.findall(text))) for text in match.groups()[2:])
    return MatrixProduct(results, left, right, onto, match[2], match[1])


def operand_expressions(node: Assembly) -> tuple[Expr, ...]:
    """Return the operands of an asm statement by their numbers."""
    return tuple(expression for _, expression in (*node.outputs, *node.inputs))


@lru_cache(maxsize=64)
def product_holders(product: MatrixProduct) -> ProductHolders:
    """Return the lane and the register of each element of the matrices: the layout that the simulator executes."""
    factor, total = PACKED[product.factor_type], PACKED[product.sum_type]
    return ProductHolders(
        holders(left_factor(_slots(len(product.left), factor))[0], factor),
        holders(right_factor(_slots(len(product.right), factor))[0], factor),
        holders(sums(_slots(len(product.sums), total))[0], total),
    )


def holders(slots: NDArray[np.int64], packed: int) -> Holders:
    """Return lanes and registers by the numbers of the slots, of which a register has 32 times `packed`."""
    register, slot = np.divmod(slots, WARP_SIZE * packed)
    return Holders(slot // packed, register, slot % packed)


def operands_of_result(product: MatrixProduct, node: Assembly, output: int, lane: int) -> tuple[LaneOperand, ...]:
    """Return what an output operand of one lane is computed from: the earlier sum, then the left and right factors."""
    expressions, held = operand_expressions(node), product_holders(product)
    number, first = product.results.index(output), lane - lane % WARP_SIZE
    results = np.argwhere((held.sums.lane == lane - first) & (held.sums.register == number)).tolist()
    parts = [(product.left, held.left.lane[row], held.left.register[row]) for row in {row for row, _ in results}]
    parts += [(product.right, held.right.lane[:, column], held.right.register[:, column]) for _, column in results]
    found = [LaneOperand(expressions[product.sums[number]], lane)]
    for numbers, lanes, registers in parts:
        # Numbers packed in a register are one operand.
        own = dict.fromkeys(zip(registers.tolist(), lanes.tolist(), strict=True))
        found += [LaneOperand(expressions[numbers[register]], first + holder) for register, holder in own]
    return tuple(found)


def _slots(registers: int, packed: int) -> NDArray[np.int64]:
    """Return the numbers of the slots of a warp's registers."""
    return np.arange(registers * WARP_SIZE * packed).reshape(1, registers, -1)
