"""CUDA's floating-point functions: their types, and their values.

Those of `EXACT` give the same bits as a GPU. The others are computed in double and rounded once to their type, which
may differ from a GPU in the last bits (CUDA C++ Programming Guide, "Mathematical Functions", maximum errors in ULP).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import BOOL, DOUBLE, FLOAT, HALF, INT, Scalar
from kernels.simt.compiler.compiled_values import constant
from kernels.simt.compiler.expressions.elementwise import elementwise, in_double, operands, typed_function
from kernels.simt.compiler.expressions.operators import scalar
from kernels.simt.machine.fused_multiply_add import FUSED, multiply_add, multiply_add_double

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile

    Function = Callable[..., Any]


def round_half_away(value: Any) -> Any:
    """Round to the nearest integer, halves away from zero (C's `round`)."""
    whole = np.trunc(value)
    return whole + np.copysign(np.abs(value - whole) >= 0.5, value)


def sin_cos_pi(sine: bool) -> Function:
    """Return sin(π·x) or cos(π·x); quarters of a turn are subtracted first, so that their results are exact."""

    def compute(value: Any) -> Any:
        # fmod is exact, and so is the difference to the nearest quarter: π multiplies a number of at most 1/4.
        quarters = np.rint(2 * np.fmod(value, 2))
        rest = np.pi * (np.fmod(value, 2) - quarters / 2)
        which = np.mod(quarters + (0 if sine else 1), 4)
        s, c = np.sin(rest), np.cos(rest)
        found = np.where(which == 0, s, np.where(which == 1, c, np.where(which == 2, -s, -c)))
        return np.where(found == 0, value * 0 if sine else 0.0, found)

    return compute


def lane_by_lane(function: Callable[..., float], count: int = 1) -> Function:
    """Return a function of Python numbers applied to each lane; NaN for a domain error."""

    def one(*values: float) -> float:
        try:
            return function(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    lanes = np.frompyfunc(one, count, 1)
    return lambda *values: np.asarray(lanes(*values), np.float64)


def _gamma(x: float) -> float:
    """Return Γ(x); near 0, where it overflows, ∞ with the sign of x (ISO C, F.10.5.4)."""
    return math.copysign(math.inf, x) if abs(x) <= 2.0**-1024 else math.gamma(x)


def _log_gamma(x: float) -> float:
    """Return log |Γ(x)|, which is infinite at the poles of Γ."""
    return math.inf if x <= 0 and x % 1 == 0 else math.lgamma(x)


_ROOT_OF_HALF: Final = Fraction(math.isqrt(10**80 // 2), 10**40)


def _normal_cdf(x: float) -> float:
    """Return erfc(-x / √2) / 2, corrected for the rounding of -x / √2, whose relative effect grows with x²."""
    at = -x * float(_ROOT_OF_HALF)
    found = math.erfc(at)
    if 0 < found < 2:
        left_out = float(Fraction(-x) * _ROOT_OF_HALF - Fraction(at))
        found -= 2 / math.sqrt(math.pi) * math.exp(-at * at) * left_out
    return found / 2


def length(*values: Any) -> Any:
    """Return the root of the sum of squares."""
    return reduce(np.hypot, values)


def reciprocal_length(*values: Any) -> Any:
    """Return 1 / `length`, also if `length` overflows."""
    scale = np.where(reduce(np.fmax, map(np.abs, values)) > 2.0**1000, 0.25, 1.0)
    return scale / length(*(value * scale for value in values))


def _difference(x: Any, y: Any) -> Any:
    return np.where(np.isnan(x) | np.isnan(y), x + y, np.where(x > y, x - y, 0))


EXACT: Final[dict[str, tuple[int, Function]]] = {
    "sqrt": (1, np.sqrt),
    "fabs": (1, np.abs),
    "floor": (1, np.floor),
    "ceil": (1, np.ceil),
    "trunc": (1, np.trunc),
    "round": (1, round_half_away),
    "rint": (1, np.rint),
    "nearbyint": (1, np.rint),
    "fmin": (2, np.fmin),
    "fmax": (2, np.fmax),
    "fmod": (2, np.fmod),
    "fdim": (2, _difference),
    "copysign": (2, np.copysign),
    "nextafter": (2, np.nextafter),
    "fdivide": (2, np.divide),
    "remainder": (2, lane_by_lane(math.remainder, 2)),
}
"""Name: number of operands, function. With the suffix f all are float; without it, float or double."""

ROUNDED: Final[dict[str, tuple[int, Function]]] = {
    "rsqrt": (1, lambda x: 1 / np.sqrt(x)),
    "cbrt": (1, np.cbrt),
    "rcbrt": (1, lambda x: 1 / np.cbrt(x)),
    "exp": (1, np.exp),
    "exp2": (1, np.exp2),
    "exp10": (1, lambda x: np.power(10.0, x)),
    "expm1": (1, np.expm1),
    "log": (1, np.log),
    "log2": (1, np.log2),
    "log10": (1, np.log10),
    "log1p": (1, np.log1p),
    "logb": (1, lambda x: np.where(x == 0, -np.inf, np.where(np.isfinite(x), np.frexp(x)[1] - 1.0, x * x))),
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "tan": (1, np.tan),
    "sinpi": (1, sin_cos_pi(sine=True)),
    "cospi": (1, sin_cos_pi(sine=False)),
    "asin": (1, np.arcsin),
    "acos": (1, np.arccos),
    "atan": (1, np.arctan),
    "atan2": (2, np.arctan2),
    "sinh": (1, np.sinh),
    "cosh": (1, np.cosh),
    "tanh": (1, np.tanh),
    "asinh": (1, np.arcsinh),
    "acosh": (1, np.arccosh),
    "atanh": (1, np.arctanh),
    "pow": (2, np.power),
    "hypot": (2, length),
    "rhypot": (2, reciprocal_length),
    "norm3d": (3, length),
    "erf": (1, lane_by_lane(math.erf)),
    "erfc": (1, lane_by_lane(math.erfc)),
    "normcdf": (1, lane_by_lane(_normal_cdf)),
    "tgamma": (1, lane_by_lane(_gamma)),
    "lgamma": (1, lane_by_lane(_log_gamma)),
}

TESTS: Final[dict[str, Function]] = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
}


def _fast_divide(x: Any, y: Any) -> Any:
    # Divisors whose reciprocal is subnormal give 0 (CUDA Math API, "__fdividef").
    size = np.abs(y)
    return np.where((size > 2.0**126) & np.isfinite(y), np.copysign(x * 0, x / y), x / y)


def _saturate(x: Any) -> Any:
    return np.where(x > 0, np.minimum(x, 1), 0)


_OPERATIONS: Final[dict[str, tuple[int, Function]]] = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "div": (2, np.divide),
    "sqrt": (1, np.sqrt),
    "rcp": (1, np.reciprocal),
}
"""Operations of the intrinsics `__fadd_rn` and `__dadd_rn`, which are never fused (ibid., "Intrinsic Functions")."""

FLOAT_ONLY: Final[dict[str, tuple[int, Function]]] = {
    **{f"__f{name}_rn": entry for name, entry in _OPERATIONS.items()},
    **{
        f"__{name}f": (count, in_double(function))
        for name, (count, function) in ROUNDED.items()
        if name in ("exp", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "pow", "tanh")
    },
    "__fmaf_rn": (3, multiply_add),
    "__fmaf_ieee_rn": (3, multiply_add),
    "__frsqrt_rn": (1, in_double(ROUNDED["rsqrt"][1])),
    "__fdividef": (2, _fast_divide),
    "__saturatef": (1, _saturate),
}

DOUBLE_ONLY: Final[dict[str, tuple[int, Function]]] = {
    **{f"__d{name}_rn": entry for name, entry in _OPERATIONS.items()},
    "__fma_rn": (3, multiply_add_double),
}


def _kind(c: Context, node: Call, codes: list[Code]) -> Scalar:
    """Return float if an operand is float and none is double; else double (CUDA's overloads)."""
    kinds = [scalar(c, code, node.span) for code in codes]
    if HALF in kinds:
        raise c.refuse(node.span, f"{node.function} does not take half: convert it with __half2float")
    return FLOAT if FLOAT in kinds and DOUBLE not in kinds else DOUBLE


def generic(count: int, function: Function) -> Compile:
    """Return the compiler of a function with overloads for float and double."""

    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, count)
        kind = _kind(c, node, codes)
        return elementwise(c, node, codes, [kind] * count, kind, function)

    return compile_call


def _fma(c: Context, node: Call) -> Code:
    codes = operands(c, node, 3)
    kind = _kind(c, node, codes)
    return elementwise(c, node, codes, [kind] * 3, kind, FUSED[kind])


def _test(function: Function) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 1)
        return elementwise(c, node, codes, [_kind(c, node, codes)], BOOL, function)

    return compile_call


