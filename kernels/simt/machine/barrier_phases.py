"""Phases of barriers, and the asynchronous copies in flight that complete with them (PTX ISA, "mbarrier").

A barrier object counts arrivals; when the expected number is reached, its phase ends and the next one begins. A thread
waits for the end of the phase that it names, so waiting and arriving can be separated. An asynchronous copy arrives at
its barrier when it has been written ("mbarrier complete_tx").

Example, two buffers: the producer issues a copy of tile 1 that arrives at `full[1]`, and the consumer waits for phase 0
of `full[1]`. A GPU may write the tile at any time between the two. The machine writes it as late as it can, when the
first thread has waited, so that a kernel which reads the tile without waiting finds the old contents.
"""

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
    """An asynchronous copy that has been issued and not written yet."""

    group: Group
    statement: int
    """The statement that issued it; its write is recorded as a step of that."""
    put: Callable[[Group, Active, Value, Value], None]
    """Writes a value of each lane to an address."""
    lanes: NDArray[np.bool_]
    """The lanes whose part is not written yet."""
    address: Value
    value: Value
    key: NDArray[np.int64]
    """The phase that each lane's part arrives in (`Phases.keys`)."""
    size: int = 0
    """Bytes that the phase must expect; 0 for a copy that arrives as a thread does."""
    arrive: Callable[[Group, Active], None] | None = None
    """Makes the arrival of the last expected byte."""


class Phases:
    """The phases that a run has met, by number, and the copies in flight that arrive in them."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}
        self._copies: list[CopyInFlight] = []
        self._expected: dict[int, int] = {}
        """By phase: bytes that it waits for."""

    def keys(self, block: Any, address: Any, phase: Any) -> NDArray[np.int64]:
        """Return the number of each lane's phase: that of (block, barrier address, phase count)."""
        rows = np.stack([np.asarray(part, np.int64) for part in (block, address, phase)], axis=1)
        distinct, where = np.unique(rows, axis=0, return_inverse=True)
        # Numbers are given in the order of first use, so that they are small and the same in every run of a schedule.
        numbers = [self._numbers.setdefault(tuple(row), len(self._numbers)) for row in distinct.tolist()]
        return np.array(numbers, np.int64)[where.reshape(-1)]

    @property
    def in_flight(self) -> bool:
        """True if some copy has not been written yet."""
        return bool(self._copies)

    @property
    def expects_bytes(self) -> bool:
        """True if some phase waits for bytes."""
        return any(self._expected.values())

    def expect(self, key: int, size: int) -> bool:
        """Let a phase wait for more bytes; returns whether it did not wait for any before."""
        before = self._expected.get(key, 0)
        self._expected[key] = before + size
        return before == 0 and size != 0

    def _arriving(self, key: int) -> int:
        return sum(copy.size for copy in self._copies if copy.size and (copy.key[copy.lanes] == key).any())

    def complete(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the phases whose expected bytes are those of the copies in flight."""
        distinct = np.unique(keys)
        full = [0 < self._expected.get(key, 0) == self._arriving(key) for key in distinct.tolist()]
        return distinct[full]

    def unexpected(self, keys: NDArray[np.int64]) -> list[CopyInFlight]:
        """Return the copies that arrive in phases which expect no bytes."""
        none = [key for key in np.unique(keys).tolist() if self._expected.get(key, 0) == 0]
        return [copy for copy in self._copies if copy.size and np.isin(copy.key[copy.lanes], none).any()]

    @property
    def bytes_missing(self) -> tuple[int, int] | None:
        """Bytes that a phase waits for, and those that arrive in it, where they differ; None where they do not."""
        pairs = ((size, self._arriving(key)) for key, size in self._expected.items() if size)
        return next(((expected, arriving) for expected, arriving in pairs if expected != arriving), None)

    def issue(self, copy: CopyInFlight) -> None:
        """Add a copy in flight."""
        self._copies.append(copy)

    def land(self, recorder: Tally, keys: NDArray[np.int64]) -> bool:
        """Write the copies that arrive in these phases; returns whether there were any."""
        landed = False
        for copy in self._copies:
            ready = copy.lanes & np.isin(copy.key, keys)
            # Lanes of one copy may arrive in different phases, if they are of different blocks: each is written with
            # its phase.
            lanes = copy.group.narrow(None, ready)
            if lanes is EMPTY:
                continue
            recorder.step(copy.statement, copy.group, lanes)
            copy.put(copy.group, lanes, copy.address, copy.value)
            copy.lanes = copy.lanes & ~ready
            landed = True
            # The copy arrives at the barrier after its write, so that racecheck orders the write before every wait for
            # the phase.
            recorder.partial_barrier("arrive", copy.group.lanes[ready], copy.key[ready])
            key = int(copy.key[ready][0])
            if copy.size and self._expected.get(key, 0) > 0:
                self._expected[key] -= copy.size
                if self._expected[key] == 0 and copy.arrive is not None:
                    copy.arrive(copy.group, lanes)
        self._copies = [copy for copy in self._copies if copy.lanes.any()]
        return landed


class NumberedBarriers:
    """Arrivals at the numbered barriers of blocks where some threads only arrive (PTX ISA, "barrier.arrive").

    A producer arrives and continues, a consumer arrives and waits; both count. Example: `bar.arrive 1, 64` by warp 0
    and `bar.sync 1, 64` by warp 1 end phase 0 of barrier 1, whichever comes first.
    """

    def __init__(self) -> None:
        self._arrived: dict[int, int] = {}
        """Arrivals in the present phase, by barrier."""
        self._phase: dict[int, int] = {}

    def arrive(self, keys: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count one arrival a lane at the barriers `keys`; returns the phase in which each lane arrives.

        `sizes` are the arrivals that end a phase of each lane's barrier.
        """
        phases = self.phases(keys)
        for key, first, count in zip(*np.unique(keys, return_index=True, return_counts=True), strict=True):
            # More arrivals than needed at once (two warps in one vector) count for the next phase.
            arrived = self._arrived.get(key, 0) + int(count)
            ended = arrived >= sizes[first]
            self._arrived[key] = arrived - int(sizes[first]) * ended
            self._phase[key] = self._phase.get(key, 0) + ended
        return phases

    def phases(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the present phase of each barrier."""
        return np.array([self._phase.get(key, 0) for key in keys.tolist()], np.int64)
