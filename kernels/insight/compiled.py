"""Counts as compiled: what the compiler makes of the accesses that the source names.

A compiler reads four neighbouring elements by one wide instruction, reads once what the source reads twice, and keeps
arrays in registers. Its code says, line by line, how many instructions of which width are left, and which of them
stand in a loop. The trace says which accesses they can stand for: those of one warp between two barriers. Where merging
the accesses in one way gives exactly the instructions, in number and width, that way is taken; where several do, in
code that runs once, the one that merges most, as compilers do. Where none does, or in a loop several that cost
differently, the line is counted as written, and that is said. Nothing is approximated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kernels.insight.counts import count_site, summed
from kernels.insight.merging import joined, merged
from kernels.insight.requests import NONE, requests_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.gpu.cubin import Instructions
    from kernels.insight.counts import MemoryCount
    from kernels.insight.requests import Requests
    from kernels.trace import Trace

_MOST_WAYS: Final = 20_000
"""Combinations of ways to merge that are tried on one line."""

Fate = Literal["merged", "in registers", "left out", "unknown"]


@dataclass(frozen=True, eq=False)
class Accesses:
    """Sites on one line (or lines that cannot be told apart) that access one array, and what became of them.

    `written` and `compiled` are requests by size.
    """

    sites: tuple[int, ...]
    written: dict[int, Requests]
    compiled: dict[int, Requests]
    fate: Fate


@dataclass(frozen=True, eq=False)
class Compiled:
    """Counts by array and by line as compiled, and where each comes from."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    accesses: tuple[Accesses, ...]


def as_compiled(trace: Trace, instructions: Sequence[Instructions]) -> Compiled:
    """Count a trace as the instructions that its kernel was compiled to are counted on a GPU."""
    found: list[Accesses] = []
    for (space, access), places in _places(trace).items():
        there = [i for i in instructions if i.access == access and i.space in (space, "generic")]
        if access == "atomic" or space in ("constant", "texture"):
            found += _unchanged(trace, [site for sites in places.values() for site in sites], "merged")
        elif space == "local" and not any(i.space == "local" for i in instructions):
            found += [
                Accesses(tuple(sites), _by_size(trace, sites), {}, "in registers")
                for group in places.values()
                for sites in _by_array(trace, group)
            ]
        else:
            found += _matched(trace, places, there)
    found.sort(key=lambda a: a.sites)
    counts = [count_site(trace, a.sites[0], a.compiled.values()) for a in found]
    arrays, lines, _ = summed(counts)
    return Compiled(arrays, lines, tuple(found))


def _places(trace: Trace) -> dict[tuple[str, str], dict[tuple[int, int], list[int]]]:
    """Sites that executed, by space and kind of access, then by the lines of their statements."""
    ranges: list[tuple[int, int]] = []
    for first, last in sorted({(s.span.line, s.span.end_line) for s in trace.statements}):
        if ranges and first <= ranges[-1][1]:  # statements that share a line go together
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        else:
            ranges.append((first, last))
    found: dict[tuple[str, str], dict[tuple[int, int], list[int]]] = {}
    for number in np.unique(trace.group_site).tolist():
        site = trace.sites[number]
        line = trace.statements[site.statement].span.line
        place = next(r for r in ranges if r[0] <= line <= r[1])
        kind = trace.arrays[site.array].space, site.access
        found.setdefault(kind, {}).setdefault(place, []).append(number)
    return found


def _matched(
    trace: Trace, places: dict[tuple[int, int], list[int]], there: list[Instructions]
) -> list[Accesses]:
    """Match line by line; what is left then, all together: the compiler may merge what several lines access."""
    found: list[Accesses] = []
    rest, unmatched = list(there), list[int]()
    # What stands on a line without accesses was moved there, out of some loop.
    moved = any(not any(first <= i.line <= last for first, last in places) for i in there)
    for (first, last), sites in places.items():
        here = [i for i in there if first <= i.line <= last]
        matched = None if moved and any(i.rolled for i in here) else _match(trace, sites, here)
        if matched is None:
            unmatched += sites
        else:
            found += matched
            rest = [i for i in rest if i not in here]
    if not rest:
        left_out = _unchanged(trace, unmatched, "left out")
        return found + [Accesses(a.sites, a.written, {}, "left out") for a in left_out]
    together = _match(trace, unmatched, rest) if unmatched else []
    return found + (_unchanged(trace, unmatched, "unknown") if together is None else together)


