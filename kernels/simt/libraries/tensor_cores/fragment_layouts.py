"""Fragment layouts of `mma.sync`: elements of a tile by lane (PTX ISA, "Warp-level matrix instructions")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.compiler.bfloat16 import bfloat_to_double

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of factors: bits of an element, and what makes numbers of a register's words."""

    bits: int
    depths: tuple[int, ...]
    sums: tuple[str, ...]
    numbers: Callable[[Array], Array]


def _tf32(words: Array) -> Array:
    return (words & np.uint32(0xFFFFE000)).view(np.float32)


def _parts(words: Array, bits: int) -> Array:
    """Cut words into numbers of a few bits, the lowest first."""
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    return (words[..., None] >> shifts & np.uint32((1 << bits) - 1)).astype(np.int8)


KINDS: Final = {
    "f16": Kind(16, (8, 16), ("f16", "f32"), lambda words: words.view(np.float16)),
    "bf16": Kind(16, (8, 16), ("f32",), lambda words: bfloat_to_double(words.view(np.uint16))),
    "tf32": Kind(32, (4, 8), ("f32",), _tf32),
    "s8": Kind(8, (16, 32), ("s32",), lambda words: words.view(np.int8)),
    "u8": Kind(8, (16, 32), ("s32",), lambda words: words.view(np.uint8)),
    "s4": Kind(4, (32, 64), ("s32",), lambda words: (_parts(words, 4) ^ 8) - 8),
    "u4": Kind(4, (32, 64), ("s32",), lambda words: _parts(words, 4)),
    "b1": Kind(1, (128, 256), ("s32",), lambda words: _parts(words, 1)),
}


def rows_of(words: Array, kind: Kind) -> Array:
    """Put 8 rows together: each group of four lanes has one, a register of them 16 bytes side by side."""
    count, registers = words.shape[:2]
    numbers = kind.numbers(np.ascontiguousarray(words))  # [warp, register, lane × elements of a word]
    numbers = numbers.reshape(count, registers, 8, 128 // kind.bits).swapaxes(1, 2)
    wide = np.int64 if kind.bits <= 8 else np.float64
    return numbers.reshape(count, 8, -1).astype(wide)


def sums_of(words: Array, sums: str, eights: int) -> Array:
    """Put the sums together, eight columns: each lane has two neighbours of a row, and of the row 8 below."""
    count = len(words)
    if sums == "f16":
        pairs = words.view(np.float16).reshape(count, eights, 8, 8)
    else:
        pairs = words.reshape(count, eights, 2, 8, 4).transpose(0, 1, 3, 4, 2).reshape(count, eights, 8, 8)
        pairs = pairs.view(np.int32) if sums == "s32" else pairs
    return pairs.reshape(count, 8 * eights, 8).astype(np.int64 if sums == "s32" else np.float64)


def parted(tile: Array) -> Array:
    """Cut sums into the registers that hold them: the way back from `sums_of`."""
    count, eights = len(tile), tile.shape[1] // 8
    if tile.dtype == np.float16:
        return np.ascontiguousarray(tile).reshape(count, eights, 64).view(np.uint32)
    pairs = tile.reshape(count, eights, 8, 4, 2).transpose(0, 1, 4, 2, 3).reshape(count, 2 * eights, 32)
    return pairs if tile.dtype == np.float32 else np.ascontiguousarray(pairs).view(np.uint32)
