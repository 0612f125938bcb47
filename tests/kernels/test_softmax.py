"""Softmax: references with bounds, every kernel at every kind of row, and the counts that tell the kernels apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis.metrics.counts import counts
from kernels.catalog import Kernel, catalog, find_kernel
from kernels.errors import LaunchError
from kernels.fill import Fill, Fills
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import WORKLOADS, Size, verify
from kernels.workload.softmax import Softmax
from tests.kernels.analysis.traces import catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

KERNELS = [v for k in catalog() if k.workload.id == "softmax" and k.runs_on == "cuda" for v in k.variants()]
LARGEST = float(np.finfo(np.float32).max)
INFINITE = float("inf")
ROWS = {
    "equal": [7.0] * 40,
    "zeros": [0.0] * 40,
    "huge": [1.0] * 17 + [3e38] + [2.0] * 22,
    "two huge": [LARGEST] + [-LARGEST] * 38 + [LARGEST],
    "least": [-LARGEST] * 40,
    "minus infinity": [-INFINITE, 1.0, -INFINITE, 2.0] * 10,
    "one finite": [-INFINITE] * 39 + [-3.0],
    "first finite": [5.0] + [-INFINITE] * 39,
    "far apart": [-2.5 * i for i in range(40)],
    "denormal": [0.0] + [-88.0 - i / 2 for i in range(39)],
    "rising": [float(i) for i in range(40)],
    "falling": [float(-i) for i in range(40)],
}


@pytest.mark.parametrize("cols", [1, 31, 32, 33, 128, 250, 1000, 1023])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_every_kernel_is_right_at_every_kind_of_size(kernel: Kernel, cols: int) -> None:
    for text in ("random(1)", "iota"):
        size, fills = Size(5, cols, 1), Fills.parse(text)
        case = prepare_case("softmax", size, fills)
        for block in (Dim3(32), Dim3(96), Dim3(256)):
            outputs, hazard = simulate(kernel, size, block, fills)
            checks = check(kernel, size, case.inputs, outputs, fills, case.expected)
            assert (hazard, checks.correct) == ("", True), f"{text}, block {block}: {hazard} {checks.message}"


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_every_kernel_is_right_for_one_row_and_for_many(kernel: Kernel) -> None:
    fills = Fills.parse("random(2)")
    for size in (Size(1, 2000, 1), Size(1000, 6, 1), Size(33, 68, 1), Size(2, 4096, 1)):
        case = prepare_case("softmax", size, fills)
        outputs, hazard = simulate(kernel, size, Dim3(128), fills)
        checks = check(kernel, size, case.inputs, outputs, fills, case.expected)
        assert (hazard, checks.correct) == ("", True), f"{size}: {hazard} {checks.message}"


@pytest.mark.parametrize("repeated", [1, 2], ids=["40 columns", "80 columns"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_rows_with_infinities_and_huge_numbers(kernel: Kernel, repeated: int, tmp_path: Path) -> None:
    x = np.tile(np.array(list(ROWS.values()), np.float32), repeated)
    np.save(tmp_path / "x.npy", x)
    size, fills = Size(len(x), x.shape[1], 1), Fills.parse(str(tmp_path / "x.npy"))
    case = prepare_case("softmax", size, fills)
    for block in (Dim3(32), Dim3(64)):
        outputs, hazard = simulate(kernel, size, block, fills)
        checks = check(kernel, size, case.inputs, outputs, fills, case.expected)
        assert (hazard, checks.correct) == ("", True), f"block {block}: {hazard} {checks.message}"
    y = dict(zip(ROWS, outputs["y"], strict=True))
    np.testing.assert_array_equal(y["equal"], np.float32(1 / x.shape[1]))
    assert (y["huge"] > 0).sum() == repeated
    assert (y["minus infinity"] > 0).sum() == 20 * repeated
    assert y["one finite"].max() == y["first finite"].max() == 1 / repeated
    assert 0 < y["denormal"][1] < np.finfo(np.float32).tiny


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
@pytest.mark.parametrize("block", [Dim3(48), Dim3(16), Dim3(32, 2)], ids=str)
def test_a_block_that_has_parts_of_warps_is_refused_in_one_line(kernel: Kernel, block: Dim3) -> None:
    with pytest.raises(LaunchError, match=r"choose one multiple of 32( up to 256)?, as in block 128$"):
        kernel.launch(Size(4, 64, 1), block)


def test_a_row_that_does_not_fit_into_a_warp_s_registers_is_refused_in_one_line() -> None:
    kernel = find_kernel("softmax_warp")
    assert kernel.launch(Size(8192, 4096, 1), Dim3(256)).grid == Dim3(1024)
    reason = r"block 128×1: a warp has registers .* up to 4,096 columns: choose fewer, or softmax_online$"
    with pytest.raises(LaunchError, match=reason):
        kernel.launch(Size(2, 4097, 1), Dim3(128))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_more_elements_than_an_int_can_count_are_refused(kernel: Kernel) -> None:
    kernel.launch(Size(2**21 - 1, 1024, 1), Dim3(128))
    with pytest.raises(LaunchError, match=r"choose at most 2,147,483,647 elements$"):
        kernel.launch(Size(2**21, 1024, 1), Dim3(128))


# --- the bound --------------------------------------------------------------------------------------------


def online(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """One sum of each row, corrected with each larger element: the most corrections that any order has."""
    largest, total = x[:, 0].copy(), np.ones(len(x), np.float32)
    for column in x.T[1:]:
        now = np.maximum(largest, column)
        total = total * np.exp(largest - now) + np.exp(column - now)
        largest = now
    return np.asarray(np.exp(x - largest[:, None]) / total[:, None])


@pytest.mark.parametrize("cols", [1, 7, 100, 1000, 5000])
def test_loops_in_float32_are_within_the_bound_and_near_it(cols: int) -> None:
    generator = np.random.default_rng(1)
    for scale in (0.01, 1, 30):
        x = (scale * generator.standard_normal((20, cols))).astype(np.float32)
        for order in (x, np.sort(x), np.sort(x)[:, ::-1]):
            result = Softmax(np.ascontiguousarray(order))
            reference = result.reference()
            for found in (result.sequential(), online(np.ascontiguousarray(order))):
                assert (reference.error(found.astype(np.float64)) <= reference.bound).all()
        relative = (reference.bound / reference.rows)[reference.rows > 1e-30]
        assert relative.max() < 1e-7 * (100 + 8 * 8 * np.sqrt(cols))


def test_equal_elements_need_no_correction() -> None:
    few, many = (Softmax(np.array([row], np.float32)).reference() for row in ([1] * 1000, range(1000)))
    assert few.bound.max() / few.rows.max() < 8 * np.sqrt(1000) * 2.0**-24 + 2e-6
    assert many.bound.max() / many.rows.max() > 3 * few.bound.max() / few.rows.max()


@pytest.mark.parametrize("cols", [10, 1000, 4096])
def test_wrong_results_are_found(cols: int) -> None:
    workload, size = WORKLOADS["softmax"], Size(6, cols, 1)
    inputs = workload.inputs(size, Fill("random", (1,)))
    x = inputs["x"].astype(np.float64)
    terms = np.exp(x)
    right = terms / terms.sum(axis=1, keepdims=True)
    assert verify(workload, size, inputs, {"y": right.astype(np.float32)}).correct
    wrong = {
        "an element is missing in the sum": terms / terms[:, :-1].sum(axis=1, keepdims=True),
        "the first one is added twice": terms / (terms[:, :1] + terms.sum(axis=1, keepdims=True)),
        "powers of 2": np.exp2(x) / np.exp2(x).sum(axis=1, keepdims=True),
        "no quotient": terms,
        "columns": terms / terms.sum(axis=0, keepdims=True),
        "nothing": np.full_like(x, np.nan),
    }
    for name, values in wrong.items():
        assert not verify(workload, size, inputs, {"y": values.astype(np.float32)}).correct, name


@pytest.mark.parametrize("row", [[-INFINITE] * 3, [INFINITE, 1, 2], [np.nan, 1, 2]])
def test_a_row_without_a_result_is_wrong(row: list[float]) -> None:
    workload, inputs = WORKLOADS["softmax"], {"x": np.array([row], np.float32)}
    for found in ([1 / 3] * 3, [0, 0, 0], [np.nan] * 3):
        values = np.array([found], np.float32)
        assert not verify(workload, Size(1, 3, 1), inputs, {"y": values}).correct


def test_useful_bytes_are_read_and_written_once() -> None:
    workload = WORKLOADS["softmax"]
    assert workload.rate is not None
    assert workload.rate.of(Size(8192, 1024, 1), 1.0) == pytest.approx(8 * 8192 * 1024 / 1e6)


# --- what the kernels show --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "readings"), [("softmax_three_pass", 3), ("softmax_online", 2), ("softmax_warp", 1)])
def test_readings_of_x(name: str, readings: int) -> None:
    found = counts(catalogue(name, "8,1024,1", "128")).arrays
    elements = {(row.array, row.access): row.bytes / 4 / 8 / 1024 for row in found if row.space == "global"}
    sectors = {(row.array, row.access): row.sectors / 8 / 128 for row in found if row.space == "global"}
    assert elements == sectors == {("x", "read"): readings, ("y", "write"): 1}


@pytest.mark.parametrize(("name", "barriers"), [("softmax_three_pass", 2), ("softmax_online", 1), ("softmax_warp", 0)])
def test_barriers_and_shared_memory(name: str, barriers: int) -> None:
    found, lines = counts(catalogue(name, "8,1024,1", "128")), find_kernel(name).text.splitlines()
    waits = sum(row.warps for row in found.issued if "__syncthreads" in lines[row.line - 1])
    assert waits == barriers * 8 * 128 // 32
    assert any(row.space == "shared" for row in found.arrays) == (barriers > 0)


@pytest.mark.parametrize(("cols", "requests", "sectors"), [(1024, 8, 16), (1023, 32, None), (68, 1, 9)])
def test_aligned_rows_are_read_16_bytes_a_lane(cols: int, requests: int, sectors: int | None) -> None:
    found = counts(catalogue("softmax_warp", f"4,{cols},1", "64")).arrays
    row = next(row for row in found if row.array == "x")
    assert row.requests == 4 * requests
    assert sectors is None or row.sectors == 4 * requests * sectors


@pytest.mark.parametrize(("fill", "corrections"), [("iota", 4 * 48), ("zeros", 4 * 32), ("mod(48)", 4 * 48)])
def test_larger_elements_correct_the_sum(fill: str, corrections: int) -> None:
    """The first element of each of 32 threads counts as one."""
    kernel = find_kernel("softmax_online")
    trace = trace_kernel(kernel, Size(4, 48, 1), Dim3(32), Fill.parse(fill))
    lines = kernel.text.splitlines()
    found = [row.lanes for row in counts(trace).issued if "expf(largest - value)" in lines[row.line - 1]]
    assert sum(found) == corrections
