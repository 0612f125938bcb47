"""Accesses of each thread of a real launch equal the simulator's, one by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.cli import main
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.gpu.run import CudaRun
from kernels.launch import Dim3, Limits
from kernels.recorder.record import record
from kernels.recorder.recording import differences
from kernels.simt import Options, run
from kernels.tracing import Job, prepare
from kernels.workload import Size
from tests.gpu.constructs import CONSTRUCTS, job_of
from tests.gpu.jobs import CLEAN, RECORDED, job_of_case

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.catalog import Kernel
    from kernels.recorder.recording import Recording
    from kernels.trace import Trace

RANDOM: Final = Fill("random", (1,))

SIZES: Final = (
    Size(1, 1, 1),
    Size(8, 8, 8),
    Size(7, 7, 7),
    Size(9, 9, 9),
    Size(1, 13, 5),
    Size(13, 1, 5),
    Size(5, 9, 17),
)
"""One element; exact tiles; one short; one more; a row; a column; all sides different."""

BLOCKS: Final = (
    Dim3(4, 4),
    Dim3(8, 8),
    Dim3(16, 16),
    Dim3(8, 2),
    Dim3(32, 1),
    Dim3(1, 8),
    Dim3(3, 5),
    Dim3(64, 4),
)
LEAST: Final = 5
"""Launches of each kernel that must have been compared."""


def both(job: Job, *, fmad: bool) -> tuple[Trace, Recording]:
    options = Options(contract=fmad)
    trace = run(job.program, job.launch, job.arguments, kernel=job.function.name, options=options)
    assert trace.hazards == ()
    return trace, record(job.program, job.function, job.launch, job.arguments, job.instances, fmad=fmad)


def _rounded(kernel: Kernel, size: Size, block: Dim3) -> Size:
    """Round up to multiples of the block for a kernel that takes nothing else."""
    exact = any("%" in condition for condition, _ in kernel.require)
    return Size(*(-(-n // block.x) * block.x for n in size)) if exact else size


def _fill(kernel: Kernel) -> Fill:
    """Whole numbers where atomics add in any order."""
    return Fill("iota") if kernel.clear else RANDOM


@pytest.mark.parametrize("fmad", [False, True], ids=["rounded", "fused"])
@pytest.mark.parametrize("kernel", RECORDED, ids=lambda kernel: kernel.id)
def test_every_thread_of_every_kernel(kernel: Kernel, fmad: bool) -> None:
    compared = 0
    for number, size in enumerate(SIZES):
        blocks = kernel.blocks if kernel.workload.id == "none" else (BLOCKS[number % 3], BLOCKS[3 + number % 5])
        for block in dict.fromkeys((*blocks, kernel.block)):
            try:
                job = prepare(kernel, _rounded(kernel, size, block), block, _fill(kernel))
            except LaunchError:
                continue
            trace, recording = both(job, fmad=fmad)
            assert differences(trace, recording) == (), f"size {size}, block {block}"
            assert len(recording.accesses) == trace.access_count
            compared += 1
    assert compared >= LEAST


@pytest.mark.parametrize("kernel", [k for k in RECORDED if k.workload.id != "none"], ids=lambda kernel: kernel.id)
def test_the_kernel_as_written_gives_the_recording_s_outputs(kernel: Kernel) -> None:
    """The recorder's text comes from our tree; the benchmark's is the file itself."""
    large = kernel.dynamic_shared_bytes(kernel.size, kernel.blocks[0]) > Limits().shared_per_block_bytes
    block = kernel.block if large else kernel.blocks[0]
    size = kernel.workload.fit(_rounded(kernel, Size(13, 9, 21), block))
    inputs = kernel.workload.inputs(size, _fill(kernel))
    _, recording = both(prepare(kernel, size, block, _fill(kernel)), fmad=True)
    with CudaRun(kernel, size, block, inputs) as plain:
        for name, values in plain.outputs().items():
            np.testing.assert_array_equal(values, recording.outputs[name].reshape(values.shape))


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_every_construct(name: str) -> None:
    trace, recording = both(job_of(name), fmad=True)
    assert trace.access_count
    assert differences(trace, recording) == ()


@pytest.mark.parametrize("name", CLEAN)
def test_every_correct_kernel_of_the_corpus(name: str) -> None:
    trace, recording = both(job_of_case(CLEAN[name]), fmad=True)
    assert differences(trace, recording) == ()


def test_a_simulator_that_is_wrong_is_found_out() -> None:
    job = job_of("assignment")
    _, recording = both(job, fmad=True)
    other = {**job.arguments, "n": 1}
    trace = run(job.program, job.launch, other, kernel=job.function.name)
    assert differences(trace, recording)


def test_the_command_line_says_whether_they_agree() -> None:
    words = ["trace", "matmul_tiled", "--size", "7,9,5", "--block", "4,4", "--on-gpu"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("\nidentical: 2,178 accesses of 96 threads, on the GPU and simulated\n")
    found = json.loads(CliRunner().invoke(main, [*words, "--no-fmad", "--json"]).stdout)["on_gpu"]
    assert (found["identical"], found["accesses"], found["threads"]) == (True, 2178, 96)


def test_a_kernel_with_a_hazard_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(float *A) { A[threadIdx.x] = 1; }")
    words = ["trace", str(file), "--grid", "1", "--block", "8", "--arg", "A=f32[4]:zeros", "--on-gpu"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "not run on the GPU: the simulator found hazards" in result.stdout
