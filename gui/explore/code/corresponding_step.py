"""The step of an edited kernel that corresponds to a step of the kernel before the edit. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.explore.code.code import without_footer
from gui.explore.code.line_map import LineMap
from kernels.analysis import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace


def corresponding_frame(before: Trace, frame: Frame, after: Trace) -> Frame | None:
    """Return the same execution of the same line by the same block; None for another launch.

    Where the line has changed, the step with the same number is the nearest guess.
    """
    if before.launch != after.launch:
        return None
    steps = before.block_steps(frame.block)
    executed = _lines(before)[before.step_statement[steps]]
    place = int(np.searchsorted(steps, frame.step))
    if place >= len(steps):
        return frame
    line = int(executed[place])
    number = int(np.count_nonzero(executed[:place] == line))
    now = LineMap.between(without_footer(before.text), without_footer(after.text)).edited_line(line)
    later = after.block_steps(frame.block)
    same = later[_lines(after)[after.step_statement[later]] == now] if now else later[:0]
    return Frame(frame.block, int(same[min(number, len(same) - 1)])) if len(same) else frame


def _lines(trace: Trace) -> NDArray[np.int64]:
    """Return the line of each statement, and 0 for none, which has the number -1."""
    return np.array([*(statement.span.line for statement in trace.statements), 0])
