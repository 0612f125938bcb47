"""Device functions that work lane by lane: what each takes, gives, and computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[..., Any]


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """a·b + c in float32 with one rounding.

    The product is exact in float64. The sum is rounded there to odd, which makes the second rounding harmless
    (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Computers 57(4), 2008).
    """
    product = np.asarray(a, np.float64) * np.asarray(b, np.float64)
    addend = np.asarray(c, np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    even = (total.view(np.int64) & 1) == 0
    inexact = (error != 0) & np.isfinite(total) & np.isfinite(error)
    odd = np.where(inexact & even, np.nextafter(total, np.copysign(np.inf, error)), total)
    return odd.astype(np.float32) if odd.ndim else np.float32(odd)


def _round_half_away(value: Any) -> Any:
    whole = np.trunc(value)
    return (whole + np.copysign(np.abs(value - whole) >= 0.5, value)).astype(value.dtype)


def _reciprocal_root(value: Any) -> Any:
    return (1 / np.sqrt(value.astype(np.float64))).astype(value.dtype)


FLOATING: Final[dict[str, tuple[int, Function]]] = {
    "sqrt": (1, np.sqrt), "rsqrt": (1, _reciprocal_root), "fabs": (1, np.abs), "floor": (1, np.floor),
    "ceil": (1, np.ceil), "trunc": (1, np.trunc), "round": (1, _round_half_away), "rint": (1, np.rint),
    "exp": (1, np.exp), "log": (1, np.log), "sin": (1, np.sin), "cos": (1, np.cos), "tanh": (1, np.tanh),
    "pow": (2, np.power), "fmod": (2, np.fmod), "fmin": (2, np.fmin), "fmax": (2, np.fmax),
}  # fmt: skip
"""Name: number of operands, function. With an f at the end all are float; without, float or double."""

FLOAT_ONLY: Final[dict[str, tuple[int, Function]]] = {
    "fmaf": (3, fused_multiply_add), "__fmaf_rn": (3, fused_multiply_add),
    "__fadd_rn": (2, np.add), "__fsub_rn": (2, np.subtract), "__fmul_rn": (2, np.multiply),
    "__fdiv_rn": (2, np.divide), "__fsqrt_rn": (1, np.sqrt),
}  # fmt: skip

SMALLEST_LARGEST: Final[dict[str, tuple[Function, Function]]] = {
    "min": (np.minimum, np.fmin), "max": (np.maximum, np.fmax),
}  # fmt: skip
"""For integers, and for floating point, where CUDA's min and max ignore a NaN."""

ATOMIC: Final[dict[str, tuple[int, Function]]] = {
    "atomicAdd": (1, lambda old, value: old + value),
    "atomicSub": (1, lambda old, value: old - value),
    "atomicMin": (1, np.minimum),
    "atomicMax": (1, np.maximum),
    "atomicExch": (1, lambda old, value: value),
    "atomicAnd": (1, np.bitwise_and),
    "atomicOr": (1, np.bitwise_or),
    "atomicXor": (1, np.bitwise_xor),
    "atomicInc": (1, lambda old, most: np.where(old >= most, np.zeros_like(old), old + np.ones_like(old))),
    "atomicDec": (1, lambda old, most: np.where((old == 0) | (old > most), most, old - np.ones_like(old))),
    "atomicCAS": (2, lambda old, compare, value: np.where(old == compare, value, old)),
}
"""Name: number of operands after the address, and the new value from the old one and them."""

INTEGER_ATOMICS: Final = frozenset(ATOMIC) - {"atomicAdd", "atomicExch"}
"""CUDA has these for integers only."""
