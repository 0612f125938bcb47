"""a·b + c with one rounding, in half, float and double: exact in every lane, with a fast path."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT, HALF

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_LOWER: Final = np.int64(64 - 29)
_HALFWAY: Final = np.iinfo(np.int64).min
"""A float64 has 29 bits more than a float32. Shifted up by `_LOWER`, they equal this halfway between two floats."""


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """a·b + c in float32.

    The product is exact in float64 (24 + 24 bits fit into 53); the sum is rounded there and again to float32. Two
    roundings differ from one only if the first gives exactly the middle between two floats, or the result is subnormal.
    Example: a·b = 1 + 2⁻²⁴ and c = 2⁻⁶⁰. In float64 the sum is 1 + 2⁻²⁴, the middle of 1 and 1 + 2⁻²³, which rounds
    to even, 1; the exact sum is above the middle and rounds to 1 + 2⁻²³. Such sums are moved to the side of their
    error; a result with a subnormal lane is computed again by rounding to odd.
    """
    if type(c) is not np.ndarray and type(a) is not np.ndarray and type(b) is not np.ndarray:
        return np.float32(to_odd(a, b, c))
    total = np.multiply(a, b, dtype=np.float64)
    # `out` reuses the product's memory; a product of scalars has none.
    total = np.add(total, c, out=total if total.ndim else None, dtype=np.float64)
    below = total.view(np.int64) << _LOWER
    try:
        # NumPy reports underflow for the whole vector at no cost; testing each result for being subnormal would cost a
        # pass.
        with np.errstate(under="raise"):
            result = total.astype(np.float32)
    except FloatingPointError:
        return to_odd(a, b, c).astype(np.float32)
    if np.minimum.reduce(below) == _HALFWAY:
        hard = np.flatnonzero(below == _HALFWAY)
        x, y, z = (value[hard] if type(value) is np.ndarray else value for value in (a, b, c))
        middle, error = _exact_sum(np.multiply(x, y, dtype=np.float64), z)
        off = np.flatnonzero(error)  # the other sums are exactly in the middle: rounding to even is right
        if len(off):
            result[hard[off]] = np.nextafter(middle[off], np.copysign(np.inf, error[off]))
    return result


def multiply_add_half(a: Any, b: Any, c: Any) -> Any:
    """a·b + c in float16."""
    return to_odd(a, b, c).astype(np.float16)[()]


def multiply_add_double(a: Any, b: Any, c: Any) -> Any:
    """a·b + c in float64.

    Product and sum are split into a rounded part and its error (Dekker, A floating-point technique for extending the
    available precision, Numerische Mathematik 18, 1971); the errors are added with rounding to odd. Lanes whose errors
    could overflow or underflow are computed as fractions.
    """
    a, b, c = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in (a, b, c)))
    plain = a * b + c
    high, low = _exact_product(a, b)
    upper, middle = _exact_sum(c, low)
    top, rest = _exact_sum(high, upper)
    found = top + _add_to_odd(middle, rest)
    result = np.where(np.isfinite(plain) & (found != 0), found, plain)  # `plain` has the right sign of a zero
    sizes = [np.abs(value) for value in (high, c)]
    # Dekker's splitting multiplies by 2^27 + 1, and the errors are about 2^-53 of their sums: far from both ends of the
    # range nothing overflows or becomes subnormal.
    easy = (np.abs(a) < 2.0**900) & (np.abs(b) < 2.0**900) & ((sizes[0] > 2.0**-900) | (a == 0) | (b == 0))
    for size in sizes:
        easy &= (size < 2.0**1000) & ((size > 2.0**-900) | (size == 0))
    hard = ~easy & np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    for at in np.argwhere(hard):
        place = tuple(at)
        result[place] = _by_fraction(float(a[place]), float(b[place]), float(c[place]), float(plain[place]))
    return result if result.ndim else np.float64(result)


def _by_fraction(a: float, b: float, c: float, plain: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        return plain
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def to_odd(a: Any, b: Any, c: Any) -> NDArray[np.float64]:
    """a·b + c of narrower numbers in float64, rounded to odd, so that rounding it again gives the right result.

    An inexact result takes the neighbour with an odd last bit, which is never the middle between two narrower numbers
    (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Computers 57(4), 2008).
    """
    return _add_to_odd(np.asarray(a, np.float64) * np.asarray(b, np.float64), np.asarray(c, np.float64))


def _add_to_odd(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    total, error = _exact_sum(left, right)
    even = (np.asarray(total).view(np.int64) & 1) == 0
    inexact = (error != 0) & np.isfinite(total) & np.isfinite(error)
    return np.asarray(np.where(inexact & even, np.nextafter(total, np.copysign(np.inf, error)), total))


def _exact_sum(left: Any, right: Any) -> tuple[Any, Any]:
    total = left + right
    back = total - left
    return total, (left - (total - back)) + (right - back)


def _exact_product(left: Any, right: Any) -> tuple[Any, Any]:
    product = left * right
    a, b = _halves(left), _halves(right)
    return product, a[1] * b[1] - (((product - a[0] * b[0]) - a[1] * b[0]) - a[0] * b[1])


def _halves(value: Any) -> tuple[Any, Any]:
    shifted = value * 134217729.0  # 2^27 + 1 splits 53 bits in two
    high = shifted - (shifted - value)
    return high, value - high


FUSED: Final[dict[Any, Callable[[Any, Any, Any], Any]]] = {
    HALF: multiply_add_half,
    FLOAT: multiply_add,
    DOUBLE: multiply_add_double,
}
"""a·b + c with one rounding, by type."""
