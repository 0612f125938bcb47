"""Printed lines, in the order in which a run is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.order.play_order import scheduled_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.order.play_order import PlayOrder


@dataclass(frozen=True, slots=True, eq=False)
class Printed:
    """Lines that a run prints; an entry for each line, in the order played."""

    lines: tuple[str, ...]
    blocks: NDArray[np.int64]
    """Block (linear number) that prints it."""
    steps: NDArray[np.int64]
    """Step in which it is printed."""

    def until(self, order: PlayOrder, block: int, step: int) -> tuple[str, ...]:
        """Return the lines that have been printed when a step of a block is over."""
        return self.lines[: int(np.count_nonzero(order.happened(self.blocks, self.steps, block, step)))]


def find_printed(order: PlayOrder, statements: tuple[int, ...]) -> Printed | None:
    """Return the lines of some statements that print, in the order played; None if their steps are not known.

    A trace keeps the lines in the order of the run, but not their steps. Where every execution of a statement accounts
    for one line the two fit together; a printf inside an expression may be skipped.
    """
    trace = order.trace
    steps = np.flatnonzero(np.isin(trace.step_statement, statements))
    lanes = np.concatenate([np.zeros(0, np.int64), *(trace.masks[trace.step_mask[step]] for step in steps)])
    if len(lanes) != len(trace.printf):
        return None
    at = np.repeat(steps, [len(trace.masks[trace.step_mask[step]]) for step in steps]).astype(np.int64)
    blocks = (lanes // trace.launch.block.count).astype(np.int64)
    rank = np.empty(trace.launch.grid.count, np.int64)
    rank[scheduled_blocks(trace)] = np.arange(trace.launch.grid.count)
    # In one step the run prints block by block in the schedule's order, each by thread.
    run = np.lexsort((lanes, rank[blocks], at))
    blocks, at = blocks[run], at[run]
    played = np.argsort(order.moments(blocks, at), kind="stable")
    return Printed(tuple(trace.printf[n] for n in played.tolist()), blocks[played], at[played])
