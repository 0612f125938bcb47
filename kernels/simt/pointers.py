"""Pointer arithmetic: offsets, in elements, into an array that is known at compile time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.context import Code, constant
from kernels.simt.operators import apply_binary
from kernels.simt.values import COMPARISON, Value, ndarray
from kernels.source.types import LONG, Array, CType, Pointer, Scalar

if TYPE_CHECKING:
    from kernels.simt.context import Context
    from kernels.source.nodes import Span


def pointer_arithmetic(c: Context, op: str, left: Code, right: Code, span: Span) -> Code:
    """Compile pointer + integer, pointer - integer, pointer - pointer and comparisons."""
    if op == "+" and isinstance(left.type, Scalar):
        left, right = right, left
    if (
        isinstance(left.type, Pointer | Array)
        and isinstance(right.type, Scalar)
        and op in "+-"
        and left.memory
    ):
        if right.type.dtype.kind not in "iu":
            raise c.refuse(span, f"a pointer moves by whole elements, not by {right.type}")
        target = pointee(left.type)
        to = moved(left, right, extent(target), 1 if op == "+" else -1)
        const = isinstance(left.type, Pointer) and left.type.const
        return Code(to.run, Pointer(target, const), to.constant, to.pure, left.memory)
    if left.memory is not None and left.memory is right.memory and (op == "-" or op in COMPARISON):
        first, second = (Code(x.run, LONG, x.constant, x.pure) for x in (left, right))
        result = apply_binary(c, op, first, second, span)
        size = constant(extent(pointee(left.type)), LONG)
        return apply_binary(c, "/", result, size, span) if op == "-" else result
    raise c.unsupported(span, f"operator {op} between {left.type} and {right.type}")


def pointee(kind: CType) -> CType:
    """Return what a pointer points to, or an array consists of."""
    if isinstance(kind, Pointer):
        return kind.to
    assert isinstance(kind, Array)
    return kind.of


def extent(kind: CType) -> int:
    """Count the elements in one object of this type."""
    return int(np.prod(kind.shape)) if isinstance(kind, Array) else 1


def moved(base: Code, index: Code, stride: int, sign: int) -> Code:
    """Compile base + sign·index·stride, in 64 bits as addresses are."""
    factor = sign * stride
    pure = base.pure and index.pure
    start, add, first, step = base.constant, index.constant, base.run, index.run
    if start is not None and add is not None:
        return constant(start + add * factor, LONG)
    if factor == 1 and start == 0:
        return Code(step, LONG, None, pure)
    if add is not None:
        fixed = add * factor
        return Code(lambda group, mask: _plus(first(group, mask), fixed), LONG, None, pure) if fixed else base

    if factor == 1:
        return Code(lambda group, mask: _plus(first(group, mask), step(group, mask)), LONG, None, pure)
    if start == 0:
        return Code(lambda group, mask: _times(step(group, mask), factor), LONG, None, pure)
    return Code(
        lambda group, mask: _plus(first(group, mask), _times(step(group, mask), factor)), LONG, None, pure
    )


def _plus(left: Value, right: Value) -> Value:
    if type(left) is ndarray or type(right) is ndarray:
        return np.add(left, right, dtype=np.int64)
    return left + right


def _times(left: Value, factor: int) -> Value:
    return np.multiply(left, factor, dtype=np.int64) if type(left) is ndarray else left * factor
