"""Compiles the member functions of `cuda::atomic<T>` and `cuda::atomic_ref<T>`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend.headers.atomics import ACQUIRING, DEFAULT_ORDER
from kernels.frontend.types import VOID
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.intrinsics.load_store import named_element
from kernels.simt.intrinsics.ordered_atomics import atomic_change, atomic_kind
from kernels.simt.libraries.libcudacxx.atomic_objects import CHANGES, assign_object, load_object
from kernels.simt.machine.exchange import replace_value

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.intrinsics.ordered_atomics import Combine

PREFIX: Final = "cuda::atomic."
"""Prefix of a member function's name in the registry."""

_FETCH: Final[dict[str, Combine]] = {
    "fetch_add": CHANGES["+"],
    "fetch_sub": CHANGES["-"],
    "fetch_and": CHANGES["&"],
    "fetch_or": CHANGES["|"],
    "fetch_xor": CHANGES["^"],
    "exchange": replace_value,
}


def member(c: Context, node: Call) -> Call:
    """Return a call of an atomic object's member as a call of a function of the registry; any other call unchanged."""
    name = f"{PREFIX}{node.function[1:]}"
    if node.function[0] != "." or name not in MEMBERS:
        return node
    return replace(node, function=name) if _object(c, node.arguments[0]) is not None else node


def _object(c: Context, node: Expr) -> Element | None:
    """Return the atomic object that an expression names, None for anything else."""
    place = named_element(c, node)
    return place if atomic_kind(place) is not None else None


def _operands(c: Context, node: Call, count: int) -> tuple[Element, tuple[Expr, ...], int]:
    """Return the object, its `count` operands, and the memory order, which may follow them."""
    place = _object(c, node.arguments[0])
    assert place is not None
    operands, orders = node.arguments[1 : count + 1], node.arguments[count + 1 :]
    if len(operands) < count or len(orders) > 1:
        name = node.function.removeprefix(PREFIX)
        raise c.refuse(node.span, f"{name} takes {count} or {count + 1} arguments, {len(node.arguments) - 1} are given")
    order = c.compile(orders[0]).constant if orders else DEFAULT_ORDER
    return replace(place, span=node.span), operands, order if isinstance(order, int) else DEFAULT_ORDER


def _load(c: Context, node: Call) -> Code:
    place, _, order = _operands(c, node, 0)
    return load_object(c, place, order)


def _store(c: Context, node: Call) -> Code:
    code = _change(c, node, replace_value)
    return Code(code.run, VOID, None, False)


def _fetch(c: Context, node: Call) -> Code:
    return _change(c, node, _FETCH[node.function.removeprefix(PREFIX)])


def _change(c: Context, node: Call, combine: Combine) -> Code:
    place, (value,), order = _operands(c, node, 1)
    if place.const:
        raise c.refuse(node.span, f"{node.function.removeprefix(PREFIX)} of a const object")
    if place.memory is not None and place.memory.info.space == "local":
        op = next((op for op, operator_function in CHANGES.items() if operator_function is combine), "")
        return assign_object(c, place, op, c.compile(value), node.span, gives_new=False)
    return atomic_change(c, place, combine, [c.compile(value)], order, acquires=order in ACQUIRING)


MEMBERS: Final[dict[str, Compile]] = {
    f"{PREFIX}load": _load,
    f"{PREFIX}store": _store,
    **{f"{PREFIX}{name}": _fetch for name in _FETCH},
}
"""By name."""
