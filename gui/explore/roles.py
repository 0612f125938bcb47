"""What each thread of a block does in a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.explore.scene import ROLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.stage import Stage

ACTIVE, ZERO, GUARDED, IDLE = range(len(ROLES))


def block_roles(stage: Stage, step: int, block: int) -> NDArray[np.int8]:
    """Role (position in `ROLES`) of every thread of a block (linear number) in a step."""
    trace = stage.trace
    threads = trace.launch.block.count
    first = block * threads
    roles = np.full(threads, IDLE, np.int8)
    steps = trace.block_steps(block)
    before = steps[: np.searchsorted(steps, step)]
    headers = [n for n, s in enumerate(trace.statements) if s.kind in ("branch", "loop")]
    guards = before[np.isin(trace.step_statement[before], headers)]
    if len(guards):
        roles[trace.lanes(int(guards[-1]), block) - first] = GUARDED
    roles[trace.lanes(step, block) - first] = ACTIVE
    loads = stage.loads
    rows = loads.rows(step, first, first + threads)
    filled = loads.source[rows] < 0
    roles[loads.key[rows][filled] - step * loads.lanes - first] = ZERO
    return roles
