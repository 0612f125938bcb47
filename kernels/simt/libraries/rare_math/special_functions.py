"""Inverses of the error function and of the normal distribution, norms of several numbers, exponents and quotients.

Inverses begin with Wichura's approximation (Algorithm AS 241, Applied Statistics 37, 1988), which Python's
`statistics` has, and are made exact to the last digits by a step of Newton's.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import DOUBLE, FLOAT, INT, UINT, ULONG, USHORT
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.compiler.device_helpers import device_function
from kernels.simt.compiler.elementwise import elementwise, in_double, operands, typed_function
from kernels.simt.intrinsics.mathematics import generic, lane_by_lane, length, reciprocal_length

if TYPE_CHECKING:
    from kernels.frontend.ast import Call
    from kernels.frontend.types import Scalar
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile

_ROOT_2: Final = math.sqrt(2)
_SLOPE: Final = 2 / math.sqrt(math.pi)
_ASYMPTOTIC: Final = 12.0
"""From here on erfcx is a short series in 1/x²."""


def erfcinv(q: float) -> float:
    """Return y with erfc(y) = q."""
    if math.isnan(q) or not 0 <= q <= 2:
        return math.nan
    if q in (0, 2):
        return math.inf if q == 0 else -math.inf
    if q > 1.5:
        return -erfcinv(2 - q)
    if q > 0.5:
        return erfinv(1 - q)
    y = -NormalDist().inv_cdf(q / 2) / _ROOT_2
    return y + (math.erfc(y) - q) / (_SLOPE * math.exp(-y * y))


def erfinv(x: float) -> float:
    """Return y with erf(y) = x."""
    if math.isnan(x) or abs(x) > 1:
        return math.nan
    if abs(x) >= 0.5:
        return math.copysign(erfcinv(1 - abs(x)), x)
    if abs(x) < 1e-7:
        return x / _SLOPE
    y = NormalDist().inv_cdf((1 + x) / 2) / _ROOT_2
    for _ in range(2):
        y -= (math.erf(y) - x) / (_SLOPE * math.exp(-y * y))
    return y


def normcdfinv(p: float) -> float:
    """Return the value below which a normal variable lies with probability p."""
    return -_ROOT_2 * erfcinv(2 * p)


def erfcx(x: float) -> float:
    """Return exp(x²)·erfc(x)."""
    if math.isnan(x) or math.isinf(x):
        return math.nan if math.isnan(x) else 0.0 if x > 0 else math.inf
    if x < _ASYMPTOTIC:
        square = x * x
        rest = float(Fraction(x) ** 2 - Fraction(square)) if square < 1e300 else 0.0
        return math.exp(square) * (1 + rest) * math.erfc(x)
    total = term = 1.0
    for n in range(1, 12):
        term *= -(2 * n - 1) / (2 * x * x)
        total += term
    return total / x / math.sqrt(math.pi)


def _exponent(x: Any) -> Any:
    # Of 0, infinity and NaN: CUDA Math API, "ilogb".
    found = np.frexp(np.where(np.isfinite(x), x, 0))[1].astype(np.int64) - 1
    found = np.where(np.isinf(x), 2**31 - 1, found)
    return np.where((x == 0) | np.isnan(x), -(2**31), found)


def _exponent_of(kind: Scalar | None) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        codes = operands(c, node, 1)
        own = kind or (FLOAT if codes[0].type == FLOAT else DOUBLE)
        return elementwise(c, node, codes, [own], INT, _exponent)

    return compiled


def _quotient(x: float, y: float) -> int:
    """Return the last three bits of the nearest integer to x / y, with its sign."""
    if not math.isfinite(x) or math.isnan(y) or y == 0:
        return 0
    near = 0 if math.isinf(y) else round(Fraction(x) / Fraction(y))
    return (abs(near) & 7) * (1 if near >= 0 else -1)


_WHOLE_QUOTIENT: Final = """template <typename T> __device__ T remquo(T x, T y, int *quotient) {
    *quotient = __nearest_quotient(x, y);
    return remainder(x, y);
}"""
_LENGTH: Final = """template <typename T> __device__ T norm(int dim, const T *a) {{
    T found = 0;
    for (int i = 0; i < dim; ++i) found = hypot(found, a[i]);
    return {result};
}}"""
_SINE_COSINE: Final = """template <typename T, typename P> __device__ void sincospi(T x, P *sine, P *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}"""


def _not_a_number(kind: Scalar) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        if len(node.arguments) != 1 or not isinstance(node.arguments[0], ast.String):
            raise c.refuse(node.span, f'{node.function} takes a text: write {node.function}("")')
        return constant(kind.dtype.type(np.nan), kind)

    return compiled


def _swapped(kind: Scalar) -> Compile:
    return typed_function([kind], kind, lambda value: np.asarray(value).byteswap())


def _table() -> dict[str, Compile]:
    made: dict[str, Compile] = {
        "norm4d": generic(4, length),
        "norm4df": typed_function([FLOAT] * 4, FLOAT, in_double(length)),
        "rnorm3d": generic(3, reciprocal_length),
        "rnorm3df": typed_function([FLOAT] * 3, FLOAT, in_double(reciprocal_length)),
        "rnorm4d": generic(4, reciprocal_length),
        "rnorm4df": typed_function([FLOAT] * 4, FLOAT, in_double(reciprocal_length)),
        "ilogb": _exponent_of(None),
        "ilogbf": _exponent_of(FLOAT),
        "__nearest_quotient": typed_function([DOUBLE] * 2, INT, np.frompyfunc(_quotient, 2, 1)),
        "nan": _not_a_number(DOUBLE),
        "nanf": _not_a_number(FLOAT),
        "__nv_bswap16": _swapped(USHORT),
        "__nv_bswap32": _swapped(UINT),
        "__nv_bswap64": _swapped(ULONG),
    }
    for suffix in ("", "f"):
        made[f"remquo{suffix}"] = device_function(_WHOLE_QUOTIENT)
        made[f"norm{suffix}"] = device_function(_LENGTH.format(result="found"))
        made[f"rnorm{suffix}"] = device_function(_LENGTH.format(result="1 / found"))
        made[f"sincospi{suffix}"] = device_function(_SINE_COSINE)
    for function in (erfcinv, erfinv, normcdfinv, erfcx):
        lanes = lane_by_lane(function)
        made[function.__name__] = generic(1, in_double(lanes))
        made[f"{function.__name__}f"] = typed_function([FLOAT], FLOAT, in_double(lanes))
    return made


SPECIAL: Final[dict[str, Compile]] = _table()
"""By name."""
