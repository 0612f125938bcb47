"""Atomic objects, `cuda::atomic<T>`: every use is an atomic access, and its memory order may imply a fence.

A load is recorded as an atomic access that changes nothing. A store or change that releases (`memory_order_seq_cst`,
which is the default, `acq_rel` and `release`) orders the earlier accesses of its thread like a fence in front of it.
An access that does not acquire (`relaxed`, `release`) orders the accesses of other threads only from the next fence
of its thread on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.atomics import ACQUIRING, DEFAULT_ORDER, Atomic
from kernels.simt.compiler.compiled_values import Code, Element, constant
from kernels.simt.compiler.load_store import load, saver
from kernels.simt.compiler.operators import convert
from kernels.simt.intrinsics.ordered_atomics import KEEP, atomic_change, atomic_kind
from kernels.simt.machine.arithmetic import uniform
from kernels.simt.machine.exchange import replace_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    Combine = Callable[..., Any]

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
