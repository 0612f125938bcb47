"""Counts as compiled: the memory requests of a trace after the compiler's merging.

A compiler reads four neighbouring elements with one wide instruction, makes a repeated read once, and keeps arrays in
registers. Its code has, for each line and region, a number of instructions of each width. The trace has the accesses
that they can execute: those of one warp between two barriers (`kernels.sass.straight_line_code`), in a loop those of
one pass (`kernels.sass.unrolled_loops`). Where no strategy gives exactly these instructions, the line is counted as
written, and a note says so. Nothing is approximated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.counts import sum_counts
from kernels.sass.candidates import CompiledAccesses, by_array, by_size
from kernels.sass.multi_line_statements import Lines, as_written, count_outcome, match_lines
from kernels.sass.uncounted_accesses import UnmatchedInstructions, library_accesses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernels.analysis.counts import MemoryCount
    from kernels.sass.cubin import MemoryCode
    from kernels.sass.uncounted_accesses import UncountedAccesses
    from kernels.trace import Trace
    from kernels.trace.records import Access, Space


@dataclass(frozen=True, eq=False)
class Compiled:
    """Counts as compiled."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    accesses: tuple[CompiledAccesses, ...]
    """The accesses that the counts come from."""
    uncounted: tuple[UncountedAccesses, ...]
    """Accesses that a GPU counts and these counts lack."""


def count_as_compiled(trace: Trace, code: MemoryCode) -> Compiled:
    """Count a trace as a GPU counts the instructions that its kernel was compiled to."""
    found: list[CompiledAccesses] = []
    uncounted = library_accesses(trace)
    unmatched = UnmatchedInstructions(trace, code, frozenset(np.unique(trace.group_site).tolist()))
    every = _places(trace, unmatched.executed)
    for space, access in dict.fromkeys((*every, *_kinds(code))):
        places = every.get((space, access), {})
        instructions = [i for i in code.instructions if i.access == access and i.space in (space, "generic")]
        # Atomics, constants and textures are counted as written; local arrays without instructions are in registers.
        if access == "atomic" or space in ("constant", "texture"):
            found += as_written(trace, [site for sites in places.values() for site in sites], "merged")
        elif space == "local" and not any(i.space == "local" for i in instructions):
            found += [
                CompiledAccesses(tuple(sites), by_size(trace, sites), {}, "in registers")
                for group in places.values()
                for sites in by_array(trace, group)
            ]
        else:
            matched, rest = match_lines(unmatched, space, places, instructions)
            inactive, more = unmatched.explain(space, rest)
            found += [*matched, *inactive]
            uncounted += more
    found.sort(key=lambda a: a.sites)
    arrays, lines, _ = sum_counts(count_outcome(trace, accesses) for accesses in found)
    return Compiled(arrays, lines, tuple(found), tuple(uncounted))


def _kinds(code: MemoryCode) -> Iterator[tuple[Space, Access]]:
    for i in code.instructions:
        for space in ("global", "shared") if i.space == "generic" else (i.space,):
            yield space, i.access


def _places(trace: Trace, executed: Iterable[int]) -> dict[tuple[Space, Access], Lines]:
    """Group executed sites by space and kind of access, then by the lines of their statements."""
    ranges: list[tuple[int, int]] = []
    for first, last in sorted({(s.span.line, s.span.end_line) for s in trace.statements}):
        if ranges and first <= ranges[-1][1]:  # statements that share a line are one group
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
