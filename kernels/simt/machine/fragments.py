"""Fragments of matrix instructions: the lane and register of each element (PTX ISA, "Warp-level matrix instructions").

Each function takes the contents of registers and returns a matrix, or vice versa. Registers are [warp, register, slot]:
a register of a warp has 32 slots, one for each lane; where numbers are packed, those of a lane side by side. The
simulator applies the functions to values; applied to the numbers of the slots they give the layout. For example, with
two halves in a register, slots 26 and 27 are in lane 13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.number_types import bfloat_to_float

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Slots = NDArray[Any]
    Matrices = NDArray[Any]

_TF32_BITS: Final = np.uint32(0xFFFFE000)
"""The bits of a word that are a tf32 number: the others are ignored."""

_TYPES: Final[dict[str, Any]] = {"f16": np.float16, "s8": np.int8, "f32": np.float32, "s32": np.int32}


def packed_numbers(words: NDArray[np.uint32], kind: str) -> NDArray[Any]:
    """Return the numbers of a type in 32-bit words, those of a word side by side; of bf16 and tf32 as floats."""
    words = np.ascontiguousarray(words)
    if kind == "bf16":
        return bfloat_to_float(words.view(np.uint16))
    return (words & _TF32_BITS).view(np.float32) if kind == "tf32" else words.view(_TYPES[kind])


def left_factor(slots: Slots) -> Matrices:
    """Return the left factors of `mma.sync`, [warp, 16, depth].

    Registers alternate between the upper and the lower 8 rows.
    """
    return np.concatenate([_rows(slots[:, half::2]) for half in range(2)], axis=1)


def right_factor(slots: Slots) -> Matrices:
    """Return the right factors of `mma.sync`, [warp, depth, 8]."""
    return _rows(slots).swapaxes(1, 2)


def _rows(slots: Slots) -> Matrices:
    """Return 8 rows of a factor: four lanes hold a row, a register of them 16 adjacent bytes of it."""
    count, registers = slots.shape[:2]
    return slots.reshape(count, registers, 8, -1).swapaxes(1, 2).reshape(count, 8, -1)


def sums(slots: Slots) -> Matrices:
    """Return the sums of `mma.sync`, [warp, 16, 8]: a lane holds two neighbours of a row, and of the row 8 below."""
    count, registers = slots.shape[:2]
    if registers == 2:  # two halves in each
        return slots.reshape(count, 16, 8)
    return slots.reshape(count, 2, 2, 8, 4).transpose(0, 1, 3, 4, 2).reshape(count, 16, 8)


def sum_slots(matrices: Matrices, registers: int) -> Slots:
    """Return the registers that hold sums: the inverse of `sums`."""
    count = len(matrices)
    if registers == 2:
        return matrices.reshape(count, 2, 64)
    return matrices.reshape(count, 2, 8, 4, 2).transpose(0, 1, 4, 2, 3).reshape(count, 4, 32)


def moved_slots(matrices: Matrices, *, transposed: bool) -> Slots:
    """Return the registers to which `ldmatrix` loads matrices of 8 x 8 halves, [warp, matrix, 8, 8]: one for each."""
    if transposed:
        matrices = matrices.swapaxes(2, 3)
    return matrices.reshape(*matrices.shape[:2], 64)
