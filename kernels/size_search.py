"""Search for the problem sizes nearest to one that is refused, in a bounded number of probes.

A problem size is a tuple of lengths. A probe calls a function that tells whether lengths are legal. Lengths are
multiples of their steps. The search assumes that legal lengths have an upper or a lower bound, so that it consists of
halving, doubling and bisection of numbers below 2**31: at most `MOST_PROBES` probes in one direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

Lengths = tuple[int, ...]

LARGEST_LENGTH: Final = 2**31 - 1
"""Kernels take their sizes as int."""

MOST_PROBES: Final = 31 + 31 + 3 * 32
"""Of one direction and three lengths: find a common bound by halving or doubling, bisect it, restore each length."""


def nearest_below(target: Lengths, steps: Lengths, legal: Callable[[Lengths], bool]) -> Lengths | None:
    """Return the nearest legal lengths, none larger than the target unless that is less than one step.

    All lengths get a common bound as in `bounded_below`. Then each is increased as far as it stays legal, so that a
    length that is not the reason for the refusal returns to the target.
    """
    found = bounded_below(target, steps, legal)
    if found is None:
        return None
    beyond = tuple((min(n, LARGEST_LENGTH) // step + 1) * step for n, step in zip(target, steps, strict=True))
    return _restore(target, found, beyond, steps, legal)


def bounded_below(target: Lengths, steps: Lengths, legal: Callable[[Lengths], bool]) -> Lengths | None:
    """Return the lengths under the largest common bound that makes them legal; None where there is none.

    The bound is halved until the lengths are legal, then bisected.
    """
    rounded = tuple(max(min(n, LARGEST_LENGTH) // step, 1) * step for n, step in zip(target, steps, strict=True))

    def bounded(bound: int) -> Lengths:
        return tuple(min(n, max(bound // step, 1) * step) for n, step in zip(rounded, steps, strict=True))

    good, bad = max(rounded), max(rounded) + 1
    while not legal(bounded(good)):
        good, bad = good // 2, good
        if not good:
            return None
    return bounded(_edge(good, bad, lambda bound: legal(bounded(bound))))


def nearest_above(target: Lengths, steps: Lengths, legal: Callable[[Lengths], bool]) -> Lengths | None:
    """Return the nearest legal lengths, none smaller than the target.

    As `nearest_below`, with a common lower bound that is raised by 1, 2, 4, … until the lengths are legal.
    """
    rounded = tuple(-(-n // step) * step for n, step in zip(target, steps, strict=True))

    def bounded(bound: int) -> Lengths:
        return tuple(max(n, -(-bound // step) * step) for n, step in zip(rounded, steps, strict=True))

    good, bad, raised = min(rounded), min(rounded) - 1, 1
    while not legal(bounded(good)):
        good, bad, raised = good + raised, good, raised * 2
        if good > LARGEST_LENGTH:
            return None
    found = bounded(_edge(good, bad, lambda bound: legal(bounded(bound))))
    return _restore(target, found, tuple(n - step for n, step in zip(rounded, steps, strict=True)), steps, legal)


def _restore(
    target: Lengths, lengths: Lengths, beyond: Lengths, steps: Lengths, legal: Callable[[Lengths], bool]
) -> Lengths:
    """Move each length back to the target, or to the last multiple of its step on the way there, if legal.

    `beyond` are the first multiples past the target.
    """
    for axis in range(len(lengths)):
        lengths = _restore_axis(axis, target[axis], lengths, beyond[axis], steps[axis], legal)
    return lengths


def _restore_axis(
    axis: int, target: int, lengths: Lengths, beyond: int, step: int, legal: Callable[[Lengths], bool]
) -> Lengths:
    def at(length: int) -> Lengths:
        return (*lengths[:axis], length, *lengths[axis + 1 :])

    if lengths[axis] == target or legal(at(target)):
        return at(target)
    return at(step * _edge(lengths[axis] // step, beyond // step, lambda count: legal(at(count * step))))


def _edge(good: int, bad: int, works: Callable[[int], bool]) -> int:
    """Bisect from a number that works to one that does not, without probing either; return the last that works."""
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if works(middle) else (good, middle)
    return good
