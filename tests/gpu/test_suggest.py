"""The block that occupancy suggests is the one that the driver suggests."""

from __future__ import annotations

import pytest

from kernels.catalog import Kernel, catalog
from kernels.errors import LaunchError
from kernels.fill import Fill
from kernels.gpu.device import present_device
from kernels.gpu.run import CudaRun
from kernels.launch import Dim3
from kernels.occupancy.resources import resources_for
from kernels.occupancy.suggest import best_block, suggest

CUDA = [k for k in catalog() if k.runs_on == "cuda"]


def _run(kernel: Kernel, block: Dim3) -> CudaRun:
    size = kernel.workload.fit(kernel.size)
    return CudaRun(kernel, size, block, kernel.workload.inputs(size, Fill("ones")))


@pytest.mark.parametrize("kernel", [k for k in CUDA if k.suggest], ids=lambda k: k.id)
def test_as_the_driver_counts_with_shared_memory_that_grows_with_the_block(kernel: Kernel) -> None:
    from cupy.cuda import driver

    found = suggest(kernel, kernel.size, present_device())
    best = (0, 0)
    with _run(kernel, found.block) as run:
        for threads in range(1024, 0, -32):
            shared = kernel.dynamic_shared_bytes(kernel.size, Dim3(threads))
            blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(run.function_pointer, threads, shared)
            best = max(best, (blocks * threads, threads))  # the larger block of two that fill as much
    assert (found.threads * found.blocks_per_sm, found.threads) == best
    print("\n".join(found.lines))


@pytest.mark.parametrize("kernel", CUDA, ids=lambda k: k.id)
def test_as_the_driver_suggests_without_dynamic_shared_memory(kernel: Kernel) -> None:
    from cupy.cuda import driver

    if "__launch_bounds__" in kernel.text:
        pytest.skip(f"{kernel.id} is compiled for one block: the driver suggests none above its launch bounds")
    device = present_device()
    try:
        run = _run(kernel, kernel.block)
    except LaunchError as error:
        pytest.skip(str(error))
    with run:
        _, threads = driver.occupancyMaxPotentialBlockSize(run.function_pointer, 0, 0)
    ours = best_block(device, resources_for(kernel, kernel.size, kernel.block, device), lambda _: 0)
    assert ours is not None
    assert ours.block_threads == threads
