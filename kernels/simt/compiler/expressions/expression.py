"""Expressions: each is compiled to one closure from (group, active lanes) to a value."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import BOOL, ULONG, CType, Named, Pointer, Scalar, Struct, Void, promote
from kernels.simt.compiler.calls import call as calls
from kernels.simt.compiler.calls.lambdas import lambda_value
from kernels.simt.compiler.calls.missing_return import discard_value
from kernels.simt.compiler.calls.overload_resolution import NoneFits
from kernels.simt.compiler.compiled_values import Code, FmaFacts, constant
from kernels.simt.compiler.expressions import assignments, lvalues, reassociation_rank
from kernels.simt.compiler.expressions.addresses import as_address, pointee
from kernels.simt.compiler.expressions.builtins import NAMES as BUILT_IN_NAMES
from kernels.simt.compiler.expressions.builtins import built_in
from kernels.simt.compiler.expressions.load_store import choose
from kernels.simt.compiler.expressions.operators import apply_binary, condition, convert, map_unary, scalar
from kernels.simt.compiler.expressions.pointers import pointer_arithmetic
from kernels.simt.compiler.expressions.short_circuit import Branch, hoist_choice
from kernels.simt.compiler.expressions.string_literals import string_literal
from kernels.simt.compiler.expressions.user_conversions import as_number
from kernels.simt.compiler.expressions.user_operators import operator_place
from kernels.simt.compiler.hoisting import (
    VALUE,
    attach,
    compile_once,
    cut,
    evaluate_first,
    mark,
    perform_first,
    trial,
    waits,
)
from kernels.simt.compiler.structs.construction import construct
from kernels.simt.machine.arithmetic import Value, common, ndarray, unary, uniform
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group


def expression(c: Context, node: Expr) -> Code:
    """Compile any expression.

    Raises
    ------
    SourceError
        For what C forbids and for what is not executed here, with its place.
    """
    if not c.log.can_wait:
        return _COMPILED[type(node)](c, node)
    return compile_once(c, node, VALUE, _COMPILED[type(node)])


def _number(c: Context, node: ast.Number) -> Code:
    return constant(uniform(node.value, node.type), node.type)


def _name(c: Context, node: ast.Name | ast.Member) -> Code:
    root = node.base if type(node) is ast.Member else node
    if type(root) is ast.Name and root.id in BUILT_IN_NAMES and c.find(root.id) is None:
        return built_in(c, node)
    return lvalues.read(c, node)


def _cast(c: Context, node: ast.Cast) -> Code:
    called = node.operand
    if isinstance(called, ast.Call) and called.function == "malloc" and isinstance(node.type, Pointer):
        node = replace(node, operand=replace(called, template=(node.type.to,)))
    if isinstance(node.type, Void):
        discard_value(c, called)
    return convert(c, expression(c, node.operand), node.type, node.span, explicit=True)


def _binary(c: Context, node: ast.Binary) -> Code:
    if node.op in ("&&", "||"):
        return _logical(c, node)
    if node.op == ",":
        return _comma(c, node)
    if node.op in ("<<", ">>"):
        left, right = _left_then_right(c, node)
    else:
        left = _left(c, node)
        if c.in_index or pointee(left.type) is None:
            right = expression(c, node.right)
        else:
            with c.indexing():
                right = expression(c, node.right)
    if isinstance(left.type, Scalar) and isinstance(right.type, Scalar):
        return apply_binary(c, node.op, left, right, node.span)
    if isinstance(left.type, Struct) or isinstance(right.type, Struct):
        return _operator(c, node, left, right)
    return pointer_arithmetic(c, node.op, left, right, node.span)


def _left_then_right(c: Context, node: ast.Binary) -> tuple[Code, Code]:
    """Compile two operands, the left one sequenced before the right one."""
    marks = [mark(c)]
    left = _left(c, node)
    marks.append(mark(c))
    right = expression(c, node.right)
    numbers = isinstance(left.type, Scalar) and isinstance(right.type, Scalar)
    if numbers and waits(marks[1], mark(c)):  # a call sequences its arguments itself
        before, later = cut(c, marks)
        left = evaluate_first(c, before, [later], left, node.left)
        attach(c, before, later)
    return left, right


def _operator(c: Context, node: ast.Binary, left: Code, right: Code) -> Code:
    """Compile an operator with a struct as operand: a function of the file or of a library, or a conversion."""
    name = f"operator{node.op}"
    for operand, code in ((node.left, left), (node.right, right)):
        repeated = isinstance(operand, ast.Binary | ast.Construct | ast.Cast | ast.Conditional)
        if repeated and c.known_lvalue(operand) is None:
            c.remember_lvalue(operand, code)
    member = c.member(left.type, name) is not None
    if name in c.functions:
        with suppress(NoneFits) if member else nullcontext():
            return c.compile(ast.Call(node.span, name, (node.left, node.right)))
    if member:
        return c.compile(ast.Call(node.span, f".{name}", (node.left, node.right)))
    for function in c.registry.operators:
        name = function(node.op, left.type, right.type)
        if name:
            return c.compile(ast.Call(node.span, name, (node.left, node.right)))
    one, other = (as_number(c, code, node.span) for code in (left, right))
    if isinstance(one.type, Scalar) and isinstance(other.type, Scalar):
        return apply_binary(c, node.op, one, other, node.span)
    if not isinstance(one.type, Struct) and not isinstance(other.type, Struct):
        return pointer_arithmetic(c, node.op, one, other, node.span)
    raise c.refuse(
        node.span,
        f"no operator {node.op} takes {left.type} and {right.type}: work on the members, or declare it",
    )


def _unary(c: Context, node: ast.Unary) -> Code:
    if node.op in ("*", "&"):
        return lvalues.read(c, node)
    code = expression(c, node.operand)
    name = f"operator{node.op}"
    if isinstance(code.type, Struct) and c.member(code.type, name) is not None:
        return c.compile(ast.Call(node.span, f".{name}", (node.operand,)))
    if isinstance(code.type, Struct) and name in c.functions:
        return c.compile(ast.Call(node.span, name, (node.operand,)))
    if code.type not in (BF16, BF162):
        code = as_number(c, code, node.span)
    if node.op == "-" and code.type in (BF16, BF162):
        return c.compile(ast.Call(node.span, "__hneg" if code.type == BF16 else "__hneg2", (node.operand,)))
    if node.op == "!":
        code = convert(c, code, BOOL, node.span)
    kind = BOOL if node.op == "!" else promote(scalar(c, code, node.span))
    function = unary(node.op, kind)
    if function is None:
        raise c.refuse(node.span, f"operator {node.op} does not take {kind}")
    operand = convert(c, code, kind, node.span)
    result = map_unary(operand, function, kind)
    rank, negated = reassociation_rank.rank(c, operand), (node.op == "-") != operand.fma.negated
    factors = None
    if operand.fma.factors is not None and node.op in "+-":
        factors = (map_unary(operand.fma.factors[0], function, kind), operand.fma.factors[1])
    result.fma = FmaFacts(rank, negated, factors)
    return result


def _logical(c: Context, node: ast.Binary) -> Code:
    left = condition(c, node.left)
    with c.conditional_part() as before:
        right = condition(c, node.right)
    decided = node.op == "||"  # the value of the left operand that decides the result
    settled = constant(decided, BOOL)
    if left.constant is not None:
        return settled if left.constant is decided else _in_place(c, Branch(before, right))
    if before:
        arms = Branch(before, right), Branch([], settled)
        return hoist_choice(c, left, *(reversed(arms) if decided else arms))
    first, second = left.run, right.run
    combine = np.bitwise_or if decided else np.bitwise_and

    def join(a: Value, b: Value) -> Value:
        if type(b) is not ndarray:
            return decided if b is decided else a
        return combine(a, b)

    # The right operand may fault (`i < n && a[i] > 0`), so that only the undecided lanes evaluate it.
    def short(group: Group, mask: Active) -> Value:
        a = first(group, mask)
        if type(a) is not ndarray:
            return a if a is decided else second(group, mask)
        rest = group.narrow(mask, ~a if decided else a)
        return decided if rest is EMPTY else join(a, second(group, rest))

    # Pure operands are evaluated for all lanes: one operation on vectors is cheaper than splitting the lanes.
    def both(group: Group, mask: Active) -> Value:
        a = first(group, mask)
        if type(a) is not ndarray:
            return a if a is decided else second(group, mask)
        return join(a, second(group, mask))

    return Code(both if right.pure else short, BOOL, None, left.pure and right.pure)


def _conditional(c: Context, node: ast.Conditional) -> Code:
    test = condition(c, node.condition)
    with c.conditional_part() as first_before:
        then = expression(c, node.then)
    with c.conditional_part() as second_before:
        otherwise = expression(c, node.otherwise)
    kind = _either(c, then, otherwise, node)
    then, otherwise = convert(c, then, kind, node.span), convert(c, otherwise, kind, node.span)
    if test.constant is not None:
        return _in_place(c, Branch(first_before, then) if test.constant else Branch(second_before, otherwise))
    memory = then.memory
    if isinstance(kind, Pointer) and then.memory is not otherwise.memory:
        then, otherwise, memory = as_address(then), as_address(otherwise), None
    if first_before or second_before:
        return hoist_choice(c, test, Branch(first_before, then), Branch(second_before, otherwise))
    test_lanes, first, second = test.run, then.run, otherwise.run

    def run(group: Group, mask: Active) -> Value:
        bits = test_lanes(group, mask)
        yes, no = group.split(mask, bits)
        if no is EMPTY:
            return first(group, mask)
        if yes is EMPTY:
            return second(group, mask)
        return choose(kind, bits, first(group, yes), second(group, no))

    return Code(run, kind, None, test.pure and then.pure and otherwise.pure, memory)


def _in_place(c: Context, arm: Branch) -> Code:
    """Return the operand that all lanes evaluate, with its hoisted steps."""
    if c.hoisted is not None:
        c.hoisted += arm.before
    return arm.value


def _either(c: Context, then: Code, otherwise: Code, node: ast.Conditional) -> CType:
    """Return the type of `?:`."""
    if isinstance(then.type, Scalar) and isinstance(otherwise.type, Scalar):
        return then.type if then.type == otherwise.type else common(then.type, otherwise.type)
    first, second = pointee(then.type), pointee(otherwise.type)
    if first is not None or second is not None:
        target = first if first is not None else second
        assert target is not None
        const = any(isinstance(x.type, Pointer) and x.type.const for x in (then, otherwise))
        return Pointer(target, const)
    if then.type == otherwise.type:
        return then.type
    raise c.refuse(node.span, f"?: between {then.type} and {otherwise.type}")


def _left(c: Context, node: ast.Binary) -> Code:
    """Compile the left operand; in a chain such as `a << b << c` it is the lvalue that `a << b` returns."""
    chained = operator_place(c, node.left) if isinstance(node.left, ast.Binary) else None
    return expression(c, node.left) if chained is None else lvalues.value_of(c, chained, node.span)


def _comma(c: Context, node: ast.Binary) -> Code:
    discard_value(c, node.left)
    marks = [mark(c)]
    left = _left(c, node)
    marks.append(mark(c))
    right = expression(c, node.right)
    if "operator," in c.functions or c.member(left.type, "operator,") is not None:
        with suppress(NoneFits):  # then it is the built-in one
            return _operator(c, node, left, right)
    first, second = left.run, right.run
    if waits(marks[1], mark(c)):
        before, later = cut(c, marks)
        done = perform_first(c, before, [later], left)
        attach(c, before, later)
        if done:
            return right

    def run(group: Group, mask: Active) -> Value:
        first(group, mask)
        return second(group, mask)

    return Code(run, right.type, None, left.pure and right.pure, right.memory)


def _size_of(c: Context, node: ast.SizeOf) -> Code:
    operand = node.operand
    with trial(c):
        kind = c.complete(expression(c, operand).type if isinstance(operand, ast.Expr) else operand)
    if isinstance(kind, Void | Named):
        raise c.refuse(node.span, f"{kind} has no size")
    return constant(kind.size_bytes, ULONG)


_COMPILED: Final[dict[type, Callable[[Context, Any], Code]]] = {
    ast.Number: _number,
    ast.String: string_literal,
    ast.Name: _name,
    ast.Member: _name,
    ast.Index: lvalues.read,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Conditional: _conditional,
    ast.Assign: assignments.assign,
    ast.Update: assignments.update,
    ast.Call: calls.call,
    ast.Cast: _cast,
    ast.SizeOf: _size_of,
    ast.Construct: construct,
    ast.Lambda: lambda_value,
}
"""By kind of node."""
