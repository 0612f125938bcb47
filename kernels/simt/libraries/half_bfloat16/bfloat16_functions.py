"""CUDA's functions of bfloat16 (cuda_bf16.h); those that half has too are overloaded on their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import BOOL, DOUBLE, FLOAT, INT, SHORT, UINT, USHORT, VECTORS, Scalar
from kernels.simt.compiler.bfloat16 import apply_in_double, bfloat_to_double
from kernels.simt.compiler.compiled_values import Code, FmaFacts
from kernels.simt.compiler.elementwise import operands
from kernels.simt.compiler.operators import convert
from kernels.simt.libraries.half_bfloat16.half import HALVES
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

OPERATORS: Final = {"+": "__hadd", "-": "__hsub", "*": "__hmul", "/": "__hdiv"}
"""By operator between two bfloat16: the function that implements it."""

COMPARISONS: Final = {
    "==": "__heq",
    "!=": "__hneu",
    "<": "__hlt",
    "<=": "__hle",
    ">": "__hgt",
    ">=": "__hge",
}
"""Of single ones only."""

_COMPARE: Final[dict[str, Function]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_PLAIN: Final[dict[str, tuple[int, Function]]] = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "div": (2, np.divide),
    "min": (2, np.fmin),
    "max": (2, np.fmax),
    "neg": (1, np.negative),
    "abs": (1, np.abs),
    "fma": (3, to_odd),
}
_NAMED: Final[dict[str, Function]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcp": np.reciprocal,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "exp10": lambda x: np.power(10.0, x),
    "log10": np.log10,
    "tanh": np.tanh,
}


def operator_name(op: str, kind: CType) -> str:
    """Return the function that an operator between two of a type is; none where there is no such operator."""
    if kind == BF16:
        return OPERATORS.get(op) or COMPARISONS.get(op, "")
    return {"/": "__h2div"}.get(op) or (f"{OPERATORS[op]}2" if op in OPERATORS else "")


def operator_function(op: str, left: CType, right: CType) -> str:
    """Return the function that an operator between two types is; "" where these are not bfloat16."""
    return operator_name(op, left) if left == right and left in (BF16, BF162) else ""


def _of_either(name: str, kind: CType, function: Function, count: int) -> Compile:
    """Compile a function that half has too."""

    def compiled(c: Context, node: Call) -> Code:
        codes = operands(c, node, count)
        if all(code.type not in (BF16, BF162) for code in codes):
            return HALVES[name](c, node)
        codes = [convert(c, code, kind, node.span) for code in codes]
        if c.contraction.enabled and name.removesuffix("2") in ("__hadd", "__hsub"):
            fused = _fused(codes, 1 if "add" in name else -1, kind)
            if fused is not None:
                return fused
        code = apply_in_double(function, codes, kind)
        if name in ("__hmul", "__hmul2"):
            code.fma = FmaFacts(factors=(codes[0], codes[1]))
        return code

    return compiled


def _fused(codes: Sequence[Code], sign: int, kind: CType) -> Code | None:
    """Compile a sum that takes a product in unrounded, as the compiler does."""
    left, right = codes
    if left.fma.factors is not None:
        return apply_in_double(lambda a, b, x: to_odd(a, b, sign * x), [*left.fma.factors, right], kind)
    if right.fma.factors is not None:
        return apply_in_double(lambda x, a, b: to_odd(sign * a, b, x), [left, *right.fma.factors], kind)
    return None


def _comparison(name: str, function: Function) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2)
        if BF16 not in [code.type for code in codes]:
            return HALVES[name](c, node)
        first, second = (convert(c, code, BF16, node.span).run for code in codes)

        def run(group: Group, mask: Active) -> Value:
            found = function(bfloat_to_double(first(group, mask)[0]), bfloat_to_double(second(group, mask)[0]))
            return found if np.ndim(found) else bool(found)

        return Code(run, BOOL, None, False)

    return compiled


def _is_nan(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1)
    if code.type != BF16:
        return HALVES["__hisnan"](c, node)
    give = code.run

    def run(group: Group, mask: Active) -> Value:
        found = np.isnan(bfloat_to_double(give(group, mask)[0]))
        return found if found.ndim else bool(found)

    return Code(run, BOOL, None, False)


def _converted(source: CType, target: CType) -> Compile:
    """Compile a conversion by name."""

    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        return convert(c, convert(c, code, source, node.span), target, node.span)

    return compiled


def _pair(count: int, source: CType) -> Compile:
    """Make a pair of two values, or of one twice."""

    def compiled(c: Context, node: Call) -> Code:
        codes = [convert(c, code, source, node.span) for code in operands(c, node, count)]
        runs = [convert(c, code, BF16, node.span).run for code in codes]

        def run(group: Group, mask: Active) -> Value:
            members = [give(group, mask)[0] for give in runs]
            return members[0], members[-1]

        return Code(run, BF162, None, False)

    return compiled


def _part(at: int, target: CType) -> Compile:
    """Take one of a pair."""

    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        if code.type != BF162:
            other = HALVES.get(node.function)
            if other is not None:
                return other(c, node)
            raise c.refuse(node.span, f"{node.function} takes {BF162}, not {code.type}")
        give = code.run
        return convert(c, Code(lambda group, mask: (give(group, mask)[at],), BF16, None, False), target, node.span)

    return compiled


def _seen_as(source: CType, target: CType) -> Compile:
    """Keep the bits."""

    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        give = convert(c, code, source, node.span).run
        if isinstance(target, Scalar):
            bits = Code(lambda group, mask: give(group, mask)[0], USHORT, None, False)
            return convert(c, bits, target, node.span)
        return Code(lambda group, mask: (give(group, mask),), target, None, False)

    return compiled


def _from_float2(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1, kind=VECTORS["float2"])
    give = convert(c, code, VECTORS["float2"], node.span).run

    def member(at: int) -> Code:
        return convert(c, Code(lambda group, mask: give(group, mask)[at], FLOAT, None, False), BF16, node.span)

    parts = [member(at).run for at in range(2)]
    return Code(lambda group, mask: tuple([part(group, mask)[0] for part in parts]), BF162, None, False)


def _to_float2(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1, kind=BF162)
    give = convert(c, code, BF162, node.span).run

    def run(group: Group, mask: Active) -> Value:
        found = [bfloat_to_double(bits).astype(np.float32) for bits in give(group, mask)]
        return tuple([number if number.ndim else number[()] for number in found])

    return Code(run, VECTORS["float2"], None, False)


def _table() -> dict[str, Compile]:
    made: dict[str, Compile] = {
        "__bfloat162float": _converted(BF16, FLOAT),
        "__float2bfloat16": _converted(FLOAT, BF16),
        "__float2bfloat16_rn": _converted(FLOAT, BF16),
        "__double2bfloat16": _converted(DOUBLE, BF16),
        "__int2bfloat16_rn": _converted(INT, BF16),
        "__uint2bfloat16_rn": _converted(UINT, BF16),
        "__bfloat162bfloat162": _pair(1, BF16),
        "__float2bfloat162_rn": _pair(1, FLOAT),
        "__floats2bfloat162_rn": _pair(2, FLOAT),
        "__halves2bfloat162": _pair(2, BF16),
        "make_bfloat162": _pair(2, BF16),
        "__low2float": _part(0, FLOAT),
        "__high2float": _part(1, FLOAT),
        "__low2bfloat16": _part(0, BF16),
        "__high2bfloat16": _part(1, BF16),
        "__bfloat1622float2": _to_float2,
        "__float22bfloat162_rn": _from_float2,
        "__bfloat16_as_ushort": _seen_as(BF16, USHORT),
        "__ushort_as_bfloat16": _seen_as(USHORT, BF16),
        "__bfloat16_as_short": _seen_as(BF16, SHORT),
        "__short_as_bfloat16": _seen_as(USHORT, BF16),
        "__hisnan": _is_nan,
    }
    for name, (count, function) in _PLAIN.items():
        made[f"__h{name}"] = _of_either(f"__h{name}", BF16, function, count)
        pair = "__h2div" if name == "div" else f"__h{name}2"
        made[pair] = _of_either(pair, BF162, function, count)
    for name in ("add", "sub", "mul"):
        for pair, kind in (("", BF16), ("2", BF162)):
            made[f"__h{name}{pair}_rn"] = _of_either(f"__h{name}{pair}_rn", kind, _PLAIN[name][1], 2)
    for name, function in _NAMED.items():
        made[f"h{name}"] = _of_either(f"h{name}", BF16, function, 1)
        made[f"h2{name}"] = _of_either(f"h2{name}", BF162, function, 1)
    for name, function in _COMPARE.items():
        made[f"__h{name}"] = _comparison(f"__h{name}", function)
    return made


BFLOATS: Final[dict[str, Compile]] = _table()
"""By name."""
