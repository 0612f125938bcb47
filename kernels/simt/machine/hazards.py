"""Hazards of a run: one entry for each kind and place, with the first thread and a count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kernels.trace.records import Access, Hazard, HazardAccess

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kernels.frontend.ast import Span
    from kernels.launch import Dim3, Launch


Facts = TypeVar("Facts")


class Place(NamedTuple):
    """The place of a hazard: the expression, and the array or register that it uses."""

    span: Span
    space: str = ""
    array: str = ""


def name_in_messages(launch: Launch, block: Dim3, thread: Dim3) -> str:
    """Return the name of a thread in the messages of hazards, which saved traces contain."""
    deep = launch.grid.z > 1 or launch.block.z > 1
    a, b = (tuple(dims) if deep else tuple(dims[:2]) for dims in (thread, block))
    return f"thread ({', '.join(map(str, a))}) of block ({', '.join(map(str, b))})"


class Hazards:
    """Hazards found so far, in the order of their first occurrence."""

    def __init__(self, launch: Launch, unwanted: Collection[str] = ()) -> None:
        """Collect the hazards of a launch, except for the kinds in `unwanted`."""
        self._launch = launch
        self._unwanted = unwanted
        self._found: dict[tuple[object, ...], Hazard] = {}
        self._facts: dict[tuple[object, ...], object] = {}

    def report(
        self,
        kind: str,
        place: Place,
        step: int,
        count: int,
        accesses: tuple[tuple[int, Span, Access], ...],
        message: Callable[[], str],
        index: int = -1,
        other: Span | None = None,
        *,
        same_value: bool = False,
        facts: object = None,
    ) -> None:
        """Count a hazard, and store its details if it is the first of this kind at this place.

        Parameters
        ----------
        kind : str
            A kind of `kernels.simt.checkers.KINDS`, or another one.
        count : int
            Lanes, elements or blocks concerned.
        accesses : tuple
            (lane, place, access) of each access involved.
        message : callable
            Returns the text; called only if the hazard is new.
        other : Span, optional
            The second place, if two places together make the hazard.
        same_value : bool
            Whether racing writes store equal values.
        facts : object
            Facts that the checker collected, for `with_facts`.
        """
        if kind in self._unwanted:
            return
        # One entry for a place, not for a thread: 1024 threads with the same mistake are one hazard, counted 1024
        # times.
        key = (kind, place, other, *(access for _, _, access in accesses))
        known = self._found.get(key)
        if known is not None:
            same = known.same_value and same_value
            self._found[key] = replace(known, count=known.count + count, same_value=same)
            return
        if facts is not None:
            self._facts[key] = facts
        written = place.span.source_span
        sides = tuple(
            HazardAccess(*self.block_and_thread(lane), at.source_span.line, access, at.source_span.file)
            for lane, at, access in accesses
        )
        self._found[key] = Hazard(
            kind,
            place.space,
            place.array,
            index,
            written.line,
            written.column,
            sides,
            message(),
            step,
            count,
            same_value,
            written.file,
        )

    def block_and_thread(self, lane: int) -> tuple[Dim3, Dim3]:
        """Return the coordinates of a lane's block and thread."""
        threads = self._launch.block.count
        return self._launch.grid.member(lane // threads), self._launch.block.member(lane % threads)

    def name(self, lane: int) -> str:
        """Return the lane in words: "thread (1, 0) of block (0, 2)"."""
        return name_in_messages(self._launch, *self.block_and_thread(lane))

    def with_facts(self, kind: type[Facts]) -> list[tuple[Hazard, Facts]]:
        """Return the hazards with facts of one type, in the order of first occurrence."""
        found = [(self._found[key], facts) for key, facts in self._facts.items() if isinstance(facts, kind)]
        return sorted(found, key=lambda pair: pair[0].step)

    def all(self) -> tuple[Hazard, ...]:
        """Return all hazards, in the order of first occurrence."""
        return tuple(sorted(self._found.values(), key=lambda hazard: hazard.step))
