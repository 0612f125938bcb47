"""cuRAND's distributions: uniform and normal values from its generators (curand_uniform.h, curand_normal.h).

Uniform values are a GPU's to the bit; normal ones take logarithms and sines, which are rounded less well there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.curand import MRG, PHILOX, XORWOW
from kernels.frontend.types import DOUBLE, FLOAT, UINT, VECTORS
from kernels.simt.intrinsics.mathematics import turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.types import CType, Struct

    Make = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A distribution: the numbers of a stream that a value takes, and the function that makes its parts of them."""

    count: int
    make: Make
    kind: CType


def _uniform(x: Any) -> Any:
    return x.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)


def _uniform_double(x: Any, y: Any) -> Any:
    bits = x.astype(np.uint64) ^ (y.astype(np.uint64) << np.uint64(21))
    return bits * 2.0**-53 + 2.0**-54


_MRG_SCALE: Final = 2.3283065498378288e-10
_TURN: Final = np.float32(2.0**-32) * np.float32(6.2831855)


def _normal(radius: Any, angle: Any) -> tuple[Any, Any]:
    """Box and Muller's pair, of floats in (0, 1] and of radians."""
    size = np.sqrt(np.float32(-2) * np.log(radius.astype(np.float64)).astype(np.float32))
    turn = angle.astype(np.float64)
    return np.sin(turn).astype(np.float32) * size, np.cos(turn).astype(np.float32) * size


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    angle = y.astype(np.float32).astype(np.float64) * _TURN + _TURN / np.float32(2)
    return _normal(_uniform(x), angle.astype(np.float32))


_SINE, _COSINE = turns(sine=True), turns(sine=False)


def _normal_double(radius: Any, halves: Any) -> tuple[Any, Any]:
    size = np.sqrt(-2 * np.log(radius))
    return _SINE(halves) * size, _COSINE(halves) * size


def _pair_double(x0: Any, x1: Any, y0: Any, y1: Any) -> tuple[Any, Any]:
    return _normal_double(_uniform_double(x0, x1), 2 * _uniform_double(y0, y1))


def _mrg_uniform(z: Any) -> Any:
    return (z * _MRG_SCALE).astype(np.float32)


def _mrg_pair(x: Any, y: Any) -> tuple[Any, Any]:
    return _normal(_mrg_uniform(x), _mrg_uniform(y) * np.float32(6.2831855))


def _of_each(make: Make, wide: int) -> Make:
    """Apply a recipe of `wide` numbers to each such row of more."""

    def several(*x: Any) -> tuple[Any, ...]:
        found: list[Any] = []
        for first in range(0, len(x), wide):
            value = make(*x[first : first + wide])
            found += value if isinstance(value, tuple) else (value,)
        return tuple(found)

    return several


_FLOAT2, _DOUBLE2 = VECTORS["float2"], VECTORS["double2"]
_SHARED: Final = {
    "curand": Recipe(1, lambda x: x, UINT),
    "curand_uniform": Recipe(1, _uniform, FLOAT),
    "curand_normal2": Recipe(2, _pair, _FLOAT2),
    "curand_normal2_double": Recipe(4, _pair_double, _DOUBLE2),
}
RECIPES: Final[dict[Struct, dict[str, Recipe]]] = {
    XORWOW: {**_SHARED, "curand_uniform_double": Recipe(2, _uniform_double, DOUBLE)},
    PHILOX: {
        **_SHARED,
        "curand_uniform_double": Recipe(1, lambda x: x * 2.0**-32 + 2.0**-32, DOUBLE),
        "curand_uniform2_double": Recipe(4, _of_each(_uniform_double, 2), _DOUBLE2),
        "curand4": Recipe(4, lambda *x: x, VECTORS["uint4"]),
        "curand_uniform4": Recipe(4, _of_each(_uniform, 1), VECTORS["float4"]),
        "curand_normal4": Recipe(4, _of_each(_pair, 2), VECTORS["float4"]),
    },
    MRG: {
        "curand": Recipe(1, lambda z: (z * 1.000000048662).astype(np.uint32), UINT),
        "curand_uniform": Recipe(1, _mrg_uniform, FLOAT),
        "curand_uniform_double": Recipe(1, lambda z: z * _MRG_SCALE, DOUBLE),
        "curand_normal2": Recipe(2, _mrg_pair, _FLOAT2),
        "curand_normal2_double": Recipe(2, lambda x, y: _normal_double(x * _MRG_SCALE, 2 * (y * _MRG_SCALE)), _DOUBLE2),
    },
}
"""By state and function."""
