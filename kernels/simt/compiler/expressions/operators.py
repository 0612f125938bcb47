"""Operators on compiled operands: conversions, arithmetic, and checks of division and of overflow in indices.

nvcc computes a sum or product of doubles in float where both operands come from floats and the result is rounded to
float anyway: no digit is lost. `demote_to_float` does the same, since the float product can then be fused with a sum of
floats. Example: `float x = a * 2.0;` with a float `a` is one multiplication of floats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.arithmetic import ARITHMETIC, COMPARISON
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    UINT,
    ULONG,
    Array,
    CType,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    Void,
    promote,
)
from kernels.simt.compiler.compiled_values import Code, FmaFacts, IndexFacts, constant
from kernels.simt.compiler.expressions import reassociation_rank
from kernels.simt.compiler.expressions.addresses import to_number, to_pointer
from kernels.simt.compiler.expressions.bfloat16 import from_bfloat, to_bfloat
from kernels.simt.compiler.expressions.fma_contraction import contract
from kernels.simt.compiler.expressions.user_conversions import as_number, convert_by_constructor, convert_by_function
from kernels.simt.compiler.index import affine_values
from kernels.simt.compiler.index.index_patterns import comparison
from kernels.simt.compiler.index.intervals import interval, operation_interval, within
from kernels.simt.compiler.structs.layout import DIMENSIONS, leaves
from kernels.simt.machine.arithmetic import (
    Value,
    binary,
    common,
    converter,
    integer_range,
    is_float,
    ndarray,
    shift_count,
)
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.skipped_values import skipping

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

_LIMIT: Final = np.iinfo(np.int32)


def scalar(c: Context, code: Code, span: Span) -> Scalar:
    """Return the type of a value that must be a number; raises SourceError for any other."""
    if isinstance(code.type, Scalar):
        return code.type
    raise c.refuse(span, f"a number is needed here, not {code.type}")


def convert(c: Context, code: Code, target: CType, span: Span, *, explicit: bool = False) -> Code:
    """Convert to a type as an assignment does, or, `explicit`, as a cast."""
    if code.type is target and isinstance(target, Scalar):
        return code
    if isinstance(target, FunctionPointer) and code.type != target:
        return _to_function(c, code, target, span, explicit=explicit)
    if isinstance(code.type, Scalar) and isinstance(target, Scalar):
        change = converter(code.type, target)
        if change is None:
            return code
        if c.machine.recorder.skips_values and target != BOOL:
            change = skipping(change)
        if target == FLOAT and code.type == DOUBLE and (code.constant is None or code.from_launch):
            shorter = demote_to_float(c, code, span)
            if shorter is not None:
                return shorter
        changed = map_unary(code, change, target)
        widened = code if target == DOUBLE and code.type == FLOAT else None
        changed.fma = FmaFacts(reassociation_rank.rank_above(c, code), float_value=widened)
        bounds = within(interval(code), target)
        if bounds is not None:
            changed.index = IndexFacts(bounds, code.index.affine)
        return changed
    if isinstance(code.type, Struct) and code.type.derives(target):
        return _base_of(code, target)
    if target == BF16 and isinstance(code.type, Scalar):
        return to_bfloat(code)
    if code.type == BF16 and isinstance(target, Scalar):
        return from_bfloat(code, target)
    if isinstance(code.type, Struct) and not isinstance(target, Struct | Void):
        return convert_by_function(c, code, target, span)
    if isinstance(target, Pointer):
        if explicit and isinstance(code.type, Scalar) and code.type in (INT, UINT, ULONG):
            code = convert(c, code, LONG, span)
        return to_pointer(c, code, target, span, explicit=explicit)
    if isinstance(code.type, Pointer | Array) and (target == BOOL or (explicit and target in (LONG, ULONG))):
        return convert(c, to_number(code), target, span)
    if code.type == target or isinstance(target, Void):
        return code
    if {code.type, target} == DIMENSIONS:
        return replace(code, type=target)
    if isinstance(target, Struct) and target.constructor in c.functions:
        return convert_by_constructor(c, code, target, span)
    raise c.refuse(span, f"{code.type} cannot become {target}")


def _base_of(code: Code, target: CType) -> Code:
    """Convert a struct to its base, whose leaves come first."""
    run, count = code.run, len(leaves(target))
    return Code(lambda group, mask: run(group, mask)[:count], target, None, code.pure)


def _to_function(c: Context, code: Code, target: FunctionPointer, span: Span, *, explicit: bool) -> Code:
    """Convert 0 to a function pointer; with a cast also an address that was one before."""
    if isinstance(code.type, Scalar) and code.constant is not None and code.constant == 0:
        return constant(0, target)
    address = to_number(code) if isinstance(code.type, Pointer) else code
    if not explicit or address.type not in (INT, LONG, ULONG):
        raise c.refuse(span, f"{code.type} cannot become {target}")
    return Code(address.run, target, address.constant, address.pure)


def condition(c: Context, node: Expr) -> Code:
    """Compile to bool, as if, loops and the logical operators do."""
    return convert(c, c.compile(node), BOOL, node.span)


def apply_binary(c: Context, op: str, left: Code, right: Code, span: Span) -> Code:
    """Compile an operator between two compiled operands."""
    code = _apply(c, op, left, right, span)
    # A division may fault and is not moved (its rank is its position); other operators are.
    rank = reassociation_rank.next_rank(c) if op == "/" else reassociation_rank.rank_above(c, left, right)
    operation = None
    if code.type == DOUBLE and op in ("+", "-", "*", "/"):
        first, second = _as_float_operand(left), _as_float_operand(right)
        if first is not None and second is not None:
            operation = op, first, second
    facts = code.fma
    code.fma = FmaFacts(rank, facts.negated, facts.factors, facts.product, facts.float_value, operation)
    return code


def demote_to_float(c: Context, code: Code, span: Span) -> Code | None:
    """Return a double that is about to be converted to float as the float operation that nvcc makes of it.

    None where digits would be lost: the operands were no floats, or it is more than one operation.
    """
    if code.fma.float_operation is None:
        return code.fma.float_value
    op, left, right = code.fma.float_operation
    return apply_binary(c, op, left, right, span)


def _as_float_operand(code: Code) -> Code | None:
    """Return an operand of an operation on doubles as a float; None if it has more digits than a float."""
    if code.type == FLOAT:
        return code
    if code.constant is None or code.from_launch or code.type != DOUBLE:
        return code.fma.float_value
    number = np.float32(code.constant)
    return constant(number, FLOAT) if float(number) == code.constant else None


def _apply(c: Context, op: str, left: Code, right: Code, span: Span) -> Code:
    first, second = scalar(c, left, span), scalar(c, right, span)
    kind = common(first, second)
    if HALF in (first, second) and first != second:
        raise c.refuse(
            span,
            f"operator {op} between {first} and {second}: use __half2float or __float2half on one of them",
        )
    if op in ("<<", ">>"):
        kind = promote(first)
        right = convert(c, right, shift_count(kind), span)
    else:
        right = convert(c, right, kind, span)
    left = convert(c, left, kind, span)
    function = binary(op, kind)
    if function is None:
        raise c.refuse(span, f"operator {op} does not take {kind}")
    result = BOOL if op in COMPARISON else kind
    if op in "/%" and not is_float(kind):
        return _with_bounds(op, _division(c, op, function, left, right, kind, span), left, right)
    # Only in an index, where a wrapped value is an access to a wrong element; elsewhere it is often meant.
    if c.in_index and kind == INT and op in "+-*":
        code = _check_overflow(c, op, function, left, right, span)
        if code is not None:
            return code
    if op in "+-" and is_float(kind) and c.contraction.enabled:
        fused = contract(c, op, left, right, kind)
        if fused is not None:
            return fused
    # `left op right` is `left - right op 0`, if the difference fits; the extremes of all lanes often decide it, as in
    # `col < n` for a block inside the matrix.
    if op in COMPARISON and not is_float(kind) and _differ_in_64_bits(left, right):
        settled = comparison(c, op, left, right)
        if settled is not None:
            return Code(settled, BOOL, None, left.pure and right.pure)
    code = map_binary(function, left, right, result)
    if op == "*" and is_float(kind) and (code.constant is None or code.from_launch):
        negated = reassociation_rank.product_negated(left, right)
        code.fma = FmaFacts(negated=negated, factors=(left, right))
    return _with_bounds(op, code, left, right)


def _differ_in_64_bits(left: Code, right: Code) -> bool:
    """Return whether the difference of two integers, and they themselves, are known to fit into long long."""
    first, second = interval(left), interval(right)
    if first is None or second is None:
        return False
    least, most = integer_range(LONG)
    extremes = (*first, *second, first[0] - second[1], first[1] - second[0])
    return least <= min(extremes) and max(extremes) <= most


def _with_bounds(op: str, code: Code, left: Code, right: Code) -> Code:
    """Add the interval of an operation on integers, and its affine form, to its code."""
    if not isinstance(code.type, Scalar) or code.type.dtype.kind not in "iu":
        return code
    first, second = interval(left), interval(right)
    if first is not None and second is not None:
        known = operation_interval(op, first, second)
        bounds = None if known is None else within(known, code.type)
        if bounds is not None:
            code.index = IndexFacts(bounds, affine_values.affine_result(op, left, right))
    return code


def map_unary(code: Code, function: Callable[[Value], Value], kind: CType) -> Code:
    """Compile a function of one value; a constant gives a constant."""
    run = code.run
    if code.constant is not None:
        return constant(function(code.constant), kind, from_launch=code.from_launch)
    return Code(lambda group, mask: function(run(group, mask)), kind, None, code.pure)


def map_binary(function: Callable[[Value, Value], Value], left: Code, right: Code, kind: CType) -> Code:
    """Compile a function of two values; two constants give a constant."""
    a, b = left.constant, right.constant
    if a is not None and b is not None:
        return constant(function(a, b), kind, from_launch=left.from_launch or right.from_launch)
    first, second = left.run, right.run
    pure = left.pure and right.pure
    if b is not None:
        return Code(lambda group, mask: function(first(group, mask), b), kind, None, pure)
    if a is not None:
        return Code(lambda group, mask: function(a, second(group, mask)), kind, None, pure)
    return Code(lambda group, mask: function(first(group, mask), second(group, mask)), kind, None, pure)


def _division(
    c: Context,
    op: str,
    function: Callable[[Value, Value], Value],
    left: Code,
    right: Code,
    kind: Scalar,
    span: Span,
) -> Code:
    divisor = right.constant
    if divisor is not None and divisor != 0:
        return map_binary(function, left, right, kind)
    first, second, hazards, recorder = left.run, right.run, c.machine.hazards, c.machine.recorder
    place = Place(span)

    def report(group: Group, mask: Active, bad: Active) -> None:
        lane = int(group.lanes[0 if bad is None else bad.where[0]])
        hazards.report(
            "division-by-zero",
            place,
            recorder.current,
            group.active(bad),
            ((lane, span, "read"),),
            lambda: f"{hazards.name(lane)} divides an integer by zero ({op}): test the divisor first",
        )

    def run(group: Group, mask: Active) -> Value:
        # Inactive lanes may contain any divisor: only active ones are reported.
        a, b = first(group, mask), second(group, mask)
        if type(b) is not ndarray:
            if b == 0:
                report(group, mask, mask)
                return 0
        elif not b.all():
            bad = group.narrow(mask, b == 0)
            if bad is not EMPTY:
                report(group, mask, bad)
        return function(a, b)

    return Code(run, kind, None, False)


def _check_overflow(
    c: Context, op: str, function: Callable[[Value, Value], Value], left: Code, right: Code, span: Span
) -> Code | None:
    """Compile +, - or * of two ints in an index with a check of overflow; None if no value can overflow.

    C++ leaves the overflow undefined, a GPU wraps. The intervals of the operands are known before the kernel runs, so
    that most indices need no check; the others compare the extremes of all lanes first.
    """
    first, second = interval(left), interval(right)
    assert first is not None
    assert second is not None
    if within(operation_interval(op, first, second), INT):
        return None
    one, two, hazards, recorder, place = (
        left.run,
        right.run,
        c.machine.hazards,
        c.machine.recorder,
        Place(span),
    )

    def report(group: Group, mask: Active, a: Value, b: Value) -> None:
        exact = ARITHMETIC[op](np.asarray(a, np.int64), np.asarray(b, np.int64))
        bad = np.broadcast_to((exact < _LIMIT.min) | (exact > _LIMIT.max), group.size)
        lost = group.narrow(mask, bad) if bad.any() else EMPTY
        if lost is EMPTY:
            return
        at = 0 if lost is None else int(lost.where[0])
        x, y, value = (int(v[at]) if np.ndim(v) else int(v) for v in (a, b, exact))
        lane = int(group.lanes[at])
        hazards.report(
            "index-overflow",
            place,
            recorder.current,
            group.active(lost),
            ((lane, span, "read"),),
            lambda: (
                f"{hazards.name(lane)} computes {x} {op} {y} for an index: {value} does not fit an int, "
                f"it wraps to {(value + 2**31) % 2**32 - 2**31}; compute it in size_t or long long"
            ),
        )

    def run(group: Group, mask: Active) -> Value:
        a, b = one(group, mask), two(group, mask)
        if not within(operation_interval(op, _extremes(a), _extremes(b)), INT):
            report(group, mask, a, b)
        return function(a, b)

    return Code(run, INT, None, False)


def _extremes(value: Value) -> tuple[int, int]:
    return (int(value.min()), int(value.max())) if type(value) is ndarray else (value, value)


def index_value(c: Context, node: Expr) -> Code:
    """Compile a subscript: any integer."""
    outer, c.in_index = c.in_index, True
    try:
        code = c.compile(node)
    finally:
        c.in_index = outer
    code = as_number(c, code, node.span)
    kind = scalar(c, code, node.span)
    if is_float(kind) or isinstance(kind, FunctionPointer):
        raise c.refuse(node.span, f"an index must be an integer, not {kind}")
    return signed_offset(c, code, node.span)


def signed_offset(c: Context, code: Code, span: Span) -> Code:
    """Convert an integer that is added to an address to int or long long.

    Bounds checks and pointer differences rely on 4 or 8 signed bytes: narrower integers are promoted, and an unsigned
    one becomes long long if it may exceed int.
    """
    kind = scalar(c, code, span)
    narrow = kind.size_bytes <= INT.size_bytes and within(interval(code), INT) is not None
    return convert(c, code, INT if narrow else LONG, span)
