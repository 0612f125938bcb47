"""Sources of elements that asynchronous copies write: where a thread waits for its copies, after their statement.

A trace has the read of a copy in the step of its statement, and the write in the step that waits for it; both name the
same place in the source. A thread's copies are completed in the order in which it has begun them, so that its n-th
write from a place belongs to its n-th execution of the statement there. For example a thread that has executed
`cp.async` three times before `cp.async.wait_group 1` has then completed its first two copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.analysis.value_history import contains

if TYPE_CHECKING:
    from kernels.analysis.value_history import Definition, ValueHistory
    from kernels.frontend.ast import Span


class CopiedElement(NamedTuple):
    """The element that a copy has read, or that it has read none and filled in zero."""

    array: int
    element: int
    """-1 for a filled-in zero."""
    step: int
    """Step in which the copy has begun."""


def copied_element(history: ValueHistory, definition: Definition) -> CopiedElement | None:
    """Return what an element was copied from; None where it was not written by an asynchronous copy."""
    trace, lane, location = history.trace, definition.lane, definition.location
    stores = [
        access
        for access in history.accesses(lane, definition.step)
        if access.array == location.array and access.site.access == "write" and location.number in access.elements
    ]
    span = stores[-1].site.span if stores else None
    if span is None or contains(trace.statement(definition.step).span, span):
        return None
    numbers = [number for number, site in enumerate(trace.sites) if site.access == "write" and site.span == span]
    groups = np.flatnonzero(np.isin(trace.group_site, numbers)).tolist()
    own = [group for group in groups if history.takes_part(lane, int(trace.group_mask[group]))]
    written = [_elements(history, group, lane) for group in own]
    rank = [
        n
        for n, (group, elements) in enumerate(zip(own, written, strict=True))
        if trace.group_step[group] == definition.step and location.number in elements
    ]
    begun = _executions(history, lane, span)
    if not rank or rank[-1] >= len(begun):
        return None
    step, place = begun[rank[-1]], written[rank[-1]].index(location.number)
    for access in history.accesses(lane, step):
        if access.site.access == "read" and access.site.span == span:
            elements = access.elements
            return CopiedElement(access.array, elements[place] if place < len(elements) else -1, step)
    return CopiedElement(location.array, -1, step)


def _elements(history: ValueHistory, group: int, lane: int) -> tuple[int, ...]:
    """Return the elements that a thread accesses in an access group."""
    trace = history.trace
    at = int(np.searchsorted(trace.masks[trace.group_mask[group]], lane))
    first = int(trace.index[trace.group_first[group] + at])
    return tuple(range(first, first + trace.sites[trace.group_site[group]].width))


def _executions(history: ValueHistory, lane: int, span: Span) -> list[int]:
    """Return the steps in which a thread executes the smallest statement around a place."""
    smallest = history.statement_around(span)
    if smallest is None:
        return []
    steps = history.steps(lane)
    found: list[int] = steps[history.trace.step_statement[steps] == smallest].tolist()
    return found
