"""Reports of races: the facts of two places that race, from which the message and the advice are made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.simt.machine.hazards import Place
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """Two places that race: the pair found first, the earlier access first, and what is true of all pairs.

    `count` adds up the elements concerned between any two barriers. `blocks`: lanes of different blocks meet;
    `across`: lanes of different warps; `same`: every write stores the same value; `update`: several threads store
    what each computed from the element, so that all changes but one are lost.
    """

    sides: tuple[Side, Side]
    index: int
    count: int
    blocks: bool
    across: bool
    same: bool
    update: bool = False

    @property
    def mixed(self) -> bool:
        """Whether one of the two is atomic."""
        return sum(side.note.access == "atomic" for side in self.sides) == 1

    def and_also(self, other: Race) -> Race:
        """Return both as one; a pair of different blocks is shown rather than one of a single block."""
        shown = self if self.blocks >= other.blocks else other
        return replace(
            shown,
            count=self.count + other.count,
            across=self.across or other.across,
            same=self.same and other.same,
        )


@dataclass(frozen=True, slots=True)
class RaceSide:
    """One of the two accesses.

    Parameters
    ----------
    site : int
        Its place in the trace's table.
    statement : int
        The statement that it belongs to.
    span : Span
        The expression.
    access : str
    text : str
        Source of the expression.
    flying : bool
        Whether it is the write of an asynchronous copy that may still be under way.
    """

    site: int
    statement: int
    span: Span
    access: Access
    text: str
    flying: bool

    @property
    def line(self) -> int:
        """The line that it is written in."""
        return self.span.source_span.line


@dataclass(frozen=True, slots=True)
class RaceReport:
    """Two places that race: the pair found first, the earlier access first, and what is true of all their pairs.

    Parameters
    ----------
    sides : pair of RaceSide
    array : int
        Number of the array.
    info : ArrayInfo
    element : str
        The element, as the source names it.
    accesses : str
        The two accesses in words.
    blocks, across : bool
        Whether lanes of different blocks, or of different warps, meet.
    same : bool
        Whether every write stores the same value.
    update : bool
        Whether several threads store what each computed from the element: all changes but one are lost.
    """

    sides: tuple[RaceSide, RaceSide]
    array: int
    info: ArrayInfo
    element: str
    accesses: str
    blocks: bool
    across: bool
    same: bool
    update: bool

    @property
    def kinds(self) -> frozenset[str]:
        """How the two access the element."""
        return frozenset(side.access for side in self.sides)

    @property
    def flying(self) -> tuple[RaceSide, ...]:
        """The sides that are copies under way."""
        return tuple(side for side in self.sides if side.flying)

    def message(self) -> str:
        """Return the race in words, without advice."""
        return f"{self.accesses}, {self.reason()}"

    def reason(self, *, warp: bool = False) -> str:
        """Return why nothing orders the two; `warp`: `__syncwarp()` would do."""
        if self.blocks:
            why = "different blocks run in no order, and __syncthreads() does not reach across blocks"
        elif self.flying:
            why = f"while the copy of {self.flying[0].span.where} may still be under way"
        else:
            why = f"with no {'__syncwarp() or ' if warp else ''}__syncthreads() between the two"
        return f"{why}; both write the same value" if self.same else why


def report(hazards: Hazards, race: Race, sites: Sequence[Site], info: ArrayInfo, text: Callable[[Span], str]) -> None:
    """Add a race to the hazards; `text` gives an expression's source."""
    first, second = (sites[side.note.site] for side in race.sides)
    one, two = (side.lane for side in race.sides)
    element = element_name(info, race.index, flat=True)
    sides = tuple(
        RaceSide(side.note.site, site.statement, site.span, site.access, text(site.span), side.note.flying)
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
