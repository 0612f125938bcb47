"""Sources of elements that asynchronous copies write: where a thread waits for its copies, after their statement.

A trace has the read of a copy in the step of its statement, and the write in the step that waits for it; both name the
same place in the source. A thread's copies are completed in the order in which it has begun them, so that its n-th
write from a place belongs to its n-th execution of the statement there. For example a thread that has executed
`cp.async` three times before `cp.async.wait_group 1` has then completed its first two copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.analysis.values.value_history import contains

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.values.value_history import Definition, ValueHistory
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
    written = history.writes_from(span, lane)
    at = np.flatnonzero(written.holds(location.number) & (written.step == definition.step))
    begun = _executions(history, lane, span)
    if not len(at) or at[-1] >= len(begun):
        return None
    step, place = int(begun[at[-1]]), location.number - int(written.first[at[-1]])
    for access in history.accesses(lane, step):
        if access.site.access == "read" and access.site.span == span:
            elements = access.elements
            return CopiedElement(access.array, elements[place] if place < len(elements) else -1, step)
    return CopiedElement(location.array, -1, step)


def _executions(history: ValueHistory, lane: int, span: Span) -> NDArray[np.int64]:
    """Return the steps in which a thread executes the smallest statement around a place."""
    smallest = history.statement_around(span)
    return history.executions(lane, smallest) if smallest is not None else np.zeros(0, np.int64)
