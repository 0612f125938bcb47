"""A kernel's result as the simulator computes it, for machines without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.architecture import SM_80
from kernels.errors import InputError
from kernels.simt import Options, run
from kernels.tracing import prepare

if TYPE_CHECKING:
    from kernels.architecture import Architecture
    from kernels.catalog import Kernel
    from kernels.fill import Fills
    from kernels.launch import Dim3
    from kernels.workload import Arrays, Size

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
