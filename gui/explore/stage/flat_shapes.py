"""Shapes of one-dimensional arrays that threads index as if they had rows, as in `y * pitch + x`. No Qt."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.stage.affine_fit import fit, lane_coordinates
from kernels.analysis.syntax.explain_access import find_reference
from kernels.analysis.syntax.walk import loop_variable
from kernels.frontend.ast import Name
from kernels.trace.members import members_of

if TYPE_CHECKING:
    from kernels.trace import AccessGroup, Trace

_COMPARED: Final = 2
"""Executions of a site that are compared, to see how its index moves in a loop."""


def flat_shape(trace: Trace, array: int) -> tuple[int, ...] | None:
    """Return the shape (rows, columns) or (depth, rows, columns) in which an array is indexed; None for a strip.

    Judged by the indices of the first block: `index = threadIdx.y · 8 + threadIdx.x` moves by 8 from one y to the next,
    so a row has 8 elements. Stores count before loads. In a loop, `row * K + k` moves by 1 from one execution to the
    next, and by K from thread to thread; the counter of a loop alone is no sum, and goes through a part of a strip.
    """
    sites = [n for n, site in enumerate(trace.sites) if site.array == array]
    sites.sort(key=lambda n: trace.sites[n].access == "read")
    size = trace.arrays[array].objects[0]
    for site in sites:
        groups = np.flatnonzero(trace.group_site == site)[:_COMPARED]
        accesses = [trace.group(int(number), 0) for number in groups]
        whole = trace.group(int(groups[0])) if len(groups) else None
        if (pitches := _pitches(trace, accesses, whole)) and size % pitches[-1] == 0:
            lengths = (*pitches, size)
            return tuple(b // a for a, b in reversed(list(zip((1, *lengths), lengths, strict=False))))
    return None


def _is_counter(trace: Trace, access: AccessGroup) -> bool:
    """Return whether an access has the counter of a loop around it as its index: `x[i]`."""
    place, reference = find_reference(trace, access.step, access.site)
    if place is None or reference is None:
        return False
    counters = {loop_variable(loop) for loop in place.loops}
    return all(isinstance(index, Name) and index.id in counters for index in reference.indices)


def _pitches(trace: Trace, accesses: list[AccessGroup], whole: AccessGroup | None) -> tuple[int, ...]:
    """Return the distances of rows, and of slices, in elements; () if the index has none.

    `accesses` are those of the first block, `whole` is the first one of all blocks. Of a block at a corner only threads
    inside may have accesses, all with one threadIdx.z, which do not say how the index moves with z: those of the other
    blocks do, if it moves with blockIdx.z · blockDim.z + threadIdx.z.
    """
    if not accesses or not len(accesses[0].lanes) or whole is None:
        return ()
    members = members_of(trace.arrays[accesses[0].site.array])
    index = [access.index if members is None else members.cells(access.index) for access in accesses]
    block, coordinates = trace.launch.block, lane_coordinates(trace.launch)
    found = fit(coordinates[accesses[0].lanes][:, :3], index[0])
    if found is not None and any(length > 1 and not found.knows(axis) for axis, length in enumerate(block)):
        everywhere = coordinates[:, :3] + coordinates[:, 3:] * np.array(block)
        cells = whole.index if members is None else members.cells(whole.index)
        found = fit(everywhere[whole.lanes], cells) or found
    if found is None:
        return ()
    weights = np.rint(found.weights[:3]).astype(int).tolist()
    moves = {weights[axis] for axis, length in enumerate(block) if length > 1 and found.knows(axis)} - {0}
    if len(moves) < 2 and len(accesses) > 1 and np.array_equal(accesses[0].lanes, accesses[1].lanes):
        apart = np.unique(index[1] - index[0]) if not _is_counter(trace, accesses[0]) else index[:0]
        flat = block.y == block.z == trace.launch.grid.y == trace.launch.grid.z == 1
        # In a launch of one dimension, x[i] with i += stride moves by the stride, and has no rows.
        if len(apart) == 1 and apart[0] > 0 and (apart[0] == 1 or not flat):
            moves.add(int(apart[0]))
    steps = sorted(moves)
    nested = all(b % a == 0 for a, b in pairwise(steps))
    return tuple(steps[1:]) if len(steps) in (2, 3) and steps[0] == 1 and nested else ()
