"""Reference products: in float64 with the error bound of sums in float32, and in float32 summed in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOAT32_UNIT_ROUNDOFF: Final = 2.0**-24
"""u of IEEE binary32 with rounding to nearest (Higham, Accuracy and Stability, section 2.1)."""

_AT_ONCE: Final = 2**24
"""Elements of the right factor converted to float64 at once: at n = 20,000 all of them would take 3.2 GB."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Float64 result rows and the elementwise bound on a float32 kernel's error."""

    rows: NDArray[np.float64]
    bound: NDArray[np.float64]
    norm_limit: float = 1e-5
    """Bound on the relative Frobenius norm of the error, as the elementwise bound of long sums is far from what they
    reach; infinite for none."""

    def error(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the error of each element; NaN stays NaN."""
        difference: NDArray[np.float64] = np.abs(found - self.rows)
        return difference

    norm_bound: float = 0.0
    """Bound on every element's error where a kernel adds elements to each other before it multiplies them."""

    def note(self, found: NDArray[np.float64]) -> str:
        """Return what should be known of a correct result; "" for nothing."""
        return ""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Errors that a kernel may have beyond those of a product of floats."""

    roundings: int = 0
    """Roundings of a product beyond its one: of a kernel that computes with other numbers."""
    by_norm: bool = False
    """Whether the error of an element is bounded by the largest inputs and not by those that it is a sum of."""

    def bound(self, reference: Reference, length: int) -> NDArray[np.float64]:
        """Return the bound on the error of each element, a sum of `length` products."""
        if self.by_norm:
            return np.full_like(reference.bound, reference.norm_bound)
        widened: NDArray[np.float64] = reference.bound * (1 + self.roundings / length)
        return widened


FLOAT32: Final = Tolerance()
"""Products of floats in any order."""


class Result(Protocol):
    """A correct result, computed on request."""

    def reference(self) -> Reference:
        """Compute it in float64, with the bound of the error of float32."""

    def sequential(self) -> NDArray[np.generic]:
        """Compute it in float32 in the order of plain loops."""


def gamma(length: int) -> float:
    """γ_K = K·u / (1 - K·u): the relative error of a float32 sum of K products, in any order (Higham, section 3.1)."""
    return length * FLOAT32_UNIT_ROUNDOFF / (1 - length * FLOAT32_UNIT_ROUNDOFF)


def tensor_core_gamma(length: int) -> float:
    """Return the relative error of a sum of `length` products of halves in float32, in any order, on tensor cores too.

    Such products are exact. A tensor core adds b ≥ 4 of them to the previous sum at once: it aligns all terms to the
    largest, cuts off what is below 2⁻²³ of its leading bit, or further down, and cuts the sum off to a float (M. Fasi,
    N. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021).
    Each cut errs by at most v = 2u of the terms' magnitude, twice as much as rounding to nearest. One for each product
    and one for each of ⌈K/b⌉ sums make at most n = K + ⌈K/4⌉ factors 1 + v, and (1 + v)ⁿ - 1 ≤ n·v / (1 - n·v)
    (Higham, lemma 3.1). Numbers below float32's normal ones are not considered.
    """
    cuts = (length + -(-length // 4)) * 2 * FLOAT32_UNIT_ROUNDOFF
    return cuts / (1 - cuts)


def _largest(matrix: NDArray[np.generic]) -> float:
    return max(float(np.max(matrix)), -float(np.min(matrix)))


@dataclass(frozen=True, slots=True)
class Product:
    """Some rows of left · right."""

    left: NDArray[np.generic]
    right: NDArray[np.generic]
    rows: NDArray[np.int64]
    halves: bool = False
    """Whether the factors were halves, whose products tensor cores may add."""

    def reference(self) -> Reference:
        """Multiply in float64.

        The elementwise bound is γ_K |left||right|. What tensor cores cut off their sums is always towards zero: K/4
        times up to 2u, which may add up to K·u/2 of the norm, for which K·u is allowed. The third bound is that of one
        level of Strassen's recursion for matrices of order n, here the largest of the three lengths:
        (12 ((n/2)² + 5n/2) - 5n) u max|left| max|right|, without terms in u² (Brent; Higham, section 23.2.2).
        """
        a = self.left[self.rows].astype(np.float64)
        shape = len(a), self.right.shape[1]
        n = max(self.left.shape + self.right.shape)
        largest = _largest(self.left) * _largest(self.right)
        found = Reference(
            np.empty(shape),
            np.empty(shape),
            norm_limit=max(1e-5, len(self.right) * FLOAT32_UNIT_ROUNDOFF) if self.halves else 1e-5,
            norm_bound=(12 * ((n / 2) ** 2 + 5 * n / 2) - 5 * n) * FLOAT32_UNIT_ROUNDOFF * largest,
        )
        relative = (tensor_core_gamma if self.halves else gamma)(a.shape[1])
        step = max(1, _AT_ONCE // len(self.right))
        for first in range(0, shape[1], step):
            columns = slice(first, first + step)
            b = self.right[:, columns].astype(np.float64)
            found.rows[:, columns] = a @ b
            found.bound[:, columns] = relative * (np.abs(a) @ np.abs(b))
        return found

    def sequential(self) -> NDArray[np.float32]:
        """Multiply in float32 as three plain loops do: from k = 0 up, each product and each sum rounded."""
        columns = self.left[self.rows].astype(np.float32, copy=False)
        rows = np.ascontiguousarray(self.right, np.float32)
        total = np.zeros((len(columns), rows.shape[1]), np.float32)
        product = np.empty_like(total)
        with np.errstate(all="ignore"):  # as in C, what is too large becomes infinite
            for k, row in enumerate(rows):
                np.multiply(columns[:, k, None], row, out=product)
                total += product
        return total


@dataclass(frozen=True, slots=True)
class Exact:
    """Rows whose values are exact, such as integers."""

    values: NDArray[np.generic]

    def reference(self) -> Reference:
        """Return the values with a bound of 0."""
        return Reference(self.values.astype(np.float64), np.zeros(self.values.shape))

    def sequential(self) -> NDArray[np.generic]:
        """Return the values."""
        return self.values