class _Way(NamedTuple):
    """One way to merge a pool's accesses: into which sizes, and where the code stands.

    What is `straight` runs at most once between two barriers, the rest in a loop. With `once`, what is accessed again
    is not accessed again: between two barriers, or in one turn of the loop.
    """

    sizes: tuple[int, ...]
    once: bool
    straight: bool


def _match(trace: Trace, sites: list[int], there: list[Instructions]) -> list[Accesses] | None:
    """Find how accesses were merged, given all instructions they became; None where that is not certain."""
    if not there or any(i.space == "generic" for i in there):
        return None
    straight, loop = Counter[int](), Counter[int]()
    for i in there:
        (loop if i.rolled else straight)[i.size] += i.count
    pools = [_Pool.of(trace, group) for group in _by_array(trace, sites)]
    window = _fullest(pools)
    tried = [_tried(pool, window, straight, loop) for pool in pools]
    if prod(len(ways) for ways in tried) > _MOST_WAYS:
        return None
    turns, steady = [pool.turns(window) for pool in pools], [pool.steady for pool in pools]
    merged_by = cache(lambda number, way: pools[number].merged(way))
    outcomes: dict[tuple[int, ...], list[Accesses]] = {}
    for choice in product(*(ways.items() for ways in tried)):
        if not _fits(choice, turns, steady, straight, loop):
            continue
        made = [merged_by(number, way) for number, (way, _) in enumerate(choice)]
        # No window may be of another kind than the one looked at.
        if {size for _, count in choice for size in count} == {size for a in made for size in a.compiled}:
            outcomes.setdefault(tuple(len(r) for a in made for _, r in sorted(a.compiled.items())), made)
    # Code that runs at most once between two barriers repeats nothing. A loop may: then nothing but certainty will do.
    if not outcomes or (loop and len(outcomes) > 1):
        return None
    return outcomes[min(outcomes, key=sum)]


def _tried(pool: _Pool, window: int, straight: Counter[int], loop: Counter[int]) -> dict[_Way, Counter[int]]:
    """Count instructions by size that each way takes in one window; of ways that take the same, the first."""
    found: dict[tuple[bool, tuple[tuple[int, int], ...]], tuple[_Way, Counter[int]]] = {}
    for place, there in ((True, straight), (False, loop)):
        sizes = sorted(there, reverse=True)
        for first in range(len(sizes)):
            for once in (True,) if place and loop else (True, False):
                way = _Way(tuple(sizes[first:]), once, place)
                count = pool.count(window, way)
                if place and loop and not pool.stays(window, count):
                    continue
                found.setdefault((place, tuple(sorted(count.items()))), (way, count))
    return dict(found.values())


def _fits(
    choice: Sequence[tuple[_Way, Counter[int]]],
    turns: Sequence[int],
    steady: Sequence[bool],
    straight: Counter[int],
    loop: Counter[int],
) -> bool:
    """Whether merging in these ways gives the instructions.

    Without a loop they are what one window takes, or several copies of that. A loop holds what one of its turns takes
    in the source, times the turns that it takes together; the same may stand after the loop, for turns that are left
    over, and narrower instructions too; where none are left over, these have nothing to do. Where lanes of a warp leave
    the loop one by one, those that have a turn left over part from those that have not: then it must take its turns
    singly.
    """
    ahead: Counter[int] = sum((count for way, count in choice if way.straight), Counter())
    if not loop:
        copies = {Fraction(straight[size], ahead[size] or 1) for size in straight.keys() | ahead.keys()}
        return len(copies) == 1 and copies.pop().denominator == 1 and straight.keys() == ahead.keys()
    turn: dict[int, Fraction] = {}
    looped = [number for (way, _), number in zip(choice, turns, strict=True) if not way.straight]
    for (way, count), number in zip(choice, turns, strict=True):
        for size, n in count.items() if not way.straight else ():
            turn[size] = turn.get(size, Fraction(0)) + Fraction(n, number)
    after = {size: straight[size] - ahead[size] for size in straight.keys() | ahead.keys()}
    if max(turn, default=0) != max(loop) or min(after.values(), default=0) < 0:
        return False
    together = {loop[size] / each for size, each in turn.items()}
    behind = {after.get(size, 0) / each for size, each in turn.items()}
    if len(together) != 1 or len(behind) != 1 or any(n.denominator > 1 for n in together | behind):
        return False
    narrower = (loop.keys() | {size for size, n in after.items() if n}) - turn.keys()
    (unrolled,) = together
    if unrolled > 1 and not all(
        same for (way, _), same in zip(choice, steady, strict=True) if not way.straight
    ):
        return False
    return not narrower or all(number % unrolled == 0 for number in looped)


