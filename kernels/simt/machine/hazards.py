"""Collects mistakes while a kernel runs: one entry for each kind and place, the first thread kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kernels.trace.records import Access, Hazard, HazardAccess
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.launch import Dim3, Launch
    from kernels.simt.checkers.racecheck.reports import RaceReport
    from kernels.trace.records import ArrayInfo


_FIRST: Final = {
    "shared": "shared memory starts with whatever was there; give every element a value before it is read",
    "local": "give every element of a local array a value before it is read",
    "global": "cudaMalloc does not clear memory; write it first, or fill it before the launch",
    "heap": "malloc and new clear no memory; give every element a value before it is read",
    "texture": "fill its array before the launch, or write it first",
    "constant": "copy its contents there before the launch",
}


class Place(NamedTuple):
    """Where a hazard can happen: the expression, and the array or register that it uses."""

    span: Span
    space: str = ""
    array: str = ""


class Hazards:
    """Hazards found so far, in the order of their first occurrence."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._found: dict[tuple[object, ...], Hazard] = {}
        self._races: dict[tuple[object, ...], RaceReport] = {}

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
        race: RaceReport | None = None,
    ) -> None:
        """Count a hazard; keep its details when this place shows it for the first time.

        `accesses` are (lane, place, access); `message` is only called when its text is kept. `other` is the
        second place of a hazard that two places make together, `race` the facts of a data race.
        """
        key = (kind, place, other, *(access for _, _, access in accesses))
        known = self._found.get(key)
        if known is not None:
            same = known.same_value and same_value
            self._found[key] = replace(known, count=known.count + count, same_value=same)
            return
        if race is not None:
            self._races[key] = race
        written = place.span.written
        sides = tuple(
            HazardAccess(*self.who(lane), at.written.line, access, at.written.file) for lane, at, access in accesses
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

    def unwritten(
        self,
        info: ArrayInfo,
        span: Span,
        access: Access,
        step: int,
        lanes: NDArray[Any],
        index: NDArray[Any],
        cause: Callable[[], str] | None,
    ) -> None:
        """Report lanes that read elements without a value, the first one by name.

        `cause` says which store gave them none: "line 8 stored x, which had ..."; None where there was no store.
        """
        lane, first = int(lanes[0]), int(index[0])
        advice = _FIRST["heap" if info.name.startswith("heap of line ") else info.space]
        self.report(
            "uninitialised-read",
            Place(span, info.space, info.name),
            step,
            len(lanes),
            ((lane, span, access),),
            lambda: (
                f"{self.name(lane)} reads {element_name(info, first, flat=True)} ({info.space} memory), "
                + (f"where {cause()}" if cause is not None else f"which nothing has written yet: {advice}")
            ),
            first,
        )

    def who(self, lane: int) -> tuple[Dim3, Dim3]:
        """Block and thread of a lane."""
        threads = self._launch.block.count
        return self._launch.grid.member(lane // threads), self._launch.block.member(lane % threads)

    def name(self, lane: int) -> str:
        """Return the lane in words: "thread (1, 0) of block (0, 2)"."""
        block, thread = self.who(lane)
        deep = self._launch.grid.z > 1 or self._launch.block.z > 1
        a, b = (tuple(dims) if deep else tuple(dims[:2]) for dims in (thread, block))
        return f"thread ({', '.join(map(str, a))}) of block ({', '.join(map(str, b))})"

    def races(self) -> list[tuple[Hazard, RaceReport]]:
        """Every data race with its facts, in the order of first occurrence."""
        found = [(self._found[key], race) for key, race in self._races.items()]
        return sorted(found, key=lambda pair: pair[0].step)

    def all(self) -> tuple[Hazard, ...]:
        """Every hazard, in the order of first occurrence."""
        return tuple(sorted(self._found.values(), key=lambda hazard: hazard.step))
