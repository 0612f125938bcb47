"""Counts as compiled: what the compiler makes of the accesses that the source names.

A compiler reads four neighbouring elements by one wide instruction, reads once what the source reads twice, and keeps
arrays in registers. Its code says, line by line, how many instructions of which width are left. The trace says which
accesses they can stand for: those of one warp between two barriers. Where merging the accesses in one way gives
exactly the instructions, in number and width, that way is taken. Where none does, or several that cost differently,
the line is counted as written, and that is said. Nothing is approximated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.insight.counts import count_site, summed
from kernels.insight.merging import joined, merged
from kernels.insight.requests import requests_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.gpu.cubin import Instructions
    from kernels.insight.counts import MemoryCount
    from kernels.insight.requests import Requests
    from kernels.trace import Trace

_MOST_WAYS: Final = 4096
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
        if access == "atomic" or space == "constant":
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
    for (first, last), sites in places.items():
        here = [i for i in there if first <= i.line <= last]
        matched = _match(trace, sites, here)
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


def _match(trace: Trace, sites: list[int], there: list[Instructions]) -> list[Accesses] | None:
    """Find how accesses were merged, given all instructions they became; None where that is not certain."""
    if not there or any(i.space == "generic" for i in there):
        return None
    pools = [_Pool.of(trace, group) for group in _by_array(trace, sites)]
    window = _fullest(pools)
    sizes = sorted({i.size for i in there}, reverse=True)
    ways = [(tuple(sizes[n:]), once) for n in range(len(sizes)) for once in (True, False)]
    tried = [{way: pool.count(window, way) for way in ways} for pool in pools]
    if len(ways) ** len(pools) > _MOST_WAYS:
        return None
    count = Counter[int]()
    for i in there:
        count[i.size] += i.count
    rolled = any(i.rolled for i in there)
    fitting = [
        choice
        for choice in product(ways, repeat=len(pools))
        if _fits(sum((t[way] for t, way in zip(tried, choice, strict=True)), Counter()), count, rolled=rolled)
    ]
    outcomes: dict[tuple[int, ...], list[Accesses]] = {}
    for choice in fitting:
        made = [pool.merged(way) for pool, way in zip(pools, choice, strict=True)]
        sizes_in_window = {size for t, way in zip(tried, choice, strict=True) for size in t[way]}
        if sizes_in_window == {size for a in made for size in a.compiled}:  # no window is of another kind
            outcomes.setdefault(tuple(len(r) for a in made for _, r in sorted(a.compiled.items())), made)
    # Code that runs at most once between two barriers repeats nothing. A loop may: then nothing but certainty will do.
    if not outcomes or (rolled and len(outcomes) > 1):
        return None
    return outcomes[min(outcomes, key=sum)]


def _fits(predicted: Counter[int], there: Counter[int], *, rolled: bool) -> bool:
    """Whether instructions are those predicted, or as many copies of them; in a loop, any part of them.

    A loop that takes several elements at a time is followed by one for the rest, with narrower instructions; where the
    first goes round a whole number of times, nothing is left for the second.
    """
    if rolled and len(there) == 2 and predicted.keys() == {widest := max(there)}:
        return predicted[widest] % there[widest] == 0
    if predicted.keys() != there.keys():
        return False
    copies = {Fraction(there[size], predicted[size]) for size in there}
    return len(copies) == 1 and (rolled or copies.pop().denominator == 1)


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

    def merged(self, way: tuple[tuple[int, ...], bool]) -> Accesses:
        parts = {size: (r, self.windows[size]) for size, r in self.written.items()}
        return Accesses(self.sites, self.written, self._merge(parts, way), "merged")

    def count(self, window: int, way: tuple[tuple[int, ...], bool]) -> Counter[int]:
        """Count instructions by size that one window takes."""
        inside = {size: np.flatnonzero(w == window) for size, w in self.windows.items()}
        parts = {
            size: (r.rows(inside[size]), self.windows[size][inside[size]]) for size, r in self.written.items()
        }
        return Counter({size: len(r) for size, r in self._merge(parts, way).items()})

    def _merge(
        self, parts: dict[int, tuple[Requests, NDArray[np.int64]]], way: tuple[tuple[int, ...], bool]
    ) -> dict[int, Requests]:
        sizes, once = way
        origin = self.trace.arrays[self.trace.sites[self.sites[0]].array].address
        found: dict[int, list[Requests]] = {}
        for requests, windows in parts.values():
            for size, made in merged(requests, windows, origin, sizes, once=once).items():
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
