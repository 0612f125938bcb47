"""The state of cuRAND's default generator as device code holds it (cuRAND documentation, "Device API")."""

from __future__ import annotations

from typing import Final

from kernels.frontend.types import DOUBLE, FLOAT, INT, UINT, Array, struct

_CORE: Final = (("d", UINT), ("v", Array(UINT, 5)))

CORE: Final = struct("XORWOW", _CORE)
"""The first members of the state, which every number reads and changes."""

XORWOW: Final = struct(
    "curandStateXORWOW",
    (
        *_CORE,
        # The second of a pair of normally distributed numbers, stored for the next call, and whether there is one.
        ("boxmuller_flag", INT),
        ("boxmuller_flag_double", INT),
        ("boxmuller_extra", FLOAT),
        ("boxmuller_extra_double", DOUBLE),
    ),
)

TYPES: Final = dict.fromkeys(("curandState", "curandState_t", "curandStateXORWOW", "curandStateXORWOW_t"), XORWOW)
"""By name in C."""
