"""Compiles the member functions of `cuda::atomic<T>` and `cuda::atomic_ref<T>`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.headers.atomics import ACQUIRING, BLOCK, DEFAULT_ORDER, RELEASING
from kernels.frontend.types import BOOL, VOID
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.operators import convert
from kernels.simt.intrinsics.atomics import compare_and_swap
from kernels.simt.intrinsics.fences import fence
from kernels.simt.intrinsics.load_store import assignment, named_element
from kernels.simt.intrinsics.ordered_atomics import atomic_change, atomic_kind
from kernels.simt.libraries.libcudacxx.atomic_objects import CHANGES, assigned, loaded
from kernels.simt.machine.exchange import replace_value
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.intrinsics.ordered_atomics import Combine
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

PREFIX: Final = "cuda::atomic."
"""Prefix of a member function's name in the registry."""

_FETCH: Final[dict[str, Combine]] = {
    "fetch_add": CHANGES["+"],
    "fetch_sub": CHANGES["-"],
    "fetch_and": CHANGES["&"],
    "fetch_or": CHANGES["|"],
    "fetch_xor": CHANGES["^"],
    "fetch_min": np.minimum,
    "fetch_max": np.maximum,
    "exchange": replace_value,
}


def member(c: Context, node: Call) -> Call:
    """Return a call of an atomic object's member as one of a built-in function; any other call as it is."""
    name = f"{PREFIX}{node.function[1:]}"
    if node.function[0] != "." or name not in MEMBERS:
        return node
    return replace(node, function=name) if _object(c, node.arguments[0]) is not None else node


def _object(c: Context, node: Expr) -> Element | None:
    """Return the atomic object that an expression names, None for anything else."""
    place = named_element(c, node)
    return place if atomic_kind(place) is not None else None


def _given(c: Context, node: Call, *counts: int) -> tuple[Element, list[Expr], int]:
    """Return the object, the other arguments, and the order, which is the last of so many at most."""
    place = _object(c, node.arguments[0])
    assert place is not None
    arguments = list(node.arguments[1:])
    name = node.function.removeprefix(PREFIX)
    if len(arguments) not in range(counts[0], counts[-1] + 1):
        wanted, given = " or ".join(map(str, counts)), len(arguments)
        raise c.refuse(node.span, f"{name} takes {wanted} arguments, {given} are given")
    orders = [c.compile(order).constant for order in arguments[counts[0] :]]
    known = [order if isinstance(order, int) else DEFAULT_ORDER for order in orders] or [DEFAULT_ORDER]
    order = next((one for one in known if one in RELEASING), known[0])
    return replace(place, span=node.span), arguments[: counts[0]], order


def _load(c: Context, node: Call) -> Code:
    place, _, order = _given(c, node, 0, 1)
    return loaded(c, place, order)


def _store(c: Context, node: Call) -> Code:
    code = _change(c, node, replace_value)
    return Code(code.run, VOID, None, False)


def _fetch(c: Context, node: Call) -> Code:
    return _change(c, node, _FETCH[node.function.removeprefix(PREFIX)])


def _change(c: Context, node: Call, combine: Combine) -> Code:
    place, (value,), order = _given(c, node, 1, 2)
    if place.const:
        raise c.refuse(node.span, f"{node.function.removeprefix(PREFIX)} of a const object")
    if place.memory is not None and place.memory.info.space == "local":
        if combine not in (replace_value, *CHANGES.values()):
            raise c.unsupported(node.span, "this change of a local object; use a plain number")
        op = next((op for op, known in CHANGES.items() if known is combine), "")
        return assigned(c, place, op, c.compile(value), node.span, gives_new=False)
    return atomic_change(c, place, combine, [c.compile(value)], order, acquires=order in ACQUIRING)


def _compare_exchange(c: Context, node: Call) -> Code:
    """Compile `x.compare_exchange_strong(expected, desired)`; the weak one fails no more often than it must."""
    place, (expected, desired), order = _given(c, node, 2, 3, 4)
    kind = atomic_kind(place)
    assert kind is not None
    slots = c.slot(), c.slot()
    wanted = convert(c, c.compile(expected), kind.plain, expected.span).run
    before = Code(lambda group, mask: group.values[slots[0]], kind.plain, None, False)
    found = Code(lambda group, mask: group.values[slots[1]], kind.plain, None, False)
    swap = atomic_change(
        c, place, compare_and_swap, [before, c.compile(desired)], order, acquires=order in ACQUIRING
    ).run
    with c.conditional():
        put = assignment(c, expected, found, expected.span).run

    def run(group: Group, mask: Active) -> Value:
        compare = group.values[slots[0]] = wanted(group, mask)
        old = group.values[slots[1]] = swap(group, mask)
        same = np.broadcast_to(np.asarray(old == compare), (group.size,))
        missed = group.narrow(mask, ~same)
        if missed is not EMPTY:
            put(group, missed)
        return same

    return Code(run, BOOL, None, False)


def _thread_fence(c: Context, node: Call) -> Code:
    """Compile `cuda::atomic_thread_fence(order, scope)`."""
    if len(node.arguments) not in (1, 2):
        raise c.refuse(node.span, f"atomic_thread_fence takes 1 or 2 arguments, {len(node.arguments)} are given")
    order, scope, *_ = (*(c.compile(argument).constant for argument in node.arguments), 0)
    if not isinstance(order, int) or not isinstance(scope, int):
        raise c.refuse(node.span, "the order and the scope of a fence must be known before the kernel runs")
    if order not in RELEASING | ACQUIRING:
        return Code(lambda group, mask: 0, VOID, None, False)
    begin = fence(c, node.span, block=scope >= BLOCK)

    def run(group: Group, mask: Active) -> Value:
        begin(group, mask)
        return 0

    return Code(run, VOID, None, False)


MEMBERS: Final[dict[str, Compile]] = {
    "atomic_thread_fence": _thread_fence,
    f"{PREFIX}load": _load,
    f"{PREFIX}store": _store,
    **{f"{PREFIX}{name}": _fetch for name in _FETCH},
    f"{PREFIX}compare_exchange_strong": _compare_exchange,
    f"{PREFIX}compare_exchange_weak": _compare_exchange,
}
"""By name."""
