"""Matching of statements on several lines: line by line, then the unmatched lines together.

A compiler may merge the accesses of several lines, and leave out reads of values that are still in a register.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.counts import count_site, sum_counts
from kernels.analysis.requests import accesses_of
from kernels.sass.candidates import CompiledAccesses, by_size
from kernels.sass.matching import is_rolled, match
from kernels.sass.merging import hash_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.analysis.counts import MemoryCount
    from kernels.sass.candidates import Fate
    from kernels.sass.cubin import Instructions
    from kernels.sass.uncounted_accesses import UnmatchedInstructions
    from kernels.trace import Trace
    from kernels.trace.records import Space

Lines = dict[tuple[int, int], list[int]]
"""Sites by the first and the last line of their statements."""

_MOST_LEFT_OUT: Final = 6
"""The most reads of which all combinations are tried as left out."""


def count_outcome(trace: Trace, accesses: CompiledAccesses) -> MemoryCount:
    """Count accesses as compiled."""
    count = count_site(trace, accesses.sites[0], [(1, requests) for requests in accesses.compiled_requests.values()])
    return replace(count, requests=count.requests + accesses.inactive)


def match_lines(
    unmatched_code: UnmatchedInstructions, space: Space, places: Lines, instructions: list[Instructions]
) -> tuple[list[CompiledAccesses], list[Instructions]]:
    """Match line by line, then all unmatched lines together; return the instructions without an access, too."""
    trace, code = unmatched_code.trace, unmatched_code.code
    found: list[CompiledAccesses] = []
    rest, unmatched = list(instructions), Lines()
    # An instruction on a line without accesses was moved there, out of some loop: then a loop may lack instructions.
    moved = any(not any(first <= i.line <= last for first, last in places) for i in instructions)
    for (first, last), sites in places.items():
        here = [i for i in instructions if first <= i.line <= last]
        uncertain = moved and any(is_rolled(code, i) for i in here)
        matched = None if uncertain else match(trace, sites, here, code)
        if matched is None:
            unmatched[first, last] = sites
        else:
            found += matched
            rest = [i for i in rest if i not in here]
    if not unmatched:
        return found, rest
    sites = [site for several in unmatched.values() for site in several]
    # Unmatched accesses without any instruction left: reads whose values were in registers.
    if instructions and not rest and trace.sites[sites[0]].access == "write":  # writes are never left out
        return found + as_written(trace, sites, "unknown"), []
    if not rest:
        return found + [
            replace(a, compiled_requests={}, fate="left out") for a in as_written(trace, sites, "left out")
        ], []
    together = _match_together(unmatched_code, space, unmatched, rest)
    if together is not None:
        return found + together[0], together[1]
    # Unknown which instructions are theirs; those on other lines than theirs still belong to something else.
    rest = [i for i in rest if not any(first <= i.line <= last for first, last in unmatched)]
    return found + as_written(trace, sites, "unknown"), rest


def _match_together(
    unmatched_code: UnmatchedInstructions, space: Space, places: Lines, rest: list[Instructions]
) -> tuple[list[CompiledAccesses], list[Instructions]] | None:
    """Match several lines: with all instructions, or without those that are never executed for a lane."""
    trace, code = unmatched_code.trace, unmatched_code.code
    sites = [site for several in places.values() for site in several]
    needed = [i for i in rest if unmatched_code.has_effect(space, i)]
    for instructions in (rest, needed) if len(needed) < len(rest) else (rest,):
        outcomes = match(trace, sites, instructions, code, places) if instructions else None
        if outcomes is not None:
            return outcomes, [i for i in rest if i not in instructions]
    # Try every combination of repeated reads as left out; the result counts if all that fit give equal counts.
    repeated = _repeated_reads(trace, sites)[:_MOST_LEFT_OUT]
    found: dict[tuple[MemoryCount, ...], list[CompiledAccesses]] = {}
    for leave in product((False, True), repeat=len(repeated)) if needed else ():
        left_out = [site for site, is_out in zip(repeated, leave, strict=True) if is_out]
        remaining = [site for site in sites if site not in left_out]
        outcomes = match(trace, remaining, needed, code, places) if left_out and remaining else None
        if outcomes is not None:
            outcomes += [replace(a, compiled_requests={}) for a in as_written(trace, left_out, "left out")]
            found.setdefault(sum_counts(count_outcome(trace, a) for a in outcomes)[0], outcomes)
    return (next(iter(found.values())), [i for i in rest if i not in needed]) if len(found) == 1 else None


def as_written(trace: Trace, sites: list[int], fate: Fate) -> list[CompiledAccesses]:
    """Return the accesses of sites as the source has them, one by one."""
    parts = [((number,), by_size(trace, [number])) for number in sites]
    return [CompiledAccesses(numbers, requests, requests, fate) for numbers, requests in parts]


def _repeated_reads(trace: Trace, sites: Iterable[int]) -> list[int]:
    """Return the reads whose elements their thread has always accessed before, since the last barrier."""
    reads = [number for number in sites if trace.sites[number].access == "read"]
    first = {array: _first_access_sites(trace, array) for array in {trace.sites[number].array for number in reads}}
    return [number for number in reads if number not in first[trace.sites[number].array]]


def _first_access_sites(trace: Trace, array: int) -> set[int]:
    """Return the sites at which any thread accesses an element for the first time since a barrier."""
    sites = [n for n, site in enumerate(trace.sites) if site.array == array and site.access != "atomic"]
    group, lane, index = accesses_of(trace, np.flatnonzero(np.isin(trace.group_site, sites)))
    site = trace.group_site[group]
    # A float4 access of width 4 touches four elements: repeat each access for every element.
    width = np.array([site.width for site in trace.sites])[site]
    begin = np.repeat(np.cumsum(width) - width, width)
    element = np.repeat(index, width) + np.arange(len(begin)) - begin
    epoch = trace.step_epoch[trace.group_step[group]].astype(np.int64)
    key = hash_columns(np.repeat(lane.astype(np.int64), width), element, np.repeat(epoch, width))
    return set(np.repeat(site, width)[np.unique(key, return_index=True)[1]].tolist())
