"""Merging of the accesses of one warp: neighbours into a wide access, repetitions into one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.requests import NO_ADDRESS, Requests, cut
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MIX: Final = np.random.default_rng(0).integers(1, 1 << 62, WARP_SIZE + 2) | 1
"""Random odd weights: rows are compared by their weighted sums modulo 2**64."""


def concatenate(parts: Sequence[Requests]) -> Requests:
    """Concatenate requests of one size in the order of execution."""
    step, warp, address = (np.concatenate([getattr(r, name) for r in parts]) for name in ("step", "warp", "address"))
    order = np.argsort(step, kind="stable")
    return replace(parts[0], step=step[order], warp=warp[order], address=address[order])


def merge(
    requests: Requests,
    window: NDArray[np.int64],
    origin: int,
    sizes: Sequence[int],
    once: NDArray[np.int64] | None,
    *,
    over: bool = False,
) -> dict[int, Requests]:
    """Merge requests into instructions of given sizes; return them by size.

    Parameters
    ----------
    requests : Requests
        All of one size, in the order of execution.
    window : int64[requests]
        Requests of one number may be merged: those of a warp between two barriers.
    origin : int
        Address of the array: instructions are aligned relative to it.
    sizes : sequence of int
        Bytes of the available instructions, widest first. Neighbouring requests become a wide one if all of it is
        covered; the rest goes to the next size. Requests wider than a size are cut.
    once : int64[requests] or None
        Repeated accesses under one number are made once.
    over : bool
        Whether the narrowest instruction may also read more than the rest needs.
    """
    if once is not None:
        first = first_occurrences(hash_rows(requests.address, once))
        requests, window = requests.rows(first), window[first]
    parts: dict[int, Requests] = {}
    # Widest first: requests that do not fill a wide instruction go on to the next size.
    for size in sizes:
        if size < requests.size and requests.size % size == 0:
            requests, window = cut(requests, size), np.repeat(window, requests.size // size)
        elif size > requests.size and size % requests.size == 0:
            wide, rest = _fuse(requests, window, origin, size, whole=not over or size != sizes[-1])
            if len(wide):
                parts[size] = wide
            requests, window = requests.rows(rest), window[rest]
    if len(requests):
        parts[requests.size] = requests
    return parts


def _fuse(
    requests: Requests, window: NDArray[np.int64], origin: int, size: int, *, whole: bool
) -> tuple[Requests, NDArray[np.intp]]:
    """Return the wide requests and the rows that remain; with `whole`, all of a wide request must be covered."""
    # Thread t reads A[4t], A[4t + 1], A[4t + 2] and A[4t + 3], four bytes each. The four requests have offsets 0, 4, 8
    # and 12 in an instruction of 16 bytes, and the same `begin` 16t in every lane: they become one request.
    active = requests.address < NO_ADDRESS
    relative = np.where(active, requests.address - origin, NO_ADDRESS)
    offset = relative.min(axis=1) % size
    begin = np.where(active, relative - offset[:, None], NO_ADDRESS)
    # A wide instruction must be aligned in every lane, so all lanes of a request must have the same offset.
    aligned = ((begin % size == 0) | ~active).all(axis=1) & (offset % requests.size == 0)
    # The n-th occurrence of an access is merged with the n-th occurrences of its neighbours.
    key = hash_rows(begin, window, occurrence_numbers(hash_rows(relative, window)))
    order = np.lexsort((offset, key))
    order = order[aligned[order]]
    # Requests with one key are now consecutive and in the order of their offsets.
    count = size // requests.size
    starts = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] - 1) != 0)
    length = np.diff(np.append(starts, len(order)))
    chosen = length == count if whole else length > 0
    first = np.sort(order[starts[chosen]])
    rest = np.setdiff1d(np.arange(len(requests)), order[np.repeat(chosen, length)])
    address = begin[first] + np.where(begin[first] < NO_ADDRESS, origin, 0)
    return replace(requests, size=size, step=requests.step[first], warp=requests.warp[first], address=address), rest


def hash_rows(
    rows: NDArray[np.int64], window: NDArray[np.int64], extra: NDArray[np.int64] | int = 0
) -> NDArray[np.int64]:
    """Hash each row of a table with its window and an extra number."""
    total: NDArray[np.int64] = (rows * _MIX[:WARP_SIZE]).sum(axis=1) + window * _MIX[-2] + extra * _MIX[-1]
    return total


def hash_columns(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Hash each row of some columns."""
    total: NDArray[np.int64] = np.sum([column * weight for column, weight in zip(columns, _MIX, strict=False)], 0)
    return total


def first_occurrences(keys: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the positions of the first occurrences of each key, ascending."""
    first: NDArray[np.intp] = np.sort(np.unique(keys, return_index=True)[1])
    return first


def occurrence_numbers(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each occurrence of a key, from 0."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    place = np.arange(len(keys))
    begins = np.where(np.diff(ordered, prepend=ordered[:1] - 1) != 0, place, 0)
    times = np.empty(len(keys), np.int64)
    times[order] = place - np.maximum.accumulate(begins)
    return times
