"""Comparison of a kernel's outputs with the float64 reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.reference import FLOAT32

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.reference import Reference, Tolerance
    from kernels.workload.model import Size, Workload

FULL_CHECK_PRODUCTS: Final = 2**30
"""Up to this many products every element is checked; beyond it, sampled rows (a float64 product takes as long)."""

SAMPLED_ROWS: Final = 48


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a check; no rate is shown for a result that is not `correct`."""

    correct: bool
    max_error: float
    relative_error: float
    checked: str
    message: str


def checked_rows(workload: Workload, size: Size, *, every_element: bool = False) -> tuple[NDArray[np.int64], str]:
    """Return the rows of the outputs that are compared, and words for them.

    Above `FULL_CHECK_PRODUCTS` products these are evenly spaced rows and the last one, unless `every_element`, and
    unless the workload's outputs are checked whole: then the rows are those of the first output.
    """
    height = next((spec.shape[0] for spec in workload.arrays(size) if spec.output), 0)
    if not height:
        return np.arange(0), "nothing to check"
    few = size.m * size.n * size.k <= FULL_CHECK_PRODUCTS or height <= SAMPLED_ROWS
    if few or every_element or not workload.by_rows:
        return np.arange(height), "every element"
    rows = np.unique(np.linspace(0, height - 1, SAMPLED_ROWS).astype(np.int64))
    return rows, f"{len(rows)} of {height} rows"


def correct_results(
    workload: Workload, size: Size, inputs: Mapping[str, NDArray[np.generic]], *, every_element: bool = False
) -> dict[str, Reference]:
    """Return the correct results of the rows that are compared, by output."""
    rows, _ = checked_rows(workload, size, every_element=every_element)
    return {name: result.reference() for name, result in workload.results(inputs, size, rows).items()}


def verify(
    workload: Workload,
    size: Size,
    inputs: Mapping[str, NDArray[np.generic]],
    outputs: Mapping[str, NDArray[np.generic]],
    references: Mapping[str, Reference] | None = None,
    *,
    every_element: bool = False,
    tolerance: Tolerance = FLOAT32,
) -> Verdict:
    """Compare outputs with the float64 reference.

    An element passes within the bound of its reference, as the kernel's `tolerance` has it.
    The relative Frobenius norm of the error must be within the reference's limit as well.
    NaN never passes. Of a large product `checked_rows` are compared, and the verdict says so. `references` are those of
    the checked rows, where they are known already.
    """
    rows, checked = checked_rows(workload, size, every_element=every_element)
    if references is None:
        references = correct_results(workload, size, inputs, every_element=every_element)
    if not references:
        return Verdict(True, 0.0, 0.0, checked, "the kernel has no array output")
    worst, relative, notes, too_far = 0.0, 0.0, [], ""
    for name, reference in references.items():
        found = checked_part(workload, size, outputs, name, rows).astype(np.float64)
        error = reference.error(found)
        norm = _norm(reference.rows)
        largest = float(error.max())
        deviation = _norm(error) / norm if norm else largest
        # np.maximum, unlike max, keeps a NaN
        worst = float(np.maximum(worst, largest))
        relative = float(np.maximum(relative, deviation))
        wrong = ~(error <= tolerance.bound(reference, size.k))  # written so that NaN counts as wrong
        if wrong.any():
            at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            first = int(rows[at[0]]) if workload.by_rows else int(at[0])
            place = name + "".join(f"[{index}]" for index in (first, *at[1:]))
            message = (
                f"{int(wrong.sum()):,} of {wrong.size:,} checked elements are wrong; the first is {place} = "
                f"{found[at]:g}, expected {reference.rows[at]:g}"
            )
            return Verdict(False, worst, relative, checked, message)
        if not deviation <= reference.norm_limit:  # NaN, too
            limit = f"{reference.norm_limit:.2g}".replace("e-0", "e-")
            too_far = f"relative error {deviation:.2g} exceeds {limit}"
        notes.append(reference.note(found))
    if too_far:
        return Verdict(False, worst, relative, checked, too_far)
    message = "; ".join([f"{checked} within rounding of the float64 reference", *filter(None, notes)])
    return Verdict(True, worst, relative, checked, message)


def _norm(values: NDArray[np.float64]) -> float:
    """Return the Frobenius norm, without BLAS, whose threads would spin on every core while the kernel is timed."""
    with np.errstate(all="ignore"):  # what is too large becomes infinite, and fails
        return float(np.sqrt(np.sum(values * values)))


def checked_part(
    workload: Workload, size: Size, outputs: Mapping[str, NDArray[np.generic]], name: str, rows: NDArray[np.int64]
) -> NDArray[np.generic]:
    """Return the part of an output that is compared, its rows or all of it; the output may come flat."""
    shape = next(spec.shape for spec in workload.arrays(size) if spec.name == name)
    whole = np.asarray(outputs[name]).reshape(shape)
    return whole[rows] if workload.by_rows else whole
