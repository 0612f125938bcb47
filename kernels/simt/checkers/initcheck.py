"""Initcheck: reads of elements to which nothing has been stored, unless a data race explains them.

If another thread writes the element, and the write and the read are not ordered, the schedule decides whether the read
comes too early: racecheck reports the race, and initcheck reports nothing (rule and example:
`kernels.simt.checkers.racecheck.unexplained_reads`). Without racecheck, initcheck reports every such read of this
schedule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kernels.simt.machine.hazards import Place
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.observer import UninitialisedRead

_ADVICE: Final = {
    "shared": "shared memory starts with whatever was there; give every element a value before it is read",
    "local": "give every element of a local array a value before it is read",
    "global": "cudaMalloc does not clear memory; write it first, or fill it before the launch",
    "heap": "malloc and new clear no memory; give every element a value before it is read",
    "texture": "fill its array before the launch, or write it first",
    "constant": "copy its contents there before the launch",
}


class RaceJudge(Protocol):
    """Decides, when the writes are known, whether a race explains a read."""

    def postpone(self, read: UninitialisedRead) -> bool:
        """Add a read, to be judged later; returns False if no thread writes its array."""


class Initcheck:
    """Reports reads of elements without a value: at once, or when the races of the array are known."""

    def __init__(self, hazards: Hazards, races: RaceJudge | None) -> None:
        self._hazards = hazards
        self._races = races

    def uninitialised(self, read: UninitialisedRead) -> None:
        """Report lanes that read elements without a value, unless that is postponed."""
        if self._races is None or not self._races.postpone(read):
            report(self._hazards, read)


def report(hazards: Hazards, read: UninitialisedRead) -> None:
    """Report the lanes of one instruction, with the coordinates of the first."""
    info, lane, index = read.info, int(read.lanes[0]), int(read.elements[0])
    advice = _ADVICE["heap" if read.on_heap else info.space]
    hazards.report(
        "uninitialised-read",
        Place(read.span, info.space, info.name),
        read.step,
        len(read.lanes),
        ((lane, read.span, read.access),),
        lambda: (
            f"{hazards.name(lane)} reads {element_name(info, index, flat=True)} ({info.space} memory), "
            + (f"where {read.cause()}" if read.cause is not None else f"which nothing has written yet: {advice}")
        ),
        index,
    )
