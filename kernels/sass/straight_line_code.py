"""Matching of code that a warp executes at most once between two barriers.

The accesses of a warp between two barriers, merged, are the instructions of some of the code's regions: those whose
branches it takes. If several strategies explain that, compilers use the one with the fewest requests.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.sass.candidates import MergeOutcome, MergeStrategy, merge_windows, size_choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.requests import Requests
    from kernels.sass.candidates import CandidateGroup
    from kernels.sass.cubin import Instructions

_MOST_COMBINATIONS: Final = 20_000
"""The most combinations that are tried: of strategies, and of regions."""

Counts = tuple[int, ...]
"""Number of instructions of each size, widest first."""


def match_straight_line(
    groups: Sequence[CandidateGroup], instructions: Sequence[Instructions], *, hoisted: bool
) -> list[MergeOutcome] | None:
    """Merge each group so that the outcome is these instructions; None where no strategy does that.

    `hoisted` accesses come before a loop and are made once for all iterations.
    """
    sizes = sorted({i.size for i in instructions}, reverse=True)
    epochs = _regions_by_epoch(instructions, sizes)
    window = _fullest_window(groups)
    options = [_strategies(group, window, sizes, hoisted=hoisted) for group in groups]
    if prod(len(found) for found in options) > _MOST_COMBINATIONS or any(
        prod(n + 1 for n in blocks.values()) > _MOST_COMBINATIONS for blocks in epochs
    ):
        return None
    # A warp takes some branches and not others, so a window may have the instructions of any subset of the regions.
    # With regions of one 16-byte and of two 4-byte loads these are the counts (0, 0), (1, 0), (0, 2) and (1, 2).
    sums = set().union(*map(_subset_sums, epochs))
    guarded = any(i.guarded for i in instructions)
    merged_by = cache(lambda number, strategy: _merge(groups[number], strategy))
    best: list[dict[int, Requests]] | None = None
    # The counts of the fullest window are cheap to compare; only then are all requests merged.
    for choice in product(*(found.items() for found in options)):
        if _sum_counts((count for _, count in choice), len(sizes)) not in sums:
            continue
        outcomes = [merged_by(number, strategy) for number, (strategy, _) in enumerate(choice)]
        counts = _counts_by_window(groups, outcomes, sizes)
        if guarded:  # in other windows predicates leave some out
            counts = {max(counts, key=sum)}
        # Every window must be explained, and every region must be executed in some window.
        if not counts <= sums or not all(_can_contain(b, counts, blocks) for blocks in epochs for b in blocks):
            continue
        if best is None or _total_requests(outcomes) < _total_requests(best):
            best = outcomes
    return None if best is None else [MergeOutcome(parts) for parts in best]


def _regions_by_epoch(instructions: Sequence[Instructions], sizes: Sequence[int]) -> list[Counter[Counts]]:
    """Count the regions by their instructions, for each piece of code between two barriers."""
    found: dict[int, dict[int, Counter[int]]] = {}
    for i in instructions:
        found.setdefault(i.barriers, {}).setdefault(i.region, Counter())[i.size] += i.count
    return [Counter(tuple(count[size] for size in sizes) for count in regions.values()) for regions in found.values()]


def _subset_sums(blocks: Counter[Counts]) -> set[Counts]:
    """Return the sums of all subsets of the regions."""
    found = {tuple(0 for _ in count) for count in blocks}
    for block in blocks.elements():
        found |= {_sum_counts((count, block), len(block)) for count in found}
    return found


def _can_contain(block: Counts, counts: set[Counts], blocks: Counter[Counts]) -> bool:
    """Return whether a region, with some of the others, gives the accesses of any window."""
    others = _subset_sums(blocks - Counter([block])) or {tuple(0 for _ in block)}
    return any(_sum_counts((other, block), len(block)) in counts for other in others)


def _sum_counts(counts: Iterable[Counts], length: int) -> Counts:
    total = [0] * length
    for count in counts:
        total = [a + b for a, b in zip(total, count, strict=True)]
    return tuple(total)


def _strategies(
    group: CandidateGroup, window: int, sizes: Sequence[int], *, hoisted: bool
) -> dict[MergeStrategy, Counts]:
    """Count the instructions of each strategy in one window; of strategies with equal counts keep the first."""
    inside = {size: r.rows(group.windows(r) == window) for size, r in group.source_requests.items()}
    found: dict[Counts, MergeStrategy] = {}
    for strategy in (
        MergeStrategy(into, once) for into in size_choices(sizes) for once in ((True,) if hoisted else (True, False))
    ):
        outcomes = merge_windows(
            [(r, group.windows(r), group.windows(r)) for r in inside.values()], group.origin, strategy
        )
        if outcomes.keys() <= set(sizes):
            found.setdefault(tuple(len(outcomes.get(size, ())) for size in sizes), strategy)
    return {strategy: count for count, strategy in found.items()}


def _merge(group: CandidateGroup, strategy: MergeStrategy) -> dict[int, Requests]:
    return merge_windows(
        [(r, group.windows(r), group.windows(r)) for r in group.source_requests.values()], group.origin, strategy
    )


def _counts_by_window(
    groups: Sequence[CandidateGroup], outcomes: Sequence[dict[int, Requests]], sizes: Sequence[int]
) -> set[Counts]:
    """Return the different counts that windows have."""
    windows = [
        (sizes.index(size), group.windows(requests))
        for group, parts in zip(groups, outcomes, strict=True)
        for size, requests in parts.items()
    ]
    distinct = np.unique(np.concatenate([w for _, w in windows]))
    table = np.zeros((len(distinct), len(sizes)), np.int64)
    for column, window in windows:
        table[:, column] += np.bincount(np.searchsorted(distinct, window), minlength=len(distinct))
    return {tuple(row) for row in np.unique(table, axis=0).tolist()}


def _fullest_window(groups: Sequence[CandidateGroup]) -> int:
    """Return the window with the most requests, in which the most branches are taken."""
    windows, count = np.unique(
        np.concatenate([group.windows(r) for group in groups for r in group.source_requests.values()]),
        return_counts=True,
    )
    return int(windows[np.argmax(count)])


def _total_requests(outcomes: Sequence[dict[int, Requests]]) -> int:
    return sum(len(requests) for parts in outcomes for requests in parts.values())
