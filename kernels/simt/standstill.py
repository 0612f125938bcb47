"""Finds out when threads that take turns wait for ever: a turn of each leaves everything as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kernels.simt.values import same_bits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.simt.context import Context
    from kernels.simt.lanes import Active, Group
    from kernels.simt.steps import Barrier


class State(NamedTuple):
    """Where the groups that wait stand, and what all registers hold, and the memories that change."""

    places: dict[int, tuple[int, Active]]
    registers: list[list[Any]]
    memories: list[NDArray[Any]]

    @classmethod
    def of(cls, c: Context, groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> State:
        """Take it down."""
        places = {number: (barrier.statement, barrier.mask) for number, barrier in waiting.items()}
        changed = sorted({site.array for site in c.sites if site.access != "read"})
        held = [c.memories[number].data.copy() for number in changed]
        return cls(places, [list(group.values) for group in groups], held)


def stands_still(c: Context, before: State, now: State) -> bool:
    """Whether a turn of every group changed nothing: then none of the next does, in whatever order."""
    if c.reads_clock or before.places != now.places:
        return False
    return all(map(same_bits, before.memories, now.memories)) and all(
        all(map(same_bits, one, two)) for one, two in zip(before.registers, now.registers, strict=True)
    )
