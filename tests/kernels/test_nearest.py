from __future__ import annotations

import pytest
from click.testing import CliRunner

from kernels.catalog import find_kernel
from kernels.cli import main
from kernels.launch import Dim3, Limits
from kernels.nearest import nearest
from kernels.workload import Size


@pytest.mark.parametrize(
    ("kernel", "size", "block", "words"),
    [
        ("matmul_tiled", "4", "4,2", "block 2×2 or 4×4"),
        ("matmul_tiled_exact", "33", "16,16", "block 11×11; n = 32 or 48"),
        ("matmul_tiled_exact", "17,33,50", "16,16", "block 1×1; size 16×32×48 or 32×48×64"),
        ("matmul_tiled_exact", "32", "64,64", "block 32×32"),
        ("mmt_tiled_exact", "37", "8,8", "block 1×1; n = 32 or 40"),
        ("mmt_stripe", "2000", "8,8", "block 6×6; n = 1536"),  # 48 KiB = 4 · 8 · 1,536 bytes
        ("mmt_stripe", "100000", "8,8", "n = 1536"),
        ("matmul_single_block", "33", "32,32", "n = 32"),
        ("matmul_single_block", "40,20,7", "32,32", "size 32×20×7"),
        ("matmul_single_block", "20", "16,16", "block 20×20; n = 16"),
        ("matmul_naive", "100", "33,33", "block 32×32"),
        ("index_map", "100", "1024,2", "block 512×2"),
        ("cpu_parallel", "4", "2,2", "block 2×1 or 8×1"),
    ],
)
def test_the_nearest_that_work_are_told(kernel: str, size: str, block: str, words: str) -> None:
    found = nearest(find_kernel(kernel), Size.parse(size), Dim3.parse(block))
    assert str(found) == f"nearest that work: {words}"


def test_the_command_line_tells_them() -> None:
    result = CliRunner().invoke(main, ["trace", "mmt_stripe", "--size", "2000", "--block", "8,8"])
    assert result.exit_code == 2
    assert result.stderr == (
        "tilescope: a block needs 64,000 bytes of shared memory, the device allows 49,152: choose a smaller tile; "
        "nearest that work: block 6×6; n = 1536\n"
    )


def test_a_device_with_more_shared_memory_allows_more() -> None:
    kernel, limits = find_kernel("mmt_stripe"), Limits(shared_per_block_bytes=227 * 1024)
    assert nearest(kernel, Size(9000, 9000, 9000), Dim3(8, 8), limits).sizes == (Size(7264, 7264, 7264),)
    assert str(nearest(kernel, Size(7264, 7264, 7264), Dim3(8, 8), limits)) == ""


def test_of_what_is_legal_or_hopeless_nothing_is_told() -> None:
    kernel = find_kernel("matmul_single_block")
    assert str(nearest(kernel, Size(4, 4, 4), Dim3(4, 4))) == ""
    assert str(nearest(kernel, Size(33, 33, 33), Dim3(33, 33))) == ""
