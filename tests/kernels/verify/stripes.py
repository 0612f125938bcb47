"""Differences of the stripe versions of M·Mᵀ from the sequential result, and their size.

Each element of P is a sum of n products. The sequential loop adds them from k = 0 up. A stripe version adds the w
products of each stripe by itself and then, by atomicAdd, the stripes' sums in whatever order the blocks come. Where
every number on the way is a whole number up to 2²⁴, float32 holds it exactly and no order matters; beyond, each order
rounds differently.

With `iota` (0, 1, 2, …) the largest element, the last one, passes 2²⁴ from n = 29 on and grows like n⁵: at
n = 500 it is 3.1·10¹³, where neighbours in float32 are 2²¹ apart. One such step in one element alone adds 4.4·10¹² to
a sum of squared differences. So the published 44 and 46 cannot be that sum for these inputs. Up to n = 100 they are of
the size of √(Σ d²) / n², which `scaled` is; at n = 500 that is some 4,900 here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.fill import Fill
from kernels.reference import Product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Difference:
    """A stripe version against the sequential loop, for one n.

    Attributes
    ----------
    largest : float
        The largest element of P.
    spacing : float
        How far apart float32 numbers are there.
    elements : int
        Elements that differ.
    l2 : float
        Σ d², d being the difference of an element.
    scaled : float
        √(Σ d²) / n².
    """

    n: int
    largest: float
    spacing: float
    elements: int
    l2: float
    scaled: float


def stripe_sums(matrix: NDArray[np.float32], width: int, order: Sequence[int] = ()) -> NDArray[np.float32]:
    """Compute M·Mᵀ in float32 as the stripe versions do, products rounded before they are added.

    `order` says in which order the stripes are added; from the first to the last unless given.
    """
    n = len(matrix)
    total = np.zeros((n, n), np.float32)
    for stripe in order or range(-(-n // width)):
        columns = matrix[:, stripe * width : (stripe + 1) * width]
        total += Product(columns, columns.T, np.arange(len(columns))).sequential()
    return total


def difference(n: int, width: int, order: Sequence[int] = ()) -> Difference:
    """Compare stripes of `width` with the sequential loop for `iota`."""
    matrix = np.asarray(Fill("iota").make((n, n), "float32"), np.float32)
    plain = Product(matrix, matrix.T, np.arange(len(matrix))).sequential()
    apart = plain.astype(np.float64) - stripe_sums(matrix, width, order)
    largest, l2 = float(plain.max()), float(np.sum(apart * apart))
    return Difference(
        n, largest, float(np.spacing(np.float32(largest))), int(np.count_nonzero(apart)), l2, l2**0.5 / n**2
    )
