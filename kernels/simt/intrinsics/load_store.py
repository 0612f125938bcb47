"""Functions lowered to loads, stores or assignments: `__ldg`, `__stcs`, `sincosf`, `modff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import DOUBLE, FLOAT, INT, VOID, Scalar
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.elementwise import elementwise, in_double
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import convert, scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call, Expr, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_LOADS: Final = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
_NAMING: Final = (ast.Name, ast.Index, ast.Member, ast.Unary, ast.Cast)
"""Kinds of expressions that can designate an element."""

_STORES: Final = ("__stwb", "__stcg", "__stcs", "__stwt")


def dereference(argument: Expr) -> Expr:
    """Return the expression `*argument`; x for `&x`."""
    if isinstance(argument, ast.Unary) and argument.op == "&":
        return argument.operand
    return ast.Unary(argument.span, "*", argument)


def named_element(c: Context, node: Expr) -> Element | None:
    """Return the element of an array, or the object in memory, that an expression designates; else None."""
    if not isinstance(node, _NAMING) or (isinstance(node, ast.Name) and c.find(node.id) is None):
        return None
    if isinstance(node, ast.Unary) and node.op != "*":
        return None
    place = locate(c, node)
    return place if isinstance(place, Element) else None


def _load(c: Context, node: Call) -> Code:
    """Compile a load with a hint for the caches: a plain load."""
    if len(node.arguments) != 1:
        raise c.refuse(node.span, f"{node.function} takes 1 argument, {len(node.arguments)} are given")
    return c.compile(ast.Unary(node.span, "*", node.arguments[0]))


def _store(c: Context, node: Call) -> Code:
    if len(node.arguments) != 2:
        raise c.refuse(node.span, f"{node.function} takes 2 arguments, {len(node.arguments)} are given")
    pointer, value = node.arguments
    code = c.compile(ast.Assign(node.span, "=", dereference(pointer), value))
    return Code(code.run, VOID, None, False)


def assignment(c: Context, target: Expr, value: Code, span: Span) -> Code:
    """Compile the assignment of a compiled value."""
    with c.scope():
        c.declare("=", value)  # not a name in C, so it hides none
        return c.compile(ast.Assign(span, "=", target, ast.Name(span, "=")))


def _outputs(kind: Scalar | None, return_type: str, *stored: tuple[str, Scalar | None]) -> Compile:
    """Return the compiler of a function of a number that stores through pointers, and may return a value.

    `stored` and `return_type` are parts of `_PARTS`, with the type if it is not the operand's.
    """

    def compile_call(c: Context, node: Call) -> Code:
        if len(node.arguments) != 1 + len(stored):
            raise c.refuse(
                node.span,
                f"{node.function} takes {1 + len(stored)} arguments, {len(node.arguments)} are given",
            )
        operand = c.compile(node.arguments[0])
        own = kind or (FLOAT if scalar(c, operand, node.span) == FLOAT else DOUBLE)
        give, slot = convert(c, operand, own, node.span).run, c.slot()
        parameter_value = Code(lambda group, mask: group.values[slot], own)
        result = elementwise(c, node, [parameter_value], [own], own, _PARTS[return_type]) if return_type else None
        puts = []
        for (part, other), argument in zip(stored, node.arguments[1:], strict=True):
            value = elementwise(c, node, [parameter_value], [own], other or own, _PARTS[part])
            puts.append(assignment(c, dereference(argument), value, argument.span).run)

        def run(group: Group, mask: Active) -> Value:
            group.values[slot] = give(group, mask)
            for put in puts:
                put(group, mask)
            return 0 if result is None else result.run(group, mask)

        return Code(run, VOID if result is None else own, None, False)

    return compile_call


_PARTS: Final[dict[str, Callable[[Any], Any]]] = {
    "sine": in_double(np.sin),
    "cosine": in_double(np.cos),
    "whole": np.trunc,
    "fraction": lambda x: np.where(np.isinf(x), np.copysign(0.0, x), np.copysign(x - np.trunc(x), x)),
    "mantissa": lambda x: np.frexp(x)[0],
    "exponent": lambda x: np.frexp(x)[1],
}

_SINE_COSINE: Final = (("sine", None), ("cosine", None))

ACCESSES: Final[dict[str, Compile]] = {
    **dict.fromkeys(_LOADS, _load),
    **dict.fromkeys(_STORES, _store),
    "sincosf": _outputs(FLOAT, "", *_SINE_COSINE),
    "__sincosf": _outputs(FLOAT, "", *_SINE_COSINE),
    "sincos": _outputs(None, "", *_SINE_COSINE),
    "modff": _outputs(FLOAT, "fraction", ("whole", None)),
    "modf": _outputs(None, "fraction", ("whole", None)),
    "frexpf": _outputs(FLOAT, "mantissa", ("exponent", INT)),
    "frexp": _outputs(None, "mantissa", ("exponent", INT)),
}
"""By name."""
