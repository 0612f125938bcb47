"""The driver's own answer, for every kernel of the catalogue and its blocks."""

from __future__ import annotations

import pytest

from kernels.catalog import Kernel, catalog
from kernels.fill import Fill
from kernels.gpu.device import missing, present_device
from kernels.gpu.run import CudaRun
from kernels.occupancy.curve import occupancy_of

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(bool(missing()), reason=missing())]

CUDA = [kernel for kernel in catalog() if kernel.runs_on == "cuda"]


@pytest.mark.parametrize("kernel", CUDA, ids=[kernel.id for kernel in CUDA])
def test_resident_blocks_are_the_drivers(kernel: Kernel) -> None:
    for block in dict.fromkeys((kernel.block, *kernel.blocks)):
        inputs = kernel.workload.inputs(kernel.size, Fill("iota"))
        with CudaRun(kernel, kernel.size, block, inputs) as run:
            found = occupancy_of(kernel, kernel.size, block, present_device())
            assert found.resident_blocks == run.resident_blocks(), block