def _ldexp(kind: Scalar | None) -> Compile:
    """Return the compiler of ldexp(x, n): x·2ⁿ."""

    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2)
        own = kind or _kind(c, node, codes[:1])
        return elementwise(c, node, codes, [own, INT], own, np.ldexp)

    return compile_call


def _not_a_number(kind: Scalar) -> Compile:
    """Return the compiler of `nan("")`; the text selects a payload, which is ignored."""

    def compile_call(c: Context, node: Call) -> Code:
        if len(node.arguments) != 1 or not isinstance(node.arguments[0], ast.String):
            raise c.refuse(node.span, f'{node.function} takes a text: write {node.function}("")')
        return constant(kind.dtype.type(np.nan), kind)

    return compile_call


def _table() -> dict[str, Compile]:
    table: dict[str, Compile] = {"fma": _fma, "fmaf": typed_function([FLOAT] * 3, FLOAT, multiply_add)}
    wide = {name: (count, in_double(function)) for name, (count, function) in ROUNDED.items()}
    for name, (count, function) in {**EXACT, **wide}.items():
        table[name] = generic(count, function)
        table[f"{name}f"] = typed_function([FLOAT] * count, FLOAT, function)
    for functions, kind in ((FLOAT_ONLY, FLOAT), (DOUBLE_ONLY, DOUBLE)):
        for name, (count, function) in functions.items():
            table[name] = typed_function([kind] * count, kind, function)
    for name, function in TESTS.items():
        for spelling in (name, f"__{name}", f"__{name}f", f"__{name}d"):
            table[spelling] = _test(function)
    table["nan"], table["nanf"] = _not_a_number(DOUBLE), _not_a_number(FLOAT)
    for name in ("ldexp", "scalbn", "scalbln"):
        table[name], table[f"{name}f"] = _ldexp(None), _ldexp(FLOAT)
    return table


MATHEMATICS: Final[dict[str, Compile]] = _table()
"""By name."""
