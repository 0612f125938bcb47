"""Atomic operations of many lanes at once, with the result of executing them in lane order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def replace_value(old: Any, value: Any) -> Any:
    """Return the new value (`atomicExch`): the only operation for which the old value need not be initialised."""
    return value


def exchange(
    data: NDArray[Any], at: NDArray[Any], operands: Sequence[NDArray[Any]], combine: Callable[..., Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Replace `data[at[i]]` by `combine(old, operands[…][i])` for each i in order; returns old and new values.

    The lanes are divided into rounds, in each of which they touch distinct elements and are computed together. Example:
    lanes 0 to 5 touch the elements 7 7 8 7 8 9. Round 0 computes the lanes 0, 2, 5, round 1 the lanes 1, 4, round 2
    lane 3. If many lanes touch few elements, there are fewer elements than rounds: a ufunc is accumulated along the
    lanes of each element instead.
    """
    order = _in_order(at)
    ordered = at[order]
    starts = np.flatnonzero(np.r_[len(at) > 0, ordered[1:] != ordered[:-1]])
    counts = np.diff(np.r_[starts, len(at)])
    old, new = np.empty(len(at), data.dtype), np.empty(len(at), data.dtype)
    # Example: 1024 lanes add to one counter. 1024 rounds of one lane would each cost a NumPy call; one accumulate
    # computes all partial sums, which are the old values.
    if isinstance(combine, np.ufunc) and counts.max(initial=0) > len(starts):
        for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
            lanes, here = order[start : start + count], ordered[start]
            chain = np.empty(count + 1, data.dtype)
            chain[0], chain[1:] = data[here], operands[0][lanes]
            chain = combine.accumulate(chain, dtype=data.dtype)
            old[lanes], new[lanes], data[here] = chain[:-1], chain[1:], chain[-1]
        return old, new
    # The rank of a lane among those of its element is its round; a stable sort keeps lane order within an element.
    rank = np.empty(len(at), np.intp)
    rank[order] = np.arange(len(at)) - np.repeat(starts, counts)
    by_rank = _in_order(rank)
    for turn in np.split(by_rank, np.cumsum(np.bincount(rank))[:-1]):
        here = at[turn]
        old[turn] = data[here]
        new[turn] = combine(old[turn], *(operand[turn] for operand in operands))
        data[here] = new[turn]
    return old, new


def _in_order(numbers: NDArray[Any]) -> NDArray[np.intp]:
    """Return the stable sorting permutation of non-negative numbers."""
    # NumPy sorts 16-bit integers stably by radix, in linear time.
    small = len(numbers) and int(numbers.max()) < 1 << 16
    return np.argsort(numbers.astype(np.uint16) if small else numbers, kind="stable")
