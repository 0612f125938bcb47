"""Type traits of the standard headers: `std::numeric_limits`, `std::is_same` and others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.types import CType


def _is_float(kind: CType) -> bool:
    return isinstance(kind, Scalar) and kind.dtype.kind == "f"


def _is_integer(kind: CType) -> bool:
    return isinstance(kind, Scalar) and kind.dtype.kind in "biu"


TRAITS: Final[dict[str, tuple[int, Callable[..., bool]]]] = {
    name + suffix: (count, holds)
    for name, count, holds in (
        ("is_same", 2, lambda a, b: a == b),
        ("is_floating_point", 1, _is_float),
        ("is_integral", 1, _is_integer),
        ("is_arithmetic", 1, lambda kind: isinstance(kind, Scalar)),
        ("is_signed", 1, lambda kind: isinstance(kind, Scalar) and kind.dtype.kind in "if"),
        ("is_unsigned", 1, lambda kind: isinstance(kind, Scalar) and kind.dtype.kind in "bu"),
        ("is_pointer", 1, lambda kind: isinstance(kind, Pointer)),
    )
    for suffix in ("", "_v")
}
"""By name: the number of types, and the predicate ([meta.unary], [meta.rel] of C++17)."""


def _highest(kind: Scalar) -> Value:
    if kind.dtype.kind == "b":
        return True
    return float(np.finfo(str(kind.dtype)).max) if _is_float(kind) else int(np.iinfo(str(kind.dtype)).max)


def _lowest(kind: Scalar) -> Value:
    if kind.dtype.kind == "b":
        return False
    return float(np.finfo(str(kind.dtype)).min) if _is_float(kind) else int(np.iinfo(str(kind.dtype)).min)


def _smallest(kind: Scalar) -> Value:
    return float(np.finfo(str(kind.dtype)).tiny) if _is_float(kind) else _lowest(kind)


def _digits(kind: Scalar) -> Value:
    """Return the number of value bits: all but the sign bit; of floating point the significand with its hidden bit."""
    if _is_float(kind):
        return int(np.finfo(str(kind.dtype)).nmant) + 1
    return 1 if kind.dtype.kind == "b" else 8 * kind.size_bytes - (kind.dtype.kind == "i")


LIMITS: Final[dict[str, Callable[[Scalar], Value | None]]] = {
    "max": _highest,
    "lowest": _lowest,
    "min": _smallest,
    "epsilon": lambda kind: float(np.finfo(str(kind.dtype)).eps) if _is_float(kind) else 0,
    "infinity": lambda kind: math.inf if _is_float(kind) else None,
    "digits": _digits,
    "is_signed": lambda kind: kind.dtype.kind in "if",
    "is_integer": _is_integer,
    "quiet_NaN": lambda kind: math.nan if _is_float(kind) else None,
}
"""By name: the value for a type, None where it has none ([numeric.limits] of C++17)."""
