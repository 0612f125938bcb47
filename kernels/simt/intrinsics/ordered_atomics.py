"""Atomic accesses with a memory order: those of `cuda::atomic` and of PTX's `atom`, `red`, `ld` and `st`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kernels.frontend.headers.atomics import DEFAULT_ORDER, RELEASING, Atomic
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.load_store import exchanger
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.structs.member_bounds import check_members
from kernels.simt.intrinsics.atomics import compare_and_swap
from kernels.simt.intrinsics.control import fence

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

    Combine = Callable[..., Any]
    """Returns the new value from the old one and the operands."""

KEEP: Final[Combine] = lambda old, value: old  # noqa: E731
"""The change of a load: none."""


def atomic_kind(place: object) -> Atomic | None:
    """Return the type of an atomic object; None for any other place."""
    return place.kind if isinstance(place, Element) and isinstance(place.kind, Atomic) else None


def atomic_change(
    c: Context,
    element: Element,
    combine: Combine,
    values: list[Code],
    order: int = DEFAULT_ORDER,
    *,
    acquires: bool = True,
) -> Code:
    """Compile an atomic change to `combine(old, *values)`; its value is the old one."""
    kind = atomic_kind(element)
    assert kind is not None
    operands = [convert(c, value, kind.plain, element.span).run for value in values]
    if element.memory is not None and element.memory.constant:
        raise c.refuse(element.span, "an atomic object in constant memory")
    element = check_members(c, element, "read" if combine is KEEP else "atomic")
    sites = len(c.machine.sites)
    exchange = exchanger(c, replace(element, kind=kind.plain), combine)
    new_sites = range(sites, len(c.machine.sites))
    if kind.releasing_block:
        c.racecheck.atomics.block_scope.update(new_sites)
    # A load of an atomic object is recorded as an atomic access that changes nothing.
    if combine is KEEP:
        c.racecheck.atomics.loads.update(new_sites)
    if combine is compare_and_swap:
        c.racecheck.atomics.compare_and_swap.update(new_sites)
    if not acquires:
        (c.racecheck.atomics.locks if combine is compare_and_swap else c.racecheck.atomics.acquire_at_fence).update(
            new_sites
        )
    offset, release = element.offset.run, _release(c, kind, order, element.span)

    def run(group: Group, mask: Active) -> Value:
        index = offset(group, mask)
        values_of_operands = tuple([operand(group, mask) for operand in operands])
        # memory_order_release is a fence before the access, acquire is one after it (`acquires`).
        release(group, mask)
        return exchange(group, mask, index, values_of_operands)

    return Code(run, kind.plain, None, False)


def _release(c: Context, kind: Atomic, order: int, span: Span) -> Callable[[Group, Active], None]:
    """Compile the fence that an order implies; it is no separate step."""
    if order not in RELEASING:
        return lambda group, mask: None
    return fence(c, span, block=kind.releasing_block)
