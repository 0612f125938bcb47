"""half and bfloat16, single and in pairs: comparisons, and arithmetic whose results are kept in a range.

Sums and products of two are exact in double, and a product with its sum is rounded to odd there, so that one rounding
to the type remains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import BOOL, HALF, UINT
from kernels.simt.compiler.bfloat16 import bfloat_to_double, round_to_bfloat
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.elementwise import operands
from kernels.simt.compiler.operators import convert
from kernels.simt.libraries.half_bfloat16.half import HALF2
from kernels.simt.machine.fused_multiply_add import to_odd

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend.ast import Call
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

    Function = Callable[..., Any]
    Numbers = Callable[[Group, Active], list[list[Any]]]

_COMPARE: Final[dict[str, Function]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_ARITHMETIC: Final[dict[str, tuple[int, Function]]] = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "fma": (3, to_odd),
}
_PAIRS: Final[dict[bool, tuple[CType, CType]]] = {False: (HALF, BF16), True: (HALF2, BF162)}
"""Argument types of functions: single values, or (True) pairs."""


def _saturated(function: Function) -> Function:
    return lambda *x: np.nan_to_num(np.clip(function(*x), 0.0, 1.0), nan=0.0) + 0.0


def _relu(function: Function) -> Function:
    return lambda *x: np.maximum(function(*x), 0.0) + 0.0


def _larger(a: Any, b: Any) -> Any:
    """Return the larger one, or NaN; 0 is larger than -0."""
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))


def _smaller(a: Any, b: Any) -> Any:
    return -_larger(-a, -b)


def _unordered(function: Function) -> Function:
    return lambda a, b: function(a, b) | np.isnan(a) | np.isnan(b)


def _ordered(function: Function) -> Function:
    return lambda a, b: function(a, b) & ~(np.isnan(a) | np.isnan(b))


def _taken(c: Context, node: Call, count: int, *, pair: bool) -> tuple[CType, Numbers]:
    """Compile the operands; returns their type, and what gives the members of each as doubles."""
    codes, (half, bfloat) = operands(c, node, count), _PAIRS[pair]
    kind = bfloat if bfloat in [code.type for code in codes] else half
    runs = [convert(c, code, kind, node.span).run for code in codes]
    read: Function = bfloat_to_double if kind is bfloat else lambda value: np.asarray(value, np.float64)

    def numbers(group: Group, mask: Active) -> list[list[Any]]:
        values = [run(group, mask) for run in runs]
        return [[read(m) for m in (v if type(v) is tuple else (v,))] for v in values]

    return kind, numbers


def _made(kind: CType, members: Sequence[Any]) -> Value:
    """Return the value of a type from its members."""
    if kind in (BF16, BF162):
        return tuple([round_to_bfloat(member) for member in members])
    with np.errstate(over="ignore"):
        halves = tuple([np.asarray(member, np.float64).astype(np.float16)[()] for member in members])
    return halves if kind == HALF2 else halves[0]


def _member_by_member(count: int, function: Function, *, pair: bool) -> Compile:
    """Compile what gives one result of the same type for each member."""

    def compiled(c: Context, node: Call) -> Code:
        kind, numbers = _taken(c, node, count, pair=pair)

        def run(group: Group, mask: Active) -> Value:
            return _made(kind, [function(*m) for m in zip(*numbers(group, mask), strict=True)])

        return Code(run, kind, None, False)

    return compiled


def _question(function: Function, *, pair: bool) -> Compile:
    """Compile what asks whether a comparison holds, of both members."""

    def compiled(c: Context, node: Call) -> Code:
        _, numbers = _taken(c, node, 2, pair=pair)

        def run(group: Group, mask: Active) -> Value:
            held = np.logical_and.reduce([function(*m) for m in zip(*numbers(group, mask), strict=True)])
            return held if np.ndim(held) else bool(held)

        return Code(run, BOOL, None, False)

    return compiled


def _mask(function: Function) -> Compile:
    """Compile a comparison that gives all ones in the half of a word for each member of which it holds."""

    def compiled(c: Context, node: Call) -> Code:
        _, numbers = _taken(c, node, 2, pair=True)

        def run(group: Group, mask: Active) -> Value:
            low, high = (np.asarray(function(*m)) for m in zip(*numbers(group, mask), strict=True))
            word = low * np.uint32(0xFFFF) | high * np.uint32(0xFFFF0000)
            return word.astype(np.uint32) if np.ndim(word) else int(word)

        return Code(run, UINT, None, False)

    return compiled


def _complex(c: Context, node: Call) -> Code:
    """Compile `__hcmadd(a, b, c)`: a·b + c of complex numbers, by two fma for each part (cuda_fp16.hpp)."""
    kind, numbers = _taken(c, node, 3, pair=True)

    def once(a: Any, b: Any, c: Any) -> Any:
        value = _made(kind, [to_odd(a, b, c)] * 2)
        assert type(value) is tuple
        return bfloat_to_double(value[0]) if kind == BF162 else np.asarray(value[0], np.float64)

    def run(group: Group, mask: Active) -> Value:
        a, b, c = numbers(group, mask)
        real = to_odd(-a[1], b[1], once(a[0], b[0], c[0]))
        imaginary = to_odd(a[1], b[0], once(a[0], b[1], c[1]))
        return _made(kind, [real, imaginary])

    return Code(run, kind, None, False)


def _gathered(at: int) -> Compile:
    """Compile what makes a pair of one member of each of two pairs."""

    def compiled(c: Context, node: Call) -> Code:
        kind, numbers = _taken(c, node, 2, pair=True)
        return Code(lambda group, mask: _made(kind, [m[at] for m in numbers(group, mask)]), kind, None, False)

    return compiled


def _table() -> dict[str, Compile]:
    made: dict[str, Compile] = {
        "__hcmadd": _complex,
        "__lows2half2": _gathered(0),
        "__highs2half2": _gathered(1),
        "__lows2bfloat162": _gathered(0),
        "__highs2bfloat162": _gathered(1),
        "__hisnan2": _member_by_member(1, lambda x: np.isnan(x).astype(np.float64), pair=True),
    }
    for name, function in _COMPARE.items():
        for unordered, judged in (("", _ordered(function)), ("u", _unordered(function))):
            made[f"__h{name}{unordered}2"] = _member_by_member(2, _as_number(judged), pair=True)
            made[f"__hb{name}{unordered}2"] = _question(judged, pair=True)
            made[f"__h{name}{unordered}2_mask"] = _mask(judged)
        made[f"__h{name}u"] = _question(_unordered(function), pair=False)
    made["__hne"] = _question(_ordered(np.not_equal), pair=False)  # unlike the operator !=
    for pair, two in ((False, ""), (True, "2")):
        for name, (count, function) in _ARITHMETIC.items():
            made[f"__h{name}{two}_sat"] = _member_by_member(count, _saturated(function), pair=pair)
        made[f"__hfma{two}_relu"] = _member_by_member(3, _relu(to_odd), pair=pair)
        made[f"__hmax{two}_nan"] = _member_by_member(2, _larger, pair=pair)
        made[f"__hmin{two}_nan"] = _member_by_member(2, _smaller, pair=pair)
    return made


def _as_number(function: Function) -> Function:
    return lambda *x: np.asarray(function(*x), np.float64)


HALF_VARIANTS: Final[dict[str, Compile]] = _table()
"""By name."""
