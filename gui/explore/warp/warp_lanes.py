"""Lanes of one warp: their state, the branches that separate them, and a value in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.divergence import WarpState, warp_state
from kernels.analysis.step_values import register_values, step_values
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    if found is None:
        return WarpLanes(state, index, np.zeros(len(lanes)), np.zeros(len(lanes), bool), "", False)
    return WarpLanes(state, index, found.values, found.known, found.name, found.stored)
