"""Which lines of a recorded run race, told the slow way: by what every thread knows of every other one.

Each thread counts its accesses, and knows how many of each other thread's came before. Barriers join what their threads
know, a fence sets aside what later atomics hand on, and an atomic takes what was left at its element.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace

    Counts = NDArray[np.int32]

Pairs = Literal["in a block", "between blocks", "atomics first"]
"""Which pairs are judged; a thread that has made a fence hands on its atomics, too, but only to other blocks."""

Racing = set[tuple[str, tuple[tuple[int, str], ...]]]
"""Arrays, with the line and access of both sides."""


class Made(NamedTuple):
    """One access: by whom, the how many of theirs, and what they knew."""

    lane: int
    number: int
    knows: Counts
    line: int
    access: str


def racing(trace: Trace) -> Racing:
    """Tell it of a run without locks, in which no thread returns early."""
    return {race for pairs in get_args(Pairs) for race in _racing(trace, pairs)}


def _racing(trace: Trace, pairs: Pairs) -> Racing:
    threads, block = trace.launch.thread_count, trace.launch.block.count
    knows = np.zeros((threads, threads), np.int32)
    fenced = {True: np.zeros_like(knows), False: np.zeros_like(knows)}  # for everyone, and for the block
    left: dict[tuple[object, ...], Counts] = {}
    waiting: dict[int, list[int]] = defaultdict(list)
    made: dict[tuple[int, int, int], list[Made]] = defaultdict(list)
    for step in range(trace.steps):
        for group in trace.accesses(step):
            for lane, index in zip(group.lanes.tolist(), group.index.tolist(), strict=True):
                own = lane // block
                number = trace.arrays.index(group.array)
                at = (number, index, own if group.array.space == "shared" else -1)
                atomic = group.site.access == "atomic"
                for reach in ("all", own) if atomic else ():
                    if (at, reach) in left:
                        knows[lane] = np.maximum(knows[lane], left[at, reach])
                knows[lane, lane] += 1
                now = Made(
                    lane, int(knows[lane, lane]), knows[lane].copy(), group.site.span.line, group.site.access
                )
                made[at].append(now)
                for reach, far in (("all", True), (own, False)) if atomic else ():
                    given = fenced[far][lane]
                    if pairs == "atomics first" and far and given.any():
                        given[lane] = now.number
                    left[at, reach] = np.maximum(left.get((at, reach), given), given)
        lanes, statement = trace.lanes(step).tolist(), trace.statement(step)
        if statement.kind == "fence":
            for far in (False,) if "_block" in statement.text else (True, False):
                fenced[far][lanes] = np.maximum(fenced[far][lanes], knows[lanes])
        elif statement.kind == "barrier":
            for lane in lanes:
                together = waiting[lane // block]
                together.append(lane)
                if len(together) == block:
                    for table in (knows, *fenced.values()):
                        table[together] = table[together].max(axis=0)
                    together.clear()
        elif statement.kind == "warp-barrier":
            warps = {(lane // block, lane % block // WARP_SIZE) for lane in lanes}
            for warp in warps:
                mates = [lane for lane in lanes if (lane // block, lane % block // WARP_SIZE) == warp]
                knows[mates] = knows[mates].max(axis=0)
    return {
        (trace.arrays[at[0]].name, tuple(sorted(((one.line, one.access), (two.line, two.access)))))
        for at, users in made.items()
        for n, two in enumerate(users)
        for one in users[:n]
        if _clash(one, two) and _meant(one, two, block, pairs) and two.knows[one.lane] < one.number
    }


def _clash(one: Made, two: Made) -> bool:
    kinds = {one.access, two.access}
    return one.lane != two.lane and ("write" in kinds or kinds == {"read", "atomic"})


def _meant(one: Made, two: Made, block: int, pairs: Pairs) -> bool:
    if pairs == "in a block" or one.lane // block == two.lane // block:
        return pairs == "in a block" and one.lane // block == two.lane // block
    return (one.access == "atomic") == (pairs == "atomics first")
