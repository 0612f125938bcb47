"""CUDA's conversion functions: to integers with a rounding mode, reinterpretation of bits, and to vector types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT, HALF, INT, LONG, SHORT, UINT, ULONG, USHORT, VECTORS, Scalar, Struct
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.elementwise import elementwise, operands, typed_function
from kernels.simt.compiler.expressions.operators import convert, scalar
from kernels.simt.intrinsics.mathematics import round_half_away
from kernels.simt.machine.arithmetic import Value, converter, ndarray, uniform

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile

ROUNDINGS: Final[dict[str, Callable[[Any], Any]]] = {
    "rn": np.rint,
    "rz": np.trunc,
    "rd": np.floor,
    "ru": np.ceil,
}
"""By suffix: the rounding function, to nearest even, towards zero, down or up."""

FLOAT_TYPES: Final = {"float": FLOAT, "double": DOUBLE, "half": HALF}
INTEGER_TYPES: Final = {"int": INT, "uint": UINT, "ll": LONG, "ull": ULONG, "short": SHORT, "ushort": USHORT}

_SAME_BITS: Final = {
    "__float_as_int": (FLOAT, INT),
    "__float_as_uint": (FLOAT, UINT),
    "__int_as_float": (INT, FLOAT),
    "__uint_as_float": (UINT, FLOAT),
    "__double_as_longlong": (DOUBLE, LONG),
    "__longlong_as_double": (LONG, DOUBLE),
    "__half_as_short": (HALF, SHORT),
    "__half_as_ushort": (HALF, USHORT),
    "__short_as_half": (SHORT, HALF),
    "__ushort_as_half": (USHORT, HALF),
}


def bits_as(value: Value, source: Scalar, target: Scalar) -> Value:
    """Return the bits of one type as a value of another type of the same size."""
    if type(value) is ndarray:
        return np.ascontiguousarray(value).view(target.dtype)
    return uniform(np.array([value], source.dtype).view(target.dtype)[0], target)


def rounding_conversion(source: Scalar, target: Scalar, rounding: Callable[[Any], Any]) -> Callable[[Value], Value]:
    """Return the conversion to an integer with a rounding function."""
    change = converter(source, target)
    assert change is not None
    return lambda value: change(rounding(value))


def _view_as(target: Scalar) -> Callable[[Any], Any]:
    return lambda value: value.view(target.dtype)


def _same(value: Any) -> Any:
    return value


def _round_to_long(rounding: Callable[[Any], Any], single: bool) -> Compile:
    """Return the compiler of `lround`, `lrint` and similar functions: float or double to long long."""

    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 1)
        kind = FLOAT if single or scalar(c, codes[0], node.span) == FLOAT else DOUBLE
        return elementwise(c, node, codes, [kind], LONG, rounding_conversion(kind, LONG, rounding))

    return compile_call


def _pair(high: Any, low: Any) -> Any:
    bits = high.astype(np.int64) << np.int64(32) | low.astype(np.int64) & np.int64(0xFFFFFFFF)
    return np.asarray(bits).view(np.float64)


def _table() -> dict[str, Compile]:
    table: dict[str, Compile] = {
        name: typed_function([source], target, _view_as(target)) for name, (source, target) in _SAME_BITS.items()
    }
    for first, source in FLOAT_TYPES.items():
        for second, target in INTEGER_TYPES.items():
            for suffix, function in ROUNDINGS.items():
                table[f"__{first}2{second}_{suffix}"] = typed_function(
                    [source], target, rounding_conversion(source, target, function)
                )
            table[f"__{second}2{first}_rn"] = typed_function([source], source, _same)
    table["__double2float_rn"] = typed_function([FLOAT], FLOAT, _same)
    table["__hiloint2double"] = typed_function([INT, INT], DOUBLE, _pair)
    table["__double2hiint"] = typed_function([DOUBLE], INT, lambda value: value.view(np.int64) >> np.int64(32))
    table["__double2loint"] = typed_function([DOUBLE], INT, lambda value: value.view(np.int64).astype(np.int32))
    for prefix in ("l", "ll"):
        for name, rounding in (("round", round_half_away), ("rint", np.rint)):
            table[f"{prefix}{name}"] = _round_to_long(rounding, single=False)
            table[f"{prefix}{name}f"] = _round_to_long(rounding, single=True)
    return table


CONVERSIONS: Final[dict[str, Compile]] = _table()
"""By name: the compiler of the function."""


def _vector_of(c: Context, kind: Struct, codes: Sequence[Code], span: Span) -> Code:
    """Compile a struct of scalar members from the values of the members."""
    members = [convert(c, code, field.type, span) for code, field in zip(codes, kind.fields, strict=True)]
    runs, pure = [member.run for member in members], all(member.pure for member in members)
    return Code(lambda group, mask: tuple([run(group, mask) for run in runs]), kind, None, pure)


def _vector_maker(kind: Struct) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        return _vector_of(c, kind, operands(c, node, len(kind.fields)), node.span)

    return compile_call


VECTOR_MAKERS: Final[dict[str, Compile]] = {f"make_{name}": _vector_maker(kind) for name, kind in VECTORS.items()}
"""By name: `make_float4` and the other constructors of vectors."""
