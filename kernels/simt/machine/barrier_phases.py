"""Phases of barriers, and the asynchronous copies in flight that complete with them (PTX ISA, "mbarrier")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.recorder import Tally


@dataclass(slots=True)
class CopyInFlight:
    """A copy in flight: whose, the statement that issued it, and for which phase of which barrier each lane waits."""

    group: Group
    statement: int
    put: Callable[[Group, Active, Value, Value], None]
    lanes: NDArray[np.bool_]
    address: Value
    value: Value
    key: NDArray[np.int64]


class Phases:
    """The phases that a run has met, by number, and the copies in flight that belong to them."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], int] = {}
        self._copies: list[CopyInFlight] = []

    def keys(self, block: Any, address: Any, phase: Any) -> NDArray[np.int64]:
        """Return the number of each lane's phase of its block's barrier."""
        rows = np.stack([np.asarray(part, np.int64) for part in (block, address, phase)], axis=1)
        distinct, where = np.unique(rows, axis=0, return_inverse=True)
        numbers = [self._known.setdefault(tuple(row), len(self._known)) for row in distinct.tolist()]
        return np.array(numbers, np.int64)[where.reshape(-1)]

    @property
    def in_flight(self) -> bool:
        """Whether copies have not been written yet."""
        return bool(self._copies)

    def issue(self, copy: CopyInFlight) -> None:
        """Let a copy be in flight."""
        self._copies.append(copy)

    def land(self, recorder: Tally, keys: NDArray[np.int64]) -> bool:
        """Make the writes of the copies that belong to phases; says whether there were any."""
        landed = False
        for copy in self._copies:
            ready = copy.lanes & np.isin(copy.key, keys)
            lanes = copy.group.narrow(None, ready)
            if lanes is EMPTY:
                continue
            recorder.step(copy.statement, copy.group, lanes)
            copy.put(copy.group, lanes, copy.address, copy.value)
            copy.lanes = copy.lanes & ~ready
            landed = True
            recorder.meet("arrive", copy.group.lanes[ready], copy.key[ready])
        self._copies = [copy for copy in self._copies if copy.lanes.any()]
        return landed
