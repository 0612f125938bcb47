"""Accumulation in a tensor core: a product of tiles plus a sum, to the bit as on an H200.

Products are exact. The products and the previous sum are aligned to their largest exponent, bits more than 25 places
below it are cut off, the rest is added exactly, and the sum is rounded once: towards zero to a float, to the nearest
half. The exponent of a product is the sum of the factors' exponents; a subnormal number has the smallest exponent of
its format.
(F. Khattak, M. Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv:2512.07004, 2025, also for other GPUs;
M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science
7:e330, 2021.)

Example with 16 products 1·1: added to 2²⁵ they give 2²⁵ + 16; added to 2²⁶ they give 2²⁶, because each lies 26 places
below it and is cut off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    Numbers = NDArray[Any]

_FRACTION_BITS: Final = 25
"""Fraction bits of the largest term; lower bits of all terms are cut off."""

SMALLEST: Final = {"f16": -14, "bf16": -126, "tf32": -126}
"""By type of the factors: exponent of the smallest normal number."""

_ZERO_EXPONENT: Final = -300
"""The exponent of zero: below that of any product."""

_TILES_AT_ONCE: Final = 16
"""Number of tiles whose terms are computed together: few enough for a CPU's cache."""


def accumulate(a: Numbers, b: Numbers, c: Numbers, factors: str, sums: DTypeLike, block: int) -> Numbers:
    """Return a·b + c of many tiles, each [rows, depth], [depth, columns] and [rows, columns], of doubles.

    Parameters
    ----------
    factors : str
        Type of the factors, a key of `SMALLEST`.
    sums : dtype
        Type to which each sum is rounded.
    block : int
        Number of products that the hardware adds at once to the previous sum.
    """
    total = c
    for first in range(0, a.shape[-1], block):
        part = slice(first, first + block)
        total = _step(a[..., part], b[:, part], total, SMALLEST[factors], np.dtype(sums))
    return total


def _step(a: Numbers, b: Numbers, c: Numbers, smallest: int, sums: np.dtype[Any]) -> Numbers:
    with np.errstate(all="ignore"):
        if _is_exact(a, b, c):
            return _round(np.matmul(a, b) + c, sums)
        smallest_sum = SMALLEST["f16" if sums == np.float16 else "tf32"]
        parts = [slice(first, first + _TILES_AT_ONCE) for first in range(0, len(a), _TILES_AT_ONCE)]
        return _round(np.concatenate([_aligned_sum(a[p], b[p], c[p], smallest, smallest_sum) for p in parts]), sums)


def _is_exact(a: Numbers, b: Numbers, c: Numbers) -> bool:
    """Return whether no bit can be cut off, as with small integers, so that a plain product gives the result."""
    top = [int(_exponents(x, _ZERO_EXPONENT).max()) for x in (a, b, c)]
    spare_bits = _FRACTION_BITS - max(top[2] - top[0] - top[1], 0)
    scales = (spare_bits // 2 - top[0], spare_bits - spare_bits // 2 - top[1], spare_bits - top[0] - top[1])
    return spare_bits >= 0 and all(
        bool(np.equal(number, np.rint(number)).all()) and bool(np.isfinite(number).all())
        for number in map(np.ldexp, (a, b, c), scales)
    )


def _aligned_sum(a: Numbers, b: Numbers, c: Numbers, smallest: int, smallest_sum: int) -> Numbers:
    columns = np.ascontiguousarray(b.swapaxes(1, 2))
    exponents = _exponents(a, smallest)[:, :, None] + _exponents(columns, smallest)[:, None]
    top = np.maximum(exponents.max(-1), _exponents(c, smallest_sum))
    scale = np.ldexp(1.0, _FRACTION_BITS - np.maximum(top, _ZERO_EXPONENT))
    terms = a[:, :, None] * columns[:, None]
    terms *= scale[..., None]
    total: Numbers = (np.trunc(terms, out=terms).sum(-1) + np.trunc(c * scale)) / scale
    return total


def _exponents(x: Numbers, smallest: int) -> NDArray[np.int32]:
    exponents: NDArray[np.int32] = np.where(x == 0, _ZERO_EXPONENT, np.maximum(np.frexp(x)[1] - 1, smallest))
    return exponents


def _round(x: Numbers, sums: np.dtype[Any]) -> Numbers:
    if sums == np.float16:
        return x.astype(np.float16).astype(np.float64) + 0.0  # -0 becomes 0
    near = x.astype(np.float32)
    # Numbers from 2¹²⁸ up become infinite.
    rounded_away = (np.abs(near.astype(np.float64)) > np.abs(x)) & (np.abs(x) < 2.0**128)
    return np.where(rounded_away, np.nextafter(near, np.float32(0)), near).astype(np.float64) + 0.0
