from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.catalog import Kernel, find_kernel, read_kernel
from kernels.device import Device, find_device
from kernels.errors import InputError, LaunchError
from kernels.launch import Dim3
from kernels.occupancy import Resources
from kernels.occupancy.curve import blocks_to_ship, candidate_blocks, curve, occupancy_of

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.workload import Size

SOURCE = """
extern "C" __global__ void mine() {{ }}
/* tilescope
title = "Mine"
teaches = "Nothing."
workload = "none"
size = [4, 4, 4]
block = [16, 16]
blocks = [[16, 16]]
grid = {grid}
require = {require}
*/
"""


def kernel(folder: Path, grid: str = '["1", "1"]', require: str = "[]") -> Kernel:
    file = folder / "mine.cu"
    file.write_text(SOURCE.format(grid=grid, require=require), encoding="utf-8")
    return read_kernel(file)


def resources(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
    return Resources(40, 0, 0, "a test")


def test_a_square_tile_gets_every_width(tmp_path: Path) -> None:
    mine = kernel(tmp_path, require='[["block_x == block_y", "square"]]')
    assert candidate_blocks(mine, mine.size, Dim3(16, 16)) == tuple(Dim3(w, w) for w in range(1, 33))


@pytest.mark.parametrize(
    ("chosen", "width"), [(Dim3(16, 16), 16), (Dim3(8, 3), 8), (Dim3(3, 5), 32), (Dim3(512, 2), 32)]
)
def test_any_other_gets_whole_warps_as_wide_as_the_chosen_block(tmp_path: Path, chosen: Dim3, width: int) -> None:
    mine = kernel(tmp_path)
    found = candidate_blocks(mine, mine.size, chosen)
    assert chosen in found
    assert {b.count for b in found} == {*range(32, 1025, 32), chosen.count}
    assert {b.x for b in found if b != chosen} == {width}


def test_one_dimension_of_grid_gets_one_dimension_of_block(tmp_path: Path) -> None:
    mine = kernel(tmp_path, grid='["1"]')
    assert {b.y for b in candidate_blocks(mine, mine.size, Dim3(256))} == {1}


def test_blocks_that_the_kernel_refuses_are_no_candidates(tmp_path: Path) -> None:
    mine = kernel(tmp_path, require='[["block_x * block_y <= 256", "too large"]]')
    found = candidate_blocks(mine, mine.size, Dim3(32, 32))
    assert max(b.count for b in found) == 256
    assert Dim3(32, 32) not in found


def test_the_curve_leaves_out_what_the_device_refuses(tmp_path: Path) -> None:
    mine = kernel(tmp_path)

    def hungry(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
        return Resources(120, 0, 0, "a test")

    points = curve(mine, mine.size, mine.block, find_device("H200"), hungry)
    assert max(p.occupancy.block_threads for p in points) == 512


def test_the_shape_of_the_curve(tmp_path: Path) -> None:
    mine = kernel(tmp_path)
    points = curve(mine, mine.size, mine.block, find_device("H200"), resources)
    by_threads = {p.occupancy.block_threads: p.occupancy.resident_blocks for p in points}
    assert list(by_threads) == sorted(by_threads)
    assert (by_threads[32], by_threads[256], by_threads[1024]) == (32, 6, 1)


def test_an_illegal_block_is_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    def never(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
        raise AssertionError("asked for resources")

    mine = kernel(tmp_path)
    with pytest.raises(LaunchError, match="33×32 has 1,056 threads"):
        occupancy_of(mine, mine.size, Dim3(33, 32), find_device("T4"), never)


@pytest.mark.parametrize(("name", "said"), [("cpu_blas", "runs on the CPU"), ("cublas_sgemm", "library routine")])
def test_a_kernel_without_source_is_refused(name: str, said: str) -> None:
    plain = find_kernel(name)
    with pytest.raises(InputError, match=said):
        occupancy_of(plain, plain.size, plain.block, find_device("T4"))


def test_every_curve_that_can_be_shown_is_shipped(tmp_path: Path) -> None:
    mine = kernel(tmp_path)
    shipped = set(blocks_to_ship(mine))
    for chosen in (Dim3(8, 8), Dim3(16, 4), Dim3(32, 32), Dim3(5, 5)):
        assert set(candidate_blocks(mine, mine.size, chosen)) <= shipped
