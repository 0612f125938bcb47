"""The simulator and the device agree: on every output, within the bound that the workload itself states."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.gpu.run import CudaRun
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size, verify

KERNELS = [k for k in catalog() if k.runs_on == "cuda" and k.workload.id != "none" and not k.flaw]
RANDOM = Fill("random", (1,))


@pytest.mark.parametrize("block", [Dim3(2, 2), Dim3(4, 4), Dim3(8, 8)], ids=str)
@pytest.mark.parametrize("n", [1, 3, 8, 13])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_simulated_and_real_outputs_agree(kernel: Kernel, n: int, block: Dim3) -> None:
    size = kernel.workload.fit(Size(n, n, n))
    inputs = kernel.workload.inputs(size, RANDOM)
    try:
        with CudaRun(kernel, size, block, inputs) as run:
            real = run.outputs()
    except LaunchError as refusal:
        pytest.skip(str(refusal))
    simulated = trace_kernel(kernel, size, block, RANDOM).outputs
    for outputs in (real, simulated):
        verdict = verify(kernel.workload, size, inputs, outputs, tolerance=kernel.tolerance)
        assert verdict.correct, verdict.message
    for name, values in real.items():
        expected = simulated[name].reshape(values.shape).astype(np.float64)
        np.testing.assert_allclose(values.astype(np.float64), expected, rtol=1e-5, atol=1e-5)
