"""Shuffles: each lane reads a value from another lane of its warp (PTX ISA, "shfl.sync")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.ast import Name
from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import HALF, INT, VECTORS, Struct, promote
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.compiled_values import Code, Variable, constant
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.operators import convert, scalar
from kernels.simt.compiler.expressions.variables import read_variable
from kernels.simt.compiler.missing_values import missing_value
from kernels.simt.intrinsics.warp import LaneMask, bit, warps_of
from kernels.simt.machine.arithmetic import Value, is_float, ndarray
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.shuffle_sources import SHUFFLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call, Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.intrinsics.warp import Warps
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.shuffle_sources import Lanes

    CheckSource = Callable[[Group, Active, Lanes], None]

_CUB: Final = ("own_reduce", "own_scan", "own_left")
"""Functions of `cub.cuh`, which shuffle values of any type."""


def shuffle(way: str, *, masked: bool, structs: bool = False) -> Compile:
    """Return the compiler of a shuffle; `structs` allows values of any struct, as in a tile's `shfl`."""
    pick = SHUFFLES[way]

    def compile_call(c: Context, node: Call) -> Code:
        first = 1 if masked else 0
        codes = operands(c, node, first + 2, first + 3)
        codes[first], check_source = shuffled_value(c, node.arguments[first], codes[first])
        lane_mask = LaneMask(c, node, codes[0] if masked else None)
        value, by = (
            _value(c, node, codes[first], structs=structs),
            convert(c, codes[first + 1], INT, node.span).run,
        )
        width = constant(WARP_SIZE, INT)
        if len(codes) == first + 3:
            width = convert(c, codes[-1], INT, node.span)
        if width.constant is not None and width.constant not in (1, 2, 4, 8, 16, 32):
            raise c.refuse(node.span, f"the width of {node.function} must be 1, 2, 4, 8, 16 or 32")
        operand, sections = value.run, width.run

        def run(group: Group, mask: Active) -> Value:
            warps, named = warps_of(c, group), lane_mask.of(group, mask)
            values, step, size = operand(group, mask), by(group, mask), sections(group, mask)
            known = type(step) is not ndarray and type(size) is not ndarray
            # With a constant offset and width the source lanes are the same each time: they are cached by these
            # numbers.
            source, at = warps.sources(
                (way, step, size) if known else None, lambda lane: pick(lane, step & WARP_SIZE - 1, size)
            )
            there = np.asarray(bit(named, source) & (at >= 0))
            if mask is not None:
                there &= mask.bits[at]
            # All source lanes take part: no lane reads an undefined value.
            if there.all():
                lane_mask.check(group, mask, warps, named)
                check_source(group, mask, at)
                return _values_at(values, at)
            undefined = group.narrow(mask, ~there)
            if undefined is EMPTY:
                lane_mask.check(group, mask, warps, named)
            else:
                lane_mask.wait_for_others(group, mask, warps, named)
                _report(lane_mask, group, undefined, warps, source, at)
            # A GPU returns an undefined value; here the lane reads its own, and the hazard is reported.
            at = np.where(there, at, np.arange(group.size))
            check_source(group, mask, at)
            return _values_at(values, at)

        return Code(run, value.type, None, False)

    return compile_call


def shuffled_value(c: Context, node: Expr, code: Code) -> tuple[Code, CheckSource]:
    """Return the value to be shuffled without a check, and a check of the lanes that are read.

    Only these need a value: `if (lane == 0) x = …; x = __shfl_sync(mask, x, 0);`
    (CUDA C++ Programming Guide, "Warp Shuffle Functions", broadcast of a single value).
    """
    variable = c.find(node.id) if isinstance(node, Name) else None
    if not isinstance(variable, Variable) or variable.value_lanes < 0:
        return code, lambda group, mask, at: None
    written, report = variable.value_lanes, missing_value(c, variable, node.span, " of another lane")

    def check(group: Group, mask: Active, at: Lanes) -> None:
        known = group.values[written]
        if known is not True:
            report(group, mask if known is False else group.narrow(mask, ~known[at]))

    return read_variable(c, variable, node.span, checked=False), check


def _value(c: Context, node: Call, code: Code, *, structs: bool) -> Code:
    if isinstance(code.type, Struct):
        own = c.frames[-1].function.name.partition("<")[0] in _CUB
        if not (structs or own) and code.type not in (VECTORS["half2"], BF16, BF162):
            raise c.unsupported(node.span, f"{node.function} of {code.type}; shuffle its members one by one")
        return code
    kind = scalar(c, code, node.span)
    return code if is_float(kind) or kind == HALF else convert(c, code, promote(kind), node.span)


def _values_at(values: Value, at: Lanes) -> Value:
    if type(values) is tuple:
        return tuple(_values_at(part, at) for part in values)
    return values[at] if type(values) is ndarray else values


def _report(lane_mask: LaneMask, group: Group, undefined: Active, warps: Warps, source: Lanes, at: Lanes) -> None:
    lane = 0 if undefined is None else int(undefined.where[0])
    other = int(at[lane])
    if other < 0:
        why = "the block has no such thread"
    elif group.exited is not None and group.exited[other]:
        why = "it has returned"
    else:
        why = "it does not make this call, or the mask does not name it"
    lane_mask.report(
        group,
        "inactive-shuffle",
        lane,
        group.active(undefined),
        (lane,) if other < 0 else (lane, other),
        f"reads from lane {source[lane]} of its warp, but {why}: the value is undefined",
        "let every lane that is read reach the call, outside of the branch, and name it in the mask",
    )
