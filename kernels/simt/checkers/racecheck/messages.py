"""Says what races, and what to do about it."""

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
    from kernels.trace.records import ArrayInfo, Site

_DOES: Final = {"read": "reads {}", "write": "writes {}", "atomic": "changes {} atomically"}

_LOCK: Final = "; the lock of {} protects it only with {} behind it, and another before the release"

_COPY: Final = "let the thread that issued it wait for it, in front of a barrier that comes before the other access"

_UPDATE: Final = "reading, changing and writing back is three steps: use an atomic such as atomicAdd"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two accesses."""

    note: Note
    lane: int


@dataclass(frozen=True, slots=True)
class Race:
    """Two places that race: the pair found first, the earlier access first, and what is true of all pairs.

    `count` adds up the elements concerned between any two barriers. `blocks`: lanes of different blocks meet;
    `across`: lanes of different warps; `same`: every write stores the same value.
    """

    sides: tuple[Side, Side]
    index: int
    count: int
    blocks: bool
    across: bool
    same: bool

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


def tell(
    hazards: Hazards,
    race: Race,
    sites: Sequence[Site],
    info: ArrayInfo,
    barriers: Sequence[Span],
    locks: Sequence[str],
    text: Callable[[Span], str],
) -> None:
    """Report a race; `text` gives an expression's source.

    `barriers` are where a `__syncthreads()` stands, `locks` the lines that may take a lock for the array.
    """
    first, second = (sites[side.note.site] for side in race.sides)
    one, two = (side.lane for side in race.sides)
    element = element_name(info, race.index, flat=True)
    same = "; both write the same value" if race.same else ""
    flying = [site for site, side in zip((first, second), race.sides, strict=True) if side.note.flying]
    why = (
        "different blocks run in no order, and __syncthreads() does not reach across blocks"
        if race.blocks
        else f"while the copy of {flying[0].span.where} may still be under way"
        if flying
        else f"with no {'' if race.across else '__syncwarp() or '}__syncthreads() between the two"
    )

    def message() -> str:
        updates = first.statement == second.statement and text(first.span) == text(second.span)
        advice = (
            _between_blocks(race, first, second, updates, element)
            if race.blocks
            else _COPY
            if flying
            else _in_block(race, first, second, updates, element, barriers)
        )
        return (
            f"{hazards.name(one)} {_DOES[first.access].format(element)} in {first.span.where} and "
            f"{hazards.name(two)} {_DOES[second.access].format('it')} in {second.span.where}, {why}{same}: {advice}"
            + (_LOCK.format(locks[0], "__threadfence()" if race.blocks else "__threadfence_block()") if locks else "")
        )

    hazards.report(
        "data-race",
        Place(second.span, info.space, info.name),
        race.sides[1].note.step,
        race.count,
        ((one, first.span, first.access), (two, second.span, second.access)),
        message,
        race.index,
        first.span,
        same_value=race.same,
    )


def _between_blocks(race: Race, first: Site, second: Site, updates: bool, element: str) -> str:
    kinds = {first.access, second.access}
    if kinds == {"atomic"}:
        return "one of them is atomic for its own block only: leave out _block, or use thread_scope_device"
    if "atomic" in kinds:
        return f"{_atomic_too(first, second, element)}, or use two launches"
    if kinds == {"write"}:
        alone = "let one thread alone write it"
        return alone if race.same else "use an atomic, or give each block elements of its own"
    return _UPDATE if updates else "use an atomic, or two launches"


def _in_block(race: Race, first: Site, second: Site, updates: bool, element: str, barriers: Sequence[Span]) -> str:
    kinds = {first.access, second.access}
    low, high = sorted((first.span.written, second.span.written), key=lambda span: span.line)
    one_line = first.span.where == second.span.where
    wait = "__syncthreads()" if race.across else "__syncwarp()"
    if kinds == {"write"} and one_line:
        return "let one thread alone write it" + ("" if race.same else ", or use an atomic")
    if "atomic" in kinds and one_line:
        return _atomic_too(first, second, element)
    if updates:
        return _UPDATE
    if first.statement == second.statement:
        return f"read it into a variable first, then put {wait} before the write"
    if one_line:
        return f"put {wait} between the two statements"
    atomic = f", or {_atomic_too(first, second, element)}" if "atomic" in kinds else ""
    if any(low.line <= at.line <= high.line for at in barriers if at.file == low.file == high.file):
        return f"put {wait} behind {high.where}, before {low.where} comes round again{atomic}"
    return f"put {wait} between {low.where} and {high.where}{atomic}"


def _atomic_too(first: Site, second: Site, element: str) -> str:
    plain = second if first.access == "atomic" else first
    how = f"atomicExch(&{element}, value)" if plain.access == "write" else f"atomicAdd(&{element}, 0)"
    return f"make the {plain.access} in {plain.span.where} atomic too, as in {how}"
