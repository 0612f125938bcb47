"""Compiles expressions: each becomes one closure from (group, active lanes) to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.simt import calls, places
from kernels.simt.context import Code, constant
from kernels.simt.lanes import EMPTY
from kernels.simt.operators import apply_binary, condition, convert, mapped, scalar
from kernels.simt.pointers import pointer_arithmetic
from kernels.simt.values import Value, common, ndarray, promote, select, unary, uniform
from kernels.source import nodes
from kernels.source.types import BOOL, UINT, ULONG, Array, Pointer, Scalar

if TYPE_CHECKING:
    from kernels.simt.context import Context
    from kernels.simt.lanes import Active, Group
    from kernels.source.nodes import Expr

BUILT_IN: Final = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def expression(c: Context, node: Expr) -> Code:
    """Compile any expression.

    Raises
    ------
    SourceError
        For what C forbids and for what is not executed here, with its place.
    """
    match node:
        case nodes.Number():
            return constant(uniform(node.value, node.type), node.type)
        case nodes.Name() | nodes.Index() | nodes.Unary(op="*" | "&"):
            return places.read(c, node)
        case nodes.Member():
            return _member(c, node)
        case nodes.Unary():
            return _unary(c, node)
        case nodes.Binary(op="&&" | "||"):
            return _logical(c, node)
        case nodes.Binary(op=","):
            return _comma(c, node)
        case nodes.Binary():
            return _binary(c, node)
        case nodes.Conditional():
            return _conditional(c, node)
        case nodes.Assign():
            return places.assign(c, node)
        case nodes.Update():
            return places.update(c, node)
        case nodes.Call():
            return calls.call(c, node)
        case nodes.Cast():
            return convert(c, expression(c, node.operand), node.type, node.span, explicit=True)
        case nodes.SizeOf():
            return _size_of(c, node)
        case nodes.String():
            raise c.unsupported(node.span, "string outside printf")
        case nodes.Construct():
            raise c.unsupported(node.span, f"value of type {node.type}")


def _binary(c: Context, node: nodes.Binary) -> Code:
    left, right = expression(c, node.left), expression(c, node.right)
    if isinstance(left.type, Scalar) and isinstance(right.type, Scalar):
        return apply_binary(c, node.op, left, right, node.span)
    return pointer_arithmetic(c, node.op, left, right, node.span)


def _unary(c: Context, node: nodes.Unary) -> Code:
    code = expression(c, node.operand)
    kind = BOOL if node.op == "!" else promote(scalar(c, code, node.span))
    function = unary(node.op, kind)
    if function is None:
        raise c.refuse(node.span, f"operator {node.op} does not take {kind}")
    operand = convert(c, code, kind, node.span)
    result = mapped(operand, function, kind)
    if operand.product is not None and node.op in "+-":
        result.product = (mapped(operand.product[0], function, kind), operand.product[1])
    return result


def _logical(c: Context, node: nodes.Binary) -> Code:
    left = condition(c, node.left)
    c.level += 1
    right = condition(c, node.right)
    c.level -= 1
    decided = node.op == "||"  # the left value that settles the result
    if left.constant is not None:
        return constant(decided, BOOL) if left.constant is decided else right
    first, second = left.run, right.run
    combine = np.bitwise_or if decided else np.bitwise_and

    def join(a: Value, b: Value) -> Value:
        if type(b) is not ndarray:
            return decided if b is decided else a
        return combine(a, b)

    def short(group: Group, mask: Active) -> Value:
        a = first(group, mask)
        if type(a) is not ndarray:
            return a if a is decided else second(group, mask)
        rest = group.narrow(mask, ~a if decided else a)
        return decided if rest is EMPTY else join(a, second(group, rest))

    def both(group: Group, mask: Active) -> Value:
        a = first(group, mask)
        if type(a) is not ndarray:
            return a if a is decided else second(group, mask)
        return join(a, second(group, mask))

    return Code(both if right.pure else short, BOOL, None, left.pure and right.pure)


def _conditional(c: Context, node: nodes.Conditional) -> Code:
    test = condition(c, node.condition)
    c.level += 1
    then, otherwise = expression(c, node.then), expression(c, node.otherwise)
    c.level -= 1
    if not (isinstance(then.type, Scalar) and isinstance(otherwise.type, Scalar)):
        raise c.unsupported(node.span, "?: between pointers")
    kind = then.type if then.type == otherwise.type else common(then.type, otherwise.type)
    then, otherwise = convert(c, then, kind, node.span), convert(c, otherwise, kind, node.span)
    if test.constant is not None:
        return then if test.constant else otherwise
    choose, first, second, dtype = test.run, then.run, otherwise.run, kind.dtype

    def run(group: Group, mask: Active) -> Value:
        bits = choose(group, mask)
        yes, no = group.split(mask, bits)
        if no is EMPTY:
            return first(group, mask)
        if yes is EMPTY:
            return second(group, mask)
        return select(bits, first(group, yes), second(group, no), dtype)

    return Code(run, kind, None, test.pure and then.pure and otherwise.pure)


def _comma(c: Context, node: nodes.Binary) -> Code:
    left, right = expression(c, node.left), expression(c, node.right)
    first, second = left.run, right.run

    def run(group: Group, mask: Active) -> Value:
        first(group, mask)
        return second(group, mask)

    return Code(run, right.type, None, left.pure and right.pure, right.memory)


def _member(c: Context, node: nodes.Member) -> Code:
    base = node.base
    if (
        isinstance(base, nodes.Name)
        and base.id in BUILT_IN
        and c.find(base.id) is None
        and node.field in "xyz"
    ):
        if base.id in ("blockDim", "gridDim"):
            dims = c.launch.block if base.id == "blockDim" else c.launch.grid
            return constant(getattr(dims, node.field), UINT)
        key = f"{base.id}.{node.field}"
        return Code(lambda group, mask: group.built_in[key], UINT)
    raise c.unsupported(
        node.span, f"member .{node.field} (only threadIdx, blockIdx, blockDim and gridDim have members)"
    )


def _size_of(c: Context, node: nodes.SizeOf) -> Code:
    operand = node.operand
    kind = expression(c, operand).type if isinstance(operand, nodes.Expr) else operand
    if not isinstance(kind, Scalar | Pointer | Array):
        raise c.refuse(node.span, "void has no size")
    return constant(kind.size_bytes, ULONG)
