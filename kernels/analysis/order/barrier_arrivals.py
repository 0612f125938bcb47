"""Arrivals at a barrier of a block: the threads and warps that have reached it so far, and those that ever do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.launch import WARP_SIZE
from kernels.trace.sorted_columns import count_up_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace

_AT_ONCE: Final = 512
"""Steps that are searched at once: a block may have a million, and the one that is searched for is mostly near."""


def arrivals(trace: Trace, barrier: int, block: int, step: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the lanes of a block that have arrived when `step` is over, and those that ever arrive.

    `barrier` is any step of the block at the barrier. The steps of one barrier have one statement, and lanes that have
    passed the same number of barriers before.
    """
    lanes = trace.lanes(barrier, block)
    if len(lanes) == trace.launch.block.count:
        return (lanes if barrier <= step else lanes[:0]), lanes
    steps = trace.barrier_steps(block)
    same = (trace.step_statement[steps] == trace.step_statement[barrier]) & (
        trace.step_epoch[steps] == trace.step_epoch[barrier]
    )
    found = [(int(at), trace.lanes(int(at), block)) for at in steps[same]]
    now = [arrived for at, arrived in found if at <= step]
    return np.unique(np.concatenate([lanes[:0], *now])), np.unique(np.concatenate([part for _, part in found]))


Arrival = Literal["waits", "runs", "later", "never"]
"""A warp has arrived, executes the present step, has steps to execute before it arrives, or does not come."""


@dataclass(frozen=True, slots=True)
class WarpArrival:
    """One warp of a block before a barrier."""

    warp: int
    """Number in the block."""
    state: Arrival
    line: int
    """Line that the warp executes now or next; that of the barrier if it waits there, 0 if it has no step left."""


@dataclass(frozen=True, slots=True)
class BarrierLine:
    """Warps of a block at a barrier that not all have passed."""

    line: int
    """Source line of the barrier."""
    warps: tuple[WarpArrival, ...]
    at_once: bool
    """True if all warps arrive in the present step."""
    absent: int
    """Threads that never come to the barrier."""

    def those(self, *states: Arrival) -> tuple[WarpArrival, ...]:
        """Return the warps in some states."""
        return tuple(warp for warp in self.warps if warp.state in states)

    @property
    def complete(self) -> bool:
        """True if every thread has arrived."""
        return len(self.those("waits")) == len(self.warps) and not self.absent


def barrier_line(trace: Trace, step: int, block: int) -> BarrierLine | None:
    """Return the warps of a block at the barrier where some of them stand when a step is over.

    None if no warp waits, but for the step in which the last one arrives. A warp has arrived when all of its lanes have
    that ever come; with a schedule of warps, those that have arrived wait while the others execute their steps.
    """
    steps, barriers = trace.block_steps(block), trace.barrier_steps(block)
    now, passed = count_up_to(steps, step), count_up_to(barriers, step)
    if not passed:
        return None
    barrier = int(barriers[passed - 1])
    arrived, ever = arrivals(trace, barrier, block, step)
    if len(arrived) == len(ever) and barrier != step:
        # Where threads are missing the others wait on, until a run that reports this lets them continue.
        if not misses_threads(trace, barrier):
            return None
        after = steps[count_up_to(steps, barrier) : now].tolist()
        if any(np.isin(arrived, trace.lanes(later)).any() for later in after):
            return None
    first = block * trace.launch.block.count
    here, coming = (np.unique((lanes - first) // WARP_SIZE) for lanes in (np.setdiff1d(ever, arrived), ever))
    line = trace.statement(barrier).span.line
    warps = []
    for warp in range(trace.launch.warps_per_block):
        if warp in coming and warp not in here:
            warps.append(WarpArrival(warp, "waits", line))
            continue
        next_step = _next_step(trace, steps[now - 1 :], first + warp * WARP_SIZE)
        state: Arrival = "never" if warp not in coming else "runs" if next_step == step else "later"
        next_line = 0 if next_step is None else trace.statement(next_step).span.line
        warps.append(WarpArrival(warp, state, next_line))
    whole = len(trace.lanes(step, block)) == trace.launch.block.count
    absent = trace.launch.block.count - len(ever)
    return BarrierLine(line, tuple(warps), barrier == step and whole, absent)


def misses_threads(trace: Trace, barrier: int) -> bool:
    """Return whether threads that have not returned never come to a barrier: the others wait for them."""
    line = trace.statement(barrier).span.line
    return any(hazard.kind == "barrier-divergence" and hazard.line == line for hazard in trace.hazards)


def _next_step(trace: Trace, steps: NDArray[np.int32], first: int) -> int | None:
    """Return the first of some steps in which a warp takes part, given its first lane."""
    has: dict[int, bool] = {}
    for begin in range(0, len(steps), _AT_ONCE):
        some = steps[begin : begin + _AT_ONCE]
        for step, number in zip(some.tolist(), trace.step_mask[some].tolist(), strict=True):
            if number not in has:
                lanes = trace.masks[number]
                has[number] = bool(np.diff(np.searchsorted(lanes, [first, first + WARP_SIZE]))[0])
            if has[number]:
                return int(step)
    return None
