"""What every warp does according to a trace, so that traces of different schedules can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.trace import Trace

Row = tuple[Any, ...]


def steps_of_warps(trace: Trace) -> dict[int, list[Row]]:
    """Return the steps of each warp: statement, phase, epoch, lanes; accesses with what they write; assignments.

    What atomics write is left out: they come in any order.
    """
    found: dict[int, list[Row]] = {}
    assigned = np.searchsorted(trace.set_step, np.arange(trace.steps + 1))
    for step in range(trace.steps):
        for warp, lanes, _ in _by_warp(trace, trace.lanes(step)):
            statement = trace.statement(step)
            place = (statement.span, statement.text, int(trace.step_phase[step]), int(trace.step_epoch[step]))
            found.setdefault(warp, []).append((*place, lanes, [], []))
        for group in trace.accesses(step):
            for warp, lanes, at in _by_warp(trace, group.lanes):
                plain = group.values is not None and group.site.access == "write"
                values = group.values[at].tobytes() if plain and group.values is not None else b""
                found[warp][-1][-2].append((group.site, lanes, group.index[at].tolist(), values))
        for row in range(assigned[step], assigned[step + 1]):
            register = trace.registers[trace.set_register[row]]
            group_lanes = trace.masks[trace.set_mask[row]]
            for warp, lanes, at in _by_warp(trace, group_lanes):
                found[warp][-1][-1].append((register, lanes, _assigned(trace, row)[at].tolist()))
    return found


def last_values(steps: dict[int, list[Row]]) -> dict[tuple[Any, int], bytes]:
    """Return what the variables with a name hold at the end, by register and lane."""
    found = {}
    for rows in steps.values():
        for row in rows:
            for register, lanes, values in row[-1]:
                if "(" not in register.name:
                    found.update({(register, lane): value for lane, value in zip(lanes, values, strict=True)})
    return found


def _assigned(trace: Trace, row: int) -> NDArray[np.void]:
    """Return the bytes of what was assigned, one a lane."""
    item = trace.registers[trace.set_register[row]].dtype.itemsize
    lanes = len(trace.masks[trace.set_mask[row]])
    start, count = int(trace.set_value[row]), 1 if trace.set_uniform[row] else lanes
    values = trace.value_bytes[start : start + count * item].view(f"V{item}")
    return np.broadcast_to(values, lanes)


def _by_warp(trace: Trace, lanes: NDArray[np.int32]) -> Iterator[tuple[int, list[int], NDArray[np.intp]]]:
    block, thread = np.divmod(lanes, trace.launch.block.count)
    warps = block * trace.launch.warps_per_block + thread // WARP_SIZE
    for warp in np.unique(warps).tolist():
        at = np.flatnonzero(warps == warp)
        yield warp, lanes[at].tolist(), at
