"""One warp: the state of its lanes, the branches that separate them, a value in each, and its requests to memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.memory.row import access_rows, cards_of, warp_facts
from kernels.analysis import Frame
from kernels.analysis.order.divergence import WarpState, warp_state
from kernels.analysis.values.fragments import Multiplication, multiplication
from kernels.analysis.values.matrix_loads import MatrixLoad, matrix_load
from kernels.analysis.values.step_values import register_values, step_values
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.memory.row import Card
    from gui.explore.stage.stage import Stage
    from kernels.launch import Dim3


@dataclass(frozen=True, slots=True, eq=False)
class WarpLanes:
    """The shown warp; arrays have an entry for each of its lanes, of which the last warp of a block can have few."""

    state: WarpState
    index: tuple[Dim3, ...]
    """threadIdx."""
    values: NDArray[np.generic]
    has_value: NDArray[np.bool_]
    value_name: str
    """Name of the register or array with the values; empty if the step has none."""
    stored: bool
    """True if the values are stored in this step."""
    cards: tuple[Card, ...]
    """Requests of the step to memory."""
    facts: tuple[tuple[str, str], ...]
    """Totals of the warp so far, as names and numbers."""
    instruction: Multiplication | MatrixLoad | None = None
    """The matrix instruction that the step is, if it is one."""

    @property
    def count(self) -> int:
        """Number of lanes."""
        return len(self.index)


def warp_lanes(stage: Stage, step: int, block: int, warp: int) -> WarpLanes:
    """Return the lanes of a warp (number in its block) in a step of a block."""
    trace = stage.trace
    state = warp_state(trace, step, block, warp)
    lanes = np.arange(state.first_lane, state.first_lane + len(state.state), dtype=np.int32)
    found = step_values(trace, step, block, lanes)
    if found is None and stage.accumulator is not None:
        found = register_values(trace, stage.accumulator, step, lanes)
    first = warp * WARP_SIZE
    index = tuple(trace.launch.block.member(first + n) for n in range(len(lanes)))
    number = block * trace.launch.warps_per_block + warp
    cards = cards_of(access_rows(stage, step, number))
    facts = warp_facts(stage.memory_history.warp_totals(Frame(block, step), number)) if cards else ()
    shown = multiplication(trace, step, lanes) or matrix_load(trace, step, lanes)
    if found is None:
        return WarpLanes(state, index, np.zeros(len(lanes)), np.zeros(len(lanes), bool), "", False, cards, facts, shown)
    return WarpLanes(state, index, found.values, found.known, found.name, found.stored, cards, facts, shown)
