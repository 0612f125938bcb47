"""An unrolled loop: a ladder of rungs, stretches of code that take so many of its turns at a time.

A compiler turns a loop into several copies of its body, and most often like this: a loop that takes sixteen turns at a
time, code for eight, a loop for four at a time, and code for the one to three that are left, or those first. Each
rung lies in a region of the loop's line. What it holds tells how many turns it takes, and where it stands, which: a
loop takes as many as are there for it; other code takes its number once, or less where nothing else is left to take
them. So the turns that a thread takes tell which rungs it climbs. Threads of a warp that take different
numbers part where their ways do, and go on together on a rung that both step on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.trip_counts import Numbers
    from kernels.analysis.walk import Loop
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.sass.regions import Region


@dataclass(frozen=True)
class Rung:
    """One stretch of code that takes turns of a loop.

    `again` tells a loop, `last` that nothing follows but what it holds itself. `guarded` are instructions with a
    condition of their own; where the code `branches`, it may leave some out.
    """

    sizes: Counter[int]
    again: bool
    last: bool
    guarded: bool
    branches: bool

    @property
    def varies(self) -> bool:
        """Whether a pass may make fewer accesses than there are instructions."""
        return self.guarded or self.branches

    @property
    def bytes(self) -> int:
        """What one pass moves for a lane."""
        return sum(size * count for size, count in self.sizes.items())


class Climb(NamedTuple):
    """For turns of a loop: the rung that takes each, in which of its passes, and as which turn of that pass."""

    rung: Numbers
    part: Numbers
    place: Numbers


def rungs(code: MemoryCode, there: Sequence[Instructions], loop: Loop) -> list[Rung]:
    """Part instructions that stand in regions of a loop's line by rung, in the order of the code."""
    by_rung: dict[int, list[Instructions]] = {}
    for i in there:
        by_rung.setdefault(rung_of(code, i, loop), []).append(i)
    order = list(by_rung)
    return [
        Rung(
            _sizes(by_rung[region]),
            code.regions[region].loop,
            all(region in around(code, later) for later in order[place + 1 :]),
            any(i.guarded for i in by_rung[region]),
            any(i.region != region for i in by_rung[region]),
        )
        for place, region in enumerate(order)
    ]


def rung_of(code: MemoryCode, instructions: Instructions, loop: Loop) -> int:
    """Return the innermost loop of a line that instructions stand in, else the innermost region; -1 for none."""
    inside = [
        region
        for region in around(code, instructions.region)
        if _is_of(code.regions[region], loop) and not code.regions[region].waits
    ]
    return next((region for region in inside if code.regions[region].loop), inside[0] if inside else -1)


def _is_of(region: Region, loop: Loop) -> bool:
    """Whether a region stands in a loop's line, or, being a loop itself, in a line of its body."""
    whole = loop.span if region.loop else loop.header
    return whole.line <= region.line <= whole.end_line


def around(code: MemoryCode, region: int) -> list[int]:
    """List a region and those around it, from inside out."""
    found = []
    while region >= 0:
        found.append(region)
        region = code.regions[region].within
    return found


def widths(ladder: Sequence[Rung], turn: int) -> list[int] | None:
    """How many turns each rung takes at a time, given the bytes that one moves; None where the ladder is none.

    It is none where a rung holds no whole number of turns (a last one may move more than it needs), and where nothing
    can be left for it: compilers write no such code, unless as a copy of what stands there for another call.
    """
    if any(rung.bytes % turn and not rung.last for rung in ladder):
        return None
    found = [rung.bytes // turn for rung in ladder]
    if not all(found):
        return None
    most, multiple = inf, 1  # of what may be left
    for at, (rung, width) in enumerate(zip(ladder, found, strict=True)):
        if (most < 1 or (most < width and not rung.last)) and rung.sizes not in [r.sizes for r in ladder[:at]]:
            return None
        larger = [later for later in found[at + 1 :] if later > width]
        if larger:
            multiple = min(larger)
        elif rung.again:
            most = min(most, width - gcd(width, multiple))
        else:
            most = max(most - width, 0 if rung.last else min(most, width - gcd(width, multiple)))
    return found


def climb(ladder: Sequence[Rung], each: Sequence[int], number: Numbers, count: Numbers) -> Climb | None:
    """Find the rung of turns, by number, of loops that take `count` turns; None where the ladder is too short."""
    rung, part, place = (np.zeros(len(number), np.int64) for _ in range(3))
    left, begin = count.copy(), np.zeros(len(count), np.int64)
    for at, (step, width) in enumerate(zip(ladder, each, strict=True)):
        larger = [later for later in each[at + 1 :] if later > width]
        there = left % min(larger) if larger else left  # what is left over is taken first
        if step.again:
            taken = there // width * width
        else:
            taken = np.where((there >= width) | step.last, np.minimum(there, width), 0)
        here = (number >= begin) & (number < begin + taken)
        rung[here] = at
        part[here], place[here] = np.divmod(number[here] - begin[here], width)
        begin, left = begin + taken, left - taken
    return None if left.any() else Climb(rung, part, place)


def _sizes(instructions: Sequence[Instructions]) -> Counter[int]:
    found: Counter[int] = Counter()
    for i in instructions:
        found[i.size] += i.count
    return found
