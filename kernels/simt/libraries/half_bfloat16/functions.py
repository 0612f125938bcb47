"""CUDA's functions of half and bfloat16, single or in pairs (cuda_fp16.h, cuda_bf16.h).

Functions of the same name for both types are overloaded on their arguments. Results are computed in double and rounded
once: sums and products of two are exact there, and a product with its sum is rounded to odd first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import BOOL, FLOAT, HALF, USHORT, VECTORS, Struct
from kernels.number_types import bfloat_to_double
from kernels.simt.compiler.compiled_values import Code, FmaFacts
from kernels.simt.compiler.expressions.bfloat16 import apply_in_double
from kernels.simt.compiler.expressions.elementwise import elementwise, in_double, operands, vectorize
from kernels.simt.compiler.expressions.operators import apply_binary, convert, scalar
from kernels.simt.intrinsics.integers import average
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

HALF2: Final = VECTORS["half2"]
FLOAT2: Final = VECTORS["float2"]

_OPERATIONS: Final[dict[str, tuple[str, Function]]] = {
    "add": ("+", np.add),
    "sub": ("-", np.subtract),
    "mul": ("*", np.multiply),
    "div": ("/", np.divide),
}
_COMPARISONS: Final[dict[str, tuple[str, Function]]] = {
    "eq": ("==", np.equal),
    "neu": ("!=", np.not_equal),
    "lt": ("<", np.less),
    "le": ("<=", np.less_equal),
    "gt": (">", np.greater),
    "ge": (">=", np.greater_equal),
}
"""Of single values only."""

_FUNCTIONS: Final[dict[str, tuple[int, Function]]] = {
    "min": (2, np.fmin),
    "max": (2, np.fmax),
    "neg": (1, np.negative),
    "fma": (3, to_odd),
}
"""By name: the number of operands, and the function of doubles; single and in pairs."""

_MATHEMATICS: Final[dict[str, Function]] = {"exp": np.exp, "rsqrt": lambda x: 1 / np.sqrt(x)}
"""Of single values only."""


def operator_function(op: str, left: CType, right: CType) -> str:
    """Return the function that an operator between two types is; "" for operators of other types."""
    if left != right or left not in (BF16, BF162, HALF2):
        return ""
    tables = (_OPERATIONS, _COMPARISONS) if left == BF16 else (_OPERATIONS,)
    name = next((name for table in tables for name, (symbol, _) in table.items() if symbol == op), "")
    return name and (f"__h{name}" if left == BF16 else _pair_name(name))


def _pair_name(name: str) -> str:
    return "__h2div" if name == "div" else f"__h{name}2"


# --- arithmetic


def _overload(codes: Sequence[Code], *, pair: bool) -> CType:
    """Return the type of the operands of a function that both types have."""
    half, bfloat = (HALF2, BF162) if pair else (HALF, BF16)
    return bfloat if bfloat in [code.type for code in codes] else half


def _as_type(c: Context, node: Call, code: Code, kind: CType) -> Code:
    """Convert an operand to a type; a pair must be of that type."""
    if isinstance(kind, Struct) and kind != BF16 and code.type != kind:
        raise c.refuse(node.span, f"{node.function} takes {kind}, not {code.type}")
    return convert(c, code, kind, node.span)


def _apply(function: Function, codes: Sequence[Code], kind: CType) -> Code:
    """Compile a function of doubles, member by member."""
    if kind in (BF16, BF162):
        return apply_in_double(function, list(codes), kind)
    compute, runs = vectorize(in_double(function), [HALF] * len(codes), HALF), [code.run for code in codes]

    def run(group: Group, mask: Active) -> Value:
        values = [give(group, mask) for give in runs]
        return tuple([compute(*members) for members in zip(*values, strict=True)])

    return Code(run, HALF2, None, False)


def _function(count: int, function: Function, *, pair: bool) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, count)
        kind = _overload(codes, pair=pair)
        if kind == HALF:
            return elementwise(c, node, codes, [HALF] * count, HALF, in_double(function))
        return _apply(function, [_as_type(c, node, code, kind) for code in codes], kind)

    return compile_call


def _operation(name: str, *, pair: bool) -> Compile:
    """Compile an operator by its name; a sum takes a product in unrounded, as compilers do."""
    op, function = _OPERATIONS[name]

    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2)
        kind = _overload(codes, pair=pair)
        if node.function == "__hadd" and kind == HALF and all(scalar(c, x, node.span) != HALF for x in codes):
            return average(c, node, codes)
        left, right = (_as_type(c, node, code, kind) for code in codes)
        if kind == HALF:
            return apply_binary(c, op, left, right, node.span)
        if name in ("add", "sub") and c.contraction.enabled:
            sign = 1 if name == "add" else -1
            if left.fma.factors is not None:
                return _apply(lambda a, b, x: to_odd(a, b, sign * x), [*left.fma.factors, right], kind)
            if right.fma.factors is not None:
                return _apply(lambda x, a, b: to_odd(sign * a, b, x), [left, *right.fma.factors], kind)
        code = _apply(function, (left, right), kind)
        if name == "mul":
            code.fma = FmaFacts(factors=(left, right))
        return code

    return compile_call


def _comparison(op: str, function: Function) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2)
        kind = _overload(codes, pair=False)
        left, right = (convert(c, code, kind, node.span) for code in codes)
        if kind == HALF:
            return apply_binary(c, op, left, right, node.span)

        def run(group: Group, mask: Active) -> Value:
            result = function(*(bfloat_to_double(code.run(group, mask)[0]) for code in (left, right)))
            return result if np.ndim(result) else bool(result)

        return Code(run, BOOL, None, False)

    return compile_call


def _compound_assignment(op: str) -> Compile:
    """Compile `a += b` of half2, and the like."""

    def compile_call(c: Context, node: Call) -> Code:
        target, value = node.arguments
        return c.compile(ast.Assign(node.span, "=", target, ast.Binary(node.span, op, target, value)))

    return compile_call


# --- conversions and pairs. The value of a bfloat16 is a tuple of one, as of any struct; a pair is a tuple of numbers.


def _number(value: Value) -> Value:
    return value[0] if type(value) is tuple else value


def _conversion(source: CType, target: CType) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        return convert(c, convert(c, code, source, node.span), target, node.span)

    return compile_call


def _pair_of(count: int, source: CType, pair: Struct) -> Compile:
    """Make a pair of two values, or of one twice."""
    single = pair.fields[0].type

    def compile_call(c: Context, node: Call) -> Code:
        codes = [convert(c, code, source, node.span) for code in operands(c, node, count)]
        runs = [convert(c, code, single, node.span).run for code in codes]

        def run(group: Group, mask: Active) -> Value:
            members = [_number(give(group, mask)) for give in runs]
            return members[0], members[-1]

        return Code(run, pair, None, all(code.pure for code in codes))

    return compile_call


def _member_of_slot(slot: int, kind: CType) -> Code:
    if kind == BF16:
        return Code(lambda group, mask: (group.values[slot],), kind, None, True)
    return Code(lambda group, mask: group.values[slot], kind, None, True)


def _pair_converted(source: Struct, target: Struct) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1, kind=source)
        give, slots = _as_type(c, node, code, source).run, (c.slot(), c.slot())
        members = [_member_of_slot(slot, source.fields[0].type) for slot in slots]
        parts = [convert(c, member, target.fields[0].type, node.span).run for member in members]

        def run(group: Group, mask: Active) -> Value:
            for slot, value in zip(slots, give(group, mask), strict=True):
                group.values[slot] = value
            return tuple([_number(part(group, mask)) for part in parts])

        return Code(run, target, None, False)

    return compile_call


def _member(at: int) -> Compile:
    """Return one of a pair, as float."""

    def compile_call(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        give = _as_type(c, node, code, _overload([code], pair=True)).run
        if code.type == BF162:
            return convert(c, Code(lambda group, mask: (give(group, mask)[at],), BF16, None, False), FLOAT, node.span)
        return convert(c, Code(lambda group, mask: give(group, mask)[at], HALF, None, False), FLOAT, node.span)

    return compile_call


def _from_bits(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1)
    give = convert(c, code, USHORT, node.span).run
    return Code(lambda group, mask: (give(group, mask),), BF16, None, False)


def _to_bits(c: Context, node: Call) -> Code:
    (code,) = operands(c, node, 1)
    give = convert(c, code, BF16, node.span).run
    return Code(lambda group, mask: give(group, mask)[0], USHORT, None, False)


def _table() -> dict[str, Compile]:
    functions: dict[str, Compile] = {
        "__low2float": _member(0),
        "__high2float": _member(1),
        "__ushort_as_bfloat16": _from_bits,
        "__bfloat16_as_ushort": _to_bits,
    }
    for name, kind, pair in (("half", HALF, HALF2), ("bfloat16", BF16, BF162)):
        functions |= {
            f"__{name}2float": _conversion(kind, FLOAT),
            f"__float2{name}": _conversion(FLOAT, kind),
            f"__float2{name}_rn": _conversion(FLOAT, kind),
            f"__float2{name}2_rn": _pair_of(1, FLOAT, pair),
            f"__floats2{name}2_rn": _pair_of(2, FLOAT, pair),
            f"__halves2{name}2": _pair_of(2, kind, pair),
            f"__float22{name}2_rn": _pair_converted(FLOAT2, pair),
            f"__{name}22float2": _pair_converted(pair, FLOAT2),
        }
    for name, (op, _) in _OPERATIONS.items():
        functions[f"__h{name}"] = _operation(name, pair=False)
        functions[_pair_name(name)] = _operation(name, pair=True)
        functions[f"operator{op}="] = _compound_assignment(op)
    for name, (count, function) in _FUNCTIONS.items():
        functions[f"__h{name}"] = _function(count, function, pair=False)
        functions[f"__h{name}2"] = _function(count, function, pair=True)
    for name, (op, function) in _COMPARISONS.items():
        functions[f"__h{name}"] = _comparison(op, function)
    for name, function in _MATHEMATICS.items():
        functions[f"h{name}"] = _function(1, function, pair=False)
    return functions


FUNCTIONS: Final[dict[str, Compile]] = _table()
"""By name."""
