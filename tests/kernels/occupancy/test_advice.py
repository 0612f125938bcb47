"""Advice is the best block of the chart that the kernel can be launched with."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kernels.catalog import Kernel, catalog, find_kernel
from kernels.device import devices, find_device
from kernels.errors import LaunchError, TilescopeError
from kernels.launch import Dim3
from kernels.occupancy.advice import advise, best_points
from kernels.occupancy.calculate import Occupancy, Resources, occupancy
from kernels.occupancy.curve import curve, occupancy_of
from kernels.occupancy.resources import shipped_resources
from kernels.occupancy.suggest import suggest
from tests.cases import Cases
from tests.sweeps import in_turn

CASES = Cases(__file__)

KERNELS = [k for k in catalog() if k.runs_on == "cuda"]


def compute(device: str, threads: int, registers: int, shared: int = 0) -> Occupancy:
    return occupancy(find_device(device), Resources(registers, shared, 0, "a test"), threads)


@pytest.mark.parametrize(
    ("kernel", "device_id"), in_turn(KERNELS, [device.id for device in devices()], lambda kernel: kernel.id, first=2)
)
def test_the_advised_block_is_the_best_legal_one_of_the_chart(kernel: Kernel, device_id: str) -> None:
    device = find_device(device_id)
    points = curve(kernel, kernel.size, kernel.block, device, shipped_resources)
    try:
        now = occupancy_of(kernel, kernel.size, kernel.block, device, shipped_resources)
    except TilescopeError:
        return  # the device refuses the block that the kernel opens with
    most = max(point.occupancy.resident_warps for point in points)
    said = advise(now, points)
    named = re.search(r"block (\d+(?:×\d+)*)", said)
    if now.resident_warps == most:
        assert named is None, said
        return
    assert named is not None, said
    block = Dim3.parse(named[1])
    kernel.launch(kernel.size, block)
    assert occupancy_of(kernel, kernel.size, block, device, shipped_resources).resident_warps == most
    smaller = [p for p in points if p.block.count < block.count]
    assert all(point.occupancy.resident_warps < most for point in smaller)


def test_a_kernel_of_squares_is_advised_a_square() -> None:
    kernel, device = find_kernel("matmul_tiled"), find_device("rtx-3060")
    points = curve(kernel, kernel.size, Dim3(32, 32), device, shipped_resources)
    now = occupancy_of(kernel, kernel.size, Dim3(32, 32), device, shipped_resources)
    best = best_points(points)[0].block
    assert best.x == best.y
    assert f"block {best}" in advise(now, points)


def test_a_full_sm_and_a_chart_without_a_better_block_are_named() -> None:
    assert advise(compute("t4", 256, 39), ()) == "Nothing to lift: no SM of this device holds more warps."
    kernel, device = find_kernel("matmul_tiled"), find_device("t4")
    now = occupancy_of(kernel, kernel.size, Dim3(16, 16), device, shipped_resources)
    points = curve(kernel, kernel.size, Dim3(16, 16), device, shipped_resources)
    limited = replace(now, limits=tuple(replace(limit, resident_blocks=1) for limit in now.limits))
    alone = [replace(point, occupancy=limited) for point in points[:1]]
    assert advise(limited, alone).startswith("No other block of this kernel keeps more warps resident.")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (compute("v100", 256, 39), "To lift it: at most 32 registers a thread (now 39) for 8 blocks."),
        (
            occupancy(find_device("h200"), Resources(24, 16_384, 0, "a test"), 64),
            "To lift it: at most 15,616 bytes of shared memory a block (now 16,384) for 14 blocks.",
        ),
        (compute("rtx-3060", 4, 24), ""),
    ],
)
def test_less_of_the_limiting_resource_is_advised_without_a_chart(found: Occupancy, said: str) -> None:
    assert advise(found, ()) == said


@pytest.mark.parametrize(
    ("threads", "registers"),
    [(threads, n) for threads, most in ((96, 255), (160, 255), (512, 128)) for n in range(49, most, 6)],
)
def test_the_advised_registers_are_the_largest_count_that_helps(threads: int, registers: int) -> None:
    found = compute("h200", threads, registers)
    assert found.limiters == ("registers",)
    said = advise(found, ()).split()
    most, blocks = int(said[said.index("most") + 1]), int(said[said.index("for") + 1])
    assert compute("h200", threads, most).resident_blocks == blocks > found.resident_blocks
    assert compute("h200", threads, most + 1).resident_blocks == found.resident_blocks


def test_the_advised_shared_memory_is_the_largest_size_that_helps() -> None:
    def blocks(shared: int) -> int:
        return occupancy(find_device("h200"), Resources(24, shared, 0, "a test"), 64).resident_blocks

    assert blocks(15_616) == blocks(16_384) + 1
    assert blocks(15_617) == blocks(16_384)


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
