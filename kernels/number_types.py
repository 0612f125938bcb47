"""Types of the numbers in arrays: those of NumPy, and bfloat16, of which NumPy has only the bits.

bfloat16 is the upper half of a float's bits: the exponent of float32, and 8 significant bits. float16 has 11
significant bits and exponents from -14 to 15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BFLOAT16: Final = "bfloat16"
FLOAT16: Final = "float16"
FLOAT32: Final = "float32"

HALVES: Final = (BFLOAT16, FLOAT16)
"""Types of 16 bits that tensor cores multiply."""


def storage_of(name: str) -> str:
    """Return the NumPy type in which numbers of a type are stored: for bfloat16 that of its bits."""
    return "uint16" if name == BFLOAT16 else name


def bfloat_to_float(bits: Any) -> NDArray[np.float32]:
    """Return the values of bfloat16 bits as floats."""
    words = np.asarray(bits, np.uint16).astype(np.uint32)
    words <<= np.uint32(16)
    return words.view(np.float32)


def bfloat_to_double(bits: Any) -> NDArray[np.float64]:
    """Return the values of bfloat16 bits as doubles."""
    return np.asarray(bfloat_to_float(bits), np.float64)


def round_to_bfloat(numbers: Any) -> Any:
    """Return the bits of the nearest bfloat16, ties to even, with one rounding.

    A double becomes a float by rounding to odd first, which the second rounding cannot tell from the double itself
    (S. Boldo, G. Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Computers 57(4), 2008).
    """
    exact = np.asarray(numbers)
    if exact.dtype == np.float32:  # of a large array, doubles would take four times its memory
        words = exact.view(np.uint32)
    else:
        exact = exact.astype(np.float64)
        near = exact.astype(np.float32)
        words = near.view(np.uint32)
        missed = (near != exact) & np.isfinite(exact)
        other = np.nextafter(near, np.where(exact > near, np.float32(np.inf), np.float32(-np.inf)))
        words = np.where(missed & (words & 1 == 0), other.view(np.uint32), words)
    even = words >> np.uint32(16) & np.uint32(1)
    bits = ((words + np.uint32(0x7FFF) + even) >> np.uint32(16)).astype(np.uint16)
    bits = np.where(np.isnan(exact), np.uint16(0x7FFF), bits)
    return bits if bits.ndim else int(bits)


def round_to(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    """Round numbers to a type, as they are stored."""
    if name == BFLOAT16:
        return np.asarray(round_to_bfloat(numbers))
    with np.errstate(over="ignore"):  # as in C, what is too large becomes infinite
        return numbers.astype(name, copy=False)


def numbers_of(name: str, stored: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers that are stored: the inverse of `round_to`, for bfloat16 as floats."""
    return bfloat_to_float(stored) if name == BFLOAT16 else stored
