"""Arrivals at a barrier of a block: the threads that have reached it so far, and those that ever do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace


def arrivals(trace: Trace, barrier: int, block: int, step: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the lanes of a block that have arrived when `step` is over, and those that ever arrive.

    `barrier` is any step of the block at the barrier. The steps of one barrier have one statement, and lanes that have
    passed the same number of barriers before.
    """
    lanes = trace.lanes(barrier, block)
    if len(lanes) == trace.launch.block.count:
        return (lanes if barrier <= step else lanes[:0]), lanes
    steps = trace.block_steps(block)
    same = (trace.step_statement[steps] == trace.step_statement[barrier]) & (
        trace.step_epoch[steps] == trace.step_epoch[barrier]
    )
    found = [(int(at), trace.lanes(int(at), block)) for at in steps[same]]
    now = [arrived for at, arrived in found if at <= step]
    return np.unique(np.concatenate([lanes[:0], *now])), np.unique(np.concatenate([part for _, part in found]))
