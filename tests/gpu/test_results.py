"""Every kernel is right on the device, as the simulator says, and as `tilescope verify` says."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.catalog import Kernel, catalog, find_kernel
from kernels.cli import main
from kernels.cpu.matmul import CpuRun
from kernels.errors import InputError, LaunchError
from kernels.fill import Fill
from kernels.gpu.run import CudaRun, DeviceRun, LibraryRun
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Arrays, Matrices, Size, verify
from tests.gpu.faulty_kernels import broken_entry

if TYPE_CHECKING:
    from pathlib import Path

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


KERNELS = [k for k in catalog() if k.runs_on == "cuda" and k.workload.id != "none" and not k.flaw]
RANDOM = Fill("random", (1,))


@pytest.mark.parametrize("block", [Dim3(2, 2), Dim3(4, 4), Dim3(8, 8)], ids=str)
@pytest.mark.parametrize("n", [1, 3, 8, 13])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_simulated_and_real_outputs_agree(kernel: Kernel, n: int, block: Dim3) -> None:
    size = kernel.workload.fit(Size(n, n, n))
    inputs = kernel.workload.inputs(size, RANDOM)
    try:
        with CudaRun(kernel, size, block, inputs) as run:
            real = run.outputs()
    except LaunchError as refusal:
        pytest.skip(str(refusal))
    simulated = trace_kernel(kernel, size, block, RANDOM).outputs
    for outputs in (real, simulated):
        verdict = verify(kernel.workload, size, inputs, outputs, tolerance=kernel.tolerance)
        assert verdict.correct, verdict.message
    for name, values in real.items():
        expected = simulated[name].reshape(values.shape).astype(np.float64)
        np.testing.assert_allclose(values.astype(np.float64), expected, rtol=1e-5, atol=1e-5)


IN_SLICES = ("matmul_split_k", "matmul_fast", "mmt_fast", "matmul_3xtf32", "mmt_3xtf32", "matmul_strassen")
IN_ORDER = [
    k.id
    for k in catalog()
    if k.runs_on == "cuda" and k.measurable and not k.clear and k.id not in IN_SLICES and k.workload.id != "softmax"
]
"""Kernels whose threads each sum an element from k = 0 up; the others add to what other threads have summed."""


def verified(*words: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(main, ["verify", "--in", "gpu", "--json", *words])
    return done.exit_code, json.loads(done.stdout)


def test_every_kernel_at_sizes_around_a_tile() -> None:
    sizes = ("--size", "7", "--size", "16", "--size", "33")
    ran = set()
    for block in (("--block", "8,8"), ()):  # not every kernel runs with 8×8 threads: all run with their own blocks
        status, found = verified(*sizes, *block)
        assert status == 0, [point["error"] for point in found["points"] if not point["right"]]
        ran |= {point["kernel"] for point in found["points"] if point["right"]}
    assert ran == {variant.id for k in catalog() if not k.flaw for variant in k.variants()}


def test_without_fused_operations_sums_in_order_are_equal_bit_for_bit() -> None:
    status, found = verified(
        *IN_ORDER, "--no-fmad", "--size", "32", "--size", "127", "--block", "16,16", "--block", "32,32"
    )
    assert status == 0
    unlike = {
        point["kernel"]: point["checks"]["unlike_bits"]
        for point in found["points"]
        if point["right"] and point["checks"]["unlike_bits"]
    }
    assert unlike == {}


def test_matrices_printed_in_the_documents() -> None:
    for kernel, size, fill in (("mmt_stripe", "7", "iota"), ("matmul_unified", "4", "rows")):
        status, found = verified(kernel, "--size", size, "--fill", fill)
        assert status == 0
        assert all(point["checks"]["known"] for point in found["points"])


@pytest.mark.parametrize("name", ["out_of_bounds", "wrong"])
def test_a_broken_kernel_fails_and_the_next_is_checked(tmp_path: Path, name: str) -> None:
    bad = broken_entry(tmp_path, name).kernel
    status, found = verified(bad, "matmul_naive", "--size", "64", "--block", "16,16")
    broken, good = found["points"]
    assert status == 1
    assert not broken["right"]
    assert good["right"]


def test_a_suggested_block_is_launched_and_right() -> None:
    from kernels.gpu.device import present_device
    from kernels.occupancy.suggest import suggest

    kernel = find_kernel("matmul_tiled_dynamic")
    block = suggest(kernel, kernel.size, present_device()).block
    status, found = verified(kernel.id, "--size", "1000", "--block", f"{block.x},{block.y}")
    assert (status, found["points"][0]["right"]) == (0, True)
