"""What each thread of a block does in a step, read off the trace and the source, never off a kernel's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.elements import array_of, elements_meant
from kernels.analysis.registers import Names
from kernels.analysis.syntax import place_of, source_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.elements import Elements
    from kernels.analysis.syntax import Place, Reference
    from kernels.trace import Trace

Role = Literal["idle", "active", "zero-fill", "guarded-off"]
ROLES: Final[tuple[Role, ...]] = ("idle", "active", "zero-fill", "guarded-off")
IDLE, ACTIVE, ZERO_FILL, GUARDED_OFF = range(4)


@dataclass(frozen=True, eq=False)
class Wanted:
    """What the guarded threads would have touched: one row for each; `elements` is None where nothing tells it."""

    lanes: NDArray[np.int32]
    place: Place
    reference: Reference | None
    elements: Elements | None


@dataclass(frozen=True, eq=False)
class LaneRoles:
    """`role[t]` is the position in `ROLES` of what thread t of the block does.

    idle: not in this step (returned, elsewhere). active: takes part. zero-fill: writes shared memory in a statement
    that copies from global memory, but its own read is guarded off. guarded-off: the statement's `if` is false for
    it, so it waits while the others act. `zero` and `held` say which elements those two would have touched.
    """

    role: NDArray[np.int8]
    zero: Wanted | None = None
    held: Wanted | None = None

    def names(self) -> tuple[Role, ...]:
        """Roles as words, one a thread."""
        return tuple(ROLES[number] for number in self.role)


def lane_roles(trace: Trace, step: int, block: int) -> LaneRoles:
    """Return what each thread of a block (linear number) does in a step."""
    first = block * trace.launch.block.count
    lanes = trace.lanes(step, block)
    role = np.full(trace.launch.block.count, IDLE, np.int8)
    role[lanes - first] = ACTIVE
    place = place_of(trace, step)
    if place is None:
        return LaneRoles(role)
    held_lanes = _held_back(trace, step, block, place, lanes)
    role[held_lanes - first] = GUARDED_OFF
    zero_lanes, source, reference = _zero_filling(trace, step, block, place, lanes)
    role[zero_lanes - first] = ZERO_FILL
    return LaneRoles(
        role,
        _wanted(trace, step, zero_lanes, source, reference),
        _wanted(trace, step, held_lanes, place, _main_reference(trace, place)),
    )


def _held_back(trace: Trace, step: int, block: int, place: Place, lanes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Lanes that met the outermost `if` around the statement together with those in the step, and failed it."""
    if not place.branches or not len(lanes):
        return lanes[:0]
    header = place.branches[0][0].header
    steps = trace.block_steps(block)
    before = steps[: np.searchsorted(steps, step)]
    numbers = [n for n, s in enumerate(trace.statements) if s.span == header]
    met = before[np.isin(trace.step_statement[before], numbers)]
    if not len(met):
        return lanes[:0]
    there = trace.lanes(int(met[-1]), block)
    return np.setdiff1d(there, lanes) if len(np.intersect1d(there, lanes)) else lanes[:0]


def _zero_filling(
    trace: Trace, step: int, block: int, place: Place, lanes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Place, Reference | None]:
    """Lanes that fill a shared element without reading, and the read that the others make for theirs."""
    groups = trace.accesses(step, block)
    wrote = [g.lanes for g in groups if g.array.space == "shared" and g.site.access == "write"]
    if not wrote:
        return lanes[:0], place, None
    read = [g.lanes for g in groups if g.array.space == "global" and g.site.access == "read"]
    filled = np.setdiff1d(np.concatenate(wrote), np.concatenate([lanes[:0], *read]))
    guarded = [r for r in _global_reads(trace, place) if r.guards]
    if guarded:
        return filled, place, guarded[0]
    twin = _twin(trace, place)
    return (filled, twin, _global_reads(trace, twin)[0]) if twin else (lanes[:0], place, None)


def _twin(trace: Trace, place: Place) -> Place | None:
    """For `else As[y][x] = 0;`: the statement in the other branch that fills the same array from global memory."""
    stored = {r.base for r in place.references if r.stored}
    if not place.branches or _global_reads(trace, place):
        return None
    branch, side = place.branches[-1]
    for other in source_of(trace).places.values():
        if (branch, not side) in other.branches and stored & {r.base for r in other.references if r.stored}:
            return other if _global_reads(trace, other) else None
    return None


def _global_reads(trace: Trace, place: Place) -> list[Reference]:
    return [r for r in place.references if not r.stored and _space(trace, r) == "global"]


def _space(trace: Trace, reference: Reference) -> str:
    array = array_of(trace, reference)
    return array.space if array else ""


def _main_reference(trace: Trace, place: Place) -> Reference | None:
    """Return the element that a statement is about: what it stores to global memory, or else reads there."""

    def rank(reference: Reference) -> tuple[bool, bool]:
        return _space(trace, reference) != "global", not reference.stored

    return min(place.references, key=rank, default=None)


def _wanted(
    trace: Trace, step: int, lanes: NDArray[np.int32], place: Place, reference: Reference | None
) -> Wanted | None:
    if not len(lanes):
        return None
    names = Names.at(trace, step - 1, lanes, place)
    elements = elements_meant(trace, place, reference, names) if reference else None
    return Wanted(lanes, place, reference, elements)
