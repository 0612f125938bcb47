"""Affine integers: sums of the thread's coordinates, each times a known factor, and a constant.

The part that the coordinates make is the same vector every time. So where such an index stands for an element, only
the rest is computed when the kernel runs, which mostly is one number for all lanes. What is said here of a value
holds as it is: operations whose result could wrap have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.simt.machine.arithmetic import ndarray

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.launch import Launch
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

    Run = Callable[[Group, Active], Value]
    Coordinates = frozenset[tuple[str | "Derived", int]]
    """Members of threadIdx and blockIdx, and what is computed from them, with their factors; no factor is 0."""


@dataclass(frozen=True, slots=True)
class Linear:
    """`number`, plus coordinates times factors, plus other values times factors, in the order of evaluation."""

    number: int
    coordinates: Coordinates = frozenset()
    terms: tuple[tuple[Run, int], ...] = ()

    def times(self, factor: int) -> Linear | None:
        """Return the product with a number."""
        if factor == 0:
            return None
        coordinates = frozenset((name, by * factor) for name, by in self.coordinates)
        return Linear(self.number * factor, coordinates, tuple((run, by * factor) for run, by in self.terms))

    def plus(self, other: Linear) -> Linear:
        """Return the sum."""
        factors = dict(self.coordinates)
        for name, by in other.coordinates:
            factors[name] = factors.get(name, 0) + by
        coordinates = frozenset((name, by) for name, by in factors.items() if by)
        return Linear(self.number + other.number, coordinates, self.terms + other.terms)

    def rest(self) -> Run:
        """Return what computes all but the coordinates' part."""
        number, terms = self.number, self.terms
        if not terms:
            return lambda group, mask: number
        if len(terms) > 1:

            def add(group: Group, mask: Active) -> Value:
                total: Value = number
                for run, factor in terms:
                    total = total + times(run(group, mask), factor)
                return total

            return add
        ((only, by),) = terms
        return lambda group, mask: times(only(group, mask), by) + number


def tells_apart(coordinates: Coordinates, launch: Launch, *, blocks: bool) -> bool:
    """Whether no two threads of a block have the same sum; with `blocks`, no two threads of the grid.

    That is so where each factor is larger than what all coordinates with smaller factors can make.
    """
    dims = [("threadIdx", launch.block), *([("blockIdx", launch.grid)] if blocks else [])]
    factors, reach = dict(coordinates), 0
    sizes = [
        (abs(factors.get(f"{name}.{axis}", 0)), size)
        for name, lengths in dims
        for axis, size in zip("xyz", lengths, strict=True)
        if size > 1
    ]
    for factor, size in sorted(sizes):
        if factor <= reach:
            return False
        reach += factor * (size - 1)
    return all(isinstance(name, str) for name in factors)


class Derived(NamedTuple):
    """A coordinate computed from others: `of op by`."""

    op: str
    of: Linear
    by: int


def times(value: Value, factor: int) -> Value:
    """Multiply an index, in 64 bits."""
    return np.multiply(value, factor, dtype=np.int64) if type(value) is ndarray else value * factor
