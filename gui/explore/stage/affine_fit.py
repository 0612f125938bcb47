"""Affine fits: integer affine maps from thread coordinates to recorded positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.launch import Launch

_TOLERANCE = 1e-6

_REFINEMENTS = 2
"""Solutions of the normal equations: the second corrects the rounding errors of the first."""


@dataclass(frozen=True, slots=True)
class Affine:
    """One position as a weighted sum of coordinates, exact at every sample it was read from."""

    weights: NDArray[np.float64]
    free: NDArray[np.float64]
    """Directions, [n, dimensions + 1], in which the samples do not differ: along them the weights are not known."""

    def determines(self, coordinates: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for which coordinates[samples, dimensions] the samples determine the position.

        For example loads of thread 0 in block 1 only do not say what thread 0 of block 0 would load.
        """
        away: NDArray[np.float64] = np.abs(_with_constant(coordinates) @ self.free.T)
        found: NDArray[np.bool_] = np.all(away < _TOLERANCE, axis=1)
        return found

    def knows(self, dimension: int) -> bool:
        """Return whether the samples determine how the position moves along a dimension."""
        return bool(np.all(np.abs(self.free[:, dimension]) < _TOLERANCE))

    def at(self, coordinates: NDArray[np.float64]) -> NDArray[np.int64]:
        """Positions for coordinates[samples, dimensions], rounded to whole numbers."""
        return np.rint(_with_constant(coordinates) @ self.weights).astype(np.int64)


def fit(coordinates: NDArray[np.float64], positions: NDArray[np.integer]) -> Affine | None:
    """Return the affine map through all samples, or None if there is none.

    Least squares of smallest norm, accepted only if the residual is 0: a mapping that is not affine in
    the coordinates is never approximated.
    """
    if not len(positions):
        return None
    design = _with_constant(coordinates)
    target = positions.astype(np.float64)
    # Coordinates that are 0 in every sample, such as threadIdx.z in a flat block, leave the system underdetermined: the
    # solution of smallest norm gives them weight 0.
    lengths, directions = np.linalg.eigh(design.T @ design)
    known = lengths >= _TOLERANCE * max(1.0, float(lengths.max()))
    spanned, weights = directions[:, known], np.zeros(design.shape[1])
    for _ in range(_REFINEMENTS):
        right = design.T @ (target - design @ weights)
        weights += spanned @ (spanned.T @ right / lengths[known])
    if np.abs(design @ weights - target).max() > _TOLERANCE * max(1.0, float(np.abs(target).max())):
        return None
    return Affine(weights, directions.T[~known])


def lane_coordinates(launch: Launch) -> NDArray[np.float64]:
    """(threadIdx.x, y, z, blockIdx.x, y, z) of every lane: float64[lanes, 6]."""
    lanes = np.arange(launch.thread_count)
    thread, block = lanes % launch.block.count, lanes // launch.block.count
    columns = []
    for number, dims in ((thread, launch.block), (block, launch.grid)):
        columns += [number % dims.x, number // dims.x % dims.y, number // (dims.x * dims.y)]
    return np.stack(columns, axis=1).astype(np.float64)


def _with_constant(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([coordinates, np.ones(len(coordinates))])
