"""Results in the teaching documents: printed matrices, and a formula for the last row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.fill import Fill, Fills
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Printed:
    """A result that a document prints, whole or in part."""

    workload: str
    size: Size
    fills: Fills
    output: str
    parts: tuple[tuple[int, int, tuple[int, ...]], ...]
    """Row, first column and values of each printed part."""


PRINTED: Final = (
    Printed(
        "mmt", Size(7, 7, 7), Fills(Fill("iota")), "P", ((0, 0, (91, 238, 385, 532, 679, 826, 973)), (6, 6, (14203,)))
    ),
    Printed("matmul", Size(4, 4, 4), Fills(Fill("rows")), "C", tuple((i, 0, (6 * i,) * 4) for i in range(4))),
)
"""The M·Mᵀ study, n = 7; CSinParallel 5.2, n = 4."""


def find_printed(workload: str, size: Size, fills: Fills) -> Printed | None:
    """Return the printed result of a problem; None where the documents have none."""
    return next((p for p in PRINTED if (p.workload, p.size, p.fills) == (workload, size, fills)), None)


def agrees(results: Mapping[str, NDArray[np.generic]], printed: Printed) -> bool:
    """Return whether a result has the printed numbers, exactly."""
    values = np.asarray(results[printed.output]).reshape(printed.size.m, printed.size.n)
    return all(
        tuple(values[row, column : column + len(numbers)].tolist()) == numbers for row, column, numbers in printed.parts
    )


def last_row(workload: str, size: Size, fills: Fills) -> NDArray[np.float64] | None:
    """Return the last row of the result where row i of every input holds i; None for other inputs.

    For A·B each element is Σ i·(m-1) over i = 0 … k-1 (CSinParallel 5.2, with m = k = n); for M·Mᵀ element j is
    n·(n-1)·j.
    """
    if fills != Fills(Fill("rows")):
        return None
    if workload == "matmul":
        return np.full(size.n, (size.m - 1) * (size.k * (size.k - 1) // 2), np.float64)
    return size.n * (size.n - 1) * np.arange(size.n, dtype=np.float64) if workload == "mmt" else None
