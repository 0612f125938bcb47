"""Frame of a run at the same place as a frame of another run: of an edited kernel, or of another block. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.code.line_map import LineMap, without_footer
from kernels.analysis import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.launch import Dim3
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A frame of a run."""

    trace: Trace
    frame: Frame

    def in_run(self, after: Trace) -> Frame:
        """Return the frame of another run at the same shares of the grid and of the phases, on the same line.

        For example the first load in phase 1 of 2 of block (1,1) in a grid of 2×2 becomes the first load in phase 2
        of 4 of block (2,2) in one of 4×4. Where the phase has no such line, its steps are counted.
        """
        before = self.trace
        if before.launch == after.launch:
            return self.frame
        block = _same_share(before.launch.grid, after.launch.grid, self.frame.block)
        steps, others = before.block_steps(self.frame.block), after.block_steps(block)
        if not len(steps) or not len(others):
            return Frame(block, self.frame.step)
        at = min(int(np.searchsorted(steps, self.frame.step)), len(steps) - 1)
        (part, count), (other_part, other_count) = _parts(before, steps), _parts(after, others)
        now = int(part[at])
        then = now * other_count // count if 0 <= now < count else other_count if now == count > 0 else -1
        own, found = steps[part == now], others[other_part == then]
        if not len(found):
            return Frame(block, int(others[-1]))
        line, number = _lines(before, steps[at : at + 1])[0], int(np.searchsorted(own, steps[at]))
        earlier = int(np.count_nonzero(_lines(before, own[:number]) == line))
        same = found[_lines(after, found) == line]
        if len(same):
            return Frame(block, int(same[min(earlier, len(same) - 1)]))
        return Frame(block, int(found[number * len(found) // len(own)]))


def corresponding_frame(before: Trace, frame: Frame, after: Trace) -> Frame | None:
    """Return the same execution of the same line by the same block; None for another launch.

    Where the line has changed, the step with the same number is the nearest guess.
    """
    if before.launch != after.launch:
        return None
    steps = before.block_steps(frame.block)
    executed = _lines(before, steps)
    place = int(np.searchsorted(steps, frame.step))
    if place >= len(steps):
        return frame
    line = int(executed[place])
    number = int(np.count_nonzero(executed[:place] == line))
    now = LineMap.between(without_footer(before.text), without_footer(after.text)).edited_line(line)
    later = after.block_steps(frame.block)
    same = later[_lines(after, later) == now] if now else later[:0]
    return Frame(frame.block, int(same[min(number, len(same) - 1)])) if len(same) else frame


def _same_share(grid: Dim3, other: Dim3, block: int) -> int:
    """Return the block of another grid at the same share of each of its sides."""
    shares = (n * new // old for n, old, new in zip(grid.member(block), grid, other, strict=True))
    return other.linear(*shares)


def _parts(trace: Trace, steps: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Return the phase of each step, and their count: -1 before the first phase, the count after the last one."""
    part = trace.step_phase[steps].copy()
    inside = np.flatnonzero(part >= 0)
    if not len(inside):
        return part, 0
    count = int(part.max()) + 1
    part[inside[-1] + 1 :] = count
    return part, count


def _lines(trace: Trace, steps: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the lines of steps; 0 for a step without a statement, whose number is -1."""
    line = np.array([*(statement.span.line for statement in trace.statements), 0], np.int64)
    return line[trace.step_statement[steps]]
