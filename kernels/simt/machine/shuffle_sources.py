"""Source lanes of shuffles: the lane of its warp whose value each lane reads (PTX ISA, "shfl.sync").

The warp is divided into sections of `width` lanes; a lane that would read outside of its section reads itself. Example:
`__shfl_down_sync(~0u, x, 4, 8)`: lanes 0 to 3 read lanes 4 to 7; lanes 4 to 7 read themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Lanes = NDArray[np.intp]
Source = Callable[[Lanes, Any, Any], Lanes]


def _up(lane: Lanes, by: Any, width: Any) -> Lanes:
    return np.where(lane - by >= (lane & -width), lane - by, lane)


def _down(lane: Lanes, by: Any, width: Any) -> Lanes:
    return np.where(lane + by <= (lane | width - 1), lane + by, lane)


def _across(lane: Lanes, by: Any, width: Any) -> Lanes:
    return np.where(lane ^ by <= (lane | width - 1), lane ^ by, lane)


def _direct(lane: Lanes, by: Any, width: Any) -> Lanes:
    return np.asarray((lane & -width) | (by & width - 1))


SHUFFLES: Final[dict[str, Source]] = {"": _direct, "_up": _up, "_down": _down, "_xor": _across}
"""By suffix of the name: the source lane, given the lane, the second operand (0 to 31) and the width."""
