"""Assignment of a plan's points to slots: which slot measures which point next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.bench.shards import groups, on_cpu

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.sample import Point
    from kernels.bench.shards import Group

MOST_DEATHS: Final = 2
"""A point that was begun by that many workers which then ended is the reason for it. One end may be an accident."""


@dataclass(frozen=True, slots=True)
class Place:
    """Hardware of a slot."""

    machine: str
    """Id of the machine."""
    gpu: str
    """UUID of the GPU; "" without one."""


class Dispatch:
    """Points without an outcome, and the slots that measure them. Slots are known by numbers.

    A slot that asks gets the next point of its group, else of the first group that no other slot has: points that are
    compared with each other are measured on one GPU. One GPU measures one point at a time, whatever hosts name it. A
    point on the CPU is measured when no other slot of its machine measures.
    """

    def __init__(self, points: Iterable[Point]) -> None:
        self._groups: list[Group] = list(groups(points))
        self._on_cpu = {point: on_cpu(point) for group in self._groups for point in group}
        self._open = set(self._on_cpu)
        self._owner: dict[Group, int] = {}
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
        mine = [group for group in self._groups if self._owner.get(group) == slot]
        free = [group for group in self._groups if group not in self._owner]
        for group in (*mine, *free):
            point = next((point for point in group if point in self._open), None)
            if point is None or not self._can(slot, point, others_start=others_start) or not self._may(slot, point):
                continue
            self._owner[group] = slot
            self._running[slot] = point
            if self._on_cpu[point]:
                self._on_cpu_slots.add(slot)
            return point
        return None

    def may_finish(self, slot: int) -> bool:
        """Return whether a slot may measure its outliers again now; it is busy then, until it is removed."""
        on_cpu = slot in self._on_cpu_slots
        if not self.finished or self._others(slot, whole_machine=on_cpu):
            return False
        self._running[slot] = None
        return True

    def done(self, slot: int, point: Point) -> bool:
        """Record the outcome of a point; return whether it is the first one. The slot is idle afterwards."""
        if self._running.get(slot) == point:
            del self._running[slot]
        first = point in self._open
        self._open.discard(point)
        return first

    def remove(self, slot: int) -> Point | None:
        """Give back the points of a slot whose worker has ended; return the one that it was measuring."""
        point = self._running.pop(slot, None)
        self._places.pop(slot, None)
        self._on_cpu_slots.discard(slot)
        self._owner = {group: owner for group, owner in self._owner.items() if owner != slot}
        return point

    def blame(self, point: Point) -> bool:
        """Count the end of a worker against its point; return whether the point is the reason."""
        self._deaths[point] = self._deaths.get(point, 0) + 1
        return self._deaths[point] >= MOST_DEATHS

    def _can(self, slot: int, point: Point, *, others_start: bool) -> bool:
        """Return whether the slot has the hardware; without any GPU a worker refuses the point, with the reason."""
        if self._on_cpu[point] or self._places[slot].gpu:
            return True
        return not others_start and not any(place.gpu for place in self._places.values())

    def _may(self, slot: int, point: Point) -> bool:
        """Return whether the slot's hardware is idle."""
        return not self._others(slot, whole_machine=self._on_cpu[point])

    def _others(self, slot: int, *, whole_machine: bool) -> bool:
        """Return whether another slot measures on the same GPU, on the CPU of the same machine, or anywhere on it."""
        here = self._places[slot]
        for other, point in self._running.items():
            place = self._places[other]
            if other == slot or place.machine != here.machine:
                continue
            uses_cpu = other in self._on_cpu_slots if point is None else self._on_cpu[point]
            if whole_machine or uses_cpu or place.gpu == here.gpu:
                return True
        return False
