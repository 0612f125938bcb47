"""Counts as compiled: what the compiler makes of the accesses that the source names.

A compiler reads four neighbouring elements by one wide instruction, reads once what the source reads twice, and keeps
arrays in registers. Its code says, line by line and region by region, how many instructions of which width are left.
The trace says which accesses they can stand for: those of one warp between two barriers
(`kernels.sass.straight_line_code`), in a loop those of one pass of its code (`kernels.sass.unrolled_loops`). Where no
way to merge gives exactly the instructions, the line is counted as written, and that is said. Nothing is approximated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.counts import summed
from kernels.sass.candidates import Accesses, by_array, by_size
from kernels.sass.multi_line_statements import Lines, count_made, matched_lines, unchanged
from kernels.sass.uncounted_accesses import Rest, calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernels.analysis.counts import MemoryCount
    from kernels.sass.cubin import MemoryCode
    from kernels.sass.uncounted_accesses import Beside
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space


@dataclass(frozen=True, eq=False)
class Compiled:
    """Counts by array and by line as compiled, where each comes from, and what a GPU counts besides."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    accesses: tuple[Accesses, ...]
    beside: tuple[Beside, ...]


def as_compiled(trace: Trace, code: MemoryCode) -> Compiled:
    """Count a trace as the instructions that its kernel was compiled to are counted on a GPU."""
    found: list[Accesses] = []
    beside = calls(trace)
    rest = Rest(trace, code, frozenset(np.unique(trace.group_site).tolist()))
    every = _places(trace, rest.executed)
    for space, access in dict.fromkeys((*every, *_kinds(code))):
        places = every.get((space, access), {})
        there = [i for i in code.instructions if i.access == access and i.space in (space, "generic")]
        if access == "atomic" or space in ("constant", "texture"):
            found += unchanged(trace, [site for sites in places.values() for site in sites], "merged")
        elif space == "local" and not any(i.space == "local" for i in there):
            found += [
                Accesses(tuple(sites), by_size(trace, sites), {}, "in registers")
                for group in places.values()
                for sites in by_array(trace, group)
            ]
        else:
            matched, left = matched_lines(rest, space, places, there)
            idle, more = rest.explained(space, left)
            found += [*matched, *idle]
            beside += more
    found.sort(key=lambda a: a.sites)
    arrays, lines, _ = summed(count_made(trace, accesses) for accesses in found)
    return Compiled(arrays, lines, tuple(found), tuple(beside))


def _kinds(code: MemoryCode) -> Iterator[tuple[Space, Access]]:
    for i in code.instructions:
        for space in ("global", "shared") if i.space == "generic" else (i.space,):
            yield space, i.access


def _places(trace: Trace, executed: Iterable[int]) -> dict[tuple[Space, Access], Lines]:
    """Sites that executed, by space and kind of access, then by the lines of their statements."""
    ranges: list[tuple[int, int]] = []
    for first, last in sorted({(s.span.line, s.span.end_line) for s in trace.statements}):
        if ranges and first <= ranges[-1][1]:  # statements that share a line go together
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        else:
            ranges.append((first, last))
    found: dict[tuple[Space, Access], Lines] = {}
    for number in sorted(executed):
        site = trace.sites[number]
        line = trace.statements[site.statement].span.line
        place = next(r for r in ranges if r[0] <= line <= r[1])
        kind = trace.arrays[site.array].space, site.access
        found.setdefault(kind, {}).setdefault(place, []).append(number)
    return found
