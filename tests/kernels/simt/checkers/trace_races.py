"""Racing lines of a recorded run, found the slow way: from every thread's knowledge of every other one.

Each thread knows which accesses came before its next one. Barriers join what their threads know, a fence sets aside
what later atomics hand on, and an atomic takes what was left at its element, and the atomics there.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from kernels.trace import Trace

Racing = set[tuple[str, tuple[tuple[int, str], ...]]]
"""Arrays, with the line and access of both sides."""


class Made(NamedTuple):
    """One access: by whom, its number, and the numbers of those that came before it, as bits."""

    lane: int
    number: int
    knows: int
    line: int
    access: str


def racing(trace: Trace) -> Racing:
    """Tell it of a run without locks, in which no thread returns early."""
    threads, block = trace.launch.thread_count, trace.launch.block.count
    knows = [0] * threads
    fenced = {True: [0] * threads, False: [0] * threads}  # for everyone, and for the block
    left: dict[tuple[object, ...], int] = defaultdict(int)
    atomics: dict[tuple[object, ...], int] = defaultdict(int)
    waiting: dict[int, list[int]] = defaultdict(list)
    made: dict[tuple[int, int, int], list[Made]] = defaultdict(list)
    count = 0
    for step in range(trace.steps):
        for group in trace.accesses(step):
            for lane, index in zip(group.lanes.tolist(), group.index.tolist(), strict=True):
                own = lane // block
                number = trace.arrays.index(group.array)
                at = (number, index, own if group.array.space == "shared" else -1)
                atomic = group.site.access == "atomic"
                if atomic:
                    knows[lane] |= atomics[at] | left[at, "all"] | left[at, own]
                made[at].append(Made(lane, count, knows[lane], group.site.span.line, group.site.access))
                knows[lane] |= 1 << count
                if atomic:
                    atomics[at] |= 1 << count
                    left[at, "all"] |= fenced[True][lane]
                    left[at, own] |= fenced[False][lane]
                count += 1
        lanes, statement = trace.lanes(step).tolist(), trace.statement(step)
        if statement.kind == "fence":
            for far in (False,) if "_block" in statement.text else (True, False):
                for lane in lanes:
                    fenced[far][lane] |= knows[lane]
        elif statement.kind == "barrier":
            for lane in lanes:
                together = waiting[lane // block]
                together.append(lane)
                if len(together) == block:
                    for table in (knows, *fenced.values()):
                        _join(table, together)
                    together.clear()
        elif statement.kind == "warp-barrier":
            warps = {(lane // block, lane % block // WARP_SIZE) for lane in lanes}
            for warp in warps:
                _join(knows, [n for n in lanes if (n // block, n % block // WARP_SIZE) == warp])
    return {
        (trace.arrays[at[0]].name, tuple(sorted(((one.line, one.access), (two.line, two.access)))))
        for at, users in made.items()
        for n, two in enumerate(users)
        for one in users[:n]
        if _clash(one, two) and not two.knows >> one.number & 1
    }


def _join(table: list[int], lanes: list[int]) -> None:
    everything = reduce(operator.or_, (table[lane] for lane in lanes))
    for lane in lanes:
        table[lane] = everything


def _clash(one: Made, two: Made) -> bool:
    kinds = {one.access, two.access}
    return one.lane != two.lane and ("write" in kinds or kinds == {"read", "atomic"})
