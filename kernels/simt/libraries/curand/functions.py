"""Compiles cuRAND's device functions: whole and uniform numbers as on a GPU, normally distributed ones nearly.

A number takes the part of the state that it needs from memory and puts it back: these are its accesses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.headers.curand import CORES, MRG, PHILOX, XORWOW
from kernels.frontend.types import UINT, ULONG, VOID, Struct
from kernels.simt.compiler.addresses import pointee
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.elementwise import operands
from kernels.simt.compiler.load_store import choose, loader, saver
from kernels.simt.compiler.lvalues import locate
from kernels.simt.compiler.operators import convert
from kernels.simt.compiler.structs import leaves
from kernels.simt.libraries.curand.distributions import RECIPES, Recipe
from kernels.simt.libraries.curand.generators import Mrg, Philox, Xorwow
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call, Expr
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.libraries.curand.generators import Stream
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_STREAMS: Final[dict[Struct, Stream]] = {XORWOW: Xorwow(), PHILOX: Philox(), MRG: Mrg()}


_KEPT: Final = {
    "curand_normal": ("curand_normal2", "boxmuller_flag", "boxmuller_extra"),
    "curand_normal_double": ("curand_normal2_double", "boxmuller_flag_double", "boxmuller_extra_double"),
}
"""Functions that give one of a pair: what makes the pair, and the members that keep the other."""


# --- calls


class _State:
    """The state that a call points to; the pointer is evaluated once."""

    def __init__(self, c: Context, node: Call, argument: Expr) -> None:
        pointer = c.compile(argument)
        kind = pointee(pointer.type)
        if not isinstance(kind, Struct) or kind not in CORES:
            known = ", ".join(f"{state.name}_t" for state in CORES)
            raise c.unsupported(node.span, f"{node.function} with {pointer.type}; use a pointer to {known}")
        self.kind = kind
        self.stream = _STREAMS[kind]
        slot, self._point = c.slot(), pointer.run
        self._slot = slot
        held = replace(pointer, run=lambda group, mask: group.values[slot], constant=None, pure=True)
        with c.scope():
            c.declare("(state)", held)
            whole = ast.Unary(node.span, "*", ast.Name(node.span, "(state)"))
            self._whole = locate(c, whole)
            self._members = {
                name: locate(c, ast.Member(node.span, whole, name)) for names in _KEPT.values() for name in names[1:]
            }
        self._context = c

    def point(self, group: Group, mask: Active) -> None:
        """Find out where the state is."""
        group.values[self._slot] = self._point(group, mask)

    def part(self, kind: CType | str) -> tuple[Any, Any]:
        """Return what loads and what stores a member, or what stands at the state's begin."""
        found = self._members[kind] if isinstance(kind, str) else self._whole
        assert isinstance(found, Element)
        element = found if isinstance(kind, str) else replace(found, kind=kind)
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


def _drawing(c: Context, state: _State, recipe: Recipe) -> Callable[[Group, Active], Value]:
    """Compile what takes a value out of the stream."""
    core = CORES[state.kind]
    get, put = state.part(core)
    draw = state.stream.draw

    def run(group: Group, mask: Active) -> Value:
        words = _lanes(get(group, mask), core, group)
        numbers = []
        for _ in range(recipe.count):
            number, words = draw(words)
            numbers.append(number)
        put(group, mask, words)
        return recipe.make(*numbers)

    return run


def _value(c: Context, node: Call) -> Code:
    state = _State(c, node, _only(c, node))
    recipe = RECIPES[state.kind].get(node.function)
    if recipe is None:
        raise c.unsupported(node.span, f"{node.function} of a {state.kind}")
    draw = _drawing(c, state, recipe)

    def run(group: Group, mask: Active) -> Value:
        state.point(group, mask)
        return draw(group, mask)

    return Code(run, recipe.kind, None, False)


def _half_of_a_pair(c: Context, node: Call) -> Code:
    """Compile a normally distributed number: every second one was made, and kept, with the one before."""
    state = _State(c, node, _only(c, node))
    maker, flag, extra = _KEPT[node.function]
    recipe = RECIPES[state.kind][maker]
    kind = leaves(recipe.kind)[0].scalar
    draw, (is_kept, keep), (kept, put) = _drawing(c, state, recipe), state.part(flag), state.part(extra)

    def run(group: Group, mask: Active) -> Value:
        state.point(group, mask)
        (have,) = _lanes(is_kept(group, mask), UINT, group)
        old, new = group.split(mask, have == 1)
        result: Value = np.zeros(group.size, kind.dtype)
        if new is not EMPTY:
            first, second = draw(group, new)
            put(group, new, second)
            keep(group, new, 1)
            result = first
        if old is not EMPTY:
            second = kept(group, old)
            keep(group, old, 0)
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
    given = [convert(c, code, ULONG, node.span).run for code in numbers]
    stream, kind = state.stream, state.kind
    _, put = state.part(kind)
    rest = tuple(leaf.scalar.dtype.type(0) for leaf in leaves(kind)[len(leaves(CORES[kind])) :])

    def run(group: Group, mask: Active) -> Value:
        seed, subsequence, offset = (_lanes(number(group, mask), ULONG, group)[0] for number in given)
        state.point(group, mask)
        words = stream.ahead(stream.subsequence(stream.start(seed), subsequence), offset)
        put(group, mask, (*words, *rest))
        return 0

    return Code(run, VOID, None, False)


def _skip(c: Context, node: Call) -> Code:
    """Compile `skipahead(n, &state)` and `skipahead_sequence(n, &state)`."""
    number, _ = operands(c, node, 2)
    state = _State(c, node, node.arguments[1])
    if state.kind == MRG and node.function == "skipahead_sequence":
        raise c.unsupported(node.span, f"{node.function} of a {MRG}; use skipahead_subsequence")
    count = convert(c, number, ULONG, node.span).run
    skip = state.stream.ahead if node.function == "skipahead" else state.stream.subsequence
    core = CORES[state.kind]
    get, put = state.part(core)

    def run(group: Group, mask: Active) -> Value:
        (steps,) = _lanes(count(group, mask), ULONG, group)
        state.point(group, mask)
        put(group, mask, skip(_lanes(get(group, mask), core, group), steps))
        return 0

    return Code(run, VOID, None, False)


RANDOMS: Final[dict[str, Compile]] = {
    "curand_init": _initial,
    "skipahead": _skip,
    "skipahead_sequence": _skip,
    "skipahead_subsequence": _skip,
    **{name: _value for recipes in RECIPES.values() for name in recipes},
    **dict.fromkeys(_KEPT, _half_of_a_pair),
}
"""By name."""
