"""Intrinsics that round down, up or towards zero, such as `__fadd_rd`: exact, by fractions, lane by lane."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT
from kernels.simt.compiler.elementwise import typed_function
from kernels.simt.machine.fused_multiply_add import FUSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.types import Scalar
    from kernels.simt.compiler.registry import Compile

    Number = Any

_NEAREST: Final[dict[str, tuple[int, Callable[..., Any]]]] = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "div": (2, np.divide),
    "sqrt": (1, np.sqrt),
    "rcp": (1, np.reciprocal),
}
"""By operation: how many operands, and its result rounded to nearest."""


def _exact(name: str, values: list[Fraction]) -> Fraction:
    match name, values:
        case "add", [a, b]:
            return a + b
        case "sub", [a, b]:
            return a - b
        case "mul", [a, b]:
            return a * b
        case "div", [a, b]:
            return a / b
        case "rcp", [a]:
            return 1 / a
    a, b, c = values
    return a * b + c


def _too_large(name: str, near: float, values: list[float]) -> int:
    """Tell whether a rounded result lies above (1) or below (-1) the exact one, or is it (0)."""
    if math.isinf(near):
        return 1 if near > 0 else -1
    fractions = [Fraction(value) for value in values]
    if name == "sqrt":
        square = Fraction(near) ** 2
        return (square > fractions[0]) - (square < fractions[0])
    exact = _exact(name, fractions)
    return (Fraction(near) > exact) - (Fraction(near) < exact)


def _directed(name: str, mode: str, kind: Scalar) -> Callable[..., Any]:
    """Return a function of NumPy values: the nearest result, moved to its neighbour where it lies on the wrong side."""
    count, nearest = (3, FUSED[kind]) if name == "fma" else _NEAREST[name]
    number = kind.dtype.type

    def one(near: Number, *values: Number) -> float:
        plain = [float(value) for value in values]
        result: Number = number(near)
        if np.isnan(result) or not all(map(math.isfinite, plain)) or (name in ("div", "rcp") and plain[-1] == 0):
            return float(result)
        side = _too_large(name, float(result), plain)
        if mode == "rd" and not side and result == 0 and _cancels(name, plain):
            return -0.0
        if side > 0 and (mode == "rd" or (mode == "rz" and result > 0)):
            result = np.nextafter(result, number(-np.inf))
        elif side < 0 and (mode == "ru" or (mode == "rz" and result < 0)):
            result = np.nextafter(result, number(np.inf))
        return float(result)

    lanes = np.frompyfunc(one, count + 1, 1)

    def compute(*values: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.asarray(lanes(nearest(*values), *values), np.float64)

    return compute


def _cancels(name: str, values: list[float]) -> bool:
    """Return whether a sum is zero because its terms are opposite: rounded down it is -0 (IEEE 754, 6.3)."""
    if name == "fma":
        product = math.copysign(1.0, values[0]) * math.copysign(1.0, values[1])
        return product != math.copysign(1.0, values[2])
    if name not in ("add", "sub"):
        return False
    sign = 1.0 if name == "add" else -1.0
    return math.copysign(1.0, values[0]) != sign * math.copysign(1.0, values[1])


def _table() -> dict[str, Compile]:
    made: dict[str, Compile] = {}
    for mode in ("rd", "ru", "rz"):
        for kind, letter in ((FLOAT, "f"), (DOUBLE, "d")):
            for name, (count, _) in _NEAREST.items():
                function = _directed(name, mode, kind)
                made[f"__{letter}{name}_{mode}"] = typed_function([kind] * count, kind, function)
        made[f"__fmaf_{mode}"] = typed_function([FLOAT] * 3, FLOAT, _directed("fma", mode, FLOAT))
        made[f"__fmaf_ieee_{mode}"] = made[f"__fmaf_{mode}"]
        made[f"__fma_{mode}"] = typed_function([DOUBLE] * 3, DOUBLE, _directed("fma", mode, DOUBLE))
    return made


DIRECTED: Final[dict[str, Compile]] = _table()
"""By name."""
