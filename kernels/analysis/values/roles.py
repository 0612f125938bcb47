"""Roles of threads in a step, from the trace and the source: active, zero-filling, guarded off or idle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.syntax.source import place_of, source_of
from kernels.analysis.values.elements import array_of, elements_of_reference
from kernels.analysis.values.registers import Names
from kernels.trace.sorted_columns import count_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place, Reference
    from kernels.analysis.values.elements import Elements
    from kernels.frontend.ast import If
    from kernels.trace import Trace

Role = Literal["idle", "active", "zero-fill", "guarded-off"]
ROLES: Final[tuple[Role, ...]] = ("idle", "active", "zero-fill", "guarded-off")
IDLE, ACTIVE, ZERO_FILL, GUARDED_OFF = range(4)


@dataclass(frozen=True, eq=False)
class ExcludedThreads:
    """Threads excluded by a condition, and the accesses that they skip."""

    lanes: NDArray[np.int32]
    place: Place
    reference: Reference | None
    """The access in the statement."""
    elements: Elements | None
    """One element per lane; None if the registers do not determine them."""


@dataclass(frozen=True, eq=False)
class LaneRoles:
    """Roles of the threads of one block in one step.

    - idle: has returned, or executes another statement.
    - active: executes the statement.
    - zero-fill: writes shared memory in a statement that copies from global memory, but its own read is guarded off.
    - guarded-off: the condition of the `if` around the statement is false; other threads execute it.
    """

    role: NDArray[np.int8]
    """Index in `ROLES` for each thread of the block."""
    zero_fill: ExcludedThreads | None = None
    """The reads that the zero-filling threads skip."""
    guarded_off: ExcludedThreads | None = None

    def names(self) -> tuple[Role, ...]:
        """Return the role of each thread as a word."""
        return tuple(ROLES[number] for number in self.role)


def lane_roles(trace: Trace, step: int, block: int) -> LaneRoles:
    """Return the roles of the threads of a block (linear number) in a step."""
    first = block * trace.launch.block.count
    lanes = trace.lanes(step, block)
    role = np.full(trace.launch.block.count, IDLE, np.int8)
    role[lanes - first] = ACTIVE
    place = place_of(trace, step)
    if place is None:
        return LaneRoles(role)
    guarded_lanes = _guarded_off_lanes(trace, step, block, place, lanes)
    role[guarded_lanes - first] = GUARDED_OFF
    zero_lanes, source, reference = _zero_filling_lanes(trace, step, block, place, lanes)
    role[zero_lanes - first] = ZERO_FILL
    return LaneRoles(
        role,
        _excluded_threads(trace, step, zero_lanes, source, reference),
        _excluded_threads(trace, step, guarded_lanes, place, _main_reference(trace, place)),
    )


def _guarded_off_lanes(
    trace: Trace, step: int, block: int, place: Place, lanes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the lanes for which the outermost `if` around the statement was false when it was last evaluated.

    Only lanes that evaluated it together with lanes of the step count; all others are elsewhere in the program.
    """
    if not place.branches or not len(lanes):
        return lanes[:0]
    # A thread that the outermost condition excludes never evaluates the inner ones.
    evaluated = _last_evaluation(trace, step, block, place.branches[0][0])
    return np.setdiff1d(evaluated, lanes) if len(np.intersect1d(evaluated, lanes)) else lanes[:0]


def excluding_branches(
    trace: Trace, step: int, block: int, place: Place, lanes: NDArray[np.int32]
) -> tuple[tuple[If, bool], ...]:
    """Return the branches around a statement that exclude some of the lanes which do not execute it, outermost first.

    A lane that evaluated the condition of an inner branch was not excluded by the outer ones.
    """
    found, left = [], lanes
    for number, branch in enumerate(place.branches):
        inner = place.branches[number + 1 : number + 2]
        passed = _last_evaluation(trace, step, block, inner[0][0]) if inner else left[:0]
        if len(np.setdiff1d(left, passed)):
            found.append(branch)
        left = np.intersect1d(left, passed)
    return tuple(found)


def _last_evaluation(trace: Trace, step: int, block: int, branch: If) -> NDArray[np.int32]:
    """Return the lanes that evaluated the condition of a branch last before a step; none if no lane did."""
    steps = trace.block_steps(block)
    before = steps[: count_below(steps, step)]
    numbers = [n for n, s in enumerate(trace.statements) if s.span == branch.header]
    evaluations = before[np.isin(trace.step_statement[before], numbers)]
    return trace.lanes(int(evaluations[-1]), block) if len(evaluations) else np.zeros(0, np.int32)


def _zero_filling_lanes(
    trace: Trace, step: int, block: int, place: Place, lanes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Place, Reference | None]:
    """Return the lanes that write shared memory without a read, and the statement and read of the other lanes."""
    groups = trace.accesses(step, block)
    writing = [g.lanes for g in groups if g.array.space == "shared" and g.site.access == "write"]
    if not writing:
        return lanes[:0], place, None
    reading = [g.lanes for g in groups if g.array.space == "global" and g.site.access == "read"]
    # In `As[y][x] = row < M ? A[row * K + x] : 0` all lanes write As, and those that do not read A fill in zeros.
    filling = np.setdiff1d(np.concatenate(writing), np.concatenate([lanes[:0], *reading]))
    guarded = [r for r in _global_reads(trace, place) if r.guards]
    if guarded:
        return filling, place, guarded[0]
    twin = _copy_in_other_branch(trace, place)
    return (filling, twin, _global_reads(trace, twin)[0]) if twin else (lanes[:0], place, None)


def _copy_in_other_branch(trace: Trace, place: Place) -> Place | None:
    """Return for `else As[y][x] = 0;` the statement of the other branch that copies global memory to As."""
    stored = {r.base for r in place.references if r.is_store}
    if not place.branches or _global_reads(trace, place):
        return None
    branch, side = place.branches[-1]
    for other in source_of(trace).places.values():
        if (branch, not side) in other.branches and stored & {r.base for r in other.references if r.is_store}:
            return other if _global_reads(trace, other) else None
    return None


def _global_reads(trace: Trace, place: Place) -> list[Reference]:
    return [r for r in place.references if not r.is_store and _space(trace, r) == "global"]


def _space(trace: Trace, reference: Reference) -> str:
    array = array_of(trace, reference)
    return array.space if array else ""


def _main_reference(trace: Trace, place: Place) -> Reference | None:
    """Return the main access of a statement: a store to global memory, else a load from there."""

    def rank(reference: Reference) -> tuple[bool, bool]:
        return _space(trace, reference) != "global", not reference.is_store

    return min(place.references, key=rank, default=None)


def _excluded_threads(
    trace: Trace, step: int, lanes: NDArray[np.int32], place: Place, reference: Reference | None
) -> ExcludedThreads | None:
    if not len(lanes):
        return None
    # The registers from before the step: a guarded thread has not executed it, and others may change theirs in it.
    names = Names.at(trace, step - 1, lanes, place)
    elements = elements_of_reference(trace, place, reference, names) if reference else None
    return ExcludedThreads(lanes, place, reference, elements)
