"""Pending accesses: those since the last barrier, without repetitions, and compacted if there are many.

A loop between two barriers repeats the same accesses, and a long run without a barrier accumulates them. Three measures
keep both time and memory small: a note that repeats the last one of its site is dropped (`PendingAccesses`); accesses
at affine indices are compared by their patterns, without expanding any element (`PendingAffineAccesses`); and if very
many accesses are pending, only those that decide whether there is a race are retained (`compact`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Layout, Note, Threads
    from kernels.simt.machine.affine_index import Pattern

    Key = tuple[int, Pattern, int]
    """An access at an affine index: site, pattern, and the number added to it."""

    Rest = tuple[int, int, NDArray[Any] | None]
    """Clock, step, and the stored values."""


class PendingAccesses:
    """Notes in the order of their clocks.

    If the same lanes repeat the accesses of a site to the same elements, with no event in between, they race with the
    same accesses as before: only the fact that other values were stored is added, by removing the values.
    """

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.size = 0
        """Number of accesses in all notes."""
        self._last: dict[int, int] = {}
        """By site: the position of its last note."""

    def add(self, note: Note, since: int) -> int:
        """Add a note, unless it repeats one with a clock after `since`; returns the number of accesses added."""
        at = self._last.get(note.site)
        # An event in between may order the first access and not the second, so only notes after the last event are
        # merged.
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
        """Add notes without searching for repetitions."""
        self.notes += notes
        self.size += sum(len(note.start) * note.width for note in notes)

    def take(self) -> list[Note]:
        """Remove and return all notes."""
        notes, self.notes, self.size, self._last = self.notes, [], 0, {}
        return notes


class PendingAffineAccesses:
    """Accesses at affine indices since the last barrier.

    A loop usually repeats the same accesses in each round between two barriers. If an earlier list of equal keys was
    free of races, or nothing is written, no elements are compared.
    """

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.stored_values = 0
        """Number of stored values that are pending."""
        self._rest: list[Rest] = []
        self._clean: list[list[Key]] = []
        """Lists of keys that were found free of races, the latest first."""

    def add(self, key: Key, rest: Rest) -> None:
        """Add an access."""
        self.keys.append(key)
        self._rest.append(rest)
        if rest[2] is not None:
            self.stored_values += len(key[1].index)

    def take(self) -> list[tuple[Key, Rest]]:
        """Remove and return all accesses."""
        found = list(zip(self.keys, self._rest, strict=True))
        self.clear()
        return found

    def clear(self) -> None:
        """Remove all accesses."""
        self.keys, self._rest, self.stored_values = [], [], 0

    def is_clean(self) -> bool:
        """Return whether these accesses are known to be free of races with each other."""
        return not self.stored_values or self.keys in self._clean

    def remember(self, keys: list[Key], limit: int) -> None:
        """Store accesses as free of races; the latest `limit` lists are retained."""
        self._clean = [keys, *self._clean[: limit - 1]]


def compact(notes: list[Note], layout: Layout, threads: Threads, *, blocks: bool, all_threads: bool) -> list[Note]:
    """Retain, for each place and element, the first access and the first one by another thread, warp or block.

    Any later access of the element by another thread differs from one of the two, so no race is lost. Example: threads
    0 to 99 read `x[0]` in line 5. Retained are thread 0, thread 1, and thread 32, the first of another warp, which
    decides whether `__syncwarp()` would be enough. A write by thread 0 races with the read of thread 1, a write by
    thread 7 with both.

    Parameters
    ----------
    blocks : bool
        Compare blocks; otherwise the threads of each block, and their warps.
    all_threads : bool
        Retain each thread once: a compare-and-swap has to be compared with all readers of its element.
    """
    lanes = np.concatenate([np.repeat(note.lanes, note.width) for note in notes]).astype(np.int64)
    at = np.concatenate([layout.elements(note) for note in notes])
    place = np.repeat([note.place for note in notes], [len(n.start) * n.width for n in notes])
    key = place * (layout.size + 1) + at
    block = threads.block_of(lanes)
    if blocks:
        # Only different units race: blocks with blocks; within a block threads and, for the advice, warps.
        units: tuple[NDArray[Any], ...] = (block,)
    else:
        key = key * (int(block.max()) + 1) + block
        units = (lanes, threads.warp_of(lanes))
    if all_threads:
        units = ()
        order = np.lexsort((lanes, key))
        is_first = np.r_[True, (np.diff(key[order]) != 0) | (np.diff(lanes[order]) != 0)]
    else:
        order = np.argsort(key, kind="stable")
        is_first = np.r_[True, np.diff(key[order]) != 0]
    number = np.cumsum(is_first) - 1
    firsts = order[is_first]
    keep = np.zeros(len(key), bool)
    keep[firsts] = True
    for unit in units:
        different = np.flatnonzero(unit[order] != unit[firsts][number])
        keep[order[different[np.unique(number[different], return_index=True)[1]]]] = True
    # Accesses outside the array are at `layout.size`.
    keep &= at < layout.size
    found, start = [], 0
    for note in notes:
        end = start + len(note.start) * note.width
        retained = np.logical_or.reduce(keep[start:end].reshape(-1, note.width), axis=1)
        start = end
        if retained.all():
            found.append(note)
        elif retained.any():
            found.append(note.select(retained))
    return found


def same_elements(one: Note, two: Note) -> bool:
    """Return whether the same lanes touch the same elements."""
    if one.lanes is not two.lanes:
        return False
    if one.start is two.start:
        return one.shift == two.shift
    for end in (0, -1):  # in loops the ends usually differ, which saves comparing all
        if one.start[end] + one.shift != two.start[end] + two.shift:
            return False
    return np.array_equal(one.first, two.first)


def _same_values(one: Note, two: Note) -> bool:
    return two.values is not None and np.array_equal(one.values, two.values)  # type: ignore[arg-type]
