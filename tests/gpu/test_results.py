"""Every kernel is right on the device: at every kind of size, with every block it declares, and some more."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog
from kernels.cpu.matmul import CpuRun
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.gpu.run import CudaRun, DeviceRun, LibraryRun
from kernels.launch import Dim3
from kernels.workload import Arrays, Matrices, Size, verify

SIZES = (*(Size(n, n, n) for n in (1, 17, 64, 1000, 4096)), Size(1027, 515, 2051))
BLOCKS = (Dim3(1, 1), Dim3(4, 4), Dim3(32, 4), Dim3(7, 5))
ARITHMETIC = [k for k in catalog() if k.runs_on != "cpu" and k.measurable and isinstance(k.workload.picture, Matrices)]
"""Products; `test_kmeans` has sizes of its own."""


def _run(kernel: Kernel, size: Size, block: Dim3, inputs: Arrays) -> DeviceRun:
    if kernel.runs_on == "library":
        return LibraryRun(kernel, size, inputs)
    return CudaRun(kernel, size, block, inputs)


def _accepts(kernel: Kernel, size: Size, block: Dim3) -> bool:
    try:
        kernel.launch(size, block)
    except LaunchError:
        return False
    return True


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("kernel", ARITHMETIC, ids=lambda kernel: kernel.id)
def test_every_kernel_is_right(kernel: Kernel, size: Size) -> None:
    size = kernel.workload.fit(size)
    inputs = kernel.workload.inputs(size, Fill("random", (1,)))
    wanted = (*kernel.blocks, *BLOCKS) if kernel.runs_on == "cuda" else (kernel.block,)
    blocks = [b for b in wanted if kernel.runs_on == "library" or _accepts(kernel, size, b)]
    checked = 0
    for block in blocks:
        try:
            run = _run(kernel, size, block, inputs)
        except LaunchError:
            continue  # more shared memory than this device has
        with run:
            verdict = verify(kernel.workload, size, inputs, run.outputs(), tolerance=kernel.tolerance)
        assert verdict.correct, f"block {block}: {verdict.message}"
        checked += 1
    if not checked:
        pytest.skip(f"{kernel.id} takes none of {', '.join(str(b) for b in wanted)} at size {size}")


@pytest.mark.parametrize("size", [*SIZES, Size(333, 1001, 1)], ids=str)
def test_the_index_map_counts_every_element(size: Size) -> None:
    kernel = _kernel("index_map")
    for block in (Dim3(32, 8), Dim3(512, 2), Dim3(5, 3)):
        with CudaRun(kernel, size, block, {}) as run:
            verdict = verify(kernel.workload, size, {}, run.outputs())
        assert verdict.correct, f"block {block}: {verdict.message}"


def test_every_thread_of_the_grid_says_hello_once(capfd: pytest.CaptureFixture[str]) -> None:
    kernel = _kernel("hello_grid")
    with CudaRun(kernel, kernel.size, Dim3(2, 2), {}) as run:
        run.outputs()
    said = Counter(capfd.readouterr().out.splitlines())
    expected = {
        f"Hello from thread ({tx}, {ty}) of block ({bx}, {by})"
        for tx in (0, 1)
        for ty in (0, 1)
        for bx in (0, 1)
        for by in (0, 1)
    }
    assert said == Counter(dict.fromkeys(expected, 1))


def test_a_block_of_2048_threads_is_refused_and_says_why() -> None:
    with pytest.raises(LaunchError, match="2,048 threads, the device allows 1,024"):
        CudaRun(_kernel("index_map"), Size(8, 8, 1), Dim3(1024, 2), {})


def test_an_array_that_does_not_fit_is_refused_in_words() -> None:
    kernel, n = _kernel("matmul_naive"), 400_000
    with pytest.raises(InputError, match=r"the arrays take 1,?920.0 GB.*choose a smaller size"):
        CudaRun(kernel, Size(n, n, n), Dim3(16, 16), {})


@pytest.mark.parametrize("name", ["matmul_naive", "matmul_tiled"])
def test_without_fused_operations_it_is_bit_for_bit_the_sequential_result(name: str) -> None:
    pytest.importorskip("numba", exc_type=ImportError)
    kernel, size = _kernel(name), Size(65, 33, 129)
    inputs = kernel.workload.inputs(size, Fill("random", (1,)))
    with CpuRun("cpu_sequential", inputs, 1) as sequential:
        expected = sequential.outputs()["C"]
    with CudaRun(kernel, size, Dim3(16, 16), inputs, fmad=False) as run:
        np.testing.assert_array_equal(run.outputs()["C"], expected)


def _kernel(name: str) -> Kernel:
    return next(k for k in catalog() if k.id == name)
