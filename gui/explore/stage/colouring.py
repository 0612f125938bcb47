"""Colouring: the block, warp or thread to which threads and the elements that they access belong. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.stage.scene import Scene

NOBODY: Final = -1
"""Group of elements that no thread accesses in this step."""

SEVERAL: Final = -2
"""Group of elements that threads of several groups access."""


def thread_groups(scene: Scene) -> NDArray[np.int64] | None:
    """Return the group of each thread: its warp or itself; None if threads are not told apart."""
    numbers = np.arange(len(scene.threads.role))
    if scene.colouring == "block":
        return None
    return numbers // WARP_SIZE if scene.colouring == "warp" else numbers


def element_groups(scene: Scene, view: int) -> NDArray[np.int64] | None:
    """Return the group that accesses each cell of a view, [rows, columns]; None if groups are not told apart."""
    groups = thread_groups(scene)
    if groups is None:
        return None
    found = np.full((scene.cells[view].rows, scene.cells[view].columns), NOBODY, np.int64)
    for access in scene.accesses:
        if access.view != view:
            continue
        own = groups[access.lanes - scene.threads.first_lane]
        row, column = access.cells.T
        # Each access marks its cell; a cell that holds another group afterwards, or did before, has several.
        before = found[row, column]
        found[row, column] = own
        mixed = (found[row, column] != own) | ((before != NOBODY) & (before != own))
        found[row[mixed], column[mixed]] = SEVERAL
    return found
