"""Pointer arithmetic: on element offsets into one array, or on addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.frontend.arithmetic import COMPARISON
from kernels.frontend.types import LONG, Pointer, Scalar, Void
from kernels.simt.compiler.compiled_values import NO_INDEX_FACTS, Code, IndexFacts, constant
from kernels.simt.compiler.expressions.addresses import as_address, is_null, pointee, stride, to_pointer
from kernels.simt.compiler.expressions.operators import apply_binary, signed_offset
from kernels.simt.compiler.index.affine_values import affine_address
from kernels.simt.machine.affine import times
from kernels.simt.machine.arithmetic import Value, ndarray

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


def pointer_arithmetic(c: Context, op: str, left: Code, right: Code, span: Span) -> Code:
    """Compile pointer + integer, pointer - integer, pointer - pointer and comparisons."""
    if op == "+" and isinstance(left.type, Scalar):
        left, right = right, left
    target = pointee(left.type)
    if target is not None and isinstance(right.type, Scalar) and op in "+-":
        if right.type.dtype.kind not in "iub":
            raise c.refuse(span, f"a pointer moves by whole elements, not by {right.type}")
        right = signed_offset(c, right, span)
        to = add_offset(left, right, stride(c, left.memory, target), 1 if op == "+" else -1)
        const = isinstance(left.type, Pointer) and left.type.const
        return Code(to.run, Pointer(target, const), to.constant, to.pure, left.memory, index=to.index)
    if op in COMPARISON and (is_null(left) or is_null(right)):
        left, right = (
            to_pointer(c, x, Pointer(Void()), span, explicit=True) if is_null(x) else x for x in (left, right)
        )
        target = pointee(left.type)
    if target is not None and pointee(right.type) is not None and (op == "-" or op in COMPARISON):
        memory = left.memory if left.memory is right.memory else None
        if memory is None:
            left, right = as_address(left), as_address(right)
        first, second = (Code(_widened(x.run), LONG, x.constant, x.pure) for x in (left, right))
        result = apply_binary(c, op, first, second, span)
        if op != "-":
            return result
        return apply_binary(c, "/", result, constant(stride(c, memory, target), LONG), span)
    raise c.unsupported(span, f"operator {op} between {left.type} and {right.type}")


def add_offset(base: Code, index: Code, step: int, sign: int = 1) -> Code:
    """Compile base + sign·index·step in 64 bits."""
    factor = sign * step
    pure = base.pure and index.pure
    affine = affine_address(base, index, factor)
    facts = NO_INDEX_FACTS if affine is None else IndexFacts(affine=affine)
    start, add, first, run = base.constant, index.constant, base.run, index.run
    if start is not None and add is not None:
        return constant(start + add * factor, LONG)
    if factor == 1 and start == 0:
        return Code(run, LONG, None, pure, index=facts)
    if add is not None:
        fixed = add * factor
        if not fixed:
            return base
        return Code(lambda group, mask: _plus(first(group, mask), fixed), LONG, None, pure, index=facts)

    if factor == 1:
        return Code(lambda group, mask: _plus(first(group, mask), run(group, mask)), LONG, None, pure, index=facts)
    if start == 0:
        return Code(lambda group, mask: times(run(group, mask), factor), LONG, None, pure, index=facts)
    return Code(
        lambda group, mask: _plus(first(group, mask), times(run(group, mask), factor)),
        LONG,
        None,
        pure,
        index=facts,
    )


def _widened(run: Run) -> Run:
    """Return a pointer's offset in 64 bits: that of `p + i` is computed in the type of i if p is the array's start."""

    def widen(group: Group, mask: Active) -> Value:
        offset = run(group, mask)
        return offset.astype(np.int64, copy=False) if type(offset) is ndarray else offset

    return widen


def _plus(left: Value, right: Value) -> Value:
    if type(left) is ndarray or type(right) is ndarray:
        return np.add(left, right, dtype=np.int64)
    return left + right
