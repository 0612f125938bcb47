"""Warps at a barrier, in words: which wait, and what the late ones still execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.narration.divergence import lane_ranges
from kernels.words import agree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.order.barrier_arrivals import BarrierLine, WarpArrival


def waiting_words(line: BarrierLine) -> str:
    """Return "Barrier, line 25: warp 0 waits", or that all warps have arrived."""
    count = len(line.warps)
    if line.complete:
        how = "arrive at once" if line.at_once else "have arrived"
        return f"Barrier, line {line.line}: all {count} warps {how}"
    waiting = line.those("waits")
    return f"Barrier, line {line.line}: {_named(waiting)} {agree(len(waiting), 'waits', 'wait')}"


def late_words(line: BarrierLine) -> str:
    """Return "warp 1 has not arrived: it runs line 24"; of several, that of the first; "" if none is late."""
    late, absent = (*line.those("runs"), *line.those("later")), line.those("never")
    if late:
        first = late[0]
        if len(late) == 1:
            does = f"it runs line {first.line}" if first.state == "runs" else f"its next line is {first.line}"
        elif first.state == "runs":
            does = f"warp {first.warp} runs line {first.line}"
        else:
            does = f"the next line of warp {first.warp} is {first.line}"
        return f"{_named(late)} {agree(len(late), 'has', 'have')} not arrived: {does}"
    if absent:
        return f"{_named(absent)} {agree(len(absent), 'does', 'do')} not come here"
    return ""


def _named(warps: Sequence[WarpArrival]) -> str:
    numbers = np.array([warp.warp for warp in warps], np.int64)
    return f"{agree(len(warps), 'warp', 'warps')} {lane_ranges(numbers)}"
