"""half and half2: CUDA's functions of cuda_fp16.h, each rounded to half."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import BOOL, DOUBLE, FLOAT, HALF, INT, VECTORS, Struct
from kernels.simt.compiler.compiled_values import Code, FmaFacts
from kernels.simt.compiler.elementwise import elementwise, in_double, operands, typed_function, vectorized
from kernels.simt.compiler.operators import apply_binary, convert, scalar
from kernels.simt.intrinsics.integers import average
from kernels.simt.intrinsics.vectors import joined
from kernels.simt.machine.fused_multiply_add import multiply_add_half

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend.ast import Call
    from kernels.frontend.types import CType, Scalar
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    Function = Callable[..., Any]

HALF2: Final = VECTORS["half2"]
FLOAT2: Final = VECTORS["float2"]

HALF2_OPERATORS: Final = {"+": "__hadd2", "-": "__hsub2", "*": "__hmul2", "/": "__h2div"}
"""By operator between two half2: the function that implements it."""

_OPERATORS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_COMPARISONS: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ARITHMETIC: Final[dict[str, Function]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}
_ONE: Final[dict[str, Function]] = {"neg": operator.neg, "abs": np.abs}
_TWO: Final[dict[str, Function]] = {"min": np.fmin, "max": np.fmax}

_THROUGH_FLOAT: Final[dict[str, Function]] = {
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


def _operation(op: str) -> Compile:
    """Compile an operator in words; a sum takes a product in as `+` does."""

    def compiled(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2)
        if node.function == "__hadd" and all(scalar(c, code, node.span) != HALF for code in codes):
            return average(c, node, codes)
        left, right = (convert(c, code, HALF, node.span) for code in codes)
        return apply_binary(c, op, left, right, node.span)

    return compiled


def _pairwise(function: Function, count: int) -> Compile:
    """Apply a function of halves to both members."""

    def compiled(c: Context, node: Call) -> Code:
        return _of_members(function, [_struct(c, node, code, HALF2) for code in operands(c, node, count)])

    return compiled


def _of_members(function: Function, codes: Sequence[Code]) -> Code:
    compute, runs = vectorized(function, [HALF] * len(codes), HALF), [code.run for code in codes]

    def run(group: Group, mask: Active) -> Value:
        values = [give(group, mask) for give in runs]
        return tuple([compute(*members) for members in zip(*values, strict=True)])

    return Code(run, HALF2, None, False)


def _pair_operation(name: str) -> Compile:
    """Compile +, -, * or / of two half2; a sum takes a product in unrounded."""

    def compiled(c: Context, node: Call) -> Code:
        left, right = (_struct(c, node, code, HALF2) for code in operands(c, node, 2))
        if name in ("add", "sub") and c.contraction.enabled:
            sign = 1 if name == "add" else -1
            if left.fma.factors is not None:
                return _of_members(lambda a, b, x: multiply_add_half(a, b, sign * x), [*left.fma.factors, right])
            if right.fma.factors is not None:
                return _of_members(lambda x, a, b: multiply_add_half(sign * a, b, x), [left, *right.fma.factors])
        code = _of_members(_ARITHMETIC[name], [left, right])
        if name == "mul":
            code.fma = FmaFacts(factors=(left, right))
        return code

    return compiled


def _struct(c: Context, node: Call, code: Code, kind: Struct) -> Code:
    if code.type != kind:
        raise c.refuse(node.span, f"{node.function} takes {kind}, not {code.type}")
    return code


def _member(at: int, target: Scalar) -> Compile:
    """One member of a half2, as half or float."""

    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        give = _struct(c, node, code, HALF2).run
        return convert(c, Code(lambda group, mask: give(group, mask)[at], HALF, None, code.pure), target, node.span)

    return compiled


def _members(source: Struct, order: tuple[int, int], target: Struct) -> Compile:
    """Make a vector of two from the members of another."""
    kind, goal = source.fields[0].type, target.fields[0].type

    def compiled(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1, kind=source)
        give = _struct(c, node, code, source).run
        slots = [c.slot() for _ in source.fields]
        kept = [Code(_reader(slots[at]), kind) for at in order]
        parts = [convert(c, member, goal, node.span).run for member in kept]

        def run(group: Group, mask: Active) -> Value:
            for slot, value in zip(slots, give(group, mask), strict=True):
                group.values[slot] = value
            return tuple([part(group, mask) for part in parts])

        return Code(run, target, None, False)

    return compiled


def _reader(slot: int) -> Run:
    return lambda group, mask: group.values[slot]


def _from_two(c: Context, node: Call) -> Code:
    return joined(c, HALF2, operands(c, node, 2), node.span)


def _from_one(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1)
    give = convert(c, code, HALF, node.span).run

    def run(group: Group, mask: Active) -> Value:
        value = give(group, mask)
        return value, value

    return Code(run, HALF2, None, code.pure)


def _change(op: str) -> Compile:
    """Compile `a += b` and the other compound assignments of half2."""

    def compiled(c: Context, node: Call) -> Code:
        target, value = node.arguments
        return c.compile(ast.Assign(node.span, "=", target, ast.Binary(node.span, op, target, value)))

    return compiled


def _compare(op: str) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        left, right = (convert(c, code, HALF, node.span) for code in operands(c, node, 2))
        return apply_binary(c, op, left, right, node.span)

    return compiled


def _is_infinite(c: Context, node: Call) -> Code:
    return elementwise(c, node, operands(c, node, 1), [HALF], INT, lambda x: np.where(np.isinf(x), np.sign(x), 0))


def _table() -> dict[str, Compile]:
    made: dict[str, Compile] = {
        "__hfma": typed_function([HALF] * 3, HALF, multiply_add_half),
        "__hfma2": _pairwise(multiply_add_half, 3),
        "__hisnan": typed_function([HALF], BOOL, np.isnan),
        "__hisinf": _is_infinite,
        "__half2float": typed_function([HALF], FLOAT, np.positive),
        "__double2half": typed_function([DOUBLE], HALF, np.positive),
        "__float2half": typed_function([FLOAT], HALF, np.positive),
        "__float2half_rn": typed_function([FLOAT], HALF, np.positive),
        "__floats2half2_rn": _from_two,
        "__halves2half2": _from_two,
        "__float2half2_rn": _from_one,
        "__half2half2": _from_one,
        "__low2float": _member(0, FLOAT),
        "__high2float": _member(1, FLOAT),
        "__low2half": _member(0, HALF),
        "__high2half": _member(1, HALF),
        "__half22float2": _members(HALF2, (0, 1), FLOAT2),
        "__float22half2_rn": _members(FLOAT2, (0, 1), HALF2),
        "__lowhigh2highlow": _members(HALF2, (1, 0), HALF2),
        "__low2half2": _members(HALF2, (0, 0), HALF2),
        "__high2half2": _members(HALF2, (1, 1), HALF2),
    }
    for op in HALF2_OPERATORS:
        made[f"operator{op}="] = _change(op)
    for name, op in _OPERATORS.items():
        made[f"__h{name}"] = _operation(op)
        made[f"__h{name}_rn"] = typed_function([HALF] * 2, HALF, _ARITHMETIC[name])
        made[f"__h{name}2" if name != "div" else "__h2div"] = _pair_operation(name)
        made[f"__h{name}2_rn"] = _pairwise(_ARITHMETIC[name], 2)
    for name, op in _COMPARISONS.items():
        made[f"__h{name}"] = _compare(op)
    for count, table in ((1, _ONE), (2, _TWO)):
        for name, function in table.items():
            made[f"__h{name}"] = typed_function([HALF] * count, HALF, function)
            made[f"__h{name}2"] = _pairwise(function, count)
    for name, function in _THROUGH_FLOAT.items():
        made[f"h{name}"] = typed_function([HALF], HALF, in_double(function))
        made[f"h2{name}"] = _pairwise(in_double(function), 1)
    return made


HALVES: Final[dict[str, Compile]] = _table()
"""By name."""


def operator_function(op: str, left: CType, right: CType) -> str:
    """Return the function that an operator between two half2 is; "" for any other."""
    return HALF2_OPERATORS.get(op, "") if left == right == HALF2 else ""
