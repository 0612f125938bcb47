"""Runs of files that are not in the catalogue, and the nearest launches that work."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from kernels import nearest as nearest_choices
from kernels.catalog import catalog, find_kernel
from kernels.cli import main
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.host_memory import SIMULATED_COPIES
from kernels.launch import Dim3, Launch, Limits
from kernels.nearest import nearest
from kernels.size_search import MOST_PROBES
from kernels.tracing import prepare, trace_source
from kernels.workload import Size, Workload
from tests.cases import Cases
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.catalog import Kernel

CASES = Cases(__file__)


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


@pytest.mark.parametrize(("kernel", "size", "block", "words"), CASES("the_nearest_that_work_are_told"))
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


@pytest.mark.parametrize(("kernel", "size", "block", "words"), CASES("of_a_large_size_only_the_refused"))
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


@pytest.mark.parametrize(("static", "dynamic", "message"), CASES("host_code_may_have_allowed_more"))
def test_host_code_may_have_allowed_more_dynamic_shared_memory(static: str, dynamic: int, message: str) -> None:
    def run() -> float:
        arguments = {"out": np.zeros(1, np.float32)}
        launch = Launch(Dim3(1), Dim3(1), dynamic)
        source = CASES.source("kernel").replace("STATIC", static)
        return float(trace_source(source, "k.cu", None, launch, arguments).outputs["out"][0])

    if message:
        with pytest.raises(LaunchError, match=message):
            run()
    else:
        assert run() == 3


def test_too_many_threads_are_refused_before_anything_is_filled() -> None:
    kernel = find_kernel("matmul_naive")
    with pytest.raises(InputError, match="a grid of 600,000,000 threads is too large to trace"):
        prepare(kernel, Size(5, 100_000_000, 7), Dim3(2, 2), Fill.parse("none.npy"))


def test_arrays_are_refused_before_they_are_filled() -> None:
    kernel = find_kernel("matmul_tiled")
    with pytest.raises(InputError, match="cannot hold that 4 times: choose a smaller size, up to 64"):
        prepare(kernel, Size(64, 64, 10**12), Dim3(8, 8), Fill.parse("none.npy"))
