"""Elementwise functions: built-in functions that compute lane by lane on converted operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend.types import AUTO, BOOL, VOID
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.compiler.expressions.operators import convert, scalar
from kernels.simt.machine.arithmetic import Value, ndarray, uniform
from kernels.simt.machine.skipped_values import skipping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend.ast import Call
    from kernels.frontend.types import CType, Scalar
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile


def operands(c: Context, node: Call, *counts: int, kind: CType = AUTO) -> list[Code]:
    """Compile the arguments of a call; `counts` are the allowed numbers, `kind` is the type of braces.

    Raises
    ------
    SourceError
        If the number of arguments is another one.
    """
    if len(node.arguments) not in counts:
        wanted, given = " or ".join(map(str, counts)), len(node.arguments)
        raise c.refuse(node.span, f"{node.function} takes {wanted} arguments, {given} are given")
    return [c.compile_as(argument, kind) for argument in node.arguments]


def elementwise(
    c: Context,
    node: Call,
    codes: Sequence[Code],
    kinds: Sequence[Scalar],
    result: Scalar,
    function: Callable[..., Value],
) -> Code:
    """Compile a function of operands, each converted to its type; `function` gets NumPy values only."""
    converted = []
    for code, kind in zip(codes, kinds, strict=True):
        scalar(c, code, node.span)
        converted.append(convert(c, code, kind, node.span))
    compute = vectorize(function, kinds, result)
    if c.machine.recorder.skips_values and result != BOOL:
        compute = skipping(compute)
    known = [code.constant for code in converted]
    if all(value is not None for value in known):
        return constant(compute(*known), result, from_launch=any(code.from_launch for code in converted))
    pure = all(code.pure for code in converted)
    runs = [code.run for code in converted]
    if len(runs) == 1:
        (only,) = runs
        return Code(lambda group, mask: compute(only(group, mask)), result, None, pure)
    return Code(lambda group, mask: compute(*(run(group, mask) for run in runs)), result, None, pure)


def vectorize(function: Callable[..., Value], kinds: Sequence[Scalar], result: Scalar) -> Callable[..., Value]:
    """Return a function of uniform values and vectors from one of NumPy values; the result is converted to its type."""
    numbers, dtype = [kind.dtype.type for kind in kinds], result.dtype

    def compute(*values: Value) -> Value:
        given = (v if type(v) is ndarray else number(v) for v, number in zip(values, numbers, strict=True))
        found = np.asarray(function(*given))
        if found.dtype != dtype:
            found = found.astype(dtype)
        return found if found.ndim else uniform(found[()], result)

    return compute


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that converts its arguments to double first."""
    return lambda *values: function(*(value.astype(np.float64) for value in values))


def typed_function(kinds: Sequence[Scalar], result: Scalar, function: Callable[..., Value]) -> Compile:
    """Return the compiler of a function whose operands have these types."""

    def compile_call(c: Context, node: Call) -> Code:
        return elementwise(c, node, operands(c, node, len(kinds)), kinds, result, function)

    return compile_call


def no_operation(c: Context, node: Call) -> Code:
    """Compile a call without arguments that has no effect in the simulator."""
    operands(c, node, 0)
    return Code(lambda group, mask: 0, VOID, None, False)
