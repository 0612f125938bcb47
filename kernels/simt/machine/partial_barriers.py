"""Barriers of a part of a block: tiles of cooperative groups and numbered barriers (PTX `barrier.sync`).

Every waiting lane names its part by a key, and the number of lanes that complete it. A part goes on when as many lanes
wait under its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier


def whole(groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> list[int]:
    """Return the groups that can go on: those at barriers that as many lanes have reached as it takes."""
    parted = {n: barrier for n, barrier in waiting.items() if barrier.party is not None}
    if not parted:
        return []
    keys = {n: _active(groups[n], barrier, "key") for n, barrier in parted.items()}
    known, counts = np.unique(np.concatenate(list(keys.values())), return_counts=True)
    return [
        n
        for n, barrier in parted.items()
        if (counts[np.searchsorted(known, keys[n])] >= _active(groups[n], barrier, "size")).all()
    ]


def meet(machine: Machine, groups: Sequence[Group], released: Sequence[Barrier]) -> None:
    """Note that the lanes of groups go on together with those of their party."""
    if machine.recorder.checkers.racecheck is not None:
        lanes, keys, _ = _all(groups, released)
        machine.recorder.meet("party", lanes, keys)


def announce_incomplete(machine: Machine, groups: Sequence[Group], stuck: Sequence[Barrier]) -> None:
    """Announce a barrier of a part of a block that the rest of that part does not reach."""
    observer = machine.recorder.checkers.synccheck
    if observer is not None:
        observer.incomplete_groups(machine.recorder.current, stuck[0].span, *_all(groups, stuck))


def _all(
    groups: Sequence[Group], barriers: Sequence[Barrier]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the lanes at barriers, ascending, with key and size of the party of each."""
    pairs = list(zip(groups, barriers, strict=True))
    lanes = np.concatenate([_lanes(group, barrier) for group, barrier in pairs])
    keys, sizes = (np.concatenate([_active(g, b, part) for g, b in pairs]) for part in ("key", "size"))
    order = np.argsort(lanes)
    return lanes[order], keys[order], sizes[order]


def _lanes(group: Group, barrier: Barrier) -> NDArray[np.int32]:
    return group.lanes if barrier.mask is None else group.lanes[barrier.mask.where]


def _active(group: Group, barrier: Barrier, part: str) -> NDArray[Any]:
    values: NDArray[Any] = getattr(barrier.party, part)
    return values if barrier.mask is None else values[barrier.mask.where]
