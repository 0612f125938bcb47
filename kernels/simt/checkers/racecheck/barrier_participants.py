"""Barriers at which always the same lanes meet: their order follows from counting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Threads
    from kernels.simt.checkers.racecheck.happens_before import Event, Pairs


def ordered(threads: Threads, pairs: Pairs, begin: int, events: Sequence[Event]) -> NDArray[np.bool_] | None:
    """Tell which pairs of accesses such barriers order; None where the events are not of that sort.

    `events` are those from number `begin` on. Nothing is known outside of the lanes that meet, so two accesses are
    ordered where both lanes are of one party and it has met in between.
    """
    kinds = {event.kind for event in events}
    if kinds not in ({"warp"}, {"party"}):
        return None
    lanes = np.concatenate([event.lanes for event in events]).astype(np.int64)
    key = np.concatenate([_keys(threads, event) for event in events])
    turn = np.repeat(np.arange(len(events)), [len(event.lanes) for event in events])
    _, key = np.unique(key, return_inverse=True)
    members, first, number = np.unique(lanes, return_index=True, return_inverse=True)
    own = key[first]
    if (own[number] != key).any():
        return None  # a lane that meets different lanes now and then
    many = int(key.max()) + 1
    met, came = np.unique(turn * many + key, return_counts=True)
    if (came != np.bincount(own, minlength=many)[met % many]).any():
        return None
    span = len(events) + 1
    times = np.sort(met % many * span + met // many)
    one, two = _party(pairs.first, members, own), _party(pairs.second, members, own)
    since, until = pairs.since - begin, pairs.until - begin
    between = np.searchsorted(times, one * span + until) > np.searchsorted(times, one * span + since)
    found: NDArray[np.bool_] = (one == two) & (one >= 0) & between
    return found


def _keys(threads: Threads, event: Event) -> NDArray[np.int64]:
    """Return which party each lane is of."""
    if event.kind == "party":
        assert event.at is not None
        return event.at
    named: Any = 1 << 32 if event.at is None else event.at
    key: NDArray[np.int64] = threads.warp_of(event.lanes).astype(np.int64) * (1 << 33) + named
    return key


def _party(lanes: NDArray[Any], members: NDArray[np.int64], own: NDArray[Any]) -> NDArray[np.int64]:
    """Return the party of lanes, -1 of those that meet nobody."""
    at = np.minimum(np.searchsorted(members, lanes), len(members) - 1)
    found: NDArray[np.int64] = np.where(members[at] == lanes, own[at], -1)
    return found
