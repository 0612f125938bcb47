"""Loops of k-means on the CPU, as `kmeans_sequential.cu` and `kmeans_parallel.cu` have them; Numba compiles them.

The sums and counts are float32 and int32, and every operation rounds as in C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int32]

ITERATIONS: Final = 3
"""Iterations of `kmeans_sequential`, which gets the same number as a macro."""


def assign(objects: Floats, centres: Floats, labels: Integers, first: int, last: int) -> None:
    """Find the nearest centres of the objects first to last; of equally near ones the first."""
    for index in range(first, last):
        label = 0
        nearest = np.float32(0)
        for j in range(centres.shape[0]):
            distance = np.float32(0)
            for c in range(centres.shape[1]):
                difference = objects[c, index] - centres[j, c]
                distance += difference * difference
            if j == 0 or distance < nearest:
                nearest = distance
                label = j
        labels[index] = label


def iterate(
    objects: Floats,
    initial: Floats,
    labels: Integers,
    centres: Floats,
    sums: Floats,
    counts: Integers,
    first: int,
    last: int,
) -> None:
    """Assign, sum up and divide, `ITERATIONS` times."""
    centres[:] = initial
    for _ in range(ITERATIONS):
        sums[:] = 0
        counts[:] = 0
        for index in range(first, last):
            label = 0
            nearest = np.float32(0)
            for j in range(centres.shape[0]):
                distance = np.float32(0)
                for c in range(centres.shape[1]):
                    difference = objects[c, index] - centres[j, c]
                    distance += difference * difference
                if j == 0 or distance < nearest:
                    nearest = distance
                    label = j
            labels[index] = label
        for index in range(first, last):
            for c in range(centres.shape[1]):
                sums[labels[index], c] += objects[c, index]
            counts[labels[index]] += 1
        for j in range(centres.shape[0]):
            if counts[j] > 0:
                for c in range(centres.shape[1]):
                    centres[j, c] = sums[j, c] / np.float32(counts[j])
