"""Queues of atomic operations: threads that update one element in one step, in the order of the trace.

A GPU performs atomic operations on one address one after another. The trace has them in the order in which the
simulator performed them, each with the value that it left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Site, Trace


@dataclass(frozen=True, slots=True, eq=False)
class AtomicQueue:
    """Atomic operations of one step on one element; two at least."""

    site: Site
    index: int
    """Flat index of the element in its array."""
    lanes: NDArray[np.int32]
    """Lanes of the launch, in the order of the trace."""
    values: NDArray[np.generic]
    """Value of the element after the operation of each."""


def atomic_queues(trace: Trace, step: int, block: int) -> tuple[AtomicQueue, ...]:
    """Return the queues of a step of a block, the longest first, among equal ones by element.

    Operations that leave the value that they find are none: so are loads of atomic objects recorded.
    """
    found = []
    for group in trace.accesses(step, block):
        if group.site.access != "atomic" or group.values is None or group.site.width != 1:
            continue
        elements, counts = np.unique(group.index, return_counts=True)
        for index in elements[(counts > 1) & (elements >= 0) & (elements < group.array.size)].tolist():
            own = group.index == index
            queue = AtomicQueue(group.site, index, group.lanes[own], group.values[own])
            if _changes(trace, step, block, queue):
                found.append(queue)
    return tuple(sorted(found, key=lambda queue: (-len(queue.lanes), queue.index)))


def _changes(trace: Trace, step: int, block: int, queue: AtomicQueue) -> bool:
    """Return whether any operation changes the element."""
    if (queue.values != queue.values[0]).any():
        return True
    array = queue.site.array
    before, written = trace.contents(array, step - 1, block if trace.arrays[array].space == "shared" else 0)
    return bool(not written.reshape(-1)[queue.index] or before.reshape(-1)[queue.index] != queue.values[0])
