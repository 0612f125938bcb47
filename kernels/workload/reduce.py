"""s = Σ x[i], the sum of n floats, and the largest of them with its index.

Bounds of the error |ŝ - s|, with u = 2⁻²⁴. A kernel adds in a tree, in a loop of each thread, by atomics, or by all of
them; whatever the order, these are n - 1 additions, and each rounds its result by a factor 1 + δ with |δ| ≤ u (Higham,
Accuracy and Stability, section 4.2). An addition to 0 is exact.

- If every x[i] is a multiple of one power of two q, and Σ|x[i]| ≤ 2²⁴·q, every partial sum is a float: ŝ = s.
- |ŝ - s| ≤ (n - 1)·u·Σ|x[i]|, without terms in u²: for one loop by Rump, Error estimation of floating-point summation
  and dot product, BIT 52, 2012; in any order by Jeannerod and Rump, Improved error bounds for inner products in
  floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013.
- That bound says nothing from n = 2²⁴ on. If the δ are independent with mean 0, as Higham and Mary assume in A new
  approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019, |ŝ - s| ≤ λ·u·√(n - 1)·P, where P is
  the largest partial sum, except with probability 2·exp(-λ²/2), for λ = 8 2.5·10⁻¹⁴: ŝ - s is the sum of the single
  errors, a martingale with steps of at most u·P (inequality of Azuma and Hoeffding; Ipsen and Zhou, Probabilistic
  error analysis for inner products, SIAM J. Matrix Anal. Appl. 41, 2020). P is at most Σ|x[i]|; where the order does
  not depend on the values, it is taken as the largest sum of consecutive elements plus λ·√n·max|x[i]|, for partial
  sums of elements far from each other. A chain that loses small terms for good, such as 2²⁵ ones added to one float,
  exceeds this bound: its result is wrong.

The smaller bound holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.fill import Fill
from kernels.reference import FLOAT32_UNIT_ROUNDOFF, Exact, Reference
from kernels.workload.model import ArraySpec, Length, Rate, Size, Workload
from kernels.workload.picture import Matrices, Panel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.reference import Result

_DEVIATIONS: Final = 8.0
"""λ."""

_AT_ONCE: Final = 2**22
"""Elements that are converted to float64 at once."""


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of an array of one dimension, as an array of one element."""

    values: NDArray[np.generic]

    def reference(self) -> Reference:
        """Add in float64, with the bound of the module's comment."""
        total, magnitude, largest, low, high = 0.0, 0.0, 0.0, 0.0, 0.0
        with np.errstate(all="ignore"):  # what is not finite fails
            for part in self._parts():
                prefixes = total + np.cumsum(part)
                low, high = min(low, float(prefixes.min())), max(high, float(prefixes.max()))
                total += float(part.sum())
                magnitude += float(np.abs(part).sum())
                largest = max(largest, float(np.abs(part).max()))
        additions = len(self.values) - 1
        partial = min(magnitude, high - low + _DEVIATIONS * sqrt(len(self.values)) * largest)
        bound = FLOAT32_UNIT_ROUNDOFF * min(additions * magnitude, _DEVIATIONS * sqrt(additions) * partial)
        if not np.isfinite(magnitude) or self._exact(magnitude):
            bound = 0.0
        return Reference(np.array([total]), np.array([bound]), norm_limit=np.inf)

    def sequential(self) -> NDArray[np.float32]:
        """Add in float32 as a plain loop does: from i = 0 up, each sum rounded."""
        total = np.zeros(1, np.float32)
        with np.errstate(all="ignore"):  # as in C, what is too large becomes infinite
            for first in range(0, len(self.values), _AT_ONCE):
                part = self.values[first : first + _AT_ONCE].astype(np.float32)
                total = np.add.accumulate(np.concatenate((total, part)), dtype=np.float32)[-1:]
        return total

    def _parts(self) -> Iterator[NDArray[np.float64]]:
        for first in range(0, len(self.values), _AT_ONCE):
            yield self.values[first : first + _AT_ONCE].astype(np.float64)

    def _exact(self, magnitude: float) -> bool:
        """Return whether every partial sum is a float: a multiple of q = 2⁻²⁴·2ᵉ where Σ|x| ≤ 2ᵉ."""
        _, exponent = np.frexp(magnitude)
        unit = np.ldexp(FLOAT32_UNIT_ROUNDOFF, int(exponent))
        return all(bool((np.fmod(part, unit) == 0).all()) for part in self._parts())


def _maximum(x: NDArray[np.generic]) -> dict[str, Result]:
    """Return the largest element and its first index; NaN, which no element is, where one is not a number."""
    place = int(np.argmax(x))
    return {"largest": Exact(x[place : place + 1]), "place": Exact(np.array([place], np.int32))}


SUM: Final = Workload(
    id="reduce",
    title="s = Σ x[i]",
    lengths=(Length("n", "n"),),
    picture=Matrices((Panel("x", "top"), Panel("s", "result"))),
    arrays=lambda s: (ArraySpec("x", "float32", (s.n,)), ArraySpec("s", "float32", (1,), output=True)),
    flops=lambda s: s.n,
    results=lambda inputs, s, rows: {"s": Sum(inputs["x"])},
    by_rows=False,
    rate=Rate("GB/s", "n", lambda s: 4 * s.n / 1e9, by_memory=True),
    fill=Fill("mod", (10,)),
    size=Size(64, 64, 64),
    large=(Size(2**28, 2**28, 2**28), Size(2**20, 2**20, 2**20)),
)

MAXIMUM: Final = replace(
    SUM,
    id="maximum",
    title="max x[i] and its first i",
    picture=Matrices((Panel("x", "top"), Panel("largest", "result"), Panel("place", "result"))),
    arrays=lambda s: (
        ArraySpec("x", "float32", (s.n,)),
        ArraySpec("largest", "float32", (1,), output=True),
        ArraySpec("place", "int32", (1,), output=True),
    ),
    results=lambda inputs, s, rows: _maximum(inputs["x"]),
)

WORKLOADS: Final = (SUM, MAXIMUM)
