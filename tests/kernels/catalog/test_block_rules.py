"""Fields of a kernel's footer: tables that choose its block, and values of another type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import all_entries, entries
from kernels.bench.sample import Entry
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.catalog.footer import kernel_of
from kernels.device import devices
from kernels.errors import InputError, LaunchError
from kernels.launch import Dim3, Limits, check
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from kernels.catalog import Kernel

CASES = Cases(__file__)

RULED = [kernel for kernel in catalog() if kernel.block_rules]
SIZES = [Size(n, n, n) for n in (1, 512, 1000, 1024, 2048, 2051, 4096, 16384)]
SIZES += [Size(2051, 1027, 2051), Size(1, 100_000, 7), Size(100_000, 1, 7)]


@pytest.mark.parametrize("kernel", RULED, ids=lambda kernel: kernel.id)
def test_every_gpu_has_a_block_that_fits_for_every_size(kernel: Kernel) -> None:
    for device in devices():
        limits = Limits(shared_per_block_bytes=device.shared_per_block_optin_bytes)
        for size in SIZES:
            rule = kernel.chosen_rule(size, device.arch)
            assert rule is not None
            assert rule.block in (kernel.block, *kernel.blocks)
            assert rule.why.endswith(".")
            check(kernel.launch(kernel.workload.fit(size), rule.block), limits, 128)


@pytest.mark.parametrize("kernel", RULED, ids=lambda kernel: kernel.id)
def test_every_row_is_used(kernel: Kernel) -> None:
    sizes = [*SIZES, Size(3000, 1280, 64)]
    used = {kernel.chosen_rule(s, arch) for s in sizes for arch in ("sm_75", "sm_80", "sm_90", "sm_120")}
    assert used == set(kernel.block_rules)


@pytest.mark.parametrize(
    ("name", "size", "arch", "block"),
    [
        ("matmul_fast", Size(512, 512, 512), "sm_90", Dim3(32, 6)),
        ("matmul_fast", Size(1024, 1024, 1024), "sm_90", Dim3(128, 3)),
        ("matmul_fast", Size(2051, 1027, 2051), "sm_90", Dim3(128, 3)),
        ("matmul_fast", Size(2048, 2048, 2048), "sm_90", Dim3(384)),
        ("matmul_fast", Size(2048, 2048, 2048), "sm_75", Dim3(32, 6)),
        ("matmul_3xtf32", Size(8, 8, 8), "sm_90", Dim3(384)),
        ("matmul_3xtf32", Size(8, 8, 8), "sm_120", Dim3(192)),
        ("mmt_fast", Size(2048, 2048, 2048), "sm_90", Dim3(64, 3)),
        ("mmt_fast", Size(4096, 4096, 4096), "sm_90", Dim3(384)),
    ],
)
def test_the_first_row_that_applies_is_chosen(name: str, size: Size, arch: str, block: Dim3) -> None:
    rule = find_kernel(name).chosen_rule(size, arch)
    assert rule is not None
    assert rule.block == block


def test_a_kernel_with_a_table_is_one_curve() -> None:
    kernel = find_kernel("matmul_fast")
    assert entries(kernel) == (Entry("matmul_fast"),)
    assert all_entries(kernel)[0].label == "matmul_fast"
    assert entries(kernel, [Dim3(384)]) == (Entry("matmul_fast", Dim3(384)),)
    assert find_kernel("matmul_tiled").chosen_rule(Size(8, 8, 8), "sm_90") is None


def test_a_size_without_a_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text(CASES.source("footer"), encoding="utf-8")
    row = '[[row]]\narch = "sm_80"\nwhen = "N > 4"\nblock = [4]\nwhy = "Because."\n'
    (tmp_path / "mine.toml").write_text(row, encoding="utf-8")
    kernel = read_kernel(tmp_path / "mine.cu")
    assert str(kernel.block_rules[0]) == "from sm_80, N > 4: block 4×1. Because."
    for size, arch in ((Size(4, 4, 4), "sm_90"), (Size(8, 8, 8), "sm_75")):
        with pytest.raises(LaunchError, match=f"mine has no block for .* on {arch}: choose a block"):
            kernel.chosen_rule(size, arch)


@pytest.mark.parametrize("table", ["", "[[row]]\n", "[[row]]\narch = 1\n", "row"])
def test_what_is_no_table_is_refused(tmp_path: Path, table: str) -> None:
    (tmp_path / "mine.cu").write_text(CASES.source("footer"), encoding="utf-8")
    (tmp_path / "mine.toml").write_text(table, encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.toml: is not a table of blocks"):
        read_kernel(tmp_path / "mine.cu")


@pytest.mark.parametrize("value", ["1e999", "nan", "3.7", "true", '"7"', "[1]"])
@pytest.mark.parametrize("name", ["order", "roundings"])
def test_a_number_of_the_footer_is_a_whole_number(name: str, value: str) -> None:
    footer = 'title = "t"\nteaches = "t"\nworkload = "matmul"\nblock = [8]\nblocks = [[8]]\ngrid = ["1"]\n'
    with pytest.raises(InputError, match=f"{name} must be a whole number") as error:
        kernel_of(Path("k.cu"), f"__global__ void k() {{}}\n/* tilescope\n{footer}{name} = {value}\n*/\n")
    assert "\n" not in str(error.value)
