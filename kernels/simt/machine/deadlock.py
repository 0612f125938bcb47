"""Deadlock of interleaved threads: rounds of turns after which the same state recurs.

A state is the statement and the lanes of each waiting group, all registers, and the memory that the kernel writes. If a
state recurs and no memory changed in between, every later round repeats the same, in whatever order the groups run.

Example: two threads spin on `while (flag == 0) n = 1 - n;`, and no thread writes `flag`. The registers alternate
between two states, memory stays the same: a cycle of two rounds, so a deadlock. With `n = n + 1` no state recurs (until
the counter wraps around), and the step limit ends the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kernels.simt.machine.arithmetic import same_bits
from kernels.simt.machine.lanes import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier

_FIRST_CHECK: Final = 8
"""Idle rounds after which the first snapshot is taken."""


def take_state(machine: Machine, groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> State:
    """Return copies of the registers of groups and of the memory that the kernel writes, and where the groups wait."""
    memories = [memory.copy() for memory in _changed_arrays(machine)]
    return State(_places(waiting), [list(group.values) for group in groups], memories)


def recurs(state: State, machine: Machine, groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> bool:
    """Return whether groups and memory are in the same state again; never if the kernel reads a clock."""
    if machine.reads_clock or state.places != _places(waiting):
        return False
    # Registers are compared bit by bit: a loop that computes NaN each time is in the same state, though NaN != NaN.
    pairs = zip(state.registers, groups, strict=True)
    return all(all(map(same_bits, one, group.values)) for one, group in pairs) and _same_memory(state, machine)


def _same_memory(state: State, machine: Machine) -> bool:
    return all(map(same_bits, state.memories, _changed_arrays(machine)))


class DeadlockDetector:
    """Compares the states after idle rounds with a snapshot.

    The snapshot is replaced whenever the number of idle rounds has doubled: after round 8, 16, 32 … A cycle of length n
    is found once a snapshot lies inside the cycle and n rounds follow before the next one (Brent, An improved Monte
    Carlo factorization algorithm, BIT 20, 1980).
    """

    def __init__(self, machine: Machine, groups: Sequence[Group]) -> None:
        self._machine = machine
        self._groups = groups
        self._snapshot: State | None = None
        self._next_snapshot = _FIRST_CHECK

    def detects(self, idle_rounds: int, waiting: Mapping[int, Barrier]) -> bool:
        """Return whether the state recurs, after a number of idle rounds; `waiting` is where each group has yielded."""
        if idle_rounds < _FIRST_CHECK:
            self._snapshot, self._next_snapshot = None, _FIRST_CHECK
            return False
        # A change of memory is progress: another thread may wait for exactly that value. The snapshot is then
        # worthless.
        if self._snapshot is not None and not _same_memory(self._snapshot, self._machine):
            self._snapshot = None
        found = self._snapshot is not None and recurs(self._snapshot, self._machine, self._groups, waiting)
        if idle_rounds >= self._next_snapshot:
            self._snapshot, self._next_snapshot = take_state(self._machine, self._groups, waiting), 2 * idle_rounds
        return found


def _places(waiting: Mapping[int, Barrier]) -> dict[int, tuple[int, Active]]:
    return {number: (barrier.statement, barrier.mask) for number, barrier in waiting.items()}


def _changed_arrays(machine: Machine) -> list[NDArray[Any]]:
    return [
        machine.memories[number].used_contents
        for number in sorted({s.array for s in machine.sites if s.access != "read"})
    ]
