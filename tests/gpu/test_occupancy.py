"""The calculator and the suggested block are the driver's, and timelines have every block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog, find_kernel, read_kernel
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.gpu.device import present_device
from kernels.gpu.run import CudaRun
from kernels.launch import Dim3
from kernels.occupancy.curve import candidate_blocks, occupancy_of
from kernels.occupancy.record_blocks import record_blocks
from kernels.occupancy.resources import resources_for
from kernels.occupancy.suggest import best_block, suggest
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.occupancy.block_timeline import BlockTimeline

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


RANDOM = Fill("random", (1,))
MEASURABLE = [k for k in catalog() if k.runs_on == "cuda" and k.measurable]


def record(name: str, n: int, block: Dim3) -> BlockTimeline:
    return record_blocks(find_kernel(name), Size(n, n, n), block, RANDOM)


def test_a_launch_with_a_tail() -> None:
    found, device = record("matmul_tiled", 1024, Dim3(16, 16)), present_device()
    m = found.measured
    assert found.blocks == m.grid.count == 4096
    assert set(np.unique(found.sm)) <= set(range(device.sm_count))
    assert found.used_sms == device.sm_count
    assert (found.end_ns > found.start_ns).all()
    # A block's last warp stamps its end before the block gives its place to the next one.
    assert found.most_on_one_sm <= m.timed_resident_blocks
    assert found.most_on_one_sm >= 0.75 * m.timed_resident_blocks
    assert 0.5 * m.theoretical < found.achieved <= m.theoretical
    assert found.achieved_overall <= found.achieved
    # The blocks cannot take longer than the launch that contains them; the launch was timed among others.
    assert 0.3 * m.timed_launch_ms < found.duration_ns / 1e6 < 3 * m.timed_launch_ms


@pytest.mark.parametrize("kernel", MEASURABLE, ids=lambda kernel: kernel.id)
def test_every_kernel_can_be_recorded_and_stays_right(kernel: object) -> None:
    from kernels.catalog import Kernel

    assert isinstance(kernel, Kernel)
    block = next(iter(kernel.blocks), kernel.block)
    size = kernel.workload.fit(Size(256, 256, 256))
    try:
        found = record_blocks(kernel, size, block, RANDOM)
    except LaunchError:  # written for one size, or its shared memory grows with K
        size, block = kernel.size, kernel.block
        found = record_blocks(kernel, size, block, RANDOM)
    assert found.blocks == kernel.launch(size, block).grid.count
    assert found.most_on_one_sm <= found.measured.timed_resident_blocks


def test_a_block_that_leaves_early_has_an_end(tmp_path: Path) -> None:
    own = tmp_path / "early.cu"
    text = find_kernel("matmul_naive").text.replace("matmul_naive", "early")
    body = text.index("{")
    own.write_text(
        f"{text[: body + 1]} if (blockIdx.x * blockDim.x >= 4096) return;{text[body + 1 :]}", encoding="utf-8"
    )
    found = record_blocks(read_kernel(own), Size(64, 64, 64), Dim3(16, 16), RANDOM)
    assert found.blocks == 16
    assert (found.end_ns >= found.start_ns).all()


def test_nothing_is_claimed_of_a_wrong_result() -> None:
    with pytest.raises(InputError, match="nothing is claimed of a launch with a wrong result"):
        record("lesson_lost_last_tile", 96, Dim3(16, 16))
