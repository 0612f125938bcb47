from __future__ import annotations

import pytest

from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.errors import LaunchError
from kernels.occupancy import Resources
from kernels.occupancy.suggest import suggest
from tests.cases import Cases

CASES = Cases(__file__)

KERNEL = find_kernel("matmul_tiled_dynamic")
H200 = find_device("h200")


@pytest.mark.parametrize(("registers", "threads", "blocks", "rounded", "side"), CASES("the_largest_block_that_fills"))
def test_the_largest_block_that_fills_an_sm_best_is_rounded_to_a_power_of_4(
    registers: int, threads: int, blocks: int, rounded: int, side: int
) -> None:
    found = suggest(KERNEL, KERNEL.size, H200, lambda *_: Resources(registers, 0, 0, "given"))
    assert (found.threads, found.blocks_per_sm, found.rounded, found.side) == (threads, blocks, rounded, side)
    assert found.block == (side, side, 1)
    assert f"{registers} registers a thread and {8 * threads:,} bytes" in found.lines[0]
    assert f"has {threads:,}: {blocks} block" in found.lines[1]
    assert f"4^floor(log4 {threads}) = {rounded}" in found.lines[2]
    assert f"{side}×{side}" in found.lines[3]
    assert f"With {rounded} threads: " in found.lines[4]


def test_a_kernel_of_which_no_block_fits_is_refused() -> None:
    with pytest.raises(LaunchError, match="no block of matmul_tiled_dynamic fits on H200"):
        suggest(KERNEL, KERNEL.size, H200, lambda *_: Resources(16, 10**6, 0, "given"))
