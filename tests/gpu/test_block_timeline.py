"""Timelines recorded on the GPU: every block, on an SM that exists, no more at once than the driver says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.gpu.device import present_device
from kernels.launch import Dim3
from kernels.occupancy.record_blocks import record_blocks
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.occupancy.block_timeline import BlockTimeline

RANDOM = Fill("random", (1,))
KERNELS = [k for k in catalog() if k.runs_on == "cuda" and k.measurable]


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


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
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
