"""Compiles calls: CUDA's built-in functions here, the file's own through the context."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.simt import barriers
from kernels.simt.context import Code, Element
from kernels.simt.elementwise import of_nothing
from kernels.simt.hazards import Place
from kernels.simt.lanes import EMPTY
from kernels.simt.mathematics import ATOMIC, FLOAT_ONLY, FLOATING, INTEGER_ATOMICS, SMALLEST_LARGEST
from kernels.simt.operators import condition, convert, mapped, scalar
from kernels.simt.printing import printf
from kernels.simt.shuffles import SHUFFLES, shuffle
from kernels.simt.transfers import exchanger, load
from kernels.simt.values import Value, common, is_float, ndarray, promote, uniform
from kernels.simt.votes import REDUCTIONS, VOTES, active_mask, match_any, reduction, vote
from kernels.simt.warp import sync_warp
from kernels.source.types import DOUBLE, FLOAT, INT, VOID, Array, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt.context import Context
    from kernels.simt.elementwise import Compile
    from kernels.simt.lanes import Active, Group
    from kernels.source.nodes import Call, Expr


BUILT_IN: Final[dict[str, Compile]] = {
    **{f"__shfl{way}_sync": shuffle(way, masked=True) for way in SHUFFLES},
    **{f"__shfl{way}": shuffle(way, masked=False) for way in SHUFFLES},
    **{f"__{name}_sync": vote(name, masked=True) for name in VOTES},
    **{f"__{name}": vote(name, masked=False) for name in VOTES},
    **{f"__reduce_{name}_sync": reduction(name) for name in REDUCTIONS},
    **{f"__threadfence{scope}": of_nothing for scope in ("", "_block", "_system")},
    "__match_any_sync": match_any, "__activemask": active_mask, "__syncwarp": sync_warp,
}  # fmt: skip
"""CUDA's functions by name, and how a call of each is compiled."""


def call(c: Context, node: Call) -> Code:
    """Compile a call.

    Raises
    ------
    SourceError
        For an unknown function, or arguments that do not fit.
    """
    name = node.function
    if name in c.functions or name.startswith("."):
        return c.call(c, node)
    if name in barriers.VOTES:
        return barriers.vote(c, node)
    if name in BUILT_IN:
        return BUILT_IN[name](c, node)
    if name == "printf":
        return printf(c, node)
    if name == "assert":
        return _assert(c, node)
    if name in ATOMIC:
        return _atomic(c, node)
    if name == "__ldg":
        return _cached_load(c, node)
    if name == "abs":
        (operand,) = _operands(c, node, 1)
        kind = promote(scalar(c, operand, node.span))
        return _apply(c, node, [operand], kind, np.abs)
    if name in SMALLEST_LARGEST:
        left, right = _operands(c, node, 2)
        kind = common(scalar(c, left, node.span), scalar(c, right, node.span))
        whole, floating = SMALLEST_LARGEST[name]
        return _apply(c, node, [left, right], kind, floating if is_float(kind) else whole)
    if name in FLOAT_ONLY:
        count, function = FLOAT_ONLY[name]
        return _apply(c, node, _operands(c, node, count), FLOAT, function)
    short = name.removesuffix("f")
    if name in FLOATING or (short in FLOATING and name not in FLOATING):
        return _floating(c, node, name if name in FLOATING else short, single=name not in FLOATING)
    if name == "__syncthreads":
        raise c.unsupported(node.span, "__syncthreads() inside an expression: make it a statement of its own")
    raise c.unsupported(node.span, f"function '{name}'")


def _operands(c: Context, node: Call, count: int) -> list[Code]:
    if len(node.arguments) != count:
        raise c.refuse(node.span, f"{node.function} takes {count} arguments, {len(node.arguments)} are given")
    return [c.compile(argument) for argument in node.arguments]


def _floating(c: Context, node: Call, name: str, *, single: bool) -> Code:
    count, function = FLOATING[name]
    operands = _operands(c, node, count)
    kind = FLOAT if single or all(operand.type == FLOAT for operand in operands) else DOUBLE
    return _apply(c, node, operands, kind, function)


def _apply(
    c: Context, node: Call, operands: list[Code], kind: Scalar, function: Callable[..., Value]
) -> Code:
    """Compile a function of operands brought to one type, which is also the result's."""
    for operand in operands:
        scalar(c, operand, node.span)
    converted = [convert(c, operand, kind, node.span) for operand in operands]

    number = kind.dtype.type

    def lifted(*values: Value) -> Value:
        result = function(*(value if type(value) is ndarray else number(value) for value in values))
        return result if type(result) is ndarray and result.ndim else uniform(result, kind)

    if len(converted) == 1:
        return mapped(converted[0], lifted, kind)
    runs = [code.run for code in converted]
    pure = all(code.pure for code in converted)
    return Code(lambda group, mask: lifted(*(run(group, mask) for run in runs)), kind, None, pure)


def _pointer(c: Context, node: Call, argument: Expr) -> Element:
    code = c.compile(argument)
    if not isinstance(code.type, Pointer | Array):
        raise c.refuse(node.span, f"{node.function} needs the address of an array element, not {code.type}")
    target = code.type.to if isinstance(code.type, Pointer) else code.type.of
    const = (isinstance(code.type, Pointer) and code.type.const) or (
        code.memory is not None and code.memory.const
    )
    return Element(code.memory, code, target, argument.span, const)


def _cached_load(c: Context, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise c.refuse(node.span, "__ldg takes 1 argument")
    return load(c, _pointer(c, node, node.arguments[0]))


def _atomic(c: Context, node: Call) -> Code:
    count, combine = ATOMIC[node.function]
    if len(node.arguments) != count + 1:
        raise c.refuse(
            node.span, f"{node.function} takes {count + 1} arguments, {len(node.arguments)} are given"
        )
    target = replace(_pointer(c, node, node.arguments[0]), span=node.span)
    kind = target.kind
    if target.const or (target.memory is not None and target.memory.info.space not in ("global", "shared")):
        raise c.refuse(node.span, f"{node.function} works on global and shared memory that is not const")
    if (
        not isinstance(kind, Scalar)
        or kind.size_bytes < INT.size_bytes
        or (is_float(kind) and node.function in INTEGER_ATOMICS)
    ):
        raise c.refuse(node.span, f"{node.function} does not take {kind}")
    values = [convert(c, c.compile(a), kind, node.span).run for a in node.arguments[1:]]
    offset, exchange = target.offset.run, exchanger(c, target, combine)

    def run(group: Group, mask: Active) -> Value:
        index = offset(group, mask)
        return exchange(group, mask, index, tuple(value(group, mask) for value in values))

    return Code(run, kind, None, False)


def _assert(c: Context, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise c.refuse(node.span, "assert takes 1 argument")
    holds = condition(c, node.arguments[0]).run
    hazards, recorder, place, span = c.hazards, c.recorder, Place(node.span), node.span
    text = c.text(node.span)

    def run(group: Group, mask: Active) -> Value:
        _, failed = group.split(mask, holds(group, mask))
        if failed is not EMPTY:
            lane = int(group.lanes[0 if failed is None else failed.where[0]])
            hazards.report(
                "assertion", place, recorder.current, group.active(failed), ((lane, span.line, "read"),),
                lambda: f"{text} does not hold for {hazards.name(lane)}",
            )  # fmt: skip
        return 0

    return Code(run, VOID, None, False)
