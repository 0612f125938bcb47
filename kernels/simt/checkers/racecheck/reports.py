"""Reports of races: the facts about two places that race, from which the message and the advice are made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.simt.machine.hazards import Place
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kernels.frontend.ast import Span
    from kernels.simt.checkers.racecheck.access_log import Note
    from kernels.simt.machine.hazards import Hazards
    from kernels.trace.records import Access, ArrayInfo, Site

_DOES: Final = {"read": "reads {}", "write": "writes {}", "atomic": "changes {} atomically"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two accesses."""

    note: Note
    lane: int


@dataclass(frozen=True, slots=True)
class Race:
    """Two places that race."""

    sides: tuple[Side, Side]
    """The pair found first, the earlier access first."""
    index: int
    """The element of that pair."""
    count: int
    """Sum of the elements concerned between any two barriers."""
    blocks: bool
    """Lanes of different blocks race."""
    across: bool
    """Lanes of different warps race."""
    same: bool
    """Every write stores the same value."""
    update: bool = False
    """Several threads store what each computed from the element: all changes but one are lost."""

    @property
    def is_mixed(self) -> bool:
        """True if one of the two is atomic."""
        return sum(side.note.access == "atomic" for side in self.sides) == 1

    def merge(self, other: Race) -> Race:
        """Return the union of two races of the same places; a pair of different blocks is preferred for the report."""
        preferred = self if self.blocks >= other.blocks else other
        return replace(
            preferred,
            count=self.count + other.count,
            across=self.across or other.across,
            same=self.same and other.same,
        )


@dataclass(frozen=True, slots=True)
class RaceSide:
    """One of the two accesses."""

    site: int
    """Number in the trace's table of sites."""
    statement: int
    """The statement that it belongs to."""
    span: Span
    """The expression."""
    access: Access
    text: str
    """Source of the expression."""
    in_flight: bool
    """The write of an asynchronous copy that may not have completed."""
    by_tensor_core: bool = False
    """A read that lasts until the wait for its instruction."""

    @property
    def line(self) -> int:
        """The line of the expression."""
        return self.span.source_span.line


@dataclass(frozen=True, slots=True)
class RaceReport:
    """Two places that race, as `Race`, with the texts of a report."""

    sides: tuple[RaceSide, RaceSide]
    array: int
    """Number of the array."""
    info: ArrayInfo
    element: str
    """The element, as the source names it."""
    accesses: str
    """The two accesses in words."""
    blocks: bool
    across: bool
    same: bool
    update: bool

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of the two accesses."""
        return frozenset(side.access for side in self.sides)

    @property
    def in_flight(self) -> tuple[RaceSide, ...]:
        """The sides that are copies in flight."""
        return tuple(side for side in self.sides if side.in_flight)

    def message(self) -> str:
        """Return the race in words, without advice."""
        return f"{self.accesses}, {self.reason()}"

    def reason(self, *, warp: bool = False) -> str:
        """Return the reason why the two are not ordered; `warp`: `__syncwarp()` would order them."""
        if self.blocks:
            why = "different blocks run in no order, and __syncthreads() does not reach across blocks"
        elif self.sides[0].by_tensor_core:
            why = (
                f"while the tensor core may still read it: wait for the wgmma of {self.sides[0].span.where} "
                "(wgmma.wait_group), and let a barrier follow"
            )
        elif self.sides[1].by_tensor_core:
            why = "with no barrier between the two"
        elif self.in_flight:
            why = f"while the copy of {self.in_flight[0].span.where} may still be under way"
        else:
            why = f"with no {'__syncwarp() or ' if warp else ''}__syncthreads() between the two"
        return f"{why}; both write the same value" if self.same else why


def report(
    hazards: Hazards,
    race: Race,
    sites: Sequence[Site],
    info: ArrayInfo,
    text: Callable[[Span], str],
    tensor_core_reads: Collection[int],
) -> None:
    """Add a race to the hazards; `text` returns the source of an expression, the last argument names sites."""
    first, second = (sites[side.note.site] for side in race.sides)
    one, two = (side.lane for side in race.sides)
    element = element_name(info, race.index, flat=True)
    sides = tuple(
        RaceSide(
            side.note.site,
            site.statement,
            site.span,
            site.access,
            text(site.span),
            side.note.in_flight,
            side.note.site in tensor_core_reads,
        )
        for side, site in zip(race.sides, (first, second), strict=True)
    )
    found = RaceReport(
        (sides[0], sides[1]),
        first.array,
        info,
        element,
        f"{hazards.name(one)} {_DOES[first.access].format(element)} in {first.span.where} and "
        f"{hazards.name(two)} {_DOES[second.access].format('it')} in {second.span.where}",
        race.blocks,
        race.across,
        race.same,
        race.update,
    )
    hazards.report(
        "data-race",
        Place(second.span, info.space, info.name),
        race.sides[1].note.step,
        race.count,
        ((one, first.span, first.access), (two, second.span, second.access)),
        found.message,
        race.index,
        first.span,
        same_value=race.same,
        facts=found,
    )
