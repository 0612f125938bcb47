from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels import nearest as nearest_choices
from kernels.catalog import catalog, find_kernel
from kernels.cli import main
from kernels.host_memory import SIMULATED_COPIES
from kernels.launch import Dim3, Limits
from kernels.nearest import nearest
from kernels.size_search import MOST_PROBES
from kernels.workload import Size, Workload
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.catalog import Kernel


@pytest.fixture(autouse=True)
def machine_with_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let suggestions depend on the machine's memory only in tests that set it."""
    monkeypatch.setattr(nearest_choices, "physical_bytes", lambda: 1 << 80)


def test_a_size_whose_arrays_do_not_fit_in_memory_is_no_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_choices, "physical_bytes", lambda: 64 << 30)
    kernel, wanted = find_kernel("matmul_tiled_exact"), Size(100_000_001, 100_000_001, 100_000_001)
    (size,) = nearest(kernel, wanted, Dim3(16, 16)).sizes
    assert SIMULATED_COPIES * kernel.workload.least_bytes(size) <= 64 << 30
    assert str(nearest(kernel, Size(1, 1, 100_000_001), Dim3(16, 16))) == (
        "nearest that work: block 1×1; size 16×16×100000000 or 16×16×100000016"
    )


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
        ("matmul_single_block", "33", "32,32", "size 32×32×33"),
        ("matmul_single_block", "40,20,7", "32,32", "size 32×20×7"),
        ("matmul_single_block", "40,20,99", "32,32", "size 32×20×99"),
        ("matmul_single_block", "20", "16,16", "block 20×20; size 16×16×20"),
        ("matmul_naive", "100", "33,33", "block 32×32"),
        ("index_map", "100", "1024,2", "block 512×2"),
        ("cpu_parallel", "4", "2,2", "block 2×1 or 8×1"),
    ],
)
def test_the_nearest_that_work_are_told(kernel: str, size: str, block: str, words: str) -> None:
    found = nearest(find_kernel(kernel), Size.parse(size), Dim3.parse(block))
    assert str(found) == f"nearest that work: {words}"


def test_the_command_line_tells_them() -> None:
    result = CliRunner().invoke(main, ["trace", "mmt_stripe", "--size", "9000", "--block", "8,8"])
    assert result.exit_code == 2
    assert result.stderr == (
        "tilescope: a block needs 288,000 bytes of shared memory, the device allows 232,448: choose a smaller tile; "
        "nearest that work: block 6×6; n = 7264\n"
    )


def test_a_device_with_more_shared_memory_allows_more() -> None:
    kernel, limits = find_kernel("mmt_stripe"), Limits(shared_per_block_bytes=227 * 1024)
    assert nearest(kernel, Size(9000, 9000, 9000), Dim3(8, 8), limits).sizes == (Size(7264, 7264, 7264),)
    assert str(nearest(kernel, Size(7264, 7264, 7264), Dim3(8, 8), limits)) == ""


@pytest.mark.parametrize(
    ("kernel", "size"),
    in_turn(
        [kernel for kernel in catalog() if kernel.file is not None],
        ["100000000", "5,100000001,7", "10000000000"],
        lambda kernel: kernel.id,
    ),
)
def test_every_kernel_is_launched_few_times_to_find_what_is_nearest_to_a_large_size(kernel: Kernel, size: str) -> None:
    launched = Launched(kernel)
    found = nearest(launched.kernel, Size.parse(size), kernel.block)
    assert launched.count <= 2 * 2 * MOST_PROBES + 200  # sizes on two sides, in two ways; and blocks
    for legal in found.sizes:
        kernel.launch(legal, kernel.block)


@pytest.mark.parametrize(
    ("kernel", "size", "block", "words"),
    [
        ("matmul_tiled_exact", "100000000", "16,16", "size 1048560×100000000×100000000"),
        ("matmul_tiled_exact", "5,100000000,7", "2,2", "block 1×1; size 4×100000000×6 or 6×100000000×8"),
        ("index_map", "100000001,5,7", "16,16", "size 1048560×5×7"),
        ("mmt_stripe", "100000000", "8,8", "n = 1536"),
        ("mmt_tiled_exact", "1000000007", "8,8", "n = 524280"),
    ],
)
def test_of_a_large_size_only_the_refused_length_changes(kernel: str, size: str, block: str, words: str) -> None:
    found = nearest(find_kernel(kernel), Size.parse(size), Dim3.parse(block))
    assert str(found) == f"nearest that work: {words}"


def test_requirements_say_what_a_length_is_a_multiple_of() -> None:
    condition = "M % block_x == 0 && M % 48 == 0 && K % (2 * block_y) == 0"
    kernel = replace(find_kernel("matmul_naive"), require=((condition, "odd"),))
    sizes = nearest(kernel, Size(1000, 1000, 1000), Dim3(32, 8)).sizes
    assert sizes == (Size(960, 1000, 992), Size(1056, 1000, 1008))


def test_a_source_that_cannot_be_read_at_a_size_is_no_proposal(tmp_path: Path) -> None:
    file = tmp_path / "kept.cu"
    text = "__global__ void k(int *out, int height, int width) { __shared__ char s[LENGTH]; out[0] = s[0]; }\n"
    kernel = replace(find_kernel("index_map"), id="kept", file=file, source=text, entry="k")
    kernel = replace(kernel, define={"LENGTH": "width"}, grid=("1",))
    sizes = nearest(kernel, Size(1, 2_000_000_000, 1), Dim3(32)).sizes
    assert sizes == (Size(1, 48 * 1024, 1),)


@dataclass(frozen=True, slots=True)
class CountedWorkload(Workload):
    """A workload that remembers which sizes it was asked for."""

    asked: list[Size] = field(default_factory=list)

    def scalars(self, size: Size) -> dict[str, int]:
        self.asked.append(size)
        return Workload.scalars(self, size)


class Launched:
    """A kernel that counts how often its launch rule is asked."""

    def __init__(self, kernel: Kernel) -> None:
        copied = {part.name: getattr(kernel.workload, part.name) for part in fields(kernel.workload)}
        self._workload = CountedWorkload(**copied)
        self.kernel = replace(kernel, workload=self._workload)

    @property
    def count(self) -> int:
        return len(self._workload.asked)


def test_of_what_is_legal_or_hopeless_nothing_is_told() -> None:
    kernel = find_kernel("matmul_single_block")
    assert str(nearest(kernel, Size(4, 4, 4), Dim3(4, 4))) == ""
    assert str(nearest(kernel, Size(33, 33, 33), Dim3(33, 33))) == ""
