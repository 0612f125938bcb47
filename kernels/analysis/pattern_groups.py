"""Access groups of one site that stand for each other, so that counting them once and multiplying is enough.

A loop makes the same lanes access the same elements again and again, or elements a whole number of lines further on.
What they cost in sectors and wavefronts is the same each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.trace.accesses import in_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.trace import Trace

    Groups = NDArray[np.intp]

LINE_BYTES: Final = 128
"""Accesses that lie a multiple of this apart touch as many sectors, and as many words of each bank."""

_WORTH: Final = 1 << 12
"""Accesses by one lane set from which looking for repetition pays."""


def pattern_groups(trace: Trace, number: int, apart: int = 0) -> Iterator[tuple[int, Groups]]:
    """Part the groups of a site (by number) by how many there are like them; one stands for all of these.

    Groups are alike that the same lanes made to elements the same multiple of `apart` further on, or with `apart` 0 to
    the same elements. Each part has at most about a million accesses.
    """
    groups = np.flatnonzero(trace.group_site == number)
    if int((trace.group_first[groups + 1] - trace.group_first[groups]).sum()) < _WORTH:
        if len(groups):
            yield 1, groups
        return
    masks = trace.group_mask[groups]
    groups = groups[np.argsort(masks, kind="stable")]
    begins = np.flatnonzero(np.diff(np.sort(masks), prepend=-1))
    rest = [groups[:0]]
    for members in np.split(groups, begins[1:]):
        lanes = len(trace.masks[trace.group_mask[members[0]]])
        if lanes * len(members) < _WORTH:
            rest.append(members)
            continue
        for part in in_parts(trace, members):
            yield from _by_times(trace, part, lanes, apart)
    for part in in_parts(trace, np.sort(np.concatenate(rest))):
        yield 1, part


def _by_times(trace: Trace, groups: Groups, lanes: int, apart: int) -> Iterator[tuple[int, Groups]]:
    """Part groups of one lane set by how many are like them, one of each."""
    rows = trace.index[trace.group_first[groups][:, None] + np.arange(lanes)]
    if apart:
        rows = rows - (rows[:, :1] - rows[:, :1] % apart)
    weights = np.random.default_rng(0).integers(1, 1 << 62, lanes) | 1
    _, first, kind, count = np.unique(rows @ weights, return_index=True, return_inverse=True, return_counts=True)
    if not np.array_equal(rows, rows[first[kind]]):  # two different rows have one sum
        yield 1, groups
        return
    for times in np.unique(count).tolist():
        yield times, groups[first[count == times]]
