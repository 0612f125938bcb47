"""Pattern groups: access groups of one site with equal costs, of which one is counted and multiplied.

In a loop the same lanes often access the same elements again, or elements a whole number of cache lines further on.
Their sectors and wavefronts are the same each time.
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
"""Accesses whose addresses differ by a multiple of this have the same sectors and bank conflicts."""

_LEAST: Final = 1 << 12
"""Least accesses of one lane set for which a search for equal patterns is faster than counting all."""


def pattern_groups(trace: Trace, number: int, apart: int = 0) -> Iterator[tuple[int, Groups]]:
    """Yield (multiplicity, groups) for a site by number: each group stands for that many groups of equal pattern.

    `apart` as in `patterns`.
    """
    for examples, members, pattern in patterns(trace, number, apart):
        if examples is members:
            yield 1, members
            continue
        count = np.bincount(pattern, minlength=len(examples))
        for times in np.unique(count).tolist():
            yield times, examples[count == times]


def patterns(trace: Trace, number: int, apart: int = 0) -> Iterator[tuple[Groups, Groups, Groups]]:
    """Yield (examples, members, pattern) for a site by number: group `members[i]` is like `examples[pattern[i]]`.

    Two groups have equal patterns if they have the same lanes, and all their elements differ by one multiple of
    `apart`; with `apart` 0, the same elements. Each part has at most about a million accesses. Where no equal patterns
    were searched for, the examples are the members themselves.
    """
    groups = np.flatnonzero(trace.group_site == number)
    if int((trace.group_first[groups + 1] - trace.group_first[groups]).sum()) < _LEAST:
        if len(groups):
            yield groups, groups, np.arange(len(groups))
        return
    masks = trace.group_mask[groups]
    groups = groups[np.argsort(masks, kind="stable")]
    begins = np.flatnonzero(np.diff(np.sort(masks), prepend=-1))
    rest = [groups[:0]]
    for members in np.split(groups, begins[1:]):
        lanes = len(trace.masks[trace.group_mask[members[0]]])
        if lanes * len(members) < _LEAST:
            rest.append(members)
            continue
        for part in in_parts(trace, members):
            yield _distinct_patterns(trace, part, lanes, apart)
    for part in in_parts(trace, np.sort(np.concatenate(rest))):
        yield part, part, np.arange(len(part))


def _distinct_patterns(trace: Trace, groups: Groups, lanes: int, apart: int) -> tuple[Groups, Groups, Groups]:
    """Return the distinct patterns of groups of one lane set, as `patterns` yields them."""
    rows = trace.index[trace.group_first[groups][:, None] + np.arange(lanes)]
    if apart:
        # Move each row by a multiple of `apart` so that its first element is below `apart`: equal patterns become equal
        # rows.
        rows = rows - (rows[:, :1] - rows[:, :1] % apart)
    # Compare one weighted sum per row instead of the rows: np.unique over rows is many times slower. Odd weights keep
    # each single element distinguishable modulo 2**64; the check below finds other collisions.
    weights = np.random.default_rng(0).integers(1, 1 << 62, lanes) | 1
    _, first, kind = np.unique(rows @ weights, return_index=True, return_inverse=True)
    if not np.array_equal(rows, rows[first[kind]]):  # a collision: two different rows have the same weighted sum
        return groups, groups, np.arange(len(groups))
    return groups[first], groups, kind
