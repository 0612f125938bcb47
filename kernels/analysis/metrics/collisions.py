"""Atomic operations of one step that have the same address, which the device executes one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.metrics.requests import warps

if TYPE_CHECKING:
    from kernels.trace import Site, Trace


@dataclass(frozen=True, slots=True)
class Collision:
    """Lanes of one warp whose atomic operations have one address; two at least."""

    site: Site
    array: int
    """Position in the trace."""
    index: int
    """Flat index of the element."""
    warp: int
    """Number in the grid."""
    lanes: tuple[int, ...]
    """Threads, by their linear numbers in the grid."""


def colliding_atomics(trace: Trace, step: int, block: int) -> tuple[Collision, ...]:
    """Return the collisions of a step of a block, by site, warp and element.

    The most lanes of a request in one collision are its contention (`kernels.analysis.metrics.requests`).
    """
    found = []
    for group in trace.accesses(step, block):
        if group.site.access != "atomic":
            continue
        lanes, elements = group.element_lanes, group.elements
        keys = np.stack([warps(trace, lanes), elements], axis=1)
        pairs, member, count = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        for number in np.flatnonzero(count > 1).tolist():
            warp, index = pairs[number].tolist()
            own = lanes[member.reshape(-1) == number]
            found.append(Collision(group.site, group.site.array, index, warp, tuple(own.tolist())))
    return tuple(found)
