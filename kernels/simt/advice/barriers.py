"""Cures by barriers: between two accesses, at the end of a loop's body, inside a statement, and inside a branch.

A barrier is only inserted at a place that all threads of its group reach together (`uniformity`). Accesses in a branch
that some threads do not take are separated by a barrier after the branch, or the branch is split around it.

Example: the loop

    for (int d = 64; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];

reads in one round an element that another thread wrote in the round before. The path to the accesses is: the kernel's
body, the body of the loop, the body of the branch. All threads reach the loop's body, but not the branch's, so the
barrier is inserted at the end of the loop's body, which is a single statement and needs braces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.simt.advice.insertions import call_of, insertion_at, is_barrier, loop_ends
from kernels.simt.advice.positions import Gap, holds, shared_levels, text_order
from kernels.simt.advice.splits import split_cures
from kernels.simt.advice.uniformity import Scope
from kernels.trace.cures import Cure, CureKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.insertions import Placed
    from kernels.simt.advice.positions import Path
    from kernels.simt.checkers.racecheck.reports import RaceReport


def barrier_cures(facts: Facts, race: RaceReport, scope: Scope) -> Iterator[Cure]:
    """Yield cures of a race by barriers of a warp, a block or the grid, the most likely first.

    If the earlier access is later in the text, it was executed in an earlier round of a loop around both.
    """
    kind = CureKind.GRID_BARRIER if scope == Scope.GRID else CureKind.BARRIER
    call = call_of(scope, facts.source)
    lines = tuple(side.line for side in race.sides)
    for one, two in facts.path_pairs(race):
        order = text_order(one, two)
        first, second = (two, one) if order > 0 else (one, two)
        forward = _between(facts, first, second, scope)
        loops = list(loop_ends(facts, one, two, scope))
        repeated = _line_again(race, one, two)
        between = (
            None if forward is None else insertion_at(forward, call, outside=_branch(facts, one, two, forward, scope))
        )
        ends = [
            insertion_at(gap, call, repeats=repeated, outside=_branch(facts, one, two, gap, scope)) for gap in loops
        ]
        # If the earlier access is later in the text, the race is between rounds of a loop: the end of its body is
        # likelier.
        single = [placed for placed in ((between, *ends) if order <= 0 else (*ends, between)) if placed is not None]
        for placed in single:
            yield _cure(kind, [placed], lines)
        # `x = s[t ^ 1]; s[t] = x;` in a loop races in both directions: within a round and between two rounds.
        if between is not None and ends and ends[0] is not None:
            yield _cure(kind, [between, ends[0]], lines)
        yield from split_cures(facts, race, one, two, scope)


def _line_again(race: RaceReport, one: Path, two: Path) -> int:
    """Return the line that the next round reaches first: that of an access, or of the call that contains both."""
    order = text_order(one, two)
    if not order and len(one) != shared_levels(one, two):
        return one[shared_levels(one, two) - 1].child.span.source_span.line
    return (race.sides[1] if order > 0 else race.sides[0]).line


def _cure(kind: CureKind, placements: Sequence[Placed], lines: tuple[int, ...]) -> Cure:
    return Cure(
        kind,
        tuple(insertion for insertion, _ in placements),
        edits=tuple(e for _, edits in placements for e in edits),
        lines=lines,
    )


def _between(facts: Facts, first: Path, second: Path, scope: Scope) -> Gap | None:
    """Return the last place between two accesses at which all threads of a group arrive."""
    shared = shared_levels(first, second)
    if not shared or text_order(first, second) >= 0:
        return None
    levels = first[:shared]
    begin, end = levels[-1].index, second[shared - 1].index
    # From the later access backwards: a barrier directly before it also orders everything in between.
    gaps = [Gap(levels, at) for at in range(end, begin, -1)]
    if scope == Scope.GRID:  # preferably after an existing barrier of the block
        gaps.sort(key=lambda gap: not is_barrier(gap.before, Scope.BLOCK))
    for gap in gaps:
        # There is a barrier between the two already, so another one cannot be the cure: they race between rounds.
        if any(is_barrier(statement, scope) for statement in (gap.before, gap.after)):
            return None
    return next((gap for gap in gaps if facts.uniformity.is_reached(gap, scope)), None)


def _branch(facts: Facts, one: Path, two: Path, gap: Gap, scope: Scope) -> int:
    """Return the line of the branch before a gap, around an access, that excludes a barrier; 0 if there is none."""
    depth = len(gap.levels)
    for path in (one, two):
        found = facts.uniformity.obstacle(path, path[-1].index, scope)
        if found is None or found[0] < depth or gap.before is None or not isinstance(found[1], ast.If):
            continue
        if holds(gap.before.span, found[1].span):
            return found[1].header.source_span.line
    return 0
