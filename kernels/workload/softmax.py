"""y = softmax(x) of each row: y[i] = exp(x[i] - m) / S with m = max x[j] and S = Σ exp(x[j] - m), of C columns.

Bound of the error |ŷ[i] - y[i]|, without terms in u², with u = 2⁻²⁴, d[j] = m - x[j], and e = 4u, the relative error of
expf, at most 2 ulp (CUDA C++ Programming Guide, Mathematical Functions). The largest element is exact.

- The exponential of a rounded difference has a relative error of d[j]·u + e: d[j] is rounded by a factor 1 + δ with
  |δ| ≤ u, and exp(-d(1 + δ)) = exp(-d)·exp(-dδ). Over all terms of S this is d̄·u + e, where d̄ is the mean of d[j] with
  the weights exp(-d[j]).
- A kernel that finds m while it adds multiplies sums by exp(before - now) (Milakov and Gimelshein, Online normalizer
  calculation for softmax, 2018). The differences that a term passes add up to d[j], so that their rounding is part of
  d̄·u; what is left of a correction is e + u. A term passes at most K corrections, where K is the number of different
  numbers of the row, less one: each correction has a larger element, and exp(0) is exactly 1.
- A term passes at most C - 1 additions. In any order, additions and corrections give a sum of positive terms a relative
  error of at most (C - 1)·u + K·(e + u) (Higham, Accuracy and Stability, section 4.2). If their errors are independent
  with mean 0, it is at most λ·√((C - 1)·u² + K·(e + u)²), except with probability 2·exp(-λ²/2), for λ = 8 2.5·10⁻¹⁴
  (inequality of Azuma and Hoeffding; Higham and Mary, A new approach to probabilistic rounding error analysis, 2019).
  The smaller one holds.
- The division, or a reciprocal and a product, adds 2u.
- Below 2⁻¹²⁶ floats are 2⁻¹⁴⁹ apart, and relative errors say nothing: there an exponential is within 2 such steps, and
  so is its quotient by S ≥ 1, whose rounding adds half a step.

Together: |ŷ[i] - y[i]| ≤ y[i]·((d[i] + d̄ + 2)·u + 2e + the error of the sum) + 3·2⁻¹⁴⁹. For an element of -infinity
y[i] = 0. A row with infinity or NaN, or with nothing but -infinity, has no result: any value there is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.fill import Fill
from kernels.reference import FLOAT32_UNIT_ROUNDOFF, Reference
from kernels.workload.model import ArraySpec, Length, Rate, Size, Workload
from kernels.workload.picture import Matrices, Panel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DEVIATIONS: Final = 8.0
"""λ."""

_EXPONENTIAL: Final = 4 * FLOAT32_UNIT_ROUNDOFF
"""e."""

_SMALLEST: Final = 2.0**-149
"""Distance of floats below 2⁻¹²⁶."""


@dataclass(frozen=True, slots=True)
class Softmax:
    """The softmax of each row."""

    rows: NDArray[np.generic]

    def reference(self) -> Reference:
        """Compute it in float64, with the bound of the module's comment."""
        x = self.rows.astype(np.float64)
        with np.errstate(all="ignore"):  # what is not finite fails
            below = x.max(axis=1, keepdims=True) - x
            terms = np.exp(-below)
            total = terms.sum(axis=1, keepdims=True)
            below[terms == 0] = 0  # also where it is infinite: such a term has no error
            mean = (terms * below).sum(axis=1, keepdims=True) / total
            values = terms / total
            relative = (below + mean + 2) * FLOAT32_UNIT_ROUNDOFF + 2 * _EXPONENTIAL + self._error_of_sum()
            return Reference(values, values * relative + 3 * _SMALLEST, norm_limit=np.inf)

    def sequential(self) -> NDArray[np.float32]:
        """Compute it in float32 as plain loops do: each sum from the first column on, each result rounded."""
        x = self.rows.astype(np.float32, copy=False)
        with np.errstate(all="ignore"):
            terms = np.exp(x - x.max(axis=1, keepdims=True))
            total = np.add.accumulate(terms, axis=1, dtype=np.float32)[:, -1:]
            return np.asarray(terms / total, np.float32)

    def _error_of_sum(self) -> NDArray[np.float64]:
        """Return the relative error that additions and corrections give the sum of each row."""
        additions = self.rows.shape[1] - 1
        ordered = np.sort(self.rows, axis=1)
        corrections = np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)[:, None].astype(np.float64)
        correction = _EXPONENTIAL + FLOAT32_UNIT_ROUNDOFF
        in_any_order = additions * FLOAT32_UNIT_ROUNDOFF + corrections * correction
        squares = additions * FLOAT32_UNIT_ROUNDOFF**2 + corrections * correction**2
        found: NDArray[np.float64] = np.minimum(in_any_order, _DEVIATIONS * np.sqrt(squares))
        return found


WORKLOAD: Final = Workload(
    id="softmax",
    title="softmax of rows",
    lengths=(Length("m", "rows"), Length("n", "cols", "columns")),
    picture=Matrices((Panel("x", "left"), Panel("y", "result"))),
    arrays=lambda s: (ArraySpec("x", "float32", (s.m, s.n)), ArraySpec("y", "float32", (s.m, s.n), output=True)),
    flops=lambda s: 5 * s.m * s.n,  # compare, subtract, exponential, add, divide
    results=lambda inputs, s, rows: {"y": Softmax(inputs["x"][rows])},
    rate=Rate("GB/s", "n", lambda s: 8 * s.m * s.n / 1e9, by_memory=True),
    fill=Fill("mod", (10,)),
    size=Size(4, 48, 1),
    large=(Size(8192, 1024, 1), Size(1024, 1024, 1)),
)
