"""Whether merged accesses can be those of the lines that their instructions are said to stand on.

A compiler that merges accesses of several lines gives the instruction one of these lines. So some
lines cannot have more requests of their own alone than instructions, those of lines that access nothing aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.requests import NONE, Requests, cut
from kernels.sass.merging import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.sass.candidates import Made, Pool

    Numbers = NDArray[np.int64]


def attributed(
    pools: Sequence[Pool],
    made: Sequence[Made],
    place: Sequence[Sequence[int]],
    count: Sequence[int],
    *,
    turns: bool,
) -> bool:
    """Check accesses of several lines against their instructions.

    Parameters
    ----------
    place : int[pools][sites]
        Which line each site of each pool is on, from 0.
    count : int[lines + 1]
        Instructions on each line; the last is of those on none of them.
    turns : bool
        Whether this is code in a loop, where only the shares of the lines are compared.
    """
    parts = [_windows(*part) for part in zip(pools, made, place, strict=True)]
    window, lines = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    for those in np.unique(lines[lines > 0]).tolist():
        mine = (lines & ~those == 0) & (lines > 0)
        instructions = sum(n for line, n in enumerate(count[:-1]) if those >> line & 1) + count[-1]
        if turns and mine.sum() * sum(count) > len(lines) * instructions:
            return False
        _, each = np.unique(window[mine], return_counts=True)
        if not turns and each.max() > instructions:
            return False
    return True


def _windows(pool: Pool, made: Made, place: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Return the window of each request, and as bits the lines whose accesses it can hold."""
    windows, found = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size, requests in made.compiled.items():
        window = pool.windows(requests)
        whole = digest(_begins(pool, requests, size), window)
        lines = np.zeros(len(whole), np.int64)
        for line, asked in zip(place, pool.asked, strict=True):
            parts = cut(asked, size) if size < asked.size and asked.size % size == 0 else asked
            lines[np.isin(whole, digest(_begins(pool, parts, size), pool.windows(parts)))] |= 1 << line
        windows.append(window)
        found.append(lines)
    return np.concatenate(windows), np.concatenate(found)


def _begins(pool: Pool, requests: Requests, size: int) -> Numbers:
    """Return where instructions of some size that hold these accesses begin."""
    active = requests.address < NONE
    relative = np.where(active, requests.address - pool.origin, NONE)
    offset = relative.min(axis=1, initial=NONE) % size
    begins: Numbers = np.where(active, relative - offset[:, None], NONE)
    return begins
