"""Values of a step: for each lane the number that the step sets, stores or tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.syntax.source import place_of
from kernels.analysis.syntax.walk import names_in
from kernels.analysis.values.registers import declared_register, last_assignment
from kernels.frontend.ast import For, If, While
from kernels.trace.sorted_columns import rows_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class StepValues:
    """A named value in each of some lanes."""

    name: str
    """Name of the register, or of the array."""
    stored: bool
    """True if the values are those that the lanes store in an array in this step."""
    values: NDArray[np.generic]
    known: NDArray[np.bool_]
    """False for lanes without a value: never assigned, or nothing stored."""


def step_values(trace: Trace, step: int, block: int, lanes: NDArray[np.int32]) -> StepValues | None:
    """Return the values that a step of a block is about, in some lanes (also such that do not execute it).

    These are the register that the step sets; else what it stores in an array; else the first register in the condition
    that it tests. None for other steps.
    """
    register = _set_register(trace, step, block)
    if register is None:
        if (stored := _stored(trace, step, block, lanes)) is not None:
            return stored
        register = _tested_register(trace, step)
    return None if register is None else register_values(trace, register, step, lanes)


def register_values(trace: Trace, register: int, step: int, lanes: NDArray[np.int32]) -> StepValues:
    """Return a register in some lanes after a step."""
    found = last_assignment(trace, register, step, lanes)
    return StepValues(trace.registers[register].title, False, found.values, found.rows >= 0)


def _set_register(trace: Trace, step: int, block: int) -> int | None:
    """Return the register that lanes of the block set last in a step."""
    rows = rows_between(trace.set_step, step, step + 1)
    begin, size = block * trace.launch.block.count, trace.launch.block.count
    for row in range(rows.stop - 1, rows.start - 1, -1):
        mask = trace.masks[trace.set_mask[row]]
        own = rows_between(mask, begin, begin + size)
        if own.stop > own.start:
            return int(trace.set_register[row])
    return None


def _stored(trace: Trace, step: int, block: int, lanes: NDArray[np.int32]) -> StepValues | None:
    for group in reversed(trace.accesses(step, block)):
        if group.values is not None and group.site.width == 1:
            values, known = np.zeros(len(lanes), group.values.dtype), np.zeros(len(lanes), bool)
            at = np.minimum(np.searchsorted(group.lanes, lanes), len(group.lanes) - 1)
            known = group.lanes[at] == lanes
            values[known] = group.values.reshape(-1)[at[known]]
            return StepValues(group.array.name, True, values, known)
    return None


def _tested_register(trace: Trace, step: int) -> int | None:
    place = place_of(trace, step)
    if place is None or not isinstance(place.node, If | For | While) or place.node.condition is None:
        return None
    found = (declared_register(trace, place, name) for name in names_in(place.node.condition))
    return next((register for register in found if register is not None), None)
