"""Numbered barriers, which synchronise a part of a block.

A numbered barrier is complete when its number of threads has arrived (PTX ISA, "barrier"). In a kernel with
`barrier.arrive` it has phases, as a `cuda::barrier` has: a thread that waits for the end of a phase is ordered after
all threads that arrived in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import INT
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.machine.steps import Barrier, Party, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call, Do, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

    Find = Callable[[Group, Active], Party]

_NUMBERED: Final = "__barrier_sync"
_COUNTED: Final = "__barrier_sync_count"
ARRIVE: Final = "__barrier_arrive"
"""The function that PTX's `barrier.arrive` is lowered to."""

PARTIAL_BARRIERS: Final = (_NUMBERED, _COUNTED)
"""Barriers of a part of a block, by function."""

_BARRIERS: Final = 16
"""Number of numbered barriers of a block (PTX ISA, "barrier")."""


def barrier(c: Context, node: Do, call: Call) -> Step:
    """Compile the barrier of a part of a block."""
    if c.machine.assumptions.counts_arrivals:
        return wait_step(c, node.span, _find_barrier(c, call))
    number, begin, span = c.new_statement(node.span, "group-barrier"), c.machine.recorder.step, node.span
    find = _find_barrier(c, call)

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        party = find(group, mask)
        yield Barrier(number, span, mask, party=party)
        return mask

    return Step(None, wait)


def arrival(c: Context, node: Do, call: Call) -> Step:
    """Compile an arrival at a numbered barrier, `__barrier_arrive(number, threads)`.

    Raises
    ------
    Recompile
        If numbered barriers were compiled on the assumption that all of their threads wait.
    """
    if not c.machine.assumptions.counts_arrivals:
        c.machine.assumptions.recompile_counts_arrivals()
    return arrival_step(c, node.span, _find_barrier(c, call))


def _find_barrier(c: Context, call: Call) -> Find:
    codes = operands(c, call, 1 if call.function == _NUMBERED else 2)
    runs = [convert(c, code, INT, call.span).run for code in codes]
    threads = c.machine.launch.block.count

    def find(group: Group, mask: Active) -> Party:
        values = [np.broadcast_to(np.asarray(run(group, mask), np.int64), (group.size,)) for run in runs]
        size = values[1] if len(values) == 2 else np.full(group.size, threads, np.int64)
        block = group.lanes.astype(np.int64) // threads
        return Party(-1 - block * _BARRIERS - values[0] % _BARRIERS, size)

    return find


def arrival_step(c: Context, span: Span, find: Find) -> Step:
    """Compile an arrival at a numbered barrier, without a wait."""
    number, begin = c.new_statement(span, "do"), c.machine.recorder.step

    def arrive(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        _arrive(c, group, mask, find(group, mask))
        return mask

    return Step(arrive)


def wait_step(c: Context, span: Span, find: Find) -> Step:
    """Compile the wait at a numbered barrier, also for threads that only arrive."""
    number, begin = c.new_statement(span, "group-barrier"), c.machine.recorder.step

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        where: Any = slice(None) if mask is None else mask.where
        keys, phases, numbers = _arrive(c, group, mask, find(group, mask))

        def pending() -> NDArray[np.bool_]:
            here = np.zeros(group.size, bool)
            here[where] = c.machine.numbered_barriers.phases(keys) == phases
            return here

        if pending().any():
            yield Barrier(number, span, mask, pending=pending)
        c.machine.recorder.partial_barrier("wait", group.lanes[where], numbers)
        return mask

    return Step(None, wait)


def _arrive(
    c: Context, group: Group, mask: Active, party: Party
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the arrival of lanes; returns their barriers, the current phases, and a number for each phase."""
    where: Any = slice(None) if mask is None else mask.where
    lanes, keys = group.lanes[where], party.key[where]
    phases = c.machine.numbered_barriers.arrive(keys, party.size[where])
    numbers = c.machine.phases.keys(lanes // c.machine.launch.block.count, keys, phases)
    c.machine.recorder.partial_barrier("arrive", lanes, numbers)
    return keys, phases, numbers
