"""All checks of one result, and the references that they compare with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.reference import gamma
from kernels.verify.model import Checks
from kernels.verify.published import agrees, find_printed, last_row
from kernels.workload import WORKLOADS, checked_part, checked_rows, verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.catalog import Kernel
    from kernels.fill import Fills
    from kernels.reference import Reference
    from kernels.workload import Arrays, Size, Workload

    Values = Mapping[str, NDArray[np.generic]]

SMALL: Final = 256
"""The most elements of an output that is stored whole, to be printed."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected results."""

    rows: NDArray[np.int64]
    """The rows that are compared."""
    exact: Mapping[str, Reference]
    """These rows of each output in float64."""
    sequential: Values
    """The same in float32, summed in order."""


@dataclass(frozen=True, slots=True)
class Case:
    """Inputs of a workload, and the results that every kernel should give."""

    inputs: Arrays
    expected: Expected


@lru_cache(maxsize=32)
def prepare_case(workload: str, size: Size, fills: Fills) -> Case:
    """Fill the inputs and compute the expected results, once for all kernels of a workload.

    Raises
    ------
    InputError
        When the fills do not fit.
    """
    inputs = WORKLOADS[workload].inputs(size, fills)
    return Case(inputs, expect(WORKLOADS[workload], size, inputs))


def expect(workload: Workload, size: Size, inputs: Values) -> Expected:
    """Compute the expected results of these inputs."""
    rows, _ = checked_rows(workload, size)
    results = workload.results(inputs, size, rows)
    return Expected(
        rows,
        {name: result.reference() for name, result in results.items()},
        {name: result.sequential() for name, result in results.items()},
    )


def check(
    kernel: Kernel, size: Size, inputs: Values, outputs: Values, fills: Fills, expected: Expected | None = None
) -> Checks:
    """Make every check of a kernel's result.

    Parameters
    ----------
    kernel, size
        The kernel, and a size that fits its workload.
    inputs, outputs : mapping of str to ndarray
        By name.
    fills : Fills
        The fills of the inputs: the documents have results for some of them.
    expected : Expected, optional
        The expected results; computed unless given.
    """
    workload = kernel.workload
    found = expected or expect(workload, size, inputs)
    verdict = verify(workload, size, inputs, outputs, found.exact, tolerance=kernel.tolerance)
    if not found.exact:
        return Checks(True, verdict.message, verdict.checked)
    elements, unlike, l2, share = 0, 0, 0.0, 0.0
    for name, exact in found.exact.items():
        part, sequential = checked_part(workload, size, outputs, name, found.rows), found.sequential[name]
        with np.errstate(all="ignore"):
            values = part.astype(np.float64)
            deviation, error = values - sequential.astype(np.float64), exact.error(values)
            bound = kernel.tolerance.bound(exact, size.k)
            shares = np.where(error == 0, 0.0, error / bound)  # 0/0 is no error
        elements += part.size
        unlike += int(np.count_nonzero(_bits(part) != _bits(sequential)))
        l2 += float(np.sum(deviation * deviation))
        share = float(np.maximum(share, shares.max()))  # np.maximum, unlike max, keeps a NaN
    message = verdict.message
    row_right = _agrees_with_formula(workload, size, outputs, fills)
    known = _agrees_with_printed(workload, size, outputs, fills)
    if verdict.correct and row_right is False:
        message = "the last row is not Σ i·(n-1)"
    elif verdict.correct and known is False:
        message = "the numbers differ from those in the documents"
    return Checks(
        verdict.correct and row_right is not False and known is not False,
        message,
        verdict.checked,
        elements,
        verdict.max_error,
        share,
        verdict.relative_error,
        l2,
        unlike,
        row_right,
        known,
        _small(workload, size, outputs),
    )


def _bits(values: NDArray[np.generic]) -> NDArray[np.generic]:
    whole: NDArray[np.generic] = np.ascontiguousarray(values)
    return whole.view(np.int32) if whole.dtype == np.float32 else whole


def _agrees_with_formula(workload: Workload, size: Size, outputs: Values, fills: Fills) -> bool | None:
    """Return whether the last row is that of the formula; None for inputs without one.

    All terms are positive, so that the bound of the rounding error is γ_K times the sum itself.
    """
    row = last_row(workload.id, size, fills)
    if row is None:
        return None
    (spec,) = (s for s in workload.arrays(size) if s.output)
    last = np.asarray(outputs[spec.name]).reshape(spec.shape)[-1].astype(np.float64)
    return bool((np.abs(last - row) <= gamma(size.k) * row).all())


def _agrees_with_printed(workload: Workload, size: Size, outputs: Values, fills: Fills) -> bool | None:
    expected = find_printed(workload.id, size, fills)
    return agrees(outputs, expected) if expected else None


def _small(workload: Workload, size: Size, outputs: Values) -> dict[str, list[list[float]]]:
    return {
        spec.name: np.atleast_2d(np.asarray(outputs[spec.name]).reshape(spec.shape)).tolist()
        for spec in workload.arrays(size)
        if spec.output and np.prod(spec.shape) <= SMALL
    }
