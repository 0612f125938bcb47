"""Accesses of one warp merged as a compiler does: several neighbours to a wide one, and repeated ones to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.requests import NONE, Requests, cut
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MIX: Final = np.random.default_rng(0).integers(1, 1 << 62, WARP_SIZE + 2) | 1
"""Odd weights: the sum of a row by them, modulo 2**64, tells rows apart."""


def joined(several: Sequence[Requests]) -> Requests:
    """Put requests of one size together in the order of execution."""
    step, warp, address = (np.concatenate([getattr(r, name) for r in several]) for name in ("step", "warp", "address"))
    order = np.argsort(step, kind="stable")
    return Requests(several[0].size, step[order], warp[order], address[order])


def merged(
    requests: Requests,
    window: NDArray[np.int64],
    origin: int,
    sizes: Sequence[int],
    once: NDArray[np.int64] | None,
    *,
    over: bool = False,
) -> dict[int, Requests]:
    """Merge requests as far as instructions of these sizes go; return them by size.

    Parameters
    ----------
    requests : Requests
        All of one size, in the order of execution.
    window : int64[requests]
        What may be merged has the same number: a warp between two barriers.
    origin : int
        Where the array begins: an instruction's address is a multiple of its size from there on.
    sizes : sequence of int
        Bytes of the instructions there are, widest first. A larger one takes neighbouring accesses together where
        all that it covers are made; a smaller one takes its turn with what is left, and cuts what is wider.
    once : int64[requests] or None
        An access that was made before under the same number is not made again.
    over : bool
        Where even the narrowest is larger, it takes what is left too, and more than that: reading more does no harm.
    """
    if once is not None:
        first = first_of_each(digest(requests.address, once))
        requests, window = requests.rows(first), window[first]
    parts: dict[int, Requests] = {}
    for size in sizes:
        if size < requests.size and requests.size % size == 0:
            requests, window = cut(requests, size), np.repeat(window, requests.size // size)
        elif size > requests.size and size % requests.size == 0:
            wide, rest = _fused(requests, window, origin, size, whole=not over or size != sizes[-1])
            if len(wide):
                parts[size] = wide
            requests, window = requests.rows(rest), window[rest]
    if len(requests):
        parts[requests.size] = requests
    return parts


def _fused(
    requests: Requests, window: NDArray[np.int64], origin: int, size: int, *, whole: bool
) -> tuple[Requests, NDArray[np.intp]]:
    """Return the wide requests, and which rows are left; a `whole` one is needed in all that it covers."""
    active = requests.address < NONE
    relative = np.where(active, requests.address - origin, NONE)
    offset = relative.min(axis=1) % size
    begin = np.where(active, relative - offset[:, None], NONE)
    aligned = ((begin % size == 0) | ~active).all(axis=1) & (offset % requests.size == 0)
    # The n-th time that an access is made goes with the n-th time of its neighbours.
    key = digest(begin, window, repetition(digest(relative, window)))
    order = np.lexsort((offset, key))
    order = order[aligned[order]]
    count = size // requests.size
    starts = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] - 1) != 0)
    length = np.diff(np.append(starts, len(order)))
    chosen = length == count if whole else length > 0
    first = np.sort(order[starts[chosen]])
    rest = np.setdiff1d(np.arange(len(requests)), order[np.repeat(chosen, length)])
    address = begin[first] + np.where(begin[first] < NONE, origin, 0)
    return Requests(size, requests.step[first], requests.warp[first], address), rest


def digest(rows: NDArray[np.int64], window: NDArray[np.int64], extra: NDArray[np.int64] | int = 0) -> NDArray[np.int64]:
    """One number for each row of a table, window and extra number: equal for equal ones."""
    total: NDArray[np.int64] = (rows * _MIX[:WARP_SIZE]).sum(axis=1) + window * _MIX[-2] + extra * _MIX[-1]
    return total


def mixed(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for each row of some columns: equal for equal ones."""
    total: NDArray[np.int64] = np.sum([column * weight for column, weight in zip(columns, _MIX, strict=False)], 0)
    return total


def first_of_each(keys: NDArray[np.int64]) -> NDArray[np.intp]:
    """Places where a key stands for the first time, in their order."""
    first: NDArray[np.intp] = np.sort(np.unique(keys, return_index=True)[1])
    return first


def repetition(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count how often the same key came before."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    place = np.arange(len(keys))
    begins = np.where(np.diff(ordered, prepend=ordered[:1] - 1) != 0, place, 0)
    times = np.empty(len(keys), np.int64)
    times[order] = place - np.maximum.accumulate(begins)
    return times
