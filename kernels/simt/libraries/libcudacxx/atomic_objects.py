"""Atomic objects, `cuda::atomic<T>`: every use is an atomic access, and its memory order may imply a fence.

A load is recorded as an atomic access that changes nothing. A store or change that releases (`memory_order_seq_cst`,
which is the default, `acq_rel` and `release`) orders the earlier accesses of its thread like a fence in front of it.
An access that does not acquire (`relaxed`, `release`) orders the accesses of other threads only from the next fence
of its thread on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.headers.atomics import ACQUIRING, DEFAULT_ORDER, Atomic
from kernels.frontend.types import VOID
from kernels.simt.compiler.compiled_values import Code, Element, constant
from kernels.simt.compiler.expressions.load_store import load, saver
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.intrinsics.load_store import named_element
from kernels.simt.intrinsics.ordered_atomics import KEEP, atomic_change, atomic_kind
from kernels.simt.machine.arithmetic import uniform
from kernels.simt.machine.exchange import replace_value

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Expr, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.intrinsics.ordered_atomics import Combine
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


CHANGES: Final[dict[str, Combine]] = {
    "+": np.add,
    "-": np.subtract,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}
"""By operator: the new value from the old one and the operand."""


def load_object(c: Context, element: Element, order: int = DEFAULT_ORDER) -> Code:
    """Compile the value of an atomic object."""
    kind = atomic_kind(element)
    assert kind is not None
    if _is_local(element):
        return load(c, replace(element, kind=kind.plain))
    return atomic_change(c, element, KEEP, [constant(0, kind.plain)], 0, acquires=order in ACQUIRING)


def assign_object(c: Context, element: Element, op: str, value: Code, span: Span, *, gives_new: bool = True) -> Code:
    """Compile `x = v` or `x += v`; its value is the new value of x or, without `gives_new`, the old one."""
    kind = atomic_kind(element)
    assert kind is not None
    combine = replace_value if not op else CHANGES.get(op)
    if element.const or combine is None:
        raise c.refuse(span, "this is const" if element.const else f"{kind} has no operator {op}=")
    slot, compute = c.slot(), convert(c, value, kind.plain, span).run
    value = Code(lambda group, mask: group.values[slot], kind.plain, None, False)
    if _is_local(element):
        return _assign_local(c, replace(element, kind=kind.plain), combine, kind, compute, gives_new=gives_new)
    change = atomic_change(c, replace(element, span=span), combine, [value]).run

    def run(group: Group, mask: Active) -> Value:
        operand = group.values[slot] = compute(group, mask)
        old = change(group, mask)
        return _new(combine, kind, old, operand) if gives_new else old

    return Code(run, kind.plain, None, False)


def _assign_local(
    c: Context, element: Element, combine: Combine, kind: Atomic, compute: Run, *, gives_new: bool
) -> Code:
    """Compile the change of an atomic object in local memory."""
    fetch, put, offset = load(c, element).run, saver(c, element), element.offset.run

    def run(group: Group, mask: Active) -> Value:
        operand = compute(group, mask)
        old = operand if combine is replace_value else fetch(group, mask)
        new = _new(combine, kind, old, operand)
        put(group, mask, offset(group, mask), new)
        return new if gives_new else old

    return Code(run, kind.plain, None, False)


def reference(c: Context, place: Place, kind: CType, span: Span) -> Place:
    """Return the lvalue of an `atomic_ref<T>`: the element, with atomic accesses."""
    if not isinstance(kind, Atomic) or atomic_kind(place) is not None:
        return place
    if not isinstance(place, Element) or place.kind != kind.plain:
        raise c.refuse(span, f"atomic_ref<{kind.plain}> needs an element of an array of {kind.plain}")
    return replace(place, kind=kind)


def _new(combine: Combine, kind: Atomic, old: Value, operand: Value) -> Value:
    if combine is replace_value:
        return operand
    result = np.asarray(combine(np.asarray(old, kind.dtype), np.asarray(operand, kind.dtype)), kind.dtype)
    return result if result.ndim else uniform(result[()], kind.plain)


def _is_local(element: Element) -> bool:
    return element.memory is not None and element.memory.info.space == "local"


# --- Member functions of `cuda::atomic<T>` and `cuda::atomic_ref<T>`


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
