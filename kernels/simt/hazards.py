"""Collects mistakes while a kernel runs: one entry for each kind and place, the first thread kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kernels.trace.records import Access, Hazard, HazardAccess

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.launch import Dim3, Launch
    from kernels.source.nodes import Span


class Place(NamedTuple):
    """Where a hazard can happen: the expression, and the array or register that it uses."""

    span: Span
    space: str = ""
    array: str = ""


class Hazards:
    """Hazards found so far, in the order of their first occurrence."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._found: dict[tuple[str, Place, Span | None], Hazard] = {}

    def report(
        self,
        kind: str,
        place: Place,
        step: int,
        count: int,
        accesses: tuple[tuple[int, int, Access], ...],
        message: Callable[[], str],
        index: int = -1,
        other: Span | None = None,
    ) -> None:
        """Count a hazard; keep its details when this place shows it for the first time.

        `accesses` are (lane, line, access); `message` is only called when its text is kept. `other` is the
        second place of a hazard that two places make together.
        """
        known = self._found.get((kind, place, other))
        if known is not None:
            self._found[kind, place, other] = replace(known, count=known.count + count)
            return
        sides = tuple(HazardAccess(*self.who(lane), line, access) for lane, line, access in accesses)
        self._found[kind, place, other] = Hazard(
            kind,
            place.space,
            place.array,
            index,
            place.span.line,
            place.span.column,
            sides,
            message(),
            step,
            count,
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

    def all(self) -> tuple[Hazard, ...]:
        """Every hazard, in the order of first occurrence."""
        return tuple(sorted(self._found.values(), key=lambda hazard: hazard.step))
