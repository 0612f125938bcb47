"""The states of cuRAND's generators as device code holds them (cuRAND documentation, "Device API")."""

from __future__ import annotations

from typing import Final

from kernels.frontend.types import DOUBLE, FLOAT, INT, UINT, VECTORS, Array, Struct, struct

_REST: Final = (
    ("boxmuller_flag", INT),
    ("boxmuller_flag_double", INT),
    ("boxmuller_extra", FLOAT),
    ("boxmuller_extra_double", DOUBLE),
)
"""The second of a pair of normally distributed numbers, stored for the next call, and whether there is one."""

_XORWOW: Final = (("d", UINT), ("v", Array(UINT, 5)))
_PHILOX: Final = (
    ("ctr", VECTORS["uint4"]),
    ("output", VECTORS["uint4"]),
    ("key", VECTORS["uint2"]),
    ("STATE", UINT),
)
_MRG: Final = (("s1", Array(UINT, 3)), ("s2", Array(UINT, 3)))

XORWOW: Final = struct("curandStateXORWOW", (*_XORWOW, *_REST))
PHILOX: Final = struct("curandStatePhilox4_32_10", (*_PHILOX, *_REST))
MRG: Final = struct("curandStateMRG32k3a", (*_MRG, *_REST))

CORES: Final[dict[Struct, Struct]] = {
    XORWOW: struct("XORWOW", _XORWOW),
    PHILOX: struct("Philox", _PHILOX),
    MRG: struct("MRG", _MRG),
}
"""The part of each state that a number takes, which is at its begin."""

TYPES: Final = {
    "curandState": XORWOW,
    "curandState_t": XORWOW,
    **{name: kind for kind in CORES for name in (kind.name, f"{kind.name}_t")},
}
"""By the names that C has for them."""
