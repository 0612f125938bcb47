"""What a product should be: in float64 with the error that float32 allows, and in float32 summed in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOAT32_UNIT_ROUNDOFF: Final = 2.0**-24
"""u of IEEE binary32 with rounding to nearest (Higham, Accuracy and Stability, section 2.1)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Float64 result rows and the elementwise bound on a float32 kernel's error."""

    rows: NDArray[np.float64]
    bound: NDArray[np.float64]


def gamma(length: int) -> float:
    """γ_K = K·u / (1 - K·u): the relative error of a float32 sum of K products, in any order (Higham, section 3.1)."""
    return length * FLOAT32_UNIT_ROUNDOFF / (1 - length * FLOAT32_UNIT_ROUNDOFF)


@dataclass(frozen=True, slots=True)
class Product:
    """Rows of left · right."""

    left: NDArray[np.generic]
    right: NDArray[np.generic]

    def reference(self) -> Reference:
        """Multiply in float64; the bound is γ_K |left||right|."""
        a, b = self.left.astype(np.float64), self.right.astype(np.float64)
        return Reference(a @ b, gamma(a.shape[1]) * (np.abs(a) @ np.abs(b)))

    def sequential(self) -> NDArray[np.float32]:
        """Multiply in float32 as three plain loops do: from k = 0 up, each product and each sum rounded."""
        columns = self.left.astype(np.float32, copy=False)
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
    """Rows that there is only one right value for."""

    values: NDArray[np.generic]

    def reference(self) -> Reference:
        """Return the values, with no room for error."""
        return Reference(self.values.astype(np.float64), np.zeros(self.values.shape))

    def sequential(self) -> NDArray[np.generic]:
        """Return the values."""
        return self.values


Result = Product | Exact
