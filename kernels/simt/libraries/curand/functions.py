"""Compiles cuRAND's device functions: integers and uniform values as on a GPU to the bit, normal ones nearly.

(curand_uniform.h, curand_normal.h.) A number reads the part of the state that it needs from memory and stores it
again: these are its accesses. Normal values take logarithms and sines, which a GPU rounds less well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.headers.curand import CORE, XORWOW
from kernels.frontend.types import DOUBLE, FLOAT, UINT, ULONG, VECTORS, VOID
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.addresses import pointee
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.load_store import choose, loader, saver
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.intrinsics.mathematics import sin_cos_pi
from kernels.simt.libraries.curand.xorwow import draw, skip, start
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call, Expr
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group


# --- distributions


@dataclass(frozen=True, slots=True)
class Distribution:
    """A value made of numbers of the sequence."""

    count: int
    """Numbers that a value takes."""
    function: Callable[..., Any]
    """The value of these numbers."""
    kind: CType


def _uniform(x: Any) -> Any:
    return x.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)


def _uniform_double(x: Any, y: Any) -> Any:
    bits = x.astype(np.uint64) ^ (y.astype(np.uint64) << np.uint64(21))
    return bits * 2.0**-53 + 2.0**-54


_RADIANS: Final = np.float32(2.0**-32) * np.float32(6.2831855)
"""The angle of 2⁻³² turns."""

_SINE, _COSINE = sin_cos_pi(sine=True), sin_cos_pi(sine=False)


def _normal(x: Any, y: Any) -> tuple[Any, Any]:
    """Return Box and Muller's pair."""
    size = np.sqrt(np.float32(-2) * np.log(_uniform(x).astype(np.float64)).astype(np.float32))
    angle = (y.astype(np.float32).astype(np.float64) * _RADIANS + _RADIANS / np.float32(2)).astype(np.float32)
    turn = angle.astype(np.float64)
    return np.sin(turn).astype(np.float32) * size, np.cos(turn).astype(np.float32) * size


def _normal_double(x0: Any, x1: Any, y0: Any, y1: Any) -> tuple[Any, Any]:
    size, halves = np.sqrt(-2 * np.log(_uniform_double(x0, x1))), 2 * _uniform_double(y0, y1)
    return _SINE(halves) * size, _COSINE(halves) * size


_SINGLE: Final = {
    "curand": Distribution(1, lambda x: x, UINT),
    "curand_uniform": Distribution(1, _uniform, FLOAT),
    "curand_uniform_double": Distribution(2, _uniform_double, DOUBLE),
}
_PAIRED: Final = {
    "curand_normal": (Distribution(2, _normal, VECTORS["float2"]), "boxmuller_flag", "boxmuller_extra"),
    "curand_normal_double": (
        Distribution(4, _normal_double, VECTORS["double2"]),
        "boxmuller_flag_double",
        "boxmuller_extra_double",
    ),
}
"""Functions that return one of a pair: what makes the pair, and the members that hold the other for the next call."""


# --- calls


class _State:
    """The state that a call points to; the pointer is evaluated once."""

    def __init__(self, c: Context, node: Call, argument: Expr) -> None:
        pointer = c.compile(argument)
        kind = pointee(pointer.type)
        if kind != XORWOW:
            raise c.unsupported(node.span, f"{node.function} with {pointer.type}; use a pointer to curandState")
        slot, self._point = c.slot(), pointer.run
        self._slot = slot
        state_pointer = replace(pointer, run=lambda group, mask: group.values[slot], constant=None, pure=True)
        with c.scope():
            c.declare("(state)", state_pointer)
            state = ast.Unary(node.span, "*", ast.Name(node.span, "(state)"))
            self._place = locate(c, state)
            self._members = {
                name: locate(c, ast.Member(node.span, state, name)) for _, *names in _PAIRED.values() for name in names
            }
        self._context = c

    def point(self, group: Group, mask: Active) -> None:
        """Evaluate the pointer."""
        group.values[self._slot] = self._point(group, mask)

    def part(self, kind: CType | str) -> tuple[Any, Any]:
        """Return the load and the store of a member, or of a type at the beginning of the state."""
        place = self._members[kind] if isinstance(kind, str) else self._place
        assert isinstance(place, Element)
        element = place if isinstance(kind, str) else replace(place, kind=kind)
        fetch, put, offset = loader(self._context, element), saver(self._context, element), element.offset.run

        def get(group: Group, mask: Active) -> Value:
            return fetch(group, mask, offset(group, mask))

        def set_(group: Group, mask: Active, value: Value) -> None:
            put(group, mask, offset(group, mask), value)

        return get, set_


