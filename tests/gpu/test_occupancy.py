"""The calculator says what the driver says, for every kernel and every block that a curve shows."""

from __future__ import annotations

import pytest

from kernels.catalog import Kernel, catalog
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.gpu.device import present_device
from kernels.gpu.run import CudaRun
from kernels.occupancy.curve import candidate_blocks, occupancy_of
from kernels.workload import Size

KERNELS = [k for k in catalog() if k.runs_on == "cuda"]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_resident_blocks(kernel: Kernel) -> None:
    device = present_device()
    size = kernel.workload.fit(Size(16, 16, 16))  # which a kernel of one block can do too
    inputs = kernel.workload.inputs(size, Fill("ones"))
    differing = []
    compared = 0
    for block in candidate_blocks(kernel, size, kernel.block):
        try:
            ours = occupancy_of(kernel, size, block, device).resident_blocks
        except LaunchError:
            with pytest.raises(LaunchError):
                CudaRun(kernel, size, block, inputs)
            continue
        with CudaRun(kernel, size, block, inputs) as run:
            theirs = run.resident_blocks()
        compared += 1
        if ours != theirs:
            differing.append(f"{block}: {ours}, the driver says {theirs}")
    assert compared
    assert not differing


def test_the_present_device_has_figures_that_make_sense() -> None:
    device = present_device()
    assert device.present
    assert device.sm_count > 0
    assert device.warps_per_sm in (32, 48, 64)
    assert device.shared_per_block_bytes == 48 * 1024
    assert device.shared_per_block_optin_bytes > device.shared_per_block_bytes
    assert device.boost_clock_mhz > 500
    assert device.memory_gb_s > 50
