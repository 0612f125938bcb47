"""Launches that are recorded on the host, and their traces by the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import read_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.simt import Options, run
from kernels.tracing import Job, prepare
from kernels.workload import Size
from tests.gpu.constructs import for_hosts, job_of
from tests.gpu.jobs import CLEAN, job_of_case
from tests.sweeps import HANDFUL

if TYPE_CHECKING:
    from kernels.trace import Trace


LAUNCHES: Final = ((Size(7, 5, 9), Dim3(4, 4)), (Size(6, 10, 3), Dim3(8, 2)))


def jobs() -> dict[str, Job]:
    found = {f"construct_{name}": job_of(name) for name in for_hosts()}
    for name, case in CLEAN.items():
        text = case.file.read_text(encoding="utf-8")
        if "_sync" not in text and "grid.sync" not in text:  # warps and grids are no more than threads here
            found[f"corpus_{name}"] = job_of_case(case)
    for file in sorted(CUDA_FOLDER.glob("*.cu")):
        for number, (size, block) in enumerate(LAUNCHES):
            kernel = read_kernel(file)
            if kernel.flaw:
                continue
            try:
                found[f"{file.stem}_{number}"] = prepare(kernel, size, block, Fill("random", (1,)))
            except LaunchError:
                continue  # a kernel of square tiles
    return found


JOBS: Final = jobs()

_THIRD: Final = [name for name in JOBS if name.startswith("corpus_")][::3]


def _in_plain(name: str) -> bool:
    """Whether the plain command takes a job: every construct, one in three of the corpus, a kernel of each kind."""
    kernel = name.rpartition("_")[0]
    return name.startswith("construct_") or name in _THIRD or (name.endswith("_0") and kernel in HANDFUL)


NAMES: Final = [pytest.param(name, marks=() if _in_plain(name) else (pytest.mark.exhaustive,)) for name in JOBS]
"""The names of the jobs, those marked exhaustive that the plain command leaves out."""


def simulated(job: Job) -> Trace:
    trace = run(job.program, job.launch, job.arguments, kernel=job.function.name, options=Options(contract=False))
    assert {hazard.kind for hazard in trace.hazards} <= {"result-never-written"}
    return trace
