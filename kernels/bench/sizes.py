"""Problem sizes of a plan: a rule for n, and an order in which a curve is useful early."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

SizeRule = Literal["steps", "doubling", "odd"]
"""steps: equal steps. doubling: each n is twice the one before. odd: one less than those of doubling, so that no tile
whose side is a power of two divides n, and every edge has partial tiles."""

_FEW: Final = 5
"""So few sizes are measured from small to large: the large ones take most of the time."""


def sizes_of(rule: SizeRule, first: int, last: int, step: int = 1) -> tuple[Size, ...]:
    """Return the square sizes of a rule from `first` to `last`; `step` is for steps only."""
    if rule == "steps":
        numbers = list(range(first, last + 1, step))
    else:
        doubled = [first << place for place in range(last.bit_length()) if first << place <= last]
        numbers = doubled if rule == "doubling" else [n - 1 for n in doubled if n > 1]
    return tuple(Size(n, n, n) for n in numbers)


def coarse_to_fine(sizes: Sequence[Size]) -> tuple[Size, ...]:
    """Order sizes so that the curve spans its range early: the two ends, the middle, the quarters, and so on.

    Nine sizes are measured in the order 1, 9, 5, 3, 7, 2, 4, 6, 8. Up to five keep their order.
    """
    unique = tuple(dict.fromkeys(sizes))
    if len(unique) <= _FEW:
        return unique
    last = len(unique) - 1
    stride = 1 << (last.bit_length() - 1)
    places = dict.fromkeys((0, last))
    while stride:
        places |= dict.fromkeys(range(stride, last, stride))
        stride //= 2
    return tuple(unique[place] for place in places)
