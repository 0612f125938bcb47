"""Accesses of several lines against their instructions: line by line, then together what that does not explain.

A compiler may merge what several lines access, and leave out reads of what a thread still has in a register.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final

from kernels.analysis.counts import count_site, summed
from kernels.sass.candidates import Accesses, by_size
from kernels.sass.matching import match, rolled
from kernels.sass.register_reuse import read_again

if TYPE_CHECKING:
    from kernels.analysis.counts import MemoryCount
    from kernels.sass.candidates import Fate
    from kernels.sass.cubin import Instructions
    from kernels.sass.uncounted_accesses import Rest
    from kernels.trace import Trace
    from kernels.trace.records import Space

Lines = dict[tuple[int, int], list[int]]
"""Sites by the first and the last line of their statements."""

_MOST_LEFT_OUT: Final = 6
"""Reads that are tried to be left out together."""


def count_made(trace: Trace, accesses: Accesses) -> MemoryCount:
    """Count what accesses became."""
    count = count_site(trace, accesses.sites[0], [(1, asked) for asked in accesses.compiled.values()])
    return replace(count, requests=count.requests + accesses.idle)


def matched_lines(
    left: Rest, space: Space, places: Lines, there: list[Instructions]
) -> tuple[list[Accesses], list[Instructions]]:
    """Match line by line; what is left then, all together: the compiler may merge what several lines access.

    Instructions that stand for no access are returned, too.
    """
    trace, code = left.trace, left.code
    found: list[Accesses] = []
    rest, unmatched = list(there), Lines()
    # What stands on a line without accesses was moved there, out of some loop.
    moved = any(not any(first <= i.line <= last for first, last in places) for i in there)
    for (first, last), sites in places.items():
        here = [i for i in there if first <= i.line <= last]
        uncertain = moved and any(rolled(code, i) for i in here)
        matched = None if uncertain else match(trace, sites, here, code)
        if matched is None:
            unmatched[first, last] = sites
        else:
            found += matched
            rest = [i for i in rest if i not in here]
    if not unmatched:
        return found, rest
    sites = [site for several in unmatched.values() for site in several]
    if there and not rest and trace.sites[sites[0]].access == "write":  # elsewhere, rather than nowhere
        return found + unchanged(trace, sites, "unknown"), []
    if not rest:
        return found + [replace(a, compiled={}, fate="left out") for a in unchanged(trace, sites, "left out")], []
    together = _together(left, space, unmatched, rest)
    if together is not None:
        return found + together[0], together[1]
    rest = [i for i in rest if not any(first <= i.line <= last for first, last in unmatched)]
    return found + unchanged(trace, sites, "unknown"), rest


def _together(
    left: Rest, space: Space, places: Lines, rest: list[Instructions]
) -> tuple[list[Accesses], list[Instructions]] | None:
    """Match several lines: with all instructions, or without those that nobody executes."""
    trace, code = left.trace, left.code
    sites = [site for several in places.values() for site in several]
    needed = [i for i in rest if left.serves(space, i)]
    for there in (rest, needed) if len(needed) < len(rest) else (rest,):
        made = match(trace, sites, there, code, places) if there else None
        if made is not None:
            return made, [i for i in rest if i not in there]
    again = read_again(trace, sites)[:_MOST_LEFT_OUT]
    found: dict[tuple[MemoryCount, ...], list[Accesses]] = {}
    for leave in product((False, True), repeat=len(again)) if needed else ():
        gone = [site for site, left in zip(again, leave, strict=True) if left]
        kept = [site for site in sites if site not in gone]
        made = match(trace, kept, needed, code, places) if gone and kept else None
        if made is not None:
            made += [replace(a, compiled={}) for a in unchanged(trace, gone, "left out")]
            found.setdefault(summed(count_made(trace, a) for a in made)[0], made)
    return (next(iter(found.values())), [i for i in rest if i not in needed]) if len(found) == 1 else None


def unchanged(trace: Trace, sites: list[int], fate: Fate) -> list[Accesses]:
    """Take sites one by one as they are written."""
    parts = [((number,), by_size(trace, [number])) for number in sites]
    return [Accesses(numbers, written, written, fate) for numbers, written in parts]
