"""Conversions to floating-point types that round down, up or towards zero, and those of bfloat16 to whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import CHAR, FLOAT, HALF, UCHAR, USHORT
from kernels.simt.compiler.bfloat16 import bfloat_to_double
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.elementwise import elementwise, operands, typed_function
from kernels.simt.compiler.operators import convert
from kernels.simt.intrinsics.conversions import FLOATING, WAYS, WHOLE, rounded_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call
    from kernels.frontend.types import Scalar
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

MODES: Final = ("rd", "ru", "rz")

_NARROWER: Final = {
    "float": ("double", "int", "uint", "ll", "ull"),
    "double": ("ll", "ull"),
    "half": ("float", *WHOLE),
}
"""By target: what is converted to it with a loss."""


def _towards(target: Scalar, mode: str) -> Callable[[Any], Any]:
    """Return a function of NumPy numbers: the nearest one, or its neighbour where it lies on the wrong side."""
    number: Any = target.dtype.type

    def one(value: Any) -> float:
        near = number(value)
        if not math.isfinite(value):
            return float(near)
        exact = Fraction(int(value) if isinstance(value, int | np.integer) else float(value))
        too_large = near > 0 if np.isinf(near) else Fraction(float(near)) > exact
        too_small = near < 0 if np.isinf(near) else Fraction(float(near)) < exact
        down = mode == "rd" or (mode == "rz" and exact > 0)
        if down and too_large:
            near = np.nextafter(near, number(-np.inf))
        elif not down and too_small:
            near = np.nextafter(near, number(np.inf))
        return float(near)

    lanes = np.frompyfunc(one, 1, 1)

    def compute(value: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.asarray(lanes(value), np.float64)

    return compute


def _upper_half(mode: str) -> Callable[[Any], Any]:
    """Return what rounds floats to the bits of bfloat16."""

    def compute(value: Any) -> Any:
        words = np.asarray(value, np.float32).view(np.uint32)
        negative = np.signbit(value)
        away = {"rd": negative, "ru": ~negative, "rz": False}[mode] & (words << np.uint32(16) != 0)
        bits = (words >> np.uint32(16)) + away
        return np.where(np.isnan(value), 0x7FFF, bits).astype(np.uint16)

    return compute


def _to_bfloat(source: Scalar, mode: str) -> Compile:
    """Compile a conversion to bfloat16; through float, which rounds in the same direction."""

    def compiled(c: Context, node: Call) -> Code:
        codes = operands(c, node, 1)
        if source != FLOAT:
            codes = [elementwise(c, node, codes, [source], FLOAT, _towards(FLOAT, mode))]
        bits = elementwise(c, node, codes, [FLOAT], USHORT, _upper_half(mode)).run
        return Code(lambda group, mask: (bits(group, mask),), BF16, None, False)

    return compiled


def _from_bfloat(target: Scalar, way: str) -> Compile:
    """Compile a conversion of bfloat16 to a whole number, which stops at the ends of the range."""
    change = rounded_by(HALF, target, WAYS[way])

    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        give = convert(c, code, BF16, node.span).run

        def run(group: Group, mask: Active) -> Value:
            number = bfloat_to_double(give(group, mask)[0])
            return change(number if number.ndim else number[()])

        return Code(run, target, None, False)

    return compiled


def _nearest_bfloat(source: Scalar) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        return convert(c, convert(c, code, source, node.span), BF16, node.span)

    return compiled


def _table() -> dict[str, Compile]:
    kinds = {**FLOATING, **WHOLE}
    made: dict[str, Compile] = {}
    for mode in MODES:
        for target, sources in _NARROWER.items():
            for source in sources:
                made[f"__{source}2{target}_{mode}"] = typed_function(
                    [kinds[source]], kinds[target], _towards(kinds[target], mode)
                )
        for source in ("float", *WHOLE):
            made[f"__{source}2bfloat16_{mode}"] = _to_bfloat(kinds[source], mode)
    for name, kind in WHOLE.items():
        made[f"__{name}2bfloat16_rn"] = _nearest_bfloat(kind)
        for way in WAYS:
            made[f"__bfloat162{name}_{way}"] = _from_bfloat(kind, way)
    for name, kind in (("char", CHAR), ("uchar", UCHAR)):
        made[f"__bfloat162{name}_rz"] = _from_bfloat(kind, "rz")
        made[f"__half2{name}_rz"] = typed_function([HALF], kind, rounded_by(HALF, kind, np.trunc))
    return made


DIRECTED_CONVERSIONS: Final[dict[str, Compile]] = _table()
"""By name."""