def _lanes(values: Value, kind: CType, group: Group) -> tuple[Any, ...]:
    """Return each leaf of a value as an array with an entry a lane."""
    parts = values if isinstance(values, tuple) else (values,)
    return tuple(
        np.broadcast_to(np.asarray(part, leaf.scalar.dtype), (group.size,))
        for part, leaf in zip(parts, leaves(kind), strict=True)
    )


def _drawing(state: _State, distribution: Distribution) -> Callable[[Group, Active], Value]:
    """Compile the next value of a distribution."""
    get, put = state.part(CORE)

    def run(group: Group, mask: Active) -> Value:
        words = _lanes(get(group, mask), CORE, group)
        numbers = []
        for _ in range(distribution.count):
            number, words = draw(words)
            numbers.append(number)
        put(group, mask, words)
        return distribution.function(*numbers)

    return run


def _single(c: Context, node: Call) -> Code:
    state = _State(c, node, _only(c, node))
    distribution = _SINGLE[node.function]
    take = _drawing(state, distribution)

    def run(group: Group, mask: Active) -> Value:
        state.point(group, mask)
        return take(group, mask)

    return Code(run, distribution.kind, None, False)


def _paired(c: Context, node: Call) -> Code:
    """Compile a normally distributed number: every second one is the stored second of a pair."""
    state = _State(c, node, _only(c, node))
    distribution, flag, extra = _PAIRED[node.function]
    kind = leaves(distribution.kind)[0].scalar
    take, (load_flag, store_flag) = _drawing(state, distribution), state.part(flag)
    load_extra, store_extra = state.part(extra)

    def run(group: Group, mask: Active) -> Value:
        state.point(group, mask)
        (flags,) = _lanes(load_flag(group, mask), UINT, group)
        old, new = group.split(mask, flags == 1)
        result: Value = np.zeros(group.size, kind.dtype)
        if new is not EMPTY:
            first, second = take(group, new)
            store_extra(group, new, second)
            store_flag(group, new, 1)
            result = first
        if old is not EMPTY:
            second = load_extra(group, old)
            store_flag(group, old, 0)
            result = second if old is None else choose(kind, old.bits, second, result)
        return result

    return Code(run, kind, None, False)


def _only(c: Context, node: Call) -> Expr:
    if len(node.arguments) != 1:
        raise c.refuse(node.span, f"{node.function} takes 1 argument, {len(node.arguments)} are given")
    return node.arguments[0]


def _initial(c: Context, node: Call) -> Code:
    """Compile `curand_init(seed, subsequence, offset, &state)`."""
    *numbers, _ = operands(c, node, 4)
    state = _State(c, node, node.arguments[3])
    runs = [convert(c, code, ULONG, node.span).run for code in numbers]
    _, put = state.part(XORWOW)
    rest = tuple(leaf.scalar.dtype.type(0) for leaf in leaves(XORWOW)[len(leaves(CORE)) :])

    def run(group: Group, mask: Active) -> Value:
        seed, subsequence, offset = (_lanes(number(group, mask), ULONG, group)[0] for number in runs)
        state.point(group, mask)
        put(group, mask, (*skip(start(seed), subsequence, offset), *rest))
        return 0

    return Code(run, VOID, None, False)


FUNCTIONS: Final[dict[str, Compile]] = {
    "curand_init": _initial,
    **dict.fromkeys(_SINGLE, _single),
    **dict.fromkeys(_PAIRED, _paired),
}
"""By name."""
