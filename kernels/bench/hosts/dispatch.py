"""Assignment of a plan's points to slots: which slot measures which point next."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.shards import groups, on_cpu

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.hosts.shards import Group
    from kernels.bench.sample import Point

MOST_DEATHS: Final = 2
"""A point that was begun by that many workers which then ended is the reason for it. One end may be an accident."""


@dataclass(frozen=True, slots=True)
class Place:
    """Hardware of a slot."""

    machine: str
    """Id of the machine."""
    gpu: str
    """Identity of the GPU, the same for no other one on any machine; "" without one."""


class Dispatch:
    """Points without an outcome, and the slots that measure them. Slots are known by numbers.

    A slot that asks gets the next point of its group, else of the first group that no other slot has: points that are
    compared with each other are measured on one GPU. One GPU measures one point at a time, whatever hosts name it. A
    point on the CPU is measured when no other slot of its machine measures.
    """

    def __init__(self, points: Iterable[Point]) -> None:
        self._groups: dict[int, Group] = dict(enumerate(groups(points)))
        """Groups with points that have no outcome, by number."""
        self._group_of = {point: number for number, group in self._groups.items() for point in group}
        self._on_cpu = {point: on_cpu(point) for point in self._group_of}
        self._open = set(self._on_cpu)
        self._owner: dict[int, int] = {}
        """The slot that measures a group."""
        self._places: dict[int, Place] = {}
        self._running: dict[int, Point | None] = {}
        """What each busy slot measures; None: a point that it chose itself, to measure it again."""
        self._on_cpu_slots: set[int] = set()
        """Slots that have measured on the CPU."""
        self._deaths: dict[Point, int] = {}

    @property
    def finished(self) -> bool:
        """Return whether every point has an outcome."""
        return not self._open

    @property
    def open_points(self) -> tuple[Point, ...]:
        """The points without an outcome."""
        return tuple(point for point in self._on_cpu if point in self._open)

    def add(self, slot: int, place: Place) -> None:
        """Add a slot that can measure."""
        self._places[slot] = place

    def next_point(self, slot: int, *, others_start: bool) -> Point | None:
        """Return the point that an idle slot measures now; None if there is none for it at present.

        Parameters
        ----------
        slot : int
            Its number.
        others_start : bool
            Whether other slots are not yet known, because their workers start: one of them may have a GPU.
        """
        usable = [
            kind for kind in (False, True) if self._can(slot, kind, others_start) and not self._others(slot, kind)
        ]
        if not usable:
            return None
        mine = [number for number, owner in self._owner.items() if owner == slot]
        free = (number for number in self._groups if number not in self._owner)
        for number in chain(mine, free):
            point = next(point for point in self._groups[number] if point in self._open)
            if self._on_cpu[point] in usable:
                self._owner[number] = slot
                self._running[slot] = point
                if self._on_cpu[point]:
                    self._on_cpu_slots.add(slot)
                return point
        return None

    def may_finish(self, slot: int) -> bool:
        """Return whether a slot may measure its outliers again now; it is busy then, until it is removed."""
        if not self.finished or self._others(slot, slot in self._on_cpu_slots):
            return False
        self._running[slot] = None
        return True

    def done(self, slot: int, point: Point) -> bool:
        """Record the outcome of a point; return whether it is the first one. The slot is idle afterwards."""
        if self._running.get(slot) == point:
            del self._running[slot]
        if point not in self._open:
            return False
        self._open.remove(point)
        number = self._group_of[point]
        if not any(other in self._open for other in self._groups[number]):
            del self._groups[number]
            self._owner.pop(number, None)
        return True

    def remove(self, slot: int) -> Point | None:
        """Give back the points of a slot whose worker has ended; return the one that it was measuring."""
        point = self._running.pop(slot, None)
        self._places.pop(slot, None)
        self._on_cpu_slots.discard(slot)
        self._owner = {number: owner for number, owner in self._owner.items() if owner != slot}
        return point

    def blame(self, point: Point) -> bool:
        """Count the end of a worker against its point; return whether the point is the reason."""
        self._deaths[point] = self._deaths.get(point, 0) + 1
        return self._deaths[point] >= MOST_DEATHS

    def _can(self, slot: int, on_cpu: bool, others_start: bool) -> bool:
        """Return whether the slot has the hardware; without any GPU a worker refuses the point, with the reason."""
        if on_cpu or self._places[slot].gpu:
            return True
        return not others_start and not any(place.gpu for place in self._places.values())

    def _others(self, slot: int, whole_machine: bool) -> bool:
        """Return whether another slot measures on the same GPU, on the CPU of the same machine, or anywhere on it."""
        here = self._places[slot]
        for other, point in self._running.items():
            place = self._places[other]
            if other == slot:
                continue
            uses_cpu = other in self._on_cpu_slots if point is None else self._on_cpu[point]
            if place.gpu == here.gpu != "" or (place.machine == here.machine and (whole_machine or uses_cpu)):
                return True
        return False
