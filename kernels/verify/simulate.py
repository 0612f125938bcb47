"""A kernel's result as the simulator computes it, for machines without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.architecture import SM_80
from kernels.errors import InputError
from kernels.simt import Options, run
from kernels.tracing import prepare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.architecture import Architecture
    from kernels.catalog import Kernel
    from kernels.fill import Fills
    from kernels.launch import Dim3
    from kernels.workload import Arrays, Size

    Values = Mapping[str, NDArray[np.generic]]


MOST_STEPS: Final = 20_000_000
"""Steps after which a run is stopped; a product of 129×129 takes far fewer."""


def simulate(
    kernel: Kernel,
    size: Size,
    block: Dim3,
    fills: Fills,
    *,
    fmad: bool = True,
    architecture: Architecture = SM_80,
) -> tuple[Arrays, str]:
    """Run a kernel's code for an architecture in the simulator.

    Returns
    -------
    Its outputs, with NaN or -1 for elements that were never written; and the first hazard (a race, an index out of
    bounds, …) in words, "" for none.

    Raises
    ------
    InputError
        When the kernel has no CUDA source.
    LaunchError, SourceError
        As for `kernels.tracing.prepare`.
    """
    if kernel.runs_on == "library":
        raise InputError(f"{kernel.id} is a library routine: there is no source to simulate")
    job = prepare(kernel, size, block, fills, architecture)
    options = Options(max_steps=MOST_STEPS, contract=fmad, record=False)
    trace = run(
        job.program, job.launch, job.arguments, kernel=job.function.name, options=options, instances=job.instances
    )
    first = next(iter(trace.hazards), None)
    hazard = f"{first.kind} in line {first.at}: {first.message}" if first else ""
    written = trace.unrecorded.written if trace.unrecorded else {}
    outputs = {
        name: np.where(written[name], values, np.nan if values.dtype.kind == "f" else -1)
        for name, values in trace.outputs.items()
    }
    return outputs, hazard


# --- Comparison of a kernel's results on the GPU with those of the simulator


_TOLERANCE: Final = {2: 1e-2, 4: 1e-5, 8: 1e-12}
"""By the bytes of a floating-point type, the part of an array's largest magnitude by which elements may differ: the
order of atomic operations, and functions such as `__expf`, round differently. Integers have to be equal."""


def difference(simulated: Values, found: Values) -> str:
    """Return the first element that differs, in words; "" if all agree.

    Arrays that only one of them has are not compared. `found` may have other types of the same bytes.
    """
    for name, expected in simulated.items():
        if name not in found:
            continue
        expected = np.ascontiguousarray(expected).reshape(-1)
        values = np.ascontiguousarray(found[name]).reshape(-1).view(np.uint8).view(expected.dtype)
        unlike = np.flatnonzero(_unlike(expected, values))
        if len(unlike):
            at = int(unlike[0])
            return (
                f"{name}[{at}] is {values[at]}, but {expected[at]} in the simulator; "
                f"{len(unlike):,} of {expected.size:,} elements differ"
            )
    return ""


def _unlike(expected: NDArray[np.generic], values: NDArray[np.generic]) -> NDArray[np.bool_]:
    tolerance = _TOLERANCE.get(expected.dtype.itemsize) if expected.dtype.kind == "f" else None
    if tolerance is None:
        unequal: NDArray[np.bool_] = expected != values
        return unequal
    wide, other = expected.astype(np.float64), values.astype(np.float64)
    largest = float(np.abs(wide[np.isfinite(wide)]).max(initial=0.0))
    return ~np.isclose(other, wide, rtol=0.0, atol=tolerance * largest, equal_nan=True)
