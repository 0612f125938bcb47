"""Deadlock of interleaved threads: rounds of turns that leave everything as it was.

A state is where the waiting groups stand, all registers, and the memory that the kernel writes. If a state recurs and
no memory changed in between, every later round repeats the same, in whatever order the groups run.
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

_LOOK: Final = 8
"""Rounds of turns made in vain after which it is looked whether anything changes at all."""


def take_state(machine: Machine, groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> State:
    """Copy the registers of groups, the memory that the kernel writes, and where the groups wait."""
    memories = [memory.copy() for memory in _changing(machine)]
    return State(_places(waiting), [list(group.values) for group in groups], memories)


def recurs(state: State, machine: Machine, groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> bool:
    """Whether groups and memory are in the same state again; never where a clock is read, which goes on."""
    if machine.reads_clock or state.places != _places(waiting):
        return False
    pairs = zip(state.registers, groups, strict=True)
    return all(all(map(same_bits, one, group.values)) for one, group in pairs) and _same_memory(state, machine)


def _same_memory(state: State, machine: Machine) -> bool:
    return all(map(same_bits, state.memories, _changing(machine)))


class Circle:
    """Watches groups take turns: whether they come back to where they were, and no memory changes on the way.

    Then they go on like that for ever, in whatever order. A round of turns is compared with one before, which stays
    the same until twice as many are made, so circles of any length are found (Brent, 1980).
    """

    def __init__(self, machine: Machine, groups: Sequence[Group]) -> None:
        self._machine = machine
        self._groups = groups
        self._before: State | None = None
        self._next = _LOOK

    def closes(self, vain: int, waiting: Mapping[int, Barrier]) -> bool:
        """Return whether they do, after so many rounds in vain; `waiting` is where each group gave way to others."""
        if vain < _LOOK:
            self._before, self._next = None, _LOOK
            return False
        if self._before is not None and not _same_memory(self._before, self._machine):
            self._before = None
        closed = self._before is not None and recurs(self._before, self._machine, self._groups, waiting)
        if vain >= self._next:
            self._before, self._next = take_state(self._machine, self._groups, waiting), 2 * vain
        return closed


def _places(waiting: Mapping[int, Barrier]) -> dict[int, tuple[int, Active]]:
    return {number: (barrier.statement, barrier.mask) for number, barrier in waiting.items()}


def _changing(machine: Machine) -> list[NDArray[Any]]:
    return [
        machine.memories[number].contents_in_use
        for number in sorted({s.array for s in machine.sites if s.access != "read"})
    ]
