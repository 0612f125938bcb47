"""Atomic operations of many lanes at once, with the result of executing them in lane order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def replace_value(old: Any, value: Any) -> Any:
    """Combine by forgetting the old value, which nothing needs to have written then."""
    return value


def exchange(
    data: NDArray[Any], at: NDArray[Any], operands: Sequence[NDArray[Any]], combine: Callable[..., Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Replace `data[at[i]]` by `combine(old, operands[…][i])` for one i after another; returns old and new values.

    Lanes that meet at one element take turns: those of one turn touch distinct elements and go together. Where
    many lanes meet at few elements, a ufunc is accumulated along each element's lanes instead.
    """
    order = _in_order(at)
    ordered = at[order]
    starts = np.flatnonzero(np.r_[len(at) > 0, ordered[1:] != ordered[:-1]])
    counts = np.diff(np.r_[starts, len(at)])
    old, new = np.empty(len(at), data.dtype), np.empty(len(at), data.dtype)
    if isinstance(combine, np.ufunc) and counts.max(initial=0) > len(starts):
        for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
            lanes, here = order[start : start + count], ordered[start]
            chain = np.empty(count + 1, data.dtype)
            chain[0], chain[1:] = data[here], operands[0][lanes]
            chain = combine.accumulate(chain, dtype=data.dtype)
            old[lanes], new[lanes], data[here] = chain[:-1], chain[1:], chain[-1]
        return old, new
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
    """Return what sorts numbers that are not negative, equal ones in their order; small ones are sorted by digits."""
    small = len(numbers) and int(numbers.max()) < 1 << 16
    return np.argsort(numbers.astype(np.uint16) if small else numbers, kind="stable")
