"""Affine integers: sums of the thread's coordinates, each times a constant factor, and a rest.

Example: `A[(row0 + threadIdx.y) * 64 + k]` has the coordinates {threadIdx.y: 64} and the rest `row0 * 64 + k`. The
vector of `64 * threadIdx.y` is the same in every step, so it is computed once for each set of lanes; a step only
computes the rest, which is usually one number for all lanes. Operations whose result could wrap around have no affine
form: the identities used here hold for integers without a limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.simt.machine.arithmetic import ndarray

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.launch import Launch
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

    Run = Callable[[Group, Active], Value]
    Coordinates = frozenset[tuple[str | "DerivedCoordinate", int]]
    """Members of threadIdx and blockIdx, and values derived from them, each with its factor, which is not 0."""


class Linear(NamedTuple):
    """An affine integer: `number` + Σ coordinate · factor + Σ value · factor."""

    number: int
    coordinates: Coordinates = frozenset()
    terms: tuple[tuple[Run, int], ...] = ()
    """Values known only at run time, in the order of evaluation, with their factors."""

    def times(self, factor: int) -> Linear | None:
        """Return the product with a constant; None for 0, since the product is a constant then."""
        # Coordinates have no factor 0, so that equal sums have equal sets of coordinates, which are keys of caches.
        if factor == 0:
            return None
        if factor == 1:
            return self
        coordinates = frozenset((name, by * factor) for name, by in self.coordinates)
        return Linear(self.number * factor, coordinates, tuple((run, by * factor) for run, by in self.terms))

    def plus(self, other: Linear) -> Linear:
        """Return the sum."""
        coordinates = self.coordinates or other.coordinates
        if self.coordinates and other.coordinates:
            factors = dict(self.coordinates)
            for name, by in other.coordinates:
                factors[name] = factors.get(name, 0) + by
            # threadIdx.x - threadIdx.x: the coordinate cancels out, and the sum is uniform.
            coordinates = frozenset((name, by) for name, by in factors.items() if by)
        return Linear(self.number + other.number, coordinates, self.terms + other.terms)

    def rest(self) -> Run:
        """Return a function that computes the value without its coordinates."""
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


def is_injective(coordinates: Coordinates, launch: Launch, *, blocks: bool) -> bool:
    """Return whether all threads of a block (with `blocks`: of the grid) have different sums of coordinates.

    Sufficient condition: each factor is larger than the greatest sum of all coordinates with smaller factors. Example,
    in a block of 32 × 8 threads: threadIdx.x + 32 · threadIdx.y is injective (32 > 31), threadIdx.x + threadIdx.y is
    not.
    """
    dims = [("threadIdx", launch.block), *([("blockIdx", launch.grid)] if blocks else [])]
    factors, reach = dict(coordinates), 0
    sizes = [
        (abs(factors.get(f"{name}.{axis}", 0)), size)
        for name, lengths in dims
        for axis, size in zip("xyz", lengths, strict=True)
        if size > 1
    ]
    # A number system with mixed bases: threadIdx.x + 32 * threadIdx.y is a number with a digit below 32, so no two
    # pairs of digits are equal. `reach` is the greatest number of the digits so far.
    for factor, size in sorted(sizes):
        if factor <= reach:
            return False
        reach += factor * (size - 1)
    # A derived coordinate, such as threadIdx.x / 4, has equal values in different threads.
    return all(isinstance(name, str) for name in factors)


class DerivedCoordinate(NamedTuple):
    """A coordinate computed from others: `operand op number`, as in `(threadIdx.x + 64) / 32`."""

    op: str
    operand: Linear
    number: int


def times(value: Value, factor: int) -> Value:
    """Multiply an index, in 64 bits."""
    return np.multiply(value, factor, dtype=np.int64) if type(value) is ndarray else value * factor
