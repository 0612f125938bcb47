"""Votes, matches and reductions over the lanes in the mask of a warp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import BOOL, INT, UINT, Scalar, promote
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.operators import convert, scalar
from kernels.simt.intrinsics.load_store import assignment, dereference
from kernels.simt.intrinsics.warp import ALL_LANES, LaneMask, warps_of
from kernels.simt.machine.arithmetic import Value, integer_range, is_float, ndarray

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    Words = NDArray[np.uint32]

VOTES: Final[dict[str, tuple[Scalar, Callable[[Words, Words], NDArray[Any]]]]] = {
    "ballot": (UINT, lambda yes, participants: yes),
    "any": (INT, lambda yes, participants: (yes != 0).astype(np.int32)),
    "all": (INT, lambda yes, participants: (yes == participants).astype(np.int32)),
}
"""Result type, and the result from the bits of the lanes with a true condition and of all participants."""

REDUCTIONS: Final[dict[str, tuple[np.ufunc, Callable[[Scalar], int]]]] = {
    "add": (np.add, lambda kind: 0),
    "min": (np.minimum, lambda kind: integer_range(kind)[1]),
    "max": (np.maximum, lambda kind: integer_range(kind)[0]),
    "and": (np.bitwise_and, lambda kind: -1 if kind == INT else ALL_LANES),
    "or": (np.bitwise_or, lambda kind: 0),
    "xor": (np.bitwise_xor, lambda kind: 0),
}
"""The operation, and its neutral element, which replaces the values of other lanes."""


def vote(name: str, *, masked: bool) -> Compile:
    """Return the compiler of a ballot, or of a test of any or all lanes."""
    result, combine = VOTES[name]

    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2 if masked else 1)
        scalar(c, codes[-1], node.span)
        lane_mask = LaneMask(c, node, codes[0] if masked else None)
        predicate = convert(c, codes[-1], BOOL, node.span).run

        def run(group: Group, mask: Active) -> Value:
            warps = warps_of(c, group)
            mask_bits, yes = lane_mask.of(group, mask), predicate(group, mask)
            lane_mask.check(group, mask, warps, mask_bits)
            active = warps.active(mask)
            words = active & (warps.words(yes) if type(yes) is ndarray else np.uint32(ALL_LANES * yes))
            # A uniform mask: the result is computed once for each warp, and then distributed to its lanes.
            if type(mask_bits) is not ndarray:
                return combine(words & np.uint32(mask_bits), active & np.uint32(mask_bits))[warps.warp]
            return combine(words[warps.warp] & mask_bits, active[warps.warp] & mask_bits)

        return Code(run, result, None, False)

    return compile_call


def active_mask(c: Context, node: Call) -> Code:
    """Compile `__activemask()`."""
    operands(c, node, 0)

    def run(group: Group, mask: Active) -> Value:
        warps = warps_of(c, group)
        return warps.active(mask)[warps.warp]

    return Code(run, UINT, None, False)


def match_any(c: Context, node: Call) -> Code:
    """Compile `__match_any_sync(mask, value)`: the participants with equal bits."""
    return Code(_match_words(c, node, *_mask_and_value(c, node)), UINT, None, False)


def match_all(c: Context, node: Call) -> Code:
    """Compile `__match_all_sync(mask, value, &same)`: the mask if all participants have equal bits, else 0."""
    if len(node.arguments) != 3:
        raise c.refuse(node.span, f"{node.function} takes 3 arguments, {len(node.arguments)} are given")
    lane_mask, value = _mask_and_value(c, replace(node, arguments=node.arguments[:2]))
    match, slot = _match_words(c, node, lane_mask, value), c.slot()
    same = Code(lambda group, mask: (group.values[slot] != 0).astype(np.int32), INT)
    put = assignment(c, dereference(node.arguments[2]), same, node.span).run

    def run(group: Group, mask: Active) -> Value:
        warps = warps_of(c, group)
        participants = lane_mask.of(group, mask) & warps.active(mask)[warps.warp]
        group.values[slot] = result = np.where(match(group, mask) == participants, participants, np.uint32(0))
        put(group, mask)
        return result

    return Code(run, UINT, None, False)


def _match_words(c: Context, node: Call, lane_mask: LaneMask, value: Code) -> Run:
    kind = scalar(c, value, node.span)
    operand, bits = value.run, np.dtype(f"u{kind.size_bytes}")

    def run(group: Group, mask: Active) -> Value:
        warps = warps_of(c, group)
        mask_bits, values = lane_mask.of(group, mask), _vector(operand(group, mask), kind, group)
        lane_mask.check(group, mask, warps, mask_bits)
        rows = warps.table(values.view(bits))
        # 32 × 32 comparisons for each warp: bit j of word i says that lanes i and j have equal bits.
        same = rows[:, :, None] == rows[:, None, :]
        words = np.packbits(same, axis=2, bitorder="little").view(np.uint32)[:, :, 0]
        active = warps.active(mask)[warps.warp]
        return words[warps.warp, warps.lane] & active & np.asarray(mask_bits, np.uint32)

    return run


def reduction(name: str) -> Compile:
    """Return the compiler of `__reduce_…_sync(mask, value)` for int and unsigned."""
    operation, neutral = REDUCTIONS[name]

    def compile_call(c: Context, node: Call) -> Code:
        lane_mask, value = _mask_and_value(c, node)
        kind = scalar(c, value, node.span)
        if kind not in (INT, UINT):
            raise c.refuse(node.span, f"{node.function} takes int or unsigned, not {kind}")
        operand, neutral_element = value.run, neutral(kind)

        def run(group: Group, mask: Active) -> Value:
            warps = warps_of(c, group)
            mask_bits, values = lane_mask.of(group, mask), _vector(operand(group, mask), kind, group)
            lane_mask.check(group, mask, warps, mask_bits)
            participants = np.asarray(mask_bits, np.uint32) & warps.active(mask)[warps.warp]
            rows = warps.table(values, neutral_element)[warps.warp]
            selected = np.unpackbits(participants.view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
            part = np.where(selected.view(bool), rows, kind.dtype.type(neutral_element))
            return operation.reduce(part, axis=1, dtype=kind.dtype)

        return Code(run, kind, None, False)

    return compile_call


def _mask_and_value(c: Context, node: Call) -> tuple[LaneMask, Code]:
    codes = operands(c, node, 2)
    kind = scalar(c, codes[1], node.span)
    value = codes[1] if is_float(kind) else convert(c, codes[1], promote(kind), node.span)
    return LaneMask(c, node, codes[0]), value


def _vector(value: Value, kind: Scalar, group: Group) -> NDArray[Any]:
    return value if type(value) is ndarray else np.full(group.size, value, kind.dtype)
