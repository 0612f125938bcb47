"""Numbered barriers at which some threads arrive and go on, as producers do (PTX ISA, "barrier.arrive").

In a kernel with such arrivals a numbered barrier has phases, as a `cuda::barrier` has: who waits for the end of one
comes behind all who arrived in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt.machine.steps import Barrier, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.partial_barriers import Party

    Find = Callable[[Group, Active], Party]


class Arrivals:
    """How many threads have come to each barrier of each block, by its key, and which phase it is in."""

    def __init__(self) -> None:
        self._come: dict[int, int] = {}
        self._phase: dict[int, int] = {}

    def arrive(self, keys: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let threads come; returns the phase that each comes in, which ends with the last one missing."""
        phases = self.phases(keys)
        for key, first, count in zip(*np.unique(keys, return_index=True, return_counts=True), strict=True):
            come = self._come.get(key, 0) + int(count)
            over = come >= sizes[first]
            self._come[key] = come - int(sizes[first]) * over
            self._phase[key] = self._phase.get(key, 0) + over
        return phases

    def phases(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the phases that barriers are in."""
        return np.array([self._phase.get(key, 0) for key in keys.tolist()], np.int64)


def arriving(c: Context, span: Span, find: Find) -> Step:
    """Compile an arrival at a numbered barrier, which waits for nobody."""
    number, begin = c.new_statement(span, "do"), c.recorder.step

    def arrive(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        _come(c, group, mask, find(group, mask))
        return mask

    return Step(arrive)


def waiting(c: Context, span: Span, find: Find) -> Step:
    """Compile a numbered barrier that waits also for those who only arrive."""
    number, begin = c.new_statement(span, "group-barrier"), c.recorder.step

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        where: Any = slice(None) if mask is None else mask.where
        keys, phases, numbers = _come(c, group, mask, find(group, mask))

        def late() -> NDArray[np.bool_]:
            here = np.zeros(group.size, bool)
            here[where] = c.arrivals.phases(keys) == phases
            return here

        if late().any():
            yield Barrier(number, span, mask, late=late)
        if c.recorder.watch is not None:
            c.recorder.watch.meet("wait", group.lanes[where], numbers)
        return mask

    return Step(None, wait)


def _come(
    c: Context, group: Group, mask: Active, party: Party
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Let lanes arrive; returns their barriers, the phases of these, and a number for each phase."""
    where: Any = slice(None) if mask is None else mask.where
    lanes, keys = group.lanes[where], party.key[where]
    phases = c.arrivals.arrive(keys, party.size[where])
    numbers = c.phases.keys(lanes // c.launch.block.count, keys, phases)
    if c.recorder.watch is not None:
        c.recorder.watch.meet("arrive", lanes, numbers)
    return keys, phases, numbers
