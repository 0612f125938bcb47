"""Interactions of threads in one step: values that lanes read from each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.shuffles import shuffles_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class LaneReads:
    """Values that threads read from other lanes of their warp; entry i of each array is one read."""

    threads: NDArray[np.int64]
    """Numbers in the block of the threads that read."""
    sources: NDArray[np.int64]
    """Numbers of the threads that they read; threads that keep their own value are left out."""
    undefined: NDArray[np.bool_]
    """True where that thread takes no part, so that the value is undefined."""


def lane_reads(trace: Trace, step: int, block: int) -> LaneReads:
    """Return what the shuffles of a step move between the threads of a block, each pair of threads once."""
    found = [np.zeros((0, 3), np.int64)]
    for shuffle in shuffles_at(trace, step, block):
        pairs = np.column_stack([shuffle.lanes, shuffle.sources, shuffle.undefined]).astype(np.int64)
        found.append(pairs[shuffle.moves])
    threads, sources, undefined = np.unique(np.concatenate(found), axis=0).T
    first = block * trace.launch.block.count
    return LaneReads(threads - first, sources - first, undefined.astype(bool))
