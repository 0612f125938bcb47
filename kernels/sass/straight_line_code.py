"""Code that runs at most once between two barriers: which of its regions give what a warp accesses there.

What a warp accesses between two barriers, merged, is what stands in some of the regions: those whose branches it
takes. Where several ways to merge explain that, compilers take the one that merges most.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.sass.candidates import Made, Way, merged_in, ways

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.requests import Requests
    from kernels.sass.candidates import Pool
    from kernels.sass.cubin import Instructions

_MOST: Final = 20_000
"""Combinations that are tried: of ways to merge, and of regions."""

Kind = tuple[int, ...]
"""How many instructions of each size."""


def straight(pools: Sequence[Pool], there: Sequence[Instructions], *, kept: bool) -> list[Made] | None:
    """Merge each pool so that the instructions come out; None where no way does that.

    What is `kept` is accessed before a loop for all of its turns, so once.
    """
    sizes = sorted({i.size for i in there}, reverse=True)
    stretches = _stretches(there, sizes)
    window = _fullest(pools)
    tried = [_tried(pool, window, sizes, kept=kept) for pool in pools]
    if prod(len(found) for found in tried) > _MOST or any(
        prod(n + 1 for n in blocks.values()) > _MOST for blocks in stretches
    ):
        return None
    sums = set().union(*map(_sums, stretches))
    guarded = any(i.guarded for i in there)
    merged_by = cache(lambda number, way: _merged(pools[number], way))
    best: list[dict[int, Requests]] | None = None
    for choice in product(*(found.items() for found in tried)):
        if _added((kind for _, kind in choice), len(sizes)) not in sums:
            continue
        made = [merged_by(number, way) for number, (way, _) in enumerate(choice)]
        kinds = _kinds(pools, made, sizes)
        if guarded:  # elsewhere less is left of them
            kinds = {max(kinds, key=sum)}
        if not kinds <= sums or not all(_serves(b, kinds, blocks) for blocks in stretches for b in blocks):
            continue
        if best is None or _count(made) < _count(best):
            best = made
    return None if best is None else [Made(parts) for parts in best]


def _stretches(there: Sequence[Instructions], sizes: Sequence[int]) -> list[Counter[Kind]]:
    """Count regions by what stands in them, for each stretch between two barriers."""
    found: dict[int, dict[int, Counter[int]]] = {}
    for i in there:
        found.setdefault(i.barriers, {}).setdefault(i.region, Counter())[i.size] += i.count
    return [Counter(tuple(count[size] for size in sizes) for count in regions.values()) for regions in found.values()]


def _sums(blocks: Counter[Kind]) -> set[Kind]:
    """Return what some of the regions hold together."""
    found = {tuple(0 for _ in kind) for kind in blocks}
    for block in blocks.elements():
        found |= {_added((kind, block), len(block)) for kind in found}
    return found


def _serves(block: Kind, kinds: set[Kind], blocks: Counter[Kind]) -> bool:
    """Whether there is anything that such a region can be part of."""
    others = _sums(blocks - Counter([block])) or {tuple(0 for _ in block)}
    return any(_added((other, block), len(block)) in kinds for other in others)


def _added(kinds: Iterable[Kind], length: int) -> Kind:
    total = [0] * length
    for kind in kinds:
        total = [a + b for a, b in zip(total, kind, strict=True)]
    return tuple(total)


def _tried(pool: Pool, window: int, sizes: Sequence[int], *, kept: bool) -> dict[Way, Kind]:
    """Count what each way takes in one window; of ways that take the same, the first."""
    inside = {size: r.rows(pool.windows(r) == window) for size, r in pool.written.items()}
    found: dict[Kind, Way] = {}
    for way in (Way(into, once) for into in ways(sizes) for once in ((True,) if kept else (True, False))):
        made = merged_in([(r, pool.windows(r), pool.windows(r)) for r in inside.values()], pool.origin, way)
        if made.keys() <= set(sizes):
            found.setdefault(tuple(len(made.get(size, ())) for size in sizes), way)
    return {way: kind for kind, way in found.items()}


def _merged(pool: Pool, way: Way) -> dict[int, Requests]:
    return merged_in([(r, pool.windows(r), pool.windows(r)) for r in pool.written.values()], pool.origin, way)


def _kinds(pools: Sequence[Pool], made: Sequence[dict[int, Requests]], sizes: Sequence[int]) -> set[Kind]:
    """Tell the different kinds of windows."""
    windows = [
        (sizes.index(size), pool.windows(requests))
        for pool, parts in zip(pools, made, strict=True)
        for size, requests in parts.items()
    ]
    distinct = np.unique(np.concatenate([w for _, w in windows]))
    table = np.zeros((len(distinct), len(sizes)), np.int64)
    for column, window in windows:
        table[:, column] += np.bincount(np.searchsorted(distinct, window), minlength=len(distinct))
    return {tuple(row) for row in np.unique(table, axis=0).tolist()}


def _fullest(pools: Sequence[Pool]) -> int:
    """Window with the most requests: nothing that its branches can do is left out there."""
    windows, count = np.unique(
        np.concatenate([pool.windows(r) for pool in pools for r in pool.written.values()]), return_counts=True
    )
    return int(windows[np.argmax(count)])


def _count(made: Sequence[dict[int, Requests]]) -> int:
    return sum(len(requests) for parts in made for requests in parts.values())
