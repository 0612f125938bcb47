"""Comparison of a kernel's results on the GPU with those of the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Values = Mapping[str, NDArray[np.generic]]

_TOLERANCE: Final = {2: 1e-2, 4: 1e-5, 8: 1e-12}
"""By the bytes of a floating-point type, the part of an array's largest magnitude by which elements may differ: the
order of atomic operations, and functions such as `__expf`, round differently. Integers have to be equal."""


def difference(simulated: Values, found: Values) -> str:
    """Return the first element that differs, in words; "" if all agree.

    Arrays that only one of them has are not compared. `found` may have other types of the same bytes.
    """
    for name, expected in simulated.items():
        if name not in found:
            continue
        expected = np.ascontiguousarray(expected).reshape(-1)
        values = np.ascontiguousarray(found[name]).reshape(-1).view(np.uint8).view(expected.dtype)
        unlike = np.flatnonzero(_unlike(expected, values))
        if len(unlike):
            at = int(unlike[0])
            return (
                f"{name}[{at}] is {values[at]}, but {expected[at]} in the simulator; "
                f"{len(unlike):,} of {expected.size:,} elements differ"
            )
    return ""


def _unlike(expected: NDArray[np.generic], values: NDArray[np.generic]) -> NDArray[np.bool_]:
    tolerance = _TOLERANCE.get(expected.dtype.itemsize) if expected.dtype.kind == "f" else None
    if tolerance is None:
        unequal: NDArray[np.bool_] = expected != values
        return unequal
    wide, other = expected.astype(np.float64), values.astype(np.float64)
    largest = float(np.abs(wide[np.isfinite(wide)]).max(initial=0.0))
    return ~np.isclose(other, wide, rtol=0.0, atol=tolerance * largest, equal_nan=True)
