"""Candidates for the cure of a race, the most likely first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.launch import WARP_SIZE
from kernels.simt.advice.accesses import (
    copy_cures,
    exchange_cures,
    extreme_cures,
    is_in_condition,
    one_writer_cures,
    split_update_cures,
    update_cures,
)
from kernels.simt.advice.barriers import barrier_cures
from kernels.simt.advice.compare_and_swap import compare_and_swap_cures, tests_and_sets
from kernels.simt.advice.fences import fence_cures, scope_cures
from kernels.simt.advice.overlapping_arrays import overlap_cures
from kernels.simt.advice.positions import Gap, shared_levels
from kernels.simt.advice.splits import step_cures
from kernels.simt.advice.uniformity import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.simt.advice.facts import Facts
    from kernels.simt.checkers.racecheck.reports import RaceReport
    from kernels.trace.cures import Cure


def candidates(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cures of a race that can be applied to the source, the most likely first."""
    # Barriers or separate atomics would end the race of a test with its setting, but two threads could still pass it.
    if tests_and_sets(facts, race):
        yield from compare_and_swap_cures(facts, race)
    elif race.blocks:
        yield from _between_blocks(facts, race)
    else:
        yield from _in_block(facts, race)


def _access_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cures that replace the accesses by atomics, or let one thread write."""
    yield from update_cures(facts, race)
    yield from split_update_cures(facts, race)
    yield from extreme_cures(facts, race)
    yield from one_writer_cures(facts, race)


def _in_block(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    if race.in_flight:
        yield from copy_cures(facts, race)
    yield from overlap_cures(facts, race)
    yield from _access_cures(facts, race)
    # Fences within a block only where threads spin: elsewhere a barrier has the effect of a fence, too.
    if _has_spin_loop(facts):
        yield from fence_cures(facts, race)
    if is_within_warp(facts, race):
        yield from step_cures(facts, race, Scope.WARP)
        yield from barrier_cures(facts, race, Scope.WARP)
    yield from step_cures(facts, race, Scope.BLOCK)
    yield from barrier_cures(facts, race, Scope.BLOCK)
    if "atomic" in race.kinds or race.same:
        yield from exchange_cures(facts, race)


def _between_blocks(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    yield from scope_cures(facts, race)
    yield from fence_cures(facts, race)
    yield from _access_cures(facts, race)
    plain = [side for side in race.sides if side.access != "atomic"]
    flag = any(is_in_condition(facts, side) for side in race.sides if side in plain or _has_spin_loop(facts))
    if race.same or flag:
        yield from exchange_cures(facts, race)
    yield from barrier_cures(facts, race, Scope.GRID)
    if "atomic" in race.kinds:
        yield from exchange_cures(facts, race)


def _has_spin_loop(facts: Facts) -> bool:
    """Return whether the kernel waits for an atomic to change: the statement of a loop reads one."""
    return any(site.access == "atomic" and facts.statements[site.statement].kind == "loop" for site in facts.sites)


def is_within_warp(facts: Facts, race: RaceReport) -> bool:
    """Return whether the lanes that race are of one warp by construction, not because this block or tile is small.

    That is assumed in a branch that whole warps take; if the kernel has a `__syncwarp()`; and if blocks have several
    warps but the indices use the lane's number, or a neighbour's (`s[t ^ 1]`, which is in one warp in every block).
    Counterexample: rows of 8 threads are in one warp by chance, and would not be with rows of 64.
    """
    if race.across:
        return False
    functions = facts.source.functions
    if _in_branch_of_a_warp(facts, race):
        return True
    if any(
        isinstance(node, ast.Call) and node.function == "__syncwarp"
        for function in functions
        for node in below(function.body)
    ):
        return True
    if facts.launch.block.count <= WARP_SIZE:
        return False
    return any(_is_lane_index(node) for side in race.sides for node in _below_span(facts, side.span))


def _in_branch_of_a_warp(facts: Facts, race: RaceReport) -> bool:
    """Return whether both accesses are in a branch that whole warps take: `if (t < 32)`, `if (t / 32 == 0)`."""
    for one, two in facts.path_pairs(race):
        inside = one[: shared_levels(one, two)]
        blocked = facts.uniformity.obstacle(inside, one[len(inside) - 1].index, Scope.BLOCK) if inside else None
        if blocked is None or not facts.uniformity.is_reached(Gap(inside[: blocked[0] + 1], 0), Scope.WARP):
            return False
    return True


def _below_span(facts: Facts, span: ast.Span) -> list[object]:
    function = facts.source.function_of(span)
    if function is None:
        return []
    found = [node for node in below(function.body) if node.span == span]
    parts = [part for node in found for part in below(node)]
    # For an index in a variable, also search the initial value of the variable.
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    for node in below(function.body):
        if isinstance(node, ast.Variable) and node.name in names and node.value is not None:
            for value in node.value if isinstance(node.value, tuple) else (node.value,):
                parts += below(value)
    return parts


def _is_lane_index(node: object) -> bool:
    """Return whether an expression is the lane's number, or that of a neighbour: `t % 32`, `t & 31`, `t ^ 1`."""
    if not isinstance(node, ast.Binary) or not isinstance(node.right, ast.Number):
        return False
    number = node.right.value
    return (
        (node.op == "%" and number == WARP_SIZE)
        or (node.op == "&" and number == WARP_SIZE - 1)
        or (node.op == "^" and 0 < number < WARP_SIZE)
    )
