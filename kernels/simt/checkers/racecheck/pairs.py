"""Pairs of places that race: one element, used at both by different threads that nothing orders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Kind, Rows, Threads

    Unordered = Callable[[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]], NDArray[np.bool_]]
    """Tells for lanes and clocks of two accesses each, the earlier first, which pairs nothing orders."""

MOST_PAIRS: Final = 1000
"""Pairs of places that are told; where more race the kernel is broken anyway."""

_PAIRS_AT_ONCE: Final = 1 << 21
"""Pairs of accesses that are looked at together."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two places that race.

    `earlier` and `later` are rows of the pair found first; `elements` counts the elements concerned; `across`
    says whether lanes of different warps meet, `same` whether all that is written there is one value.
    """

    places: tuple[int, int]
    elements: int
    earlier: int
    later: int
    across: bool
    same: bool


def meetings(
    rows: Rows, kinds: Sequence[Kind], threads: Threads, *, blocks: bool, unordered: Unordered | None
) -> Iterator[Meeting]:
    """Yield every two places that race, at most once each; no more than `MOST_PAIRS` of them.

    Parameters
    ----------
    rows : Rows
        Accesses that could clash.
    kinds : sequence
        What each place does.
    threads : Threads
    blocks : bool
        Judge pairs of different blocks; otherwise those of different threads.
    unordered : callable or None
        Tells which pairs are not ordered; None where none is.
    """
    warp = threads.warp_of(rows.lane)
    unit = threads.block_of(rows.lane) if blocks else rows.lane
    present = np.unique(rows.place).tolist()
    users = cache(lambda place: _Users.of(rows, place, unit))
    unchecked = _unchecked(rows, {place for place in present if kinds[place].compares})
    found = 0
    for one in present:
        for two in _beside(rows, users(one)):
            if not _can_race(kinds[one], kinds[two], blocks=blocks):
                continue
            accesses = {kinds[one].access, kinds[two].access}
            among = unchecked if accesses == {"read", "atomic"} else None
            if among is None:
                first, second = users(one).apart(users(two), unit)
            else:
                first, second = _Users.of(rows, one, unit, among).apart(_Users.of(rows, two, unit, among), unit)
            racy = np.flatnonzero(first >= 0)
            if not len(racy):
                continue
            if unordered is not None:
                first, second = _unordered_pairs(rows, (one, two), racy, unit, unordered, among)
                across = bool((warp[first] != warp[second]).any())
                racy = np.unique(rows.key[first])
            else:
                first, second = first[racy], second[racy]
                warps = (_Users.of(rows, place, warp, among) for place in (one, two))
                across = bool((next(warps).apart(next(warps), warp)[0] >= 0).any())
            if not len(racy):
                continue
            earliest = np.lexsort((rows.key[first], np.maximum(rows.clock[first], rows.clock[second])))[0]
            pair = sorted(
                (int(first[earliest]), int(second[earliest])),
                key=lambda row: (int(rows.clock[row]), int(rows.lane[row])),
            )
            same = accesses == {"write"} and _one_value(rows, (one, two), racy)
            yield Meeting((one, two), len(racy), pair[0], pair[1], across, same)
            found += 1
            if found == MOST_PAIRS:
                return


def _beside(rows: Rows, user: _Users) -> list[int]:
    """Return the places, from this one on, that use some element which this one uses."""
    here = user.first >= 0
    return [place for place in np.unique(rows.place[here[rows.key]]).tolist() if place >= user.place]


def _can_race(one: Kind, two: Kind, *, blocks: bool) -> bool:
    """Whether one of the two changes something, and they are not both atomic for each other."""
    if all(kind.access == "read" or kind.loads for kind in (one, two)):
        return False
    return not one.access == two.access == "atomic" or (blocks and (one.narrow or two.narrow))


@dataclass(frozen=True, slots=True)
class _Users:
    """Who uses each element at one place: the row of the first, and of the first by another unit; -1: nobody."""

    place: int
    first: NDArray[np.int64]
    other: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows, place: int, unit: NDArray[Any], among: NDArray[np.bool_] | None = None) -> _Users:
        """Find them, in all rows or `among` some; rows are sorted by clock."""
        at_place = rows.place == place
        here = np.flatnonzero(at_place if among is None else at_place & among)[::-1]
        first, other = np.full(rows.keys, -1), np.full(rows.keys, -1)
        first[rows.key[here]] = here
        here = here[unit[here] != unit[first[rows.key[here]]]]
        other[rows.key[here]] = here
        return cls(place, first, other)

    def apart(self, them: _Users, unit: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each key two rows of different units, one here and one there; -1 where there are none."""
        mine, theirs = np.full(len(self.first), -1), np.full(len(self.first), -1)
        sides = ((self.first, them.other), (self.other, them.first), (self.first, them.first))
        for one, two in sides:  # the plainest pair last, so that it stays
            good = (one >= 0) & (two >= 0)
            good[good] = unit[one[good]] != unit[two[good]]
            mine[good], theirs[good] = one[good], two[good]
        return mine, theirs


def _unordered_pairs(
    rows: Rows,
    places: tuple[int, int],
    keys: NDArray[np.int64],
    unit: NDArray[Any],
    unordered: Unordered,
    among: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every pair of accesses at two places, by different units, on one of the elements, in no order."""
    meant = np.isin(rows.key, keys)
    if among is not None:
        meant &= among
    sides = [np.flatnonzero(meant & (rows.place == place)) for place in places]
    counts = [np.bincount(rows.key[side], minlength=rows.keys) for side in sides]
    starts = [np.cumsum(count) - count for count in counts]
    many = counts[0] * counts[1]
    found = []
    for some in np.split(keys, np.flatnonzero(np.diff(np.cumsum(many[keys]) // _PAIRS_AT_ONCE)) + 1):
        key = np.repeat(some, many[some])
        within = np.arange(len(key)) - np.repeat(np.cumsum(many[some]) - many[some], many[some])
        one = sides[0][starts[0][key] + within // counts[1][key]]
        two = sides[1][starts[1][key] + within % counts[1][key]]
        apart = unit[one] != unit[two]
        if places[0] == places[1]:
            apart &= one < two
        one, two = one[apart], two[apart]
        early = rows.clock[one] <= rows.clock[two]
        first, second = np.where(early, one, two), np.where(early, two, one)
        racy = unordered(rows.lane[first], rows.clock[first], rows.lane[second], rows.clock[second])
        found.append((first[racy], second[racy]))
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _unchecked(rows: Rows, compares: Collection[int]) -> NDArray[np.bool_] | None:
    """Tell which rows are no reads by threads that compare and swap the element; None where none is.

    What a thread has read plainly and then compares with what is there makes no race with other threads' atomics:
    where they came between, it tries again.
    """
    compared = np.isin(rows.place, list(compares))
    if not compared.any():
        return None
    user = rows.lane.astype(np.int64) * rows.keys + rows.key
    return ~np.isin(user, user[compared]) | compared


def _one_value(rows: Rows, places: tuple[int, int], keys: NDArray[np.int64]) -> bool:
    here = np.flatnonzero(np.isin(rows.key, keys) & np.isin(rows.place, places))
    value = np.zeros(rows.keys, np.uint64)
    value[rows.key[here]] = rows.value[here]
    return bool((value[rows.key[here]] == rows.value[here]).all())
