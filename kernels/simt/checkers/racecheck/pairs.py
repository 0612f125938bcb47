"""Pairs of places that race: different threads access one element at the two places, in no order.

Without events that order accesses, two users of an element at each place are enough: if there is a pair of different
units, one is found among the first user and the first that differs from it. Example: place 1 is used by the threads
3, 3, 5, place 2 by thread 3. First users 3 and 3 are equal, but 5, the other user of place 1, differs from 3: a race.
With such events every pair has to be tested, since some may be ordered and others not.
"""

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
    """Tells for lanes and clocks of pairs of accesses, the earlier first, which pairs are not ordered."""

MOST_PAIRS: Final = 1000
"""Maximum number of pairs of places that are reported."""

_PAIRS_AT_ONCE: Final = 1 << 21
"""Pairs of accesses that are tested at a time, which limits the memory."""


@dataclass(frozen=True, slots=True)
class RacingPlaces:
    """Two places that race."""

    places: tuple[int, int]
    elements: int
    """Number of elements on which they race."""
    earlier: int
    """Row of the earlier access of the pair found first, and (next) of the later one."""
    later: int
    across: bool
    """Lanes of different warps race."""
    same: bool
    """All writes there store one value."""


def find_races(
    rows: Rows, kinds: Sequence[Kind], threads: Threads, *, blocks: bool, unordered: Unordered | None
) -> Iterator[RacingPlaces]:
    """Yield the pairs of places that race, each once, at most `MOST_PAIRS` of them.

    Parameters
    ----------
    rows : Rows
        Accesses to elements that different units use.
    kinds : sequence
        The kind of access at each place.
    threads : Threads
    blocks : bool
        Judge pairs of different blocks; otherwise those of different threads.
    unordered : callable or None
        Tells which pairs are not ordered; None if no event orders any.
    """
    warp = threads.warp_of(rows.lane)
    unit = threads.block_of(rows.lane) if blocks else rows.lane
    present = np.unique(rows.place).tolist()
    users = cache(lambda place: _Users.of(rows, place, unit))
    unchecked = _without_excused_reads(rows, {place for place in present if kinds[place].compare_and_swap})
    found = 0
    for one in present:
        for two in _places_sharing_elements(rows, users(one)):
            if not _can_race(kinds[one], kinds[two], blocks=blocks):
                continue
            accesses = {kinds[one].access, kinds[two].access}
            # Only a read against another thread's atomic is excused by a compare-and-swap; a plain write in between is
            # still a race.
            among = unchecked if accesses == {"read", "atomic"} else None
            if among is None:
                first, second = users(one).distinct(users(two), unit)
            else:
                first, second = _Users.of(rows, one, unit, among).distinct(_Users.of(rows, two, unit, among), unit)
            racy = np.flatnonzero(first >= 0)
            if not len(racy):
                continue
            # The two users found above may be ordered although others are not, so all pairs on the candidate elements
            # are tested.
            if unordered is not None:
                first, second = _unordered_pairs(rows, (one, two), racy, unit, unordered, among)
                across = bool((warp[first] != warp[second]).any())
                racy = np.unique(rows.key[first])
            else:
                first, second = first[racy], second[racy]
                warps = (_Users.of(rows, place, warp, among) for place in (one, two))
                across = bool((next(warps).distinct(next(warps), warp)[0] >= 0).any())
            if not len(racy):
                continue
            # The report shows the pair that is complete first in the run, which does not depend on how the pairs were
            # found.
            earliest = np.lexsort((rows.key[first], np.maximum(rows.clock[first], rows.clock[second])))[0]
            pair = sorted(
                (int(first[earliest]), int(second[earliest])),
                key=lambda row: (int(rows.clock[row]), int(rows.lane[row])),
            )
            same = accesses == {"write"} and _one_value(rows, (one, two), racy)
            yield RacingPlaces((one, two), len(racy), pair[0], pair[1], across, same)
            found += 1
            if found == MOST_PAIRS:
                return


def _places_sharing_elements(rows: Rows, user: _Users) -> list[int]:
    """Return the places with this or a higher number that use an element which this place uses."""
    here = user.first >= 0
    return [place for place in np.unique(rows.place[here[rows.key]]).tolist() if place >= user.place]


def _can_race(one: Kind, two: Kind, *, blocks: bool) -> bool:
    """Return whether one of the two changes the element, and they are not both atomic for each other."""
    if all(kind.access == "read" or kind.loads for kind in (one, two)):
        return False
    return not one.access == two.access == "atomic" or (blocks and (one.block_scope or two.block_scope))


@dataclass(frozen=True, slots=True)
class _Users:
    """Two users of each element at one place."""

    place: int
    first: NDArray[np.int64]
    """By key: the row of the first user, or -1."""
    other: NDArray[np.int64]
    """The row of the first user of another unit, or -1."""

    @classmethod
    def of(cls, rows: Rows, place: int, unit: NDArray[Any], among: NDArray[np.bool_] | None = None) -> _Users:
        """Find the users in all rows, or `among` some; rows are sorted by clock."""
        at_place = rows.place == place
        here = np.flatnonzero(at_place if among is None else at_place & among)[::-1]
        first, other = np.full(rows.keys, -1), np.full(rows.keys, -1)
        first[rows.key[here]] = here
        here = here[unit[here] != unit[first[rows.key[here]]]]
        other[rows.key[here]] = here
        return cls(place, first, other)

    def distinct(self, them: _Users, unit: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each key two rows of different units, one here and one there; -1 where there are none."""
        mine, theirs = np.full(len(self.first), -1), np.full(len(self.first), -1)
        sides = ((self.first, them.other), (self.other, them.first), (self.first, them.first))
        for one, two in sides:  # the two first users last: that pair is preferred
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
    """Return all unordered pairs of accesses at two places, by different units, on some elements (`keys`)."""
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
        distinct = unit[one] != unit[two]
        if places[0] == places[1]:
            distinct &= one < two
        one, two = one[distinct], two[distinct]
        # `unordered` needs the earlier access first: order only leads forward in the run.
        early = rows.clock[one] <= rows.clock[two]
        first, second = np.where(early, one, two), np.where(early, two, one)
        racy = unordered(rows.lane[first], rows.clock[first], rows.lane[second], rows.clock[second])
        found.append((first[racy], second[racy]))
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _without_excused_reads(rows: Rows, compares: Collection[int]) -> NDArray[np.bool_] | None:
    """Return the rows without the reads by threads that compare and swap the element; None if there are none.

    What a thread has read plainly and then passes to atomicCAS does not race with other threads' atomics: if one of
    them came in between, the comparison fails and the thread tries again. Example: `old = *p; do { assumed = old; old =
    atomicCAS(p, assumed, f(assumed)); } while (old != assumed);`
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
