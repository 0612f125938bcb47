"""Pending accesses: those since the last barrier, without repetitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernels.simt.checkers.racecheck.access_log import Note


class Pile:
    """Notes in the order of their clocks.

    What the same lanes do again to the same elements, at the same place, races with nobody that it did not race with
    before; only where it stores other values than before is that noted, by forgetting the values.
    """

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.size = 0
        self._last: dict[int, int] = {}

    def add(self, note: Note, since: int) -> int:
        """Add a note, unless it repeats one made after the clock `since`; returns the accesses added."""
        at = self._last.get(note.site)
        if at is not None and self.notes[at].clock > since and same_elements(self.notes[at], note):
            known = self.notes[at]
            if known.values is not None and not _same_values(known, note):
                self.notes[at] = known._replace(values=None)
            return 0
        self._last[note.site] = len(self.notes)
        self.notes.append(note)
        size = len(note.start) * note.width
        self.size += size
        return size

    def extend(self, notes: list[Note]) -> None:
        """Add notes that are known to differ."""
        self.notes += notes
        self.size += sum(len(note.start) * note.width for note in notes)

    def take(self) -> list[Note]:
        """Return all notes, and begin again with none."""
        notes, self.notes, self.size, self._last = self.notes, [], 0, {}
        return notes


def same_elements(one: Note, two: Note) -> bool:
    """Whether the same lanes touch the same elements."""
    if one.lanes is not two.lanes:
        return False
    if one.start is two.start:
        return one.shift == two.shift
    for end in (0, -1):  # as mostly in loops they differ: told without comparing all
        if one.start[end] + one.shift != two.start[end] + two.shift:
            return False
    return np.array_equal(one.first, two.first)


def _same_values(one: Note, two: Note) -> bool:
    return two.values is not None and np.array_equal(one.values, two.values)  # type: ignore[arg-type]