@dataclass(frozen=True, eq=False)
class _Pool:
    """Sites that access one array, with all their requests, and the window of each."""

    trace: Trace
    sites: tuple[int, ...]
    written: dict[int, Requests]
    windows: dict[int, NDArray[np.int64]]

    @classmethod
    def of(cls, trace: Trace, sites: list[int]) -> _Pool:
        written = _by_size(trace, sites)
        epochs = int(trace.step_epoch.max(initial=0)) + 1
        windows = {size: r.warp * epochs + trace.step_epoch[r.step] for size, r in written.items()}
        return cls(trace, tuple(sites), written, windows)

    def turns(self, window: int) -> int:
        """How often the statements are executed in a window."""
        steps = [r.step[self.windows[size] == window] for size, r in self.written.items()]
        return max(1, len(np.unique(np.concatenate(steps))))

    @property
    def steady(self) -> bool:
        """Whether the lanes of a warp that access at all do so in every turn between two barriers."""
        for size, requests in self.written.items():
            lanes = requests.address < NONE
            windows, first, which = np.unique(self.windows[size], return_index=True, return_inverse=True)
            if len(windows) and not (lanes == lanes[first][which]).all():
                return False
        return True

    def stays(self, window: int, count: Counter[int]) -> bool:
        """Whether instructions move no more than one turn does: every turn of a loop accesses the same then."""
        written = sum(size * int(np.count_nonzero(w == window)) for size, w in self.windows.items())
        return sum(size * n for size, n in count.items()) * self.turns(window) <= written

    def merged(self, way: _Way) -> Accesses:
        parts = {size: (r, self.windows[size]) for size, r in self.written.items()}
        return Accesses(self.sites, self.written, self._merge(parts, way), "merged")

    def count(self, window: int, way: _Way) -> Counter[int]:
        """Count instructions by size that one window takes."""
        inside = {size: np.flatnonzero(w == window) for size, w in self.windows.items()}
        parts = {
            size: (r.rows(inside[size]), self.windows[size][inside[size]]) for size, r in self.written.items()
        }
        return Counter({size: len(r) for size, r in self._merge(parts, way).items()})

    def _merge(self, parts: dict[int, tuple[Requests, NDArray[np.int64]]], way: _Way) -> dict[int, Requests]:
        origin = self.trace.arrays[self.trace.sites[self.sites[0]].array].address
        found: dict[int, list[Requests]] = {}
        for requests, windows in parts.values():
            turns = windows * self.trace.steps + requests.step
            once = (windows if way.straight else turns) if way.once else None
            for size, made in merged(requests, windows, origin, way.sizes, once).items():
                found.setdefault(size, []).append(made)
        return {size: joined(several) for size, several in found.items()}


def _fullest(pools: list[_Pool]) -> int:
    """Window with the most requests: nothing that the code can do is left out there."""
    windows, count = np.unique(
        np.concatenate([w for pool in pools for w in pool.windows.values()]), return_counts=True
    )
    return int(windows[np.argmax(count)])


def _by_array(trace: Trace, sites: list[int]) -> list[list[int]]:
    arrays = dict.fromkeys(trace.sites[number].array for number in sites)
    return [[number for number in sites if trace.sites[number].array == array] for array in arrays]


def _by_size(trace: Trace, sites: Sequence[int]) -> dict[int, Requests]:
    asked = [requests_of(trace, number) for number in sites]
    sizes = dict.fromkeys(r.size for r in asked)
    return {size: joined([r for r in asked if r.size == size]) for size in sizes}


def _unchanged(trace: Trace, sites: list[int], fate: Fate) -> list[Accesses]:
    parts = [((number,), _by_size(trace, [number])) for number in sites]
    return [Accesses(numbers, written, written, fate) for numbers, written in parts]
