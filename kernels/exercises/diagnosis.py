"""Diagnosis of wrong results: which elements are wrong, and a relation of their values to the correct ones.

A relation is reported only if it holds for every wrong element of the case, and its values differ from the correct
ones there. The inputs of exercises are small whole numbers, whose sums float32 holds exactly, so that values are
compared for equality; those of a softmax, which are rounded, only in proportion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.exercises.findings import Region, Relation
from kernels.reference import Exact, Product
from kernels.workload.reduce import Sum
from kernels.workload.softmax import Softmax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.reference import Result

    Mask = NDArray[np.bool_]
    Matrix = NDArray[np.float64]


_GROUPS: Final = tuple(2**k for k in range(1, 11))
"""Sizes of warps, of parts of them, and of blocks."""

_TILES: Final = (2, 4, 8, 16, 32)
"""Rows of square tiles."""

_PROPORTION: Final = 1e-3
"""Relative difference of ratios that count as equal: far above rounding, far below a wrong term."""


def region_of(wrong: Mask) -> Region:
    """Return the pattern of the elements that are wrong; at least one is. A vector is a matrix with one row."""
    rows, columns = wrong.shape
    if wrong.all():
        return Region("all")
    if rows == 1:
        first = int(np.argmax(wrong))
        return Region("elements", first) if wrong[0, first:].all() else Region("some")
    r, c = np.indices(wrong.shape)
    # The number of whole rows at the end that are wrong, and of whole columns.
    low, right = (int(np.argmin(np.logical_and.reduce(wrong, axis)[::-1])) for axis in (1, 0))
    row, column = rows - low, columns - right
    if np.array_equal(wrong, (r >= row) | (c >= column)):
        return (
            Region("beyond", row, column)
            if low and right
            else Region("rows", row)
            if low
            else Region("columns", column)
        )
    if rows == columns:
        # Blocks on the diagonal may be right as a whole: then fewer elements are wrong, but on the same side.
        many = 4 * wrong.sum() >= rows * (rows - 1)
        if many and not (wrong & (c <= r)).any():
            return Region("above")
        if many and not (wrong & (c >= r)).any():
            return Region("below")
        if np.array_equal(wrong, c != r):
            return Region("off-diagonal")
    return Region("some")


def relation_of(values: Matrix, wrong: Mask, expected: Matrix, result: Result) -> Relation | None:
    """Return a relation between the values of all wrong elements and the correct result; None if there is none known.

    Parameters
    ----------
    values, expected : matrices of the output
    wrong : matrix of flags
        The elements with a wrong value; at least one.
    result : Result
        The operands from which the correct result was computed.
    """
    if np.isnan(values[wrong]).all():
        return Relation("not-a-number")
    if isinstance(result, Softmax):
        return _scaled_rows(values, wrong, expected)
    for relation, found in _candidates(expected, result):
        if np.array_equal(found[wrong], values[wrong], equal_nan=True):
            return relation
    return _multiple(values, wrong, expected) or _neighbour(values, wrong, expected) or _constant(values)


def _candidates(expected: Matrix, result: Result) -> Iterator[tuple[Relation, Matrix]]:
    """Yield what a mistake would store in every element."""
    if expected.shape[0] == expected.shape[1]:
        yield Relation("transposed"), expected.T
    if isinstance(result, Exact):
        yield from _exchanged_in_tiles(expected)
    if isinstance(result, Sum):
        yield from _parts_of_sum(result.values.astype(np.float64))
    if not isinstance(result, Product):
        return
    left, right = result.left.astype(np.float64), result.right.astype(np.float64)
    total = np.zeros(expected.shape)
    partial = []
    for k in range(len(right)):
        partial.append(total.copy())
        total += np.outer(left[:, k], right[k])
    for k in range(len(partial) - 1, 0, -1):
        yield Relation("first-products", k, len(partial)), partial[k]
    for k in range(1, len(partial)):
        yield Relation("last-products", k, len(partial)), total - partial[k]
    if right.shape[0] == right.shape[1]:
        yield Relation("right-transposed"), left @ right.T
    if left.shape[0] == left.shape[1]:
        yield Relation("left-transposed"), left.T @ right
    for length in dict.fromkeys((*left.shape, *right.shape)):
        if length != left.shape[1]:
            yield Relation("left-pitch", length, left.shape[1]), _with_row_length(left, length) @ right
        if length != right.shape[1]:
            yield Relation("right-pitch", length, right.shape[1]), left @ _with_row_length(right, length)


def _exchanged_in_tiles(expected: Matrix) -> Iterator[tuple[Relation, Matrix]]:
    """Yield the result with rows and columns of each tile exchanged, and with tiles exchanged but not their insides."""
    rows, columns = expected.shape
    for side in _TILES:
        if side < max(rows, columns) and rows % side == 0 and columns % side == 0:
            tiles = expected.reshape(rows // side, side, columns // side, side)
            yield Relation("tiles-transposed", side), tiles.transpose(0, 3, 2, 1).reshape(expected.shape)
            if rows == columns:
                yield Relation("tiles-mirrored", side), tiles.transpose(2, 1, 0, 3).reshape(expected.shape)


def _parts_of_sum(values: NDArray[np.float64]) -> Iterator[tuple[Relation, Matrix]]:
    """Yield the sums of some of the elements: of the first ones, of the last ones, and of a part of each group."""
    count, prefixes = len(values), np.cumsum(values)
    for number in range(1, count):
        yield Relation("first-elements", number, count), prefixes[None, number - 1 : number]
    for number in range(1, count):
        yield Relation("last-elements", number, count), prefixes[None, -1:] - prefixes[count - number - 1]
    place = np.arange(count)
    for size in _GROUPS:
        if size < count:
            for number in (2**k for k in range(size.bit_length() - 1)):
                yield Relation("first-of-group", number, size), values[place % size < number].sum().reshape(1, 1)
                yield Relation("last-of-group", number, size), values[place % size >= size - number].sum().reshape(1, 1)


def _with_row_length(matrix: Matrix, length: int) -> Matrix:
    """Return the elements that a kernel reads that takes the rows for `length` elements long; NaN beyond the array."""
    rows, columns = np.indices(matrix.shape)
    flat = rows * length + columns
    inside = flat < matrix.size
    return np.where(inside, matrix.reshape(-1)[np.where(inside, flat, 0)], np.nan)


def _scaled_rows(values: Matrix, wrong: Mask, expected: Matrix) -> Relation | None:
    """Return the sum of the first wrong row, if each row is a multiple of the correct one."""
    chosen = wrong.any(axis=1)
    found, right = values[chosen], expected[chosen]
    totals = found.sum(axis=1)
    if not np.isfinite(totals).all() or not np.allclose(found, right * totals[:, None], rtol=_PROPORTION, atol=0):
        return None
    return Relation("scaled-rows", rows=int(np.argmax(chosen)), value=float(totals[0]))


def _multiple(values: Matrix, wrong: Mask, expected: Matrix) -> Relation | None:
    at = np.argwhere(wrong & (expected != 0))
    if not len(at):
        return None
    factor = values[tuple(at[0])] / expected[tuple(at[0])]
    if factor in range(2, 65) and np.array_equal(values[wrong], factor * expected[wrong]):
        return Relation("multiple", int(factor))
    return None


def _neighbour(values: Matrix, wrong: Mask, expected: Matrix) -> Relation | None:
    """Return the small distance at which all wrong values are correct; elements that have no such neighbour count."""
    if wrong.sum() < 2:
        return None
    for rows, columns in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        shifted = np.roll(expected, (-rows, -columns), (0, 1))
        if np.array_equal(values[wrong], shifted[wrong]):
            return Relation("neighbour", rows=rows, columns=columns)
    return None


def _constant(values: Matrix) -> Relation | None:
    """Return the value that all elements have."""
    return (
        Relation("constant", value=values[0, 0].item()) if values.size > 1 and (values == values[0, 0]).all() else None
    )
