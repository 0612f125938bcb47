"""Arrays on the host, pinned, and shared: right results, times part by part, and no more memory than is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.fill import Fill
from kernels.gpu.run import CudaRun, LibraryRun
from kernels.launch import Dim3
from kernels.workload import Size, verify

if TYPE_CHECKING:
    from kernels.gpu.memory import Memory

PLAN = Plan((), budget_s=0.2)
SIZE = Size(1024, 1024, 1024)
PARTS = {
    "pageable": ("to_device", "kernel", "to_host"),
    "pinned": ("to_device", "kernel", "to_host"),
    "managed": ("kernel", "to_host"),
}


@pytest.mark.parametrize("memory", PARTS)
@pytest.mark.parametrize("name", ["matmul_tiled", "cublas_sgemm", "mmt_stripe_transposed", "cublas_ssyrk"])
def test_a_sample_is_the_sum_of_its_parts(name: str, memory: Memory) -> None:
    block = Dim3(16, 16) if find_kernel(name).runs_on == "cuda" else None
    sample = measure(Point(Entry(name, block, memory=memory), SIZE), PLAN, "")
    assert sample.verified, sample.error
    assert tuple(sample.parts_ms) == PARTS[memory]
    assert all(time > 0 for times in sample.parts_ms.values() for time in times)
    np.testing.assert_allclose(sample.times_ms, np.sum(list(sample.parts_ms.values()), axis=0))
    assert sample.launches == 1
    print({part: f"{sample.part_ms(part):.4f} ms" for part in sample.parts_ms}, sample.point)


@pytest.mark.parametrize("memory", ["device", *PARTS])
def test_results_are_right_after_timing_too(memory: Memory) -> None:
    kernel, size = find_kernel("mmt_stripe"), Size(100, 100, 100)  # it adds to its result: who clears it?
    inputs = kernel.workload.inputs(size, Fill("random", (1,)))
    with CudaRun(kernel, size, Dim3(8, 8), inputs, memory=memory) as run:
        for _ in range(3):
            run.sample_ms()
        verdict = verify(kernel.workload, size, inputs, run.outputs(), tolerance=kernel.tolerance)
    assert verdict.correct, verdict.message


def test_a_kernel_of_managed_memory_is_nowhere_else() -> None:
    entry = Entry("matmul_unified", Dim3(16, 16))
    with pytest.raises(InputError, match="keeps its arrays in managed memory"):
        measure(Point(entry, SIZE), PLAN, "")


def test_managed_memory_never_takes_all_that_is_free() -> None:
    from kernels.gpu.device import free_bytes

    n = int((free_bytes() * 0.6 / 12) ** 0.5)  # three float matrices in 60 % of it
    with pytest.raises(InputError, match=r"GB of managed memory are safe on this device: choose a smaller size"):
        CudaRun(find_kernel("matmul_naive"), Size(n, n, n), Dim3(16, 16), {}, memory="managed")


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000, 2051])
@pytest.mark.parametrize("name", ["cublas_ssyrk", "cublas_sgemm_mmt"])
def test_the_whole_result_comes_out_of_one_triangle(name: str, n: int) -> None:
    kernel, size = find_kernel(name), Size(n, n, n)
    inputs = kernel.workload.inputs(size, Fill("random", (1,)))
    with LibraryRun(kernel, size, inputs) as run:
        outputs = run.outputs()
    assert verify(kernel.workload, size, inputs, outputs, tolerance=kernel.tolerance).correct
    if name == "cublas_ssyrk":
        np.testing.assert_array_equal(outputs["P"], outputs["P"].T)
