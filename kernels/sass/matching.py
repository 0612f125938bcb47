"""Matching of source accesses with the load and store instructions that they were compiled to."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.trip_counts import TripCounts
from kernels.sass.attribution import is_attributable
from kernels.sass.candidates import CandidateGroup, by_array
from kernels.sass.control_dependence import is_control_equivalent
from kernels.sass.merging import first_occurrences, hash_columns, hash_rows
from kernels.sass.predicates import count_inactive, guard_of, has_source_condition, statement_of
from kernels.sass.straight_line_code import match_straight_line
from kernels.sass.unroll_model import body_copies, body_copy_of, enclosing_regions
from kernels.sass.unrolled_loops import match_loop

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.walk import Loop
    from kernels.sass.candidates import CompiledAccesses, MergeOutcome
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace


def match(
    trace: Trace,
    sites: list[int],
    instructions: list[Instructions],
    code: MemoryCode,
    places: Iterable[tuple[int, int]] = (),
) -> list[CompiledAccesses] | None:
    """Match accesses with all instructions that they were compiled to; None where the match is not certain.

    If the sites are on several `places` (first and last lines), the lines of the instructions must fit, too.
    """
    # The memory of a generic access is decided at run time; an instruction for matrices has no bytes per lane.
    if not instructions or any(i.space == "generic" or not i.size for i in instructions):
        return None
    for i in instructions:
        here = [n for n in sites if _is_on_line(trace, n, i.line)] or sites
        if not is_control_equivalent(trace, here, code, i, sites):
            return None
        # A predicate that the compiler introduced may leave out lanes that make the access in the source.
        if i.guarded and i.space != "shared" and not has_source_condition(trace, here, code, i):
            return None
    loop = _loop(trace, sites, instructions, code)
    inside = [i for i in instructions if loop and body_copy_of(code, i, loop) >= 0]
    ahead = [i for i in instructions if i not in inside]
    # In a loop that is not that of the accesses, an instruction executes an unknown number of times.
    if any(is_rolled(code, i) for i in ahead):
        return None
    groups = [CandidateGroup(trace, tuple(group)) for group in by_array(trace, sites)]
    if loop and inside:
        outcomes = _match_loop(groups, loop, inside, ahead, code)
    else:
        outcomes = _match_straight_line(groups, instructions, code, hoisted=False)
    in_loop = loop is not None and bool(inside)
    if outcomes is None or not _is_attributable(groups, outcomes, instructions, list(places), in_loop=in_loop):
        return None
    return [group.accesses_of(one) for group, one in zip(groups, outcomes, strict=True)]


def _is_on_line(trace: Trace, site: int, line: int) -> bool:
    span = trace.statements[trace.sites[site].statement].span
    return span.line <= line <= span.end_line


def _is_attributable(
    groups: Sequence[CandidateGroup],
    outcomes: Sequence[MergeOutcome],
    instructions: Sequence[Instructions],
    places: Sequence[tuple[int, int]],
    *,
    in_loop: bool,
) -> bool:
    """Return whether the instructions of several lines can be those of the accesses of these lines."""
    if len(places) < 2:
        return True

    def place(line: int) -> int:
        return next((n for n, (first, last) in enumerate(places) if first <= line <= last), len(places))

    trace, count = groups[0].trace, [0] * (len(places) + 1)
    for i in instructions:
        count[place(i.line)] += i.count
    lines = [
        [place(trace.statements[trace.sites[site].statement].span.line) for site in group.sites] for group in groups
    ]
    return is_attributable(groups, outcomes, lines, count, in_loop=in_loop)


def _match_straight_line(
    groups: Sequence[CandidateGroup], instructions: Sequence[Instructions], code: MemoryCode, *, hoisted: bool
) -> list[MergeOutcome] | None:
    """Match code that a warp executes at most once between two barriers."""
    outcomes = match_straight_line(groups, instructions, hoisted=hoisted)
    if outcomes is None or not _counts_inactive(instructions):
        return outcomes
    trace, found = groups[0].trace, []
    for group, one in zip(groups, outcomes, strict=True):
        head = guard_of(trace, group.sites, code, instructions)
        missing = count_inactive(trace, group, one, head, instructions) if head else None
        if missing is None:
            return None
        found.append(replace(one, inactive=missing))
    return found


def _match_loop(
    groups: Sequence[CandidateGroup],
    loop: Loop,
    inside: Sequence[Instructions],
    ahead: Sequence[Instructions],
    code: MemoryCode,
) -> list[MergeOutcome] | None:
    """Match code in a loop, and before it the loop-invariant accesses that the compiler has hoisted.

    Each group is tried both ways; the result counts only if exactly one combination fits.
    """
    trace = groups[0].trace
    counts = TripCounts.of(trace, loop)
    sites = [site for group in groups for site in group.sites]
    head = guard_of(trace, sites, code, inside) if _counts_inactive(inside) else None
    if counts is None or (_counts_inactive(inside) and head is None):
        return None
    copies = body_copies(code, inside, loop)
    found = []
    for hoisted in product((False, True), repeat=len(groups)):
        # There are hoisted groups if and only if there are instructions before the loop; only invariant accesses are
        # hoisted.
        before_loop = [group for group, is_hoisted in zip(groups, hoisted, strict=True) if is_hoisted]
        repeated = [group for group, is_hoisted in zip(groups, hoisted, strict=True) if not is_hoisted]
        if bool(before_loop) != bool(ahead) or not repeated or not all(map(_is_invariant, before_loop)):
            continue
        in_loop = match_loop(repeated, copies, counts, head)
        before = _match_straight_line(before_loop, ahead, code, hoisted=True) if before_loop else []
        if in_loop is not None and before is not None:
            pairs = zip([*repeated, *before_loop], [*in_loop, *before], strict=True)
            outcome_of = {id(group): outcome for group, outcome in pairs}
            found.append([outcome_of[id(group)] for group in groups])
    return found[0] if len(found) == 1 else None


def _counts_inactive(instructions: Iterable[Instructions]) -> bool:
    """Return whether Nsight Compute counts executions without an active lane: true for accesses to shared memory."""
    return any(i.guarded and i.space == "shared" for i in instructions)


def _loop(trace: Trace, sites: Sequence[int], instructions: Sequence[Instructions], code: MemoryCode) -> Loop | None:
    """Return the innermost common loop of the accesses of which the code has a body copy."""
    places = [statement_of(trace, site) for site in sites]
    common = [
        loop
        for loop in (places[0].loops if places and places[0] else ())
        if all(place is not None and loop in place.loops for place in places)
    ]
    return next(
        (loop for loop in reversed(common) if any(body_copy_of(code, i, loop) >= 0 for i in instructions)), None
    )


def is_rolled(code: MemoryCode, instructions: Instructions) -> bool:
    """Return whether instructions are in a loop without a barrier: they may be executed several times between two."""
    inside = (code.regions[region] for region in enclosing_regions(code, instructions.region))
    return any(region.loop and not region.waits for region in inside)


def _is_invariant(group: CandidateGroup) -> bool:
    """Return whether every step between two barriers makes the same accesses."""
    # Every step of a window makes all of its distinct accesses if the number of distinct (step, access) pairs is the
    # number of distinct steps times the number of distinct accesses.
    for requests in group.source_requests.values():
        window, step = group.windows(requests), requests.step.astype(np.int64)
        _, number = np.unique(window, return_inverse=True)
        distinct = np.bincount(number[first_occurrences(hash_rows(requests.address, window))])
        steps = np.bincount(number[first_occurrences(hash_columns(window, step))])
        each = np.bincount(number[first_occurrences(hash_rows(requests.address, window, step))])
        if (distinct * steps != each).any():
            return False
    return True
