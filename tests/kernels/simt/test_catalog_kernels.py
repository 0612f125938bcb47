"""Every CUDA kernel of the catalogue gives the right result at awkward sizes, whatever the schedule."""

from __future__ import annotations

import numpy as np
import pytest

from kernels import CUDA_FOLDER
from kernels.catalog import Kernel, read_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify

KERNELS = [read_kernel(file) for file in sorted(CUDA_FOLDER.glob("*.cu"))]
SIZES = [Size(1, 1, 1), Size(3, 3, 3), Size(5, 3, 7), Size(17, 17, 17), Size(33, 33, 33), Size(64, 64, 64)]
BLOCKS = [Dim3(2, 2), Dim3(8, 8), Dim3(16, 16), Dim3(8, 4), Dim3(5, 3)]
RANDOM = Fill("random", (1,))


def accepts(kernel: Kernel, block: Dim3) -> bool:
    try:
        kernel.launch(kernel.size, block)
    except LaunchError:
        return False
    return True


CASES = [
    pytest.param(kernel, block, id=f"{kernel.id} {block}")
    for kernel in KERNELS
    for block in BLOCKS
    if accepts(kernel, block)
]


def output(kernel: Kernel, size: Size, block: Dim3, schedule: str = "lockstep") -> dict[str, np.ndarray]:
    trace = trace_kernel(kernel, size, block, RANDOM, Options(schedule))
    assert trace.hazards == ()
    assert not trace.stopped
    return dict(trace.outputs)


@pytest.mark.parametrize(("kernel", "block"), CASES)
def test_results_are_right_at_every_size(kernel: Kernel, block: Dim3) -> None:
    for size in map(kernel.workload.fit, SIZES):
        try:
            found = output(kernel, size, block)
        except LaunchError:
            continue  # a kernel for certain sizes only, which says so
        inputs = kernel.workload.inputs(size, RANDOM)
        verdict = verify(kernel.workload, size, inputs, found)
        assert verdict.correct, f"{size}: {verdict.message}"


@pytest.mark.parametrize("schedule", ["warps", "reversed", "shuffle:1"])
@pytest.mark.parametrize(("kernel", "block"), CASES)
def test_the_schedule_changes_nothing(kernel: Kernel, block: Dim3, schedule: str) -> None:
    size = kernel.workload.fit(Size(16, 16, 16))
    plain = output(kernel, size, block)
    for name, values in output(kernel, size, block, schedule).items():
        np.testing.assert_allclose(values, plain[name], rtol=1e-5)


def test_known_answers() -> None:
    """M·Mᵀ of 7×7 iota, by hand."""
    kernel = read_kernel(CUDA_FOLDER / "mmt_symmetric.cu")
    found = trace_kernel(kernel, Size(7, 7, 7), Dim3(2, 2)).outputs["P"]
    assert found[0].tolist() == [91, 238, 385, 532, 679, 826, 973]
    assert found[-1, -1] == 14203
