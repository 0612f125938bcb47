"""k-means on the device: right at every size, the same accesses as simulated, and clean but for the lesson."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog, find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fills
from kernels.gpu.run import CudaRun
from kernels.launch import Dim3
from kernels.recorder.record import record
from kernels.recorder.recording import differences
from kernels.simt import run
from kernels.tracing import prepare
from kernels.workload import WORKLOADS, Arrays, Points, Size, verify
from tests.gpu.sanitizer_options import EXTRA, ROOT

if TYPE_CHECKING:
    from kernels.reference import Reference

KERNELS: Final = [k for k in catalog() if k.runs_on == "cuda" and not k.flaw and isinstance(k.workload.picture, Points)]
LESSON: Final = "lesson_barrier_in_guard"

CASES: Final = (
    (Size(1, 2, 1), "random(1)"),
    (Size(16, 2, 3), "clusters(3,5)"),
    (Size(127, 34, 256), "random(2)"),  # more centres than objects: equal centres, ties, empty clusters
    (Size(1000, 17, 5), "random(3)"),
    (Size(1000, 3, 7), "mod(3)"),  # equal objects
    (Size(1000, 2, 256), "iota"),
    (Size(100_003, 32, 64), "random(4)"),
    (Size(1_000_000, 32, 64), "random(5)"),
    (Size(1_000_000, 2, 1), "clusters(8,1)"),
)
SMALL: Final = (Size(1, 2, 1), Size(16, 2, 3), Size(37, 5, 4))
TIMEOUT_S: Final = 120


@lru_cache(maxsize=8)
def _expected(workload: str, size: Size, fills: Fills) -> tuple[Arrays, dict[str, Reference]]:
    """Return inputs and references, once for all kernels of a workload."""
    inputs = WORKLOADS[workload].inputs(size, fills)
    results = WORKLOADS[workload].results(inputs, size, np.arange(0))
    return inputs, {name: result.reference() for name, result in results.items()}


@pytest.mark.parametrize(("size", "fill"), CASES, ids=str)
def test_every_kernel_is_right(size: Size, fill: str) -> None:
    fills = Fills.parse(fill)
    for kernel in KERNELS:
        inputs, references = _expected(kernel.workload.id, size, fills)
        for block in dict.fromkeys((*kernel.blocks, Dim3(32), Dim3(96))):
            try:
                device_run = CudaRun(kernel, size, block, inputs)
            except LaunchError:
                continue  # more registers or shared memory than the device has
            with device_run:
                verdict = verify(kernel.workload, size, inputs, device_run.outputs(), references)
            assert verdict.correct, f"{kernel.id}, block {block}: {verdict.message}"


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_recorded_accesses_are_the_simulator_s(kernel: Kernel) -> None:
    for size in SMALL:
        job = prepare(kernel, size, kernel.block)  # whole numbers: atomics add up to the same in any order
        trace = run(job.program, job.launch, job.arguments, kernel=job.function.name)
        assert trace.hazards == ()
        recording = record(job.program, job.function, job.launch, job.arguments, job.instances)
        assert differences(trace, recording) == (), f"size {size}"
        assert len(recording.accesses) == trace.access_count


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
def test_compute_sanitizer_finds_nothing(tool: str) -> None:
    text = _sanitize(tool, [kernel.id for kernel in KERNELS])
    assert all(f"ran {kernel.id}" in text for kernel in KERNELS), text[-4000:]
    clean = "RACECHECK SUMMARY: 0 hazards displayed" if tool == "racecheck" else "ERROR SUMMARY: 0 errors"
    assert clean in text, text[-4000:]


def test_only_the_simulator_names_the_lesson_s_barrier() -> None:
    # The threads that skip the barrier exit, and since Volta a barrier waits for threads that have not exited only
    # (CUDA C++ Programming Guide, "Independent Thread Scheduling"): compute-sanitizer has nothing to report.
    kernel = find_kernel(LESSON)
    job = prepare(kernel, kernel.size, kernel.block)
    trace = run(job.program, job.launch, job.arguments, kernel=job.function.name)
    assert {hazard.kind for hazard in trace.hazards} == {"barrier-divergence"}
    text = _sanitize("synccheck", [LESSON])
    assert f"ran {LESSON}" in text, text[-4000:]
    assert "ERROR SUMMARY: 0 errors" in text, text[-4000:]


def test_the_lesson_is_recorded_as_simulated_where_every_thread_has_an_object() -> None:
    kernel = find_kernel(LESSON)
    job = prepare(kernel, Size(16, 2, 3), kernel.block)
    trace = run(job.program, job.launch, job.arguments, kernel=job.function.name)
    assert trace.hazards == ()
    assert differences(trace, record(job.program, job.function, job.launch, job.arguments, job.instances)) == ()


def _sanitize(tool: str, names: list[str]) -> str:
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        pytest.skip("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit")
    command = [sanitizer, "--tool", tool, *EXTRA.get(tool, ()), sys.executable, "-m", "tests.gpu.sanitized_kernels"]
    done = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return done.stdout + done.stderr
